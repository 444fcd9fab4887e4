"""Casts, reductions and saturation per architecture, against numpy and exact fractions."""

from __future__ import annotations

import struct
from fractions import Fraction
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest

from normgrad import build
from normgrad.backends import LaunchOptions, twin

BYTES = 16384
SOCS = {1001: "ascend910a", 2002: "ascend310p3", 2201: "ascend910b4"}
RINT, FLOOR, CEIL, ROUND, TRUNC = 1, 2, 3, 4, 5
BF16 = np.dtype(ml_dtypes.bfloat16)
F16, F32, I32 = np.dtype(np.float16), np.dtype(np.float32), np.dtype(np.int32)
Array = npt.NDArray[Any]


def run(arch: int, call: int, values: Array, out: np.dtype[Any], mode: int = 0) -> Array:
    source = np.zeros(BYTES, np.uint8)
    source[: values.nbytes] = values.view(np.uint8)
    launch = twin.RawLaunch(
        unit=build.kernel_library(Path(__file__).parent / "families.cpp", arch),
        soc=SOCS[arch],
        cores=1,
        ub_bytes=180000,
        tiling_key=0,
        tiling=struct.pack("<4I", call, mode, values.size, 0),
        workspace_bytes=0,
    )
    shape = {"out": ((BYTES,), np.dtype(np.uint8))}
    done = twin.launch(launch, ("in", "out"), {"in": source}, shape, LaunchOptions(timeout_s=30.0))
    assert done.error is None
    assert done.findings == ()
    return done.arrays["out"].view(out)


def rounded(value: Fraction, mode: int) -> int:
    """To an integer, by the definition of the round mode."""
    low = value.numerator // value.denominator
    rest = value - low
    if rest == 0 or mode == FLOOR:
        return low
    if mode == CEIL:
        return low + 1
    if mode == TRUNC:
        return low if value > 0 else low + 1
    if rest != Fraction(1, 2):
        return low + (rest > Fraction(1, 2))
    if mode == ROUND:
        return low + 1 if value > 0 else low
    return low + low % 2


def to_float(value: Fraction, mode: int, digits: int, smallest: int) -> float:
    """To the binary format with `digits` significant bits and the unit 2**smallest below all."""
    if value == 0:
        return 0.0
    exponent = smallest
    while abs(value) >= Fraction(2) ** (exponent + digits):
        exponent += 1
    return float(rounded(value / Fraction(2) ** exponent, mode) * Fraction(2) ** exponent)


def floats(seed: int, count: int, scale: float) -> Array:
    draw = np.random.default_rng(seed)
    values = draw.standard_normal(count) * scale * 2.0 ** draw.integers(-12, 3, count)
    ties = np.arange(-8, 8) + 0.5
    return np.concatenate([values, ties, [0.0, -0.0]]).astype(np.float32)


MODES = (RINT, FLOOR, CEIL, ROUND, TRUNC)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", ["half", "tiny half", "bf16"])
def test_fp32_to_16_bits(name: str, mode: int) -> None:
    values = floats(mode, 300, 1e-6 if name == "tiny half" else 1.0)
    call, dtype, digits, smallest = (12, BF16, 8, -133) if name == "bf16" else (0, F16, 11, -24)
    got = run(2201, call, values, dtype, mode)[: values.size].astype(np.float64)
    want = [to_float(Fraction(float(v)), mode, digits, smallest) for v in values]
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("arch", SOCS)
def test_half_to_int32(arch: int, mode: int) -> None:
    values = floats(mode, 200, 100.0).astype(np.float16)
    want = [rounded(Fraction(float(v)), mode) for v in values]
    assert run(arch, 1, values, I32, mode)[: values.size].tolist() == want


@pytest.mark.parametrize("mode", MODES)
def test_fp32_to_integers_saturates(mode: int) -> None:
    values = np.concatenate([floats(mode, 200, 1e4), np.float32([3e9, -3e9, np.inf, -np.inf])])
    top, low = 2**31 - 1, -(2**31)
    want = [rounded(Fraction(float(v)), mode) for v in values[:-4]] + [top, low, top, low]
    assert run(2201, 13, values, I32, mode)[: values.size].tolist() == want
    nan = np.full(8, np.nan, np.float32)
    assert run(2201, 13, nan, I32, mode)[:8].tolist() == [0] * 8
    whole = floats(mode, 200, 10.0)
    got = run(2201, 14, whole, F32, mode)[: whole.size]
    assert got.tolist() == [float(rounded(Fraction(float(v)), mode)) for v in whole]


