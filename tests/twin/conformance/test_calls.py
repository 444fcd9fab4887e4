"""Every vector call against its documented definition: values, masks, strides, dtypes, tails."""

from __future__ import annotations

from itertools import product
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest
from call_model import BYTES, DTYPES, Call, expected, run

BINARY = ("Add", "Sub", "Mul", "MulAddDst")
SCALAR = ("Adds", "Muls")
FLOATS = ("fp32", "fp16")
RINT = 1
_SPECIALS = (
    0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-45, -1e-40, 1.17549435e-38, 3.4028235e38,
    -3.4028235e38, 65504.0, 65520.0, 6e-8, 5.96e-8, 2.98e-8, 1.0009765625, 1.00048828125, 1e-5,
)  # fmt: skip
Bytes = npt.NDArray[np.uint8]


def data(seed: int, dtype: str = "fp32") -> Bytes:
    """BYTES of numbers: normal ones whose sums depend on their order, specials among them."""
    rng = np.random.Generator(np.random.PCG64(seed))
    kind = DTYPES[dtype]
    count = BYTES // kind.itemsize
    if kind.kind == "i":
        return rng.integers(-30000, 30000, count).astype(kind).view(np.uint8)
    values = rng.standard_normal(count) * 2.0 ** rng.integers(-8, 9, count)
    special = rng.integers(0, len(_SPECIALS), count)
    with np.errstate(over="ignore"):
        values = np.where(rng.random(count) < 0.2, np.array(_SPECIALS)[special], values)
        return values.astype(np.float32).astype(kind).view(np.uint8)


def check(call: Call, dst: Bytes, src0: Bytes, src1: Bytes, result: str | None = None) -> None:
    """The twin's bits are the model's; a NaN may have any bits."""
    done = run(call, dst, src0, src1)
    assert done.error is None
    assert done.findings == ()
    kind = DTYPES[result or call.dtype]
    got = done.arrays["out"].view(kind)
    want = expected(call, dst, src0, src1).view(kind)
    bits = np.dtype(f"u{kind.itemsize}")
    same = np.asarray(got).view(bits) == want.view(bits)  # so that -0 is not +0
    if kind.kind != "i":
        same |= np.isnan(got.astype(np.float32)) & np.isnan(want.astype(np.float32))
    wrong = np.flatnonzero(~same)
    assert wrong.size == 0, (wrong[:5], got[wrong[:5]], want[wrong[:5]])


_MASKED = (
    (0, 64, (1, 1, 1, 8, 8, 8)),
    (1, 1, (1, 1, 1, 8, 8, 8)),
    (3, 64, (1, 1, 1, 8, 8, 8)),
    (5, 37, (1, 1, 0, 8, 8, 1)),
    (5, 64, (2, 1, 3, 17, 8, 25)),
    (7, 60, (1, 0, 1, 9, 0, 7)),
)
_BITS = ((0x8000000000000001, 0), (0x5555AAAA0F0F00FF, 0), (1 << 63, 0))
_EIGHT = (1, 1, 1, 8, 8, 8)
ARITHMETIC = [
    *(Call(a, d, count=n) for a, d, n in product(BINARY, FLOATS, (0, 1, 63, 64, 1000, 8192))),
    *(Call(a, d, count=n, scalar=s) for a, d, (n, s) in
      product(SCALAR, FLOATS, ((1, 0.5), (129, -3.25), (8192, 1e-3)))),
    *(Call(a, d, "count", repeats=r, strides=s, mask=(m, 0)) for a, d, (r, m, s) in
      product(BINARY, FLOATS, _MASKED)),
    *(Call(a, d, "bits", repeats=3, strides=(1, 1, 2, 8, 8, 16), mask=m) for a, d, m in
      product(BINARY, FLOATS, _BITS)),
    *(Call(a, d, "count", repeats=4, strides=(1, 2, 9, 17), mask=(33, 0), scalar=1.5) for a, d in
      product(SCALAR, FLOATS)),
    Call("Add", "fp16", "bits", repeats=2, strides=_EIGHT, mask=(1, 1 << 63)),
    Call("Add", "fp16", "count", repeats=2, strides=_EIGHT, mask=(128, 0)),
    # 255 repeats of one block; a sum over repeats in place, as documented; plain work in place.
    Call("Add", "fp32", "count", repeats=255, strides=(1, 1, 1, 1, 1, 1), mask=(8, 0)),
    Call("Add", "fp32", "count", repeats=9, strides=(1, 1, 1, 0, 8, 0), mask=(64, 0), alias=2),
    Call("Mul", "fp32", count=500, alias=1),
    Call("Sub", "fp16", count=500, alias=2),
]  # fmt: skip


@pytest.mark.parametrize("call", ARITHMETIC, ids=str)
def test_arithmetic(call: Call) -> None:
    check(call, *(data(seed, call.dtype) for seed in (1, 2, 3)))


