"""Calls of aclnnRmsNormGradQuant drawn at random, and the code that each of them must get.

The code is written from the operator's contract (docs/aclnn.md), not from the check of the planner.
"""

from __future__ import annotations

import random
from dataclasses import replace

from rms_norm_grad_oracle import BF16, FP16, FP32, INT8, INT32, Tensor, count

SOCS = {"ascend950pr_9579": 3510, "ascend950dt_9591": 3510, "ascend910b4": 2201}
API = "aclnnRmsNormGradQuant"
HIF8 = 34

_SUCCESS, _NULL, _INVALID, _TILING, _NO_CHIP = 0, 161001, 161002, 561002, 561003
# dy, gamma and scale: the nine of the contract
_COMBINATIONS = {
    (FP16, FP32, FP32), (BF16, FP32, FP32), (FP16, FP16, FP32), (FP32, FP32, FP32),
    (BF16, BF16, FP32), (FP16, FP16, FP16), (BF16, BF16, BF16), (FP16, FP32, FP16),
    (BF16, FP32, BF16),
}  # fmt: skip
_LENGTHS = (0, 1, 1, 2, 3, 7, 16, 33)
_MOST_ELEMS = 1 << 20

# dy, x, rstd, gamma, scale, offset, quantMode, divMode, dx, dgamma
Call = list["Tensor | str | bool | None"]
_OFFSET, _MODE, _DIVIDES = 5, 6, 7


def expected(arch: int, call: Call) -> int:
    """The first of the contract's conditions that does not hold."""
    if arch != 3510:
        return _NO_CHIP
    dy, x, rstd, gamma, scale, offset, mode, _, dx, dgamma = call
    if None in (dy, x, rstd, gamma, scale, mode, dx, dgamma):
        return _NULL
    tensors = [t for t in (dy, x, rstd, gamma, scale, dx, dgamma) if isinstance(t, Tensor)]
    dy, x, rstd, gamma, scale, dx, dgamma = tensors
    if (dy.dtype, gamma.dtype, scale.dtype) not in _COMBINATIONS or x.dtype != dy.dtype:
        return _INVALID
    if rstd.dtype != FP32 or dgamma.dtype != FP32 or dx.dtype not in (INT8, HIF8):
        return _INVALID
    if isinstance(offset, Tensor) and offset.dtype != INT32:
        return _INVALID
    if mode != "static":
        return _INVALID
    if not all(2 <= len(t.shape) <= 8 for t in (dy, x, dx)):
        return _TILING
    if x.shape != rstd.shape + gamma.shape or not rstd.shape or not gamma.shape:
        return _TILING
    if dy.shape != x.shape or dx.shape != x.shape or dgamma.shape != gamma.shape:
        return _TILING
    if scale.shape != (1,) or (isinstance(offset, Tensor) and offset.shape != (1,)):
        return _TILING
    return _SUCCESS


def draw(chance: random.Random) -> Call:
    """A call that is right, or was until something of it was changed."""
    shape = [chance.choice(_LENGTHS) for _ in range(chance.randint(2, 8))]
    while len(shape) > 2 and count(length or 1 for length in shape) > _MOST_ELEMS:
        shape.remove(max(shape))
    leading = chance.randint(1, len(shape) - 1)
    whole, rows, cols = tuple(shape), tuple(shape[:leading]), tuple(shape[leading:])
    dtype, gamma, scale = chance.choice(sorted(_COMBINATIONS))
    offset = Tensor((1,), INT32) if chance.random() < 0.7 else None
    call: Call = [
        Tensor(whole, dtype), Tensor(whole, dtype), Tensor(rows, FP32), Tensor(cols, gamma),
        Tensor((1,), scale), offset, "static", chance.random() < 0.5,
        Tensor(whole, chance.choice((INT8, HIF8))), Tensor(cols, FP32),
    ]  # fmt: skip
    for _ in range(chance.choice((0, 0, 0, 1, 1, 2, 4))):
        _change(call, chance)
    return call


def _change(call: Call, chance: random.Random) -> None:
    at = chance.randrange(len(call))
    argument = call[at]
    if at == _DIVIDES or argument is None:
        return
    if at == _MODE:
        call[at] = chance.choice((None, "", "dynamic", "Static", "static ", "static" * 9))
        return
    assert isinstance(argument, Tensor)
    shape = list(argument.shape)
    what = chance.randrange(8)
    if what == 0:
        call[at] = None
    elif what == 1:
        dtype = chance.choice((FP32, FP16, BF16, INT8, INT32, HIF8, 9, 12))
        call[at] = replace(argument, dtype=dtype)
    elif what == 2:
        strides = tuple(chance.choice((0, 1, -3, 7, 2**40)) for _ in shape)
        call[at] = replace(argument, strides=strides)
    else:
        if what == 3 and shape:
            shape[chance.randrange(len(shape))] = chance.choice(_LENGTHS)
        elif what == 4 and len(shape) < 9:
            shape.insert(chance.randint(0, len(shape)), 1)
        elif what == 5 and shape:
            del shape[chance.randrange(len(shape))]
        elif what == 6:
            chance.shuffle(shape)
        else:
            shape += [1] * (9 - len(shape))
        call[at] = replace(argument, shape=tuple(shape), strides=None)
