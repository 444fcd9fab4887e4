"""Every conversion of Cast in every round mode, by the mode's definition in exact fractions."""

from __future__ import annotations

import csv
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

from normgrad import hif8, paths

SOURCE = Path(__file__).parent / "casts.cpp"
NONE, RINT, FLOOR, CEIL, ROUND, TRUNC, ODD, HYBRID = range(8)
FIVE = (RINT, FLOOR, CEIL, ROUND, TRUNC)
# Source, destination, round modes on 1001, 2002, 2201, as the page and the headers have them; 3510
# has those of 2201, and more.
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
ON_3510: tuple[tuple[str, str, tuple[int, ...]], ...] = (
    ("int8", "int16", (NONE,)),
    ("int8", "int32", (NONE,)),
    ("uint8", "uint16", (NONE,)),
    ("uint8", "uint32", (NONE,)),
    ("hif8", "fp16", (NONE,)),
    ("hif8", "fp32", (NONE,)),
    ("int16", "uint8", (NONE,)),
    ("int16", "int32", (NONE,)),
    ("int16", "uint32", (NONE,)),
    ("uint16", "uint8", (NONE,)),
    ("uint16", "uint32", (NONE,)),
    ("fp16", "hif8", (ROUND, HYBRID)),
    ("fp16", "bf16", FIVE),
    ("bf16", "fp16", FIVE),
    ("int32", "uint8", (NONE,)),
    ("int32", "uint16", (NONE,)),
    ("uint32", "uint8", (NONE,)),
    ("uint32", "int16", (NONE,)),
    ("uint32", "uint16", (NONE,)),
    ("fp32", "hif8", (ROUND, HYBRID)),
)
# What a row may change in the control register (rows.h).
EACH_DECIDES, SATURATE, TRUNCATE = 1, 2, 4
COUNT = 400  # elements that a row converts, and of which every mode is tried
# Significant bits and the exponent of the smallest unit of each format.
FORMATS = {"fp32": (24, -149), "fp16": (11, -24), "bf16": (8, -133)}
LARGEST = {"fp16": 65504.0, "fp32": 3.4028234663852886e38, "bf16": 3.3895313892515355e38}


def modes_of(arch: int, source: str, to: str) -> tuple[int, ...]:
    for row in ON_3510:
        if row[:2] == (source, to):
            return row[2] if arch == 3510 else ()
    modes = next(row[2:] for row in TABLE if row[:2] == (source, to))
    return modes[min(list(SOCS).index(arch), 2)]


def saturates(arch: int, control: int) -> bool:
    """Floats have no Inf and NaN: where each call decides for itself, this one saturates."""
    return arch in SATURATES or bool(control & (EACH_DECIDES | SATURATE))


def truncates(control: int) -> bool:
    """Integers out of range keep their low bits."""
    return bool(control & TRUNCATE) and not control & EACH_DECIDES


def to_hif8(number: float, mode: int, source: str, saturate: bool) -> int:
    """By the definition of the type; hybrid rounding by the steps of the register Cast page."""
    value = np.array([number], np.float32)
    size = abs(number)
    exponent = int(np.frexp(size)[1]) - 1 if 0 < size < np.inf else 0
    if mode == ROUND or not -24 < exponent < 16 or -4 < exponent < 4:
        return int(hif8.encode(value, saturate)[0])
    kept = 2 if abs(exponent) <= 7 else 1 if abs(exponent) <= 15 else 0
    width = 14 if source == "fp32" else 2
    if source == "fp32":
        threshold = int(value.view(np.uint32)[0]) & 0x3FFF
    else:
        threshold = (int(value.astype(np.float16).view(np.uint16)[0]) & 1) << 1 | 1
    fraction = Fraction(size) / Fraction(2) ** exponent - 1
    if exponent == -23:  # half of the smallest value or more: its leading one falls off, too
        fraction, kept = (1 + fraction) / 2, 0
        up = int(fraction * 2**width) >= threshold
        return (1 if number > 0 else 0x81) if up else 0
    whole = int(fraction * 2**kept)
    rest = fraction * 2**kept - whole
    whole += int(rest * 2**width) >= threshold
    rounded = (1 + Fraction(whole, 2**kept)) * Fraction(2) ** exponent
    return int(hif8.encode(np.array([float(rounded) * np.sign(number)]), saturate)[0])


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


def converted(value: Any, mode: int, source: str, to: str, arch: int, control: int) -> Any:
    """One element."""
    kind = DTYPES[to]
    if source == "hif8":
        return float(hif8.decode(np.array([value], np.uint8))[0])
    number = float(value)
    if to == "hif8":
        return to_hif8(number, mode, source, saturates(arch, control))
    if source[0] in "iu":
        exact = Fraction(int(value))
    elif np.isfinite(number):
        exact = Fraction(number)
    elif kind.kind in "iu":
        limits = np.iinfo(kind)
        return 0 if np.isnan(number) else int(limits.max if number > 0 else limits.min)
    elif to in ("fp16", "bf16") and saturates(arch, control):
        return 0.0 if np.isnan(number) else np.copysign(LARGEST[to], number)
    else:
        return number
    if kind.kind in "iu":
        limits = np.iinfo(kind)
        if truncates(control) and (source, to) != ("int16", "uint32"):
            low = to_integer(exact, mode) & (1 << 8 * kind.itemsize) - 1
            return low if low <= int(limits.max) else low - (1 << 8 * kind.itemsize)
        return min(max(to_integer(exact, mode), int(limits.min)), int(limits.max))
    if source == to:  # to a whole number
        return np.copysign(float(to_integer(exact, mode)), number)
    result = to_float(exact, mode, to)
    if to in ("fp16", "bf16") and saturates(arch, control) and np.isinf(result):
        result = np.copysign(LARGEST[to], result)
    return np.copysign(result, number) if source[0] not in "iu" else result