MOVES = [
    *(Call("Duplicate", d, count=n, scalar=3.0) for d, n in product(DTYPES, (1, 100, 4097))),
    *(Call("Duplicate", d, "count", repeats=5, strides=(2, 19), mask=(21, 0), scalar=-7.0)
      for d in DTYPES),
    *(Call("Brcb", d, repeats=r, strides=s) for d, (r, s) in
      product(DTYPES, ((0, (1, 8)), (1, (1, 8)), (20, (1, 8)), (5, (3, 40))))),
]  # fmt: skip


@pytest.mark.parametrize("call", MOVES, ids=str)
def test_fills_and_broadcasts(call: Call) -> None:
    check(call, data(7, call.dtype), data(8, call.dtype), data(9, call.dtype))


REDUCES = (
    (0, 64, (1, 1, 8)), (1, 64, (1, 1, 8)), (100, 64, (1, 1, 8)), (255, 8, (3, 1, 1)),
    (100, 33, (2, 1, 8)), (10, 64, (1, 2, 16)), (10, 17, (5, 0, 8)), (3, 1, (1, 1, 0)),
)  # fmt: skip


@pytest.mark.parametrize(("repeats", "mask", "strides"), REDUCES, ids=str)
def test_sum_of_a_repeat_is_a_tree_of_neighbours(repeats: int, mask: int, strides: Any) -> None:
    rng = np.random.Generator(np.random.PCG64(10))
    values = (rng.standard_normal(8192) * 2.0 ** rng.integers(-20, 20, 8192)).astype(np.float32)
    call = Call("WholeReduceSum", form="count", repeats=repeats, strides=strides, mask=(mask, 0))
    check(call, data(11), values.view(np.uint8), data(12))


@pytest.mark.parametrize(("mode", "count"), [*product(range(6), (64, 4096))])
def test_compare(mode: int, count: int) -> None:
    x, y = data(13).view(np.float32).copy(), data(14).view(np.float32).copy()
    y[::3] = x[::3]
    operands = data(15), x.view(np.uint8), y.view(np.uint8)
    call = Call("Compare", count=count, mode=mode)
    done = run(call, *operands)
    assert done.findings == ()
    np.testing.assert_array_equal(done.arrays["out"], expected(call, *operands))


@pytest.mark.parametrize("count", [1, 63, 64, 1000])
def test_select(count: int) -> None:
    check(Call("Select", count=count, scalar=-2.5), data(16), data(17), data(18))


def _padded(values: npt.NDArray[Any]) -> Bytes:
    part = values.view(np.uint8)
    return np.concatenate([part, np.zeros(BYTES - part.size, np.uint8)])


@pytest.mark.parametrize("dtype", ["fp16", "bf16"])
def test_every_16_bit_pattern_widens_exactly(dtype: str) -> None:
    for part in np.arange(65536, dtype=np.uint16).reshape(-1, 8192):
        call = Call("Widen", dtype, count=8192)
        check(call, data(19), _padded(part), data(20), result="fp32")


def _boundaries(dtype: str) -> npt.NDArray[np.float32]:
    """Every value of the type, every midpoint of neighbours, and the fp32 next to each of them."""
    kind, infinity = (np.float16, 0x7C00) if dtype == "fp16" else (ml_dtypes.bfloat16, 0x7F80)
    wide = np.arange(infinity, dtype=np.uint16).view(kind).astype(np.float32)
    middle = ((wide[:-1].astype(np.float64) + wide[1:]) / 2).astype(np.float32)
    bits = np.concatenate([wide, middle]).view(np.uint32)
    near = np.concatenate([bits[1:] - 1, bits, bits + 1]).view(np.float32)
    return np.concatenate([near, -near, data(21).view(np.float32)])


@pytest.mark.parametrize("dtype", ["fp16", "bf16"])
def test_narrowing_rounds_to_the_nearest_even_at_every_boundary(dtype: str) -> None:
    values = _boundaries(dtype)
    for begin in range(0, values.size, 8192):
        part = values[begin : begin + 8192]
        call = Call("Narrow", dtype, count=part.size, mode=RINT)
        check(call, data(22, dtype), _padded(part), data(23))


@pytest.mark.parametrize(("api", "dtype"), [*product(("Widen", "Narrow"), ("fp16", "bf16"))])
def test_cast_counts_lanes_of_the_wider_type(api: str, dtype: str) -> None:
    widens = api == "Widen"
    source, result = (dtype, "fp32") if widens else ("fp32", dtype)
    steps = (8, 4) if widens else (4, 8)
    for mask, strides in ((64, (1, 1, *steps)), (19, (2, 1, 17, 9)), (40, (1, 0, 8, 3))):
        mode = 0 if widens else RINT
        call = Call(api, dtype, "count", repeats=6, mode=mode, strides=strides, mask=(mask, 0))
        check(call, data(24, result), data(25, source), data(26), result=result)
