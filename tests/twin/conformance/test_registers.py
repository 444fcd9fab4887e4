"""Register arithmetic of arch 3510: every call and element type, masked, zeroing and merging."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from rows_model import DTYPES, Array, Bytes, Row, mismatches, operand, run, scalar_of

ARCH = 3510
SOURCE = Path(__file__).parent / "registers.cpp"
REGISTER = 256
MASK_AT = 8192
FLOATS = ("fp32", "fp16")
INTS = ("int8", "uint8", "int16", "uint16", "int32", "uint32")
WORDS = (*FLOATS, "int16", "uint16", "int32", "uint32")
ALL = (*FLOATS, "bf16", *INTS)
SIGNED = ("int8", "int16", "int32", *FLOATS)

# Call -> element types as its page lists them; 64 bits left out.
APIS: dict[str, tuple[str, ...]] = {
    "Add": ALL, "Sub": ALL, "Mul": (*WORDS, "bf16"), "Div": FLOATS, "Max": ALL, "Min": ALL,
    "And": INTS, "Or": INTS, "Xor": INTS, "ShiftLeft": INTS, "ShiftRight": INTS,
    "MulAddDst": (*WORDS, "bf16"), "MulDstAdd": (*FLOATS, "bf16"), "AbsSub": FLOATS,
    "ExpSub": ("fp32",), "Abs": SIGNED, "Neg": SIGNED, "Not": (*INTS, *FLOATS),
    "Relu": (*FLOATS, "int32"), "Exp": FLOATS, "Ln": FLOATS, "Sqrt": FLOATS, "Adds": ALL,
    "Muls": WORDS, "Maxs": ALL, "Mins": ALL, "Axpy": FLOATS, "ShiftLefts": INTS,
    "ShiftRights": INTS, "Duplicate": ALL, "Spread": ALL, "Move": ALL, "Select": ALL,
}  # fmt: skip
MODES = {  # merging, or subnormal numbers that stay, or no mask
    "Add": 2, "Max": 2, "Min": 2, "Duplicate": 3, "Spread": 2, "Move": 2, "Div": 2, "Exp": 2,
    "Ln": 2, "Sqrt": 2,
}  # fmt: skip
FLUSHES = ("Div", "Exp", "Ln", "Sqrt")
# The host's fp64 function is not exact either; one more ulp than correct rounding.
SEEDS = (40, 50, 60, 70)  # a register is small: several hold every kind of number
APPROXIMATE = ("Exp", "Ln", "ExpSub")


def rows() -> list[Row]:
    found = []
    for api, dtypes in APIS.items():
        for dtype in dtypes:
            kind = "positive" if api in ("Sqrt", "Ln") else "mixed"
            sets = [[f"{dtype}:{kind}:{seed + i}" for i in range(3)] for seed in SEEDS]
            names = sets[0]
            lanes = REGISTER // DTYPES[dtype].itemsize
            for mode in range(MODES.get(api, 1)):
                for shift in (0, 3, 7, 40) if api in ("ShiftLefts", "ShiftRights") else (0,):
                    common = {"mode": mode, "scalar": 3, "data": (names[0], names[1], names[2])}
                    for count in (0, 1, lanes // 3, lanes, 1000):
                        found.append(Row(api, dtype, count=count | shift << 16, **common))
                    found.append(Row(api, dtype, "bits", lanes | shift << 16, **common))
                    for a, b, c in sets[1:]:
                        common["data"] = (a, b, c)
                        found.append(Row(api, dtype, count=lanes | shift << 16, **common))
    return found


ROWS = rows()


@cache
def results() -> list[Bytes]:
    return run(SOURCE, ARCH, tuple(APIS), ROWS)


def active_lanes(row: Row, lanes: int, width: int) -> Array:
    if row.form == "bits":
        bits = np.unpackbits(operand(row.data[2])[MASK_AT : MASK_AT + 32], bitorder="little")
        return bits[::width].astype(bool)
    return np.arange(lanes) < (row.count & 0xFFFF)


def flushed(values: Array, dtype: str) -> Array:
    least = 2.0**-126 if dtype == "fp32" else 2.0**-14
    return np.where(np.abs(values) < least, np.copysign(np.float32(0), values), values)


def once(exact: Fraction, dtype: str) -> float:
    """Rounded to the format once, by way of a double whose last bit is odd if it is inexact."""
    value = float(exact)
    if Fraction(value) != exact:
        bits = np.float64(value).view(np.int64)
        if (Fraction(value) > exact) == (value > 0):  # it was rounded away from 0
            bits -= 1
        value = float((bits | 1).view(np.float64))
    return float(np.float64(value).astype(DTYPES[dtype]).astype(np.float64))


def fused(a: Array, b: Array, c: Array, dtype: str) -> Array:
    """a x b + c with one rounding."""
    a, b, c = (x.astype(np.float64) for x in (a, b, c))
    out = (a * b + c).astype(DTYPES[dtype])
    for i in np.flatnonzero(np.isfinite(a) & np.isfinite(b) & np.isfinite(c)):
        exact = Fraction(a[i]) * Fraction(b[i]) + Fraction(c[i])
        if exact != 0 and abs(exact) < 2**129:
            out[i] = once(exact, dtype)
    return out


def larger(a: Array, b: Array, most: bool) -> Array:
    """Of zeros +0 is the larger one; a NaN wins."""
    picked = np.maximum(a, b) if most else np.minimum(a, b)
    if a.dtype.kind in "iu":
        return picked
    zeros = (a == 0) & (b == 0)
    negative = np.signbit(a) & np.signbit(b) if most else np.signbit(a) | np.signbit(b)
    return np.where(zeros, np.where(negative, -0.0, 0.0).astype(picked.dtype), picked)


def shifted(values: Array, by: Array, left: bool) -> Array:
    """Page of ShiftLefts: the sign bit of a signed number stays where it is."""
    width = values.dtype.itemsize * 8
    out = []
    for value, step in zip(values.tolist(), by.tolist(), strict=True):
        if not left:
            out.append((-1 if value < 0 else 0) if step >= width else value >> step)
            continue
        bits = 0 if step >= width else (value << step) & (2**width - 1)
        if values.dtype.kind == "i":
            sign = 2 ** (width - 1)
            bits = bits & (sign - 1) | (sign if value < 0 and step < width else 0)
            bits -= 2 * (bits & sign)
        out.append(bits)
    return np.array(out, values.dtype)


def computed(row: Row, x: Array, a: Array, b: Array) -> Array:
    """All lanes, whatever the mask says."""
    dtype, kind = row.dtype, DTYPES[row.dtype]
    is_float = kind.kind not in "iu"
    one = scalar_of(row)[0]
    n = a.size
    s = np.full(n, one, kind)

    def wide(values: Array) -> Array:
        return values.astype(np.float32) if is_float else values

    simple: dict[str, Callable[[], Array]] = {
        "Add": lambda: wide(a) + wide(b), "Adds": lambda: wide(a) + wide(s),
        "Sub": lambda: wide(a) - wide(b), "Mul": lambda: wide(a) * wide(b),
        "Muls": lambda: wide(a) * wide(s), "And": lambda: a & b, "Or": lambda: a | b,
        "Xor": lambda: a ^ b, "AbsSub": lambda: np.abs(wide(a) - wide(b)),
        "Max": lambda: larger(a, b, True), "Maxs": lambda: larger(a, s, True),
        "Min": lambda: larger(a, b, False), "Mins": lambda: larger(a, s, False),
        "Relu": lambda: larger(a, np.zeros(n, kind), True), "Abs": lambda: np.abs(a),
        "Neg": lambda: -a, "ExpSub": lambda: np.exp((a - b).astype(np.float64)),
        "Axpy": lambda: (wide(a) * wide(s)).astype(kind).astype(np.float32) + wide(x),
        "Duplicate": lambda: s, "Spread": lambda: np.full(n, a[0], kind), "Move": lambda: a,
        "Not": lambda: (~a.view(f"i{kind.itemsize}")).view(kind),
    }  # fmt: skip
    if row.api == "Select":
        return a
    if row.api in simple:
        return simple[row.api]().astype(kind)
    if row.api in ("MulAddDst", "MulDstAdd") and is_float:
        return fused(a, b, x, dtype) if row.api == "MulAddDst" else fused(a, x, b, dtype)
    if row.api == "MulAddDst":
        return a * b + x
    if row.api.startswith("Shift"):
        by = (
            np.abs(b.view(f"i{kind.itemsize}").astype(np.int64))
            if "s" not in row.api[-1]
            else np.full(n, row.count >> 16)
        )
        return shifted(a, by, "Left" in row.api)
    keep = row.mode == 1
    u, v = (wide(t) if keep else flushed(wide(t), dtype) for t in (a, b))
    functions = {"Exp": np.exp, "Ln": np.log, "Sqrt": np.sqrt}
    if row.api == "Div":
        value = u / v
    else:
        value = functions[row.api](u.astype(np.float64)).astype(np.float32)
    return (value if keep else flushed(value, dtype)).astype(kind)


def wanted(row: Row) -> Bytes:
    x, a, b = (operand(name)[:REGISTER].view(DTYPES[row.dtype]) for name in row.data)
    width = DTYPES[row.dtype].itemsize
    active = active_lanes(row, REGISTER // width, width)
    value = computed(row, x, a, b)
    merges = row.mode == 1 and row.api not in FLUSHES
    if row.api == "Select":
        return np.where(active, a, b).view(np.uint8)
    if row.api == "Move":
        return value.view(np.uint8) if row.mode == 1 else np.where(active, a, x).view(np.uint8)
    if row.api == "Duplicate" and row.mode == 2:
        return value.view(np.uint8)
    return np.where(active, value, x if merges else np.zeros(1, x.dtype)).view(np.uint8)


def checked_lanes(row: Row) -> Array:
    """Lanes whose result the page defines: no shift by a negative number."""
    a, b = (operand(name)[:REGISTER].view(DTYPES[row.dtype]) for name in row.data[1:])
    if row.api in ("ShiftLeft", "ShiftRight"):
        steps = b.view(f"i{b.dtype.itemsize}")
        return steps >= 0
    return np.ones(a.size, bool)


@pytest.mark.parametrize("api", APIS)
def test_register_call_for_every_type_and_mask(api: str) -> None:
    chosen = [(i, row) for i, row in enumerate(ROWS) if row.api == api]
    assert chosen
    for i, row in chosen:
        got = results()[i]
        with np.errstate(all="ignore"):
            want = wanted(row)
        ulps = 1 if api in APPROXIMATE else 0
        wrong = mismatches(got[:REGISTER], want, row.dtype, ulps=ulps)
        wrong = wrong[checked_lanes(row)[wrong]]
        kind = DTYPES[row.dtype]
        seen = got[:REGISTER].view(kind)[wrong[:4]], want.view(kind)[wrong[:4]]
        assert wrong.size == 0, (str(row), wrong[:4], seen)
        assert (got[REGISTER:] == operand(row.data[0])[REGISTER:]).all(), row


def test_operands_make_the_edges_visible() -> None:
    x, a, b = (
        np.concatenate([operand(f"fp32:mixed:{seed + i}")[:REGISTER] for seed in SEEDS])
        for i in range(3)
    )
    x, a, b = (values.view(np.float32) for values in (x, a, b))
    assert np.isnan(a).any()
    assert np.isinf(a).any()
    assert ((np.abs(a) < 2.0**-126) & (a != 0)).any()
    assert ((a == 0) & np.signbit(a)).any()
    with np.errstate(all="ignore"):
        twice = a * b + x
        assert (fused(a, b, x, "fp32") != twice)[np.isfinite(twice)].any()
