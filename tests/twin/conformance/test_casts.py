"""Every conversion of Cast in every round mode, by the mode's definition in exact fractions."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rows_model import (
    BYTES,
    DTYPES,
    SATURATES,
    SOCS,
    Array,
    Bytes,
    Row,
    check,
    operand,
    places,
    run,
)

SOURCE = Path(__file__).parent / "casts.cpp"
NONE, RINT, FLOOR, CEIL, ROUND, TRUNC, ODD = range(7)
FIVE = (RINT, FLOOR, CEIL, ROUND, TRUNC)
# Source, destination, round modes on 1001, 2002, 2201, as the page and the headers have them.
TABLE: tuple[tuple[str, str, tuple[int, ...], tuple[int, ...], tuple[int, ...]], ...] = (
    ("int8", "fp16", (NONE,), (NONE,), (NONE,)),
    ("uint8", "fp16", (NONE,), (NONE,), (NONE,)),
    ("int16", "fp16", (), (NONE,), (NONE, *FIVE)),
    ("int16", "fp32", (), (), (NONE,)),
    ("fp16", "int8", (NONE, *FIVE[1:]), (NONE, *FIVE[1:]), (NONE, *FIVE)),
    ("fp16", "uint8", (NONE, *FIVE[1:]), (NONE, *FIVE[1:]), (NONE, *FIVE)),
    ("fp16", "int16", (), (RINT,), FIVE),
    ("fp16", "int32", FIVE, FIVE, FIVE),
    ("fp16", "fp32", (NONE,), (NONE,), (NONE,)),
    ("bf16", "int32", (), (), FIVE),
    ("bf16", "fp32", (), (), (NONE,)),
    ("int32", "int16", (), (NONE,), (NONE,)),
    ("int32", "fp32", (NONE,), (NONE,), (NONE, *FIVE)),
    ("int32", "int64", (), (), (NONE,)),
    ("fp32", "int16", (), (), FIVE),
    ("fp32", "fp16", (NONE, ODD), (NONE, ODD), (NONE, *FIVE, ODD)),
    ("fp32", "bf16", (), (), FIVE),
    ("fp32", "int32", FIVE, FIVE, FIVE),
    ("fp32", "fp32", (), (), FIVE),
    ("fp32", "int64", (), (), FIVE),
    ("int64", "int32", (), (), (NONE,)),
    ("int64", "fp32", (), (), FIVE),
)
COUNT = 400  # elements that a row converts, and of which every mode is tried
# Significant bits and the exponent of the smallest unit of each format.
FORMATS = {"fp32": (24, -149), "fp16": (11, -24), "bf16": (8, -133)}
LARGEST = {"fp16": 65504.0, "fp32": 3.4028234663852886e38, "bf16": 3.3895313892515355e38}


def modes_of(arch: int, source: str, to: str) -> tuple[int, ...]:
    modes = next(row[2:] for row in TABLE if row[:2] == (source, to))
    return modes[list(SOCS).index(arch)]


def to_integer(value: Fraction, mode: int) -> int:
    low = value.numerator // value.denominator
    rest = value - low
    if rest == 0 or mode == FLOOR:
        return low
    if mode == CEIL:
        return low + 1
    if mode == TRUNC:
        return low if value > 0 else low + 1
    if mode == ODD:
        return low | 1
    if rest != Fraction(1, 2):
        return low + (rest > Fraction(1, 2))
    if mode == ROUND:
        return low + 1 if value > 0 else low
    return low + low % 2


def to_float(value: Fraction, mode: int, name: str) -> float:
    digits, exponent = FORMATS[name]
    if value != 0:
        size = abs(value.numerator).bit_length() - value.denominator.bit_length()
        exponent = max(exponent, size - digits - 1)
    while abs(value) >= Fraction(2) ** (exponent + digits):
        exponent += 1
    result = to_integer(value / Fraction(2) ** exponent, mode) * Fraction(2) ** exponent
    if abs(result) > Fraction(LARGEST[name]):
        return float("inf") if result > 0 else float("-inf")
    return float(result)


def converted(value: Any, mode: int, source: str, to: str, arch: int) -> Any:
    """One element."""
    kind = DTYPES[to]
    number = float(value)
    if source[0] in "iu":
        exact = Fraction(int(value))
    elif np.isfinite(number):
        exact = Fraction(number)
    elif kind.kind in "iu":
        limits = np.iinfo(kind)
        return 0 if np.isnan(number) else int(limits.max if number > 0 else limits.min)
    elif to == "fp16" and arch in SATURATES:
        return 0.0 if np.isnan(number) else np.copysign(LARGEST[to], number)
    else:
        return number
    if kind.kind in "iu":
        limits = np.iinfo(kind)
        return min(max(to_integer(exact, mode), int(limits.min)), int(limits.max))
    if source == to:  # to a whole number
        return np.copysign(float(to_integer(exact, mode)), number)
    result = to_float(exact, mode, to)
    if to == "fp16" and arch in SATURATES and np.isinf(result):
        result = np.copysign(LARGEST[to], result)
    return np.copysign(result, number) if source[0] not in "iu" else result


@cache
def all_converted(data: str, mode: int, source: str, to: str, arch: int) -> Array:
    """The first COUNT elements of an operand."""
    values = operand(data).view(DTYPES[source])[:COUNT]
    done = [converted(v, mode, source, to, arch) for v in values]
    return np.array(done, np.float64 if DTYPES[to].kind not in "iu" else object).astype(DTYPES[to])


def model(row: Row, arch: int, out: Bytes, a: Bytes, _: Bytes) -> Bytes:
    to, source = DTYPES[row.dtype], DTYPES[row.other]
    wide = max(to.itemsize, source.itemsize)
    d_blk, a_blk, d_rep, a_rep = row.strides or (1, 1, 8, 8)
    values = all_converted(row.data[1], row.mode, row.other, row.dtype, arch)
    d_places = places(row, to.itemsize, wide, d_blk, d_rep)
    a_places = places(row, source.itemsize, wide, a_blk, a_rep)
    for d_at, a_at in zip(d_places, a_places, strict=True):
        out.view(to)[d_at] = values[a_at]
    return out


# form, repeats, mask, strides in units of the operand's own repeat
_MASKED = (
    ("lanes", 0, (32, 0), (1, 1, 1, 1)),
    ("lanes", 3, (19, 0), (2, 1, 3, 1)),
    ("lanes", 2, (30, 0), (1, 0, 1, 1)),
    ("bits", 3, (0x80000001, 0), (1, 1, 1, 1)),
    ("register", 2, (0xF0F0F1, 0), (1, 1, 2, 1)),
    ("register bits", 3, (0xA5A5, 0), (1, 1, 1, 1)),
    ("counter", 0, (77, 0), (1, 1, 1, 1)),
    ("counted", 1, (99, 0), (1, 1, 1, 1)),
)


def rows_of(arch: int) -> list[Row]:
    rows = []
    for source, to, *_ in TABLE:
        for mode in modes_of(arch, source, to):
            name = f"{source}:mixed:{20 + mode}"
            data = (f"{to}:finite:1", name, name)
            rows += [Row("Cast", to, count=n, mode=mode, other=source, data=data)
                     for n in (0, 1, COUNT)]  # fmt: skip
        for form, repeats, mask, strides in _MASKED if modes_of(arch, source, to) else ():
            if arch == 1001 and form in ("counter", "counted"):
                continue
            sizes = DTYPES[to].itemsize, DTYPES[source].itemsize
            # Lanes of a repeat, so that a stride of one repeat leaves no gap.
            blocks = [8 * size // max(sizes) for size in sizes]
            steps = (strides[2] * blocks[0], strides[3] * blocks[1])
            rows.append(Row("Cast", to, form, 0, repeats, mode, 0, mask, (*strides[:2], *steps),
                            other=source, data=data))  # fmt: skip
    return rows


ROWS = {arch: rows_of(arch) for arch in SOCS}


@cache
def results(arch: int) -> list[Bytes]:
    return run(SOURCE, arch, ("Cast",), ROWS[arch])


PAIRS = [(source, to) for source, to, *_ in TABLE]


@pytest.mark.parametrize(("arch", "pair"), [*product(SOCS, PAIRS)])
def test_conversion_in_every_mode_and_form(arch: int, pair: tuple[str, str]) -> None:
    source, to = pair
    chosen = [(i, r) for i, r in enumerate(ROWS[arch]) if (r.other, r.dtype) == pair]
    assert bool(chosen) == bool(modes_of(arch, source, to))
    for i, row in chosen:
        try:
            check(row, arch, results(arch)[i], model)
        except AssertionError as wrong:
            raise AssertionError(f"{row}: {wrong}") from None


def test_operands_hold_every_kind_of_number() -> None:
    values = operand("fp32:mixed:21").view(np.float32)[:COUNT]
    assert BYTES // 8 >= COUNT
    assert np.isnan(values).any()
    assert np.isinf(values).any()
    assert (np.abs(values) > 65504).any()
    assert ((np.abs(values) < 6e-5) & (values != 0)).any()