@pytest.mark.parametrize("mode", MODES)
def test_integers_to_floats(mode: int) -> None:
    draw = np.random.default_rng(mode)
    wide = draw.integers(-(2**31), 2**31, 200).astype(np.int32)
    want = [to_float(Fraction(int(v)), mode, 24, 0) for v in wide]
    assert run(2201, 4, wide, F32, mode)[: wide.size].tolist() == want
    narrow = draw.integers(-(2**15), 2**15, 200).astype(np.int16)
    want = [to_float(Fraction(int(v)), mode, 11, 0) for v in narrow]
    assert run(2201, 3, narrow, F16, mode)[: narrow.size].tolist() == want


def test_half_to_int8_clamps() -> None:
    values = np.float16([127.4, 127.6, -128.6, 300, -300, np.inf, -np.inf, np.nan])
    got = run(2201, 2, values, np.dtype(np.int8), RINT)[:8]
    assert got.tolist() == [127, 127, -128, 127, -128, 127, -128, 0]


@pytest.mark.parametrize("arch", SOCS)
def test_overflow_follows_the_chip(arch: int) -> None:
    values = np.float16([60000, -60000, np.inf, np.nan, 1, 2, 3, 4])
    got = run(arch, 6, values, F16)[:8].tolist()
    if arch == 2201:
        assert got[:3] == [np.inf, -np.inf, np.inf]
        assert np.isnan(got[3])
    else:
        assert got[:4] == [65504.0, -65504.0, 65504.0, 0.0]
    assert got[4:] == [2.0, 4.0, 6.0, 8.0]
    big = np.float32([7e4, -7e4, 1, 2, 3, 4, 5, 6])
    limit = np.inf if arch == 2201 else 65504.0
    assert run(arch, 0, big, F16)[:2].tolist() == [limit, -limit]


@pytest.mark.parametrize("arch", SOCS)
def test_square_root_of_half(arch: int) -> None:
    values = np.abs(floats(3, 200, 50.0)).astype(np.float16)
    want = np.sqrt(values.astype(np.float64)).astype(np.float16)
    np.testing.assert_array_equal(run(arch, 7, values, F16)[: values.size], want)


def tree(values: Array) -> Any:
    while values.size > 1:
        values = values[0::2] + values[1::2]
    return values[0]


def sum_of(values: Array, lanes: int, in_sequence: bool) -> Any:
    padded = np.zeros(-(-values.size // lanes) * lanes, values.dtype)
    padded[: values.size] = values
    partials = np.array([tree(row) for row in padded.reshape(-1, lanes)], values.dtype)
    if in_sequence:
        total = partials[0]
        for partial in partials[1:]:
            total = total + partial
        return total
    return partials[0] if partials.size == 1 else sum_of(partials, lanes, False)


@pytest.mark.parametrize("count", [1, 64, 65, 1000, 4000])
@pytest.mark.parametrize("arch", SOCS)
def test_order_of_a_sum(arch: int, count: int) -> None:
    values = floats(count, count, 1.0)[:count]
    small = values.astype(np.float16)
    assert run(arch, 5, small, F16)[0] == sum_of(small, 128, arch == 2201)
    if arch != 1001:
        assert run(arch, 8, values, F32)[0] == sum_of(values, 64, arch == 2201)


@pytest.mark.parametrize("arch", [2002, 2201])
def test_reductions_of_blocks_pairs_and_repeats(arch: int) -> None:
    values = floats(9, 640, 1.0)[:640]
    blocks = [tree(row) for row in values.reshape(-1, 8)]
    assert run(arch, 9, values, F32)[:80].tolist() == np.float32(blocks).tolist()
    pairs = values[0::2] + values[1::2]
    assert run(arch, 10, values, F32)[:320].tolist() == pairs.tolist()
    found = run(arch, 11, values, F32)[:20]
    rows = values.reshape(-1, 64)
    assert found[0::2].tolist() == rows.max(axis=1).tolist()
    assert found[1::2].view(np.int32).tolist() == rows.argmax(axis=1).tolist()
