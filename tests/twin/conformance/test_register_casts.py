"""The register call Cast: the mask picks source elements, the layout one of each narrow group."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rows_model import DTYPES, Array, Bytes, Row, mismatches, operand, run
from test_casts import EACH_DECIDES, FIVE, HYBRID, NONE, ODD, ROUND, SATURATE, TRUNCATE, converted
from test_registers import ARCH, MASK_AT, REGISTER

from normgrad import paths

SOURCE = Path(__file__).parent / "register_casts.cpp"
UNKNOWN = 255
# Source, destination, round modes; none: the conversion rounds nothing.
TABLE: tuple[tuple[str, str, tuple[int, ...]], ...] = (
    ("int8", "int16", ()), ("int8", "fp16", ()), ("int8", "int32", ()), ("uint8", "uint16", ()),
    ("uint8", "fp16", ()), ("uint8", "uint32", ()), ("int16", "uint8", ()),
    ("int16", "fp16", FIVE), ("int16", "int32", ()), ("int16", "uint32", ()),
    ("int16", "fp32", ()), ("uint16", "uint8", ()), ("uint16", "uint32", ()),
    ("fp16", "int8", FIVE), ("fp16", "uint8", FIVE), ("fp16", "int16", FIVE),
    ("fp16", "bf16", FIVE), ("fp16", "int32", FIVE), ("fp16", "fp32", ()),
    ("bf16", "fp16", FIVE), ("bf16", "int32", FIVE), ("bf16", "fp32", ()),
    ("int32", "uint8", ()), ("int32", "int16", ()), ("int32", "uint16", ()),
    ("int32", "fp32", FIVE), ("uint32", "uint8", ()), ("uint32", "int16", ()),
    ("uint32", "uint16", ()), ("fp32", "int16", FIVE), ("fp32", "fp16", (*FIVE, ODD)),
    ("fp32", "bf16", FIVE), ("fp32", "int32", FIVE), ("fp32", "hif8", (ROUND, HYBRID)),
    ("fp16", "hif8", (ROUND, HYBRID)), ("hif8", "fp32", ()), ("hif8", "fp16", ()),
)  # fmt: skip
SEEDS = (80, 81, 82)


def rows() -> list[Row]:
    found = []
    for source, to, modes in TABLE:
        sizes = DTYPES[source].itemsize, DTYPES[to].itemsize
        lanes = REGISTER // sizes[0]
        for mode in modes or (UNKNOWN,):
            for seed in SEEDS:
                data = (f"{to}:mixed:1", f"{source}:mixed:{seed}", f"{source}:mixed:3")
                common = {"mode": mode, "other": source, "data": data}

                # Strides: part, saturates, merges.
                def add(
                    count: int,
                    strides: tuple[int, ...],
                    control: int = 0,
                    form: str = "first",
                    to: str = to,
                    common: dict[str, Any] = common,
                ) -> None:
                    how = {"count": count, "strides": strides, "control": control}
                    found.append(Row("Cast", to, form, **how, **common))

                for part in range(max(sizes) // min(sizes)):
                    for sat in (0, 1):
                        add(lanes, (part, sat, 0), EACH_DECIDES)
                for control in (0, SATURATE, TRUNCATE):
                    add(lanes, (0, 1, 0), control)
            for count in (0, 1, lanes // 3):
                for merge in (0, 1):
                    add(count, (0, 1, merge))
            add(0, (0, 1, 0), form="bits")
    return found


ROWS = rows()


@cache
def results() -> list[Bytes]:
    return run(SOURCE, ARCH, ("Cast",), ROWS)


@cache
def element(value: bytes, mode: int, source: str, to: str, control: int) -> object:
    number = np.frombuffer(value, DTYPES[source])[0]
    return converted(number, NONE if mode == UNKNOWN else mode, source, to, ARCH, control)


def model_control(row: Row) -> int:
    """What the memory-based call would find, to do the same."""
    if not row.control & EACH_DECIDES:
        return row.control
    return SATURATE if row.strides[1] else TRUNCATE


def wanted(row: Row) -> Bytes:
    dst, s, b = (operand(name) for name in row.data)
    source, to = DTYPES[row.other], DTYPES[row.dtype]
    size, wide = source.itemsize, max(source.itemsize, to.itemsize)
    lanes = REGISTER // wide
    if row.form == "bits":
        bits = np.unpackbits(b[MASK_AT : MASK_AT + 32], bitorder="little").astype(bool)
    else:
        bits = np.zeros(REGISTER, bool)
        bits[: row.count * size : size] = True
    part = row.strides[0]
    out = dst[:REGISTER].copy() if row.strides[2] else np.zeros(REGISTER, np.uint8)
    values = s[:REGISTER].view(source)
    for lane in range(lanes):
        at = lane * (wide // size) + (part if size < wide else 0)
        if not bits[at * size]:
            continue
        args = row.mode, row.other, row.dtype, model_control(row)
        value = np.array([element(values[at].tobytes(), *args)])
        place = lane * wide + (part * to.itemsize if to.itemsize < wide else 0)
        out[lane * wide : (lane + 1) * wide] = 0
        out[place : place + to.itemsize] = value.astype(to).view(np.uint8)
    return out


@pytest.mark.parametrize("pair", [row[:2] for row in TABLE], ids="-".join)
def test_conversion_in_every_mode_and_layout(pair: tuple[str, str]) -> None:
    chosen = [(i, row) for i, row in enumerate(ROWS) if (row.other, row.dtype) == pair]
    assert chosen
    for i, row in chosen:
        with np.errstate(all="ignore"):
            want = wanted(row)
        got = results()[i][:REGISTER]
        wrong = mismatches(got, want, row.dtype)
        kind = DTYPES[row.dtype]
        seen = got.view(kind)[wrong[:4]], want.view(kind)[wrong[:4]]
        assert wrong.size == 0, (str(row), row.strides, row.control, wrong[:4], seen)


def convert(source: str, to: str, values: Array, mode: int, sat: int = 0) -> Array:
    """Through the register Cast, a register at a time, with a mode of saturation of its own."""
    size, wide = DTYPES[source].itemsize, max(DTYPES[source].itemsize, DTYPES[to].itemsize)
    spread = wide // size  # elements of a group, of which the first one counts
    lanes = REGISTER // wide
    count = -(-values.size // lanes)
    padded = np.zeros(count * lanes, values.dtype)
    padded[: values.size] = values
    groups = np.zeros((count, lanes, spread), values.dtype)
    groups[:, :, 0] = padded.reshape(count, lanes)
    given = {f"literal:{i}": groups[i].reshape(-1) for i in range(count)}
    rows = [
        Row("Cast", to, count=REGISTER // size, mode=mode, other=source, strides=(0, sat, 0),
            control=EACH_DECIDES, data=(f"{to}:finite:1", f"literal:{i}", f"literal:{i}"))
        for i in range(count)
    ]  # fmt: skip
    narrow = wide // DTYPES[to].itemsize
    got = run(SOURCE, ARCH, ("Cast",), rows, given)
    picked = [o[:REGISTER].view(DTYPES[to])[::narrow] for o in got]
    return np.concatenate(picked)[: values.size]


def test_hif8_is_exact_on_its_tables() -> None:
    """Every code to fp32 and fp16, every vector to a code, saturating and not."""
    folder = paths.source_root() / "tests" / "data" / "hif8"
    codes = np.arange(256, dtype=np.uint8)
    wide = convert("hif8", "fp32", codes, UNKNOWN)
    for code, row in enumerate(csv.DictReader((folder / "table.csv").open())):
        if row["kind"] == "nan":
            assert np.isnan(wide[code])
        else:
            assert wide.view(np.uint32)[code] == int(row["fp32_bits_hex"], 16), row
    halves = convert("hif8", "fp16", codes, UNKNOWN)
    np.testing.assert_array_equal(halves, wide.astype(np.float16))
    vectors = list(csv.DictReader((folder / "vectors.csv").open()))
    inputs = np.array([int(row["f32_hex"], 16) for row in vectors], np.uint32).view(np.float32)
    for column, mode, sat in (
        ("round_nosat", ROUND, 0),
        ("round_sat", ROUND, 1),
        ("hybrid_doc_literal_nosat", HYBRID, 0),
        ("hybrid_doc_literal_sat", HYBRID, 1),
    ):
        got = convert("fp32", "hif8", inputs, mode, sat)
        wrong = [r for r, code in zip(vectors, got, strict=True) if int(r[column], 16) != code]
        assert wrong == [], (column, wrong[:3])


def test_table_has_every_conversion_of_the_rules() -> None:
    text = (paths.source_root() / "twin" / "rules" / "reg_cast_table.h").read_text()
    assert text.count("{Dtype::k") == len(TABLE)
