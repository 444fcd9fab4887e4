"""Calls of aclnnLayerNormBackward drawn at random, and the code that each of them must get.

The code is written from the operator's contract (docs/aclnn.md), not from the check of the planner.
"""

from __future__ import annotations

import random
from dataclasses import replace

from rms_norm_grad_oracle import BF16, FP16, FP32, INT8, Tensor, count

SOCS = {"ascend910b4": 2201, "ascend910_9391": 2201}
API = "aclnnLayerNormBackward"

_SUCCESS, _NULL, _INVALID = 0, 161001, 161002
_LENGTHS = (0, 1, 1, 2, 3, 7, 16, 33)
_MOST_COLS = 4096

# gradOut, input, normalizedShape, mean, rstd, weight, bias, outputMask, and the three outputs.
Call = list["Tensor | tuple[int, ...] | list[bool] | None"]


def expected(arch: int, call: Call) -> int:
    """The contract's conditions, nulls first."""
    dy, x, axes, mean, rstd, weight, bias, mask, *outputs = call
    if None in (dy, x, axes, mean, rstd, mask):
        return _NULL
    assert isinstance(mask, list)
    if any(wanted and output is None for wanted, output in zip(mask, outputs, strict=False)):
        return _NULL
    if len(mask) != 3:
        return _INVALID
    wanted_outputs = [o if wanted else None for o, wanted in zip(outputs, mask, strict=True)]
    valid = _dtypes_fit(arch, dy, x, mean, rstd, weight, bias, *wanted_outputs) and _shapes_fit(
        axes, dy, x, mean, rstd, weight, bias, *wanted_outputs
    )
    return _SUCCESS if valid else _INVALID


def _dtypes_fit(arch, dy, x, mean, rstd, weight, bias, dx, dweight, dbias) -> bool:  # type: ignore[no-untyped-def]
    kinds = {FP32, FP16} | ({BF16} if arch in (2201, 3510) else set())
    if x.dtype not in kinds or {t.dtype for t in (dy, x, dx) if t} != {x.dtype}:
        return False
    if mean.dtype != rstd.dtype or mean.dtype not in (x.dtype, FP32):
        return False
    given = {t.dtype for t in (weight, bias) if t}
    if len(given) > 1 or not given <= {x.dtype, FP32}:
        return False
    sums = given or {x.dtype}
    return {t.dtype for t in (dweight, dbias) if t} <= sums


def _shapes_fit(axes, dy, x, mean, rstd, weight, bias, dx, dweight, dbias) -> bool:  # type: ignore[no-untyped-def]
    tensors = [t for t in (dy, x, mean, rstd, weight, bias, dx, dweight, dbias) if t]
    if not all(1 <= len(t.shape) <= 8 for t in tensors):
        return False
    if not 1 <= len(axes) <= len(x.shape) or x.shape[-len(axes) :] != axes:
        return False
    if any(t.shape != x.shape for t in (dy, dx) if t):
        return False
    if any(t.shape != axes for t in (weight, bias, dweight, dbias) if t):
        return False
    rows = count(x.shape[: -len(axes)])
    return count(mean.shape) == rows == count(rstd.shape)


def draw(chance: random.Random) -> Call:
    """A call that is right, or was until something of it was changed."""
    shape = [chance.choice(_LENGTHS) for _ in range(chance.randint(1, 6))]
    while count(length or 1 for length in shape) > _MOST_COLS:
        shape.remove(max(shape))
    leading = chance.randint(0, len(shape) - 1)
    whole, rows, axes = tuple(shape), tuple(shape[:leading]), tuple(shape[leading:])
    dtype = chance.choice((FP32, FP16, BF16))
    stats, sums = chance.choice((dtype, FP32)), chance.choice((dtype, FP32))
    has_weight, has_bias = chance.random() < 0.8, chance.random() < 0.8
    if not has_weight and not has_bias:
        sums = dtype
    statistics = Tensor(rows + (1,) * len(axes), stats)
    mask = [chance.random() < 0.7 for _ in range(3)]
    forms = ((whole, dtype), (axes, sums), (axes, sums))
    outputs = [
        Tensor(*form) if wanted or chance.random() < 0.5 else None
        for form, wanted in zip(forms, mask, strict=True)
    ]
    weight = Tensor(axes, sums) if has_weight else None
    bias = Tensor(axes, sums) if has_bias else None
    x = Tensor(whole, dtype)
    call: Call = [x, x, axes, statistics, statistics, weight, bias, mask, *outputs]
    for _ in range(chance.choice((0, 0, 0, 1, 1, 2, 3))):
        _change(call, chance)
    return call


def _change(call: Call, chance: random.Random) -> None:
    at = chance.randrange(len(call))
    value = call[at]
    if value is None or chance.random() < 0.15:
        call[at] = None
    elif isinstance(value, list):
        call[at] = [chance.random() < 0.5 for _ in range(chance.choice((0, 2, 3, 4)))]
    elif isinstance(value, tuple):
        call[at] = _other_shape(value, chance)
    elif chance.random() < 0.4:
        call[at] = replace(value, dtype=chance.choice((FP32, FP16, BF16, INT8, 9)))
    else:
        call[at] = replace(value, shape=_other_shape(value.shape, chance))


def _other_shape(shape: tuple[int, ...], chance: random.Random) -> tuple[int, ...]:
    lengths = list(shape)
    what = chance.randrange(5)
    if what == 0:
        lengths.insert(chance.randint(0, len(lengths)), 1)
    elif what == 1:
        lengths += [1] * (9 - len(lengths))
    elif what == 2 and lengths:
        del lengths[chance.randrange(len(lengths))]
    elif what == 3 and lengths:
        lengths[chance.randrange(len(lengths))] = chance.choice(_LENGTHS)
    else:
        chance.shuffle(lengths)
    return tuple(lengths)