@cache
def all_converted(data: str, mode: int, source: str, to: str, arch: int, control: int) -> Array:
    """The first COUNT elements of an operand."""
    values = operand(data).view(DTYPES[source])[:COUNT]
    done = [converted(v, mode, source, to, arch, control) for v in values]
    return np.array(done, np.float64 if DTYPES[to].kind not in "iu" else object).astype(DTYPES[to])


def model(row: Row, arch: int, out: Bytes, a: Bytes, _: Bytes) -> Bytes:
    to, source = DTYPES[row.dtype], DTYPES[row.other]
    wide = max(to.itemsize, source.itemsize)
    d_blk, a_blk, d_rep, a_rep = row.strides or (1, 1, 8, 8)
    values = all_converted(row.data[1], row.mode, row.other, row.dtype, arch, row.control)
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


PAIRS = [(source, to) for source, to, *_ in (*TABLE, *ON_3510)]
CONTROLS = (SATURATE, TRUNCATE, SATURATE | TRUNCATE, EACH_DECIDES, EACH_DECIDES | TRUNCATE)


def rows_of(arch: int) -> list[Row]:
    rows = []
    counts = (0, 1, COUNT) if arch != 3510 else (1, COUNT)  # an empty call is a finding there
    for source, to in PAIRS:
        for mode in modes_of(arch, source, to):
            name = f"{source}:mixed:{20 + mode}"
            data = (f"{to}:finite:1", name, name)
            rows += [Row("Cast", to, count=n, mode=mode, other=source, data=data) for n in counts]
            if arch == 3510:
                rows += [Row("Cast", to, count=COUNT, mode=mode, other=source, data=data,
                             control=control) for control in CONTROLS]  # fmt: skip
        for form, repeats, mask, strides in _MASKED if modes_of(arch, source, to) else ():
            if arch == 1001 and form in ("counter", "counted"):
                continue
            if arch == 3510 and form == "lanes" and repeats == 0:
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


@pytest.mark.parametrize(("arch", "pair"), [*product(SOCS, PAIRS)])
def test_conversion_in_every_mode_and_form(arch: int, pair: tuple[str, str]) -> None:
    source, to = pair
    chosen = [(i, r) for i, r in enumerate(ROWS[arch]) if (r.other, r.dtype) == pair]
    assert bool(chosen) == bool(modes_of(arch, source, to))
    for i, row in chosen:
        check(row, arch, results(arch)[i], model)


def test_operands_hold_every_kind_of_number() -> None:
    values = operand("fp32:mixed:21").view(np.float32)[:COUNT]
    assert BYTES // 8 >= COUNT
    assert np.isnan(values).any()
    assert np.isinf(values).any()
    assert (np.abs(values) > 65504).any()
    assert ((np.abs(values) < 6e-5) & (values != 0)).any()


def test_hif8_is_exact_on_its_tables() -> None:
    """Every code to fp32 and fp16, every vector to a code, in all modes of saturation."""
    folder = paths.source_root() / "tests" / "data" / "hif8"
    table = list(csv.DictReader((folder / "table.csv").open()))
    codes = np.arange(256, dtype=np.uint8)
    wide = convert("hif8", "fp32", codes, NONE).view(np.uint32)
    for code, row in enumerate(table):
        if row["kind"] == "nan":
            assert np.isnan(wide[code : code + 1].view(np.float32)[0])
        else:
            assert wide[code] == int(row["fp32_bits_hex"], 16), row
    np.testing.assert_array_equal(
        convert("hif8", "fp16", codes, NONE).view(np.float16),
        wide.view(np.float32).astype(np.float16),
    )
    vectors = list(csv.DictReader((folder / "vectors.csv").open()))
    inputs = np.array([int(row["f32_hex"], 16) for row in vectors], np.uint32).view(np.float32)
    for column, mode, control in (
        ("round_nosat", ROUND, 0),
        ("round_sat", ROUND, SATURATE),
        ("round_sat", ROUND, EACH_DECIDES),
        ("hybrid_doc_literal_nosat", HYBRID, 0),
        ("hybrid_doc_literal_sat", HYBRID, SATURATE),
    ):
        got = convert("fp32", "hif8", inputs, mode, control)
        wrong = [r for r, code in zip(vectors, got, strict=True) if int(r[column], 16) != code]
        assert wrong == [], (column, wrong[:3])


def test_hif8_of_every_fp16() -> None:
    halves = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    for saturate in (False, True):
        got = convert("fp16", "hif8", halves, ROUND, SATURATE if saturate else 0)
        np.testing.assert_array_equal(got, hif8.encode(halves.astype(np.float32), saturate))


def convert(source: str, to: str, values: Array, mode: int, control: int = 0) -> Array:
    """Through Cast on 3510, in pieces that fit an operand."""
    most = 4096
    pieces = [values[at : at + most] for at in range(0, values.size, most)]
    rows = [
        Row("Cast", to, count=piece.size, mode=mode, other=source, control=control,
            data=(f"{to}:finite:1", f"literal:{i}", f"literal:{i}"))
        for i, piece in enumerate(pieces)
    ]  # fmt: skip
    given = {f"literal:{i}": piece for i, piece in enumerate(pieces)}
    done = run(SOURCE, 3510, ("Cast",), rows, given)
    got = [o.view(DTYPES[to])[: p.size] for o, p in zip(done, pieces, strict=True)]
    return np.concatenate(got)
