"""Calls of aclnnRmsNormGrad drawn at random, and the code that each of them must get.

The code is written from the operator's contract (docs/aclnn.md), not from the check of the planner.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass, replace

FP32, FP16, INT8, INT32, BF16 = 0, 1, 2, 3, 27
SOCS = {"ascend910b4": 2201, "ascend910_9391": 2201, "ascend310p3": 2002, "ascend910a": 1001}
API = "aclnnRmsNormGrad"

_SUCCESS, _NULL, _INVALID, _TILING, _NO_CHIP = 0, 161001, 161002, 561002, 561003
_ALL = {(FP16, FP32), (BF16, FP32), (FP16, FP16), (FP32, FP32), (BF16, BF16)}  # dy, gamma
_COMBINATIONS = {2201: _ALL, 2002: {(FP16, FP16), (FP32, FP32)}, 1001: set()}
_ITEM = {FP32: 4, FP16: 2, BF16: 2}
_LENGTHS = (0, 1, 1, 2, 3, 7, 8, 15, 16, 17, 64, 1000)
_MOST_ELEMS = 2**30  # the most columns that a plan counts


@dataclass(frozen=True)
class Tensor:
    shape: tuple[int, ...]
    dtype: int
    strides: tuple[int, ...] | None = None


Call = list["Tensor | None"]  # dy, x, rstd, gamma, dx, dgamma


def expected(arch: int, call: Call) -> int:
    """The first of the contract's conditions that does not hold."""
    if not _COMBINATIONS[arch]:
        return _NO_CHIP
    dy, x, rstd, gamma, dx, dgamma = call
    if dy is None or x is None or rstd is None or gamma is None or dx is None or dgamma is None:
        return _NULL
    if not dy.dtype == x.dtype == dx.dtype or not rstd.dtype == dgamma.dtype == FP32:
        return _INVALID
    if (dy.dtype, gamma.dtype) not in _COMBINATIONS[arch]:
        return _INVALID
    if not all(1 <= len(t.shape) <= 8 for t in (dy, x, gamma, dx, dgamma)) or len(rstd.shape) > 8:
        return _TILING
    leading = len(x.shape) - len(gamma.shape)
    if leading < 0 or gamma.shape != x.shape[leading:] or dgamma.shape != gamma.shape:
        return _TILING
    if dy.shape != x.shape or dx.shape != x.shape:
        return _TILING
    if _without_trailing_ones(rstd.shape) != _without_trailing_ones(x.shape[:leading]):
        return _TILING
    if arch == 2002 and 0 not in x.shape and x.shape[-1] * _ITEM[x.dtype] < 32:
        return _TILING
    return _SUCCESS


def _without_trailing_ones(shape: tuple[int, ...]) -> tuple[int, ...]:
    while shape and shape[-1] == 1:
        shape = shape[:-1]
    return shape


def draw(chance: random.Random) -> Call:
    """A call that is right, or was until something of it was changed."""
    shape = [chance.choice(_LENGTHS) for _ in range(chance.randint(1, 8))]
    while count(length or 1 for length in shape) > _MOST_ELEMS:
        shape.remove(max(shape))
    leading = chance.randint(0, len(shape) - 1)
    rows, cols = tuple(shape[:leading]), tuple(shape[leading:])
    rstd = rows
    if chance.random() < 0.3:
        rstd = rows + (1,) * chance.randint(0, 8 - len(rows))
    elif chance.random() < 0.3:
        rstd = _without_trailing_ones(rows)
    dtype, gamma_dtype = chance.choice(sorted(_ALL))
    whole = tuple(shape)
    call: Call = [
        Tensor(whole, dtype), Tensor(whole, dtype), Tensor(rstd, FP32), Tensor(cols, gamma_dtype),
        Tensor(whole, dtype), Tensor(cols, FP32),
    ]  # fmt: skip
    for _ in range(chance.choice((0, 0, 0, 1, 1, 2, 4))):
        _change(call, chance)
    return call


def count(lengths: Iterable[int]) -> int:
    product = 1
    for length in lengths:
        product *= length
    return product


def _change(call: Call, chance: random.Random) -> None:
    at = chance.randrange(len(call))
    tensor = call[at]
    if tensor is None:
        return
    shape = list(tensor.shape)
    what = chance.randrange(8)
    if what == 0:
        call[at] = None
        return
    if what == 1:
        call[at] = replace(tensor, dtype=chance.choice((FP32, FP16, BF16, INT8, INT32, 9, 12, 34)))
        return
    if what == 2 and shape:
        shape[chance.randrange(len(shape))] = chance.choice(_LENGTHS)
    elif what == 3 and len(shape) < 9:
        shape.insert(chance.randint(0, len(shape)), 1)
    elif what == 4 and shape:
        del shape[chance.randrange(len(shape))]
    elif what == 5:
        chance.shuffle(shape)
    elif what == 6:
        shape += [1] * (9 - len(shape))
    else:  # any strides: the first phase does not look at memory
        strides = tuple(chance.choice((0, 1, -3, 7, 2**40, -(2**62), 2**62)) for _ in shape)
        call[at] = replace(tensor, strides=strides)
        return
    call[at] = replace(tensor, shape=tuple(shape), strides=None)
