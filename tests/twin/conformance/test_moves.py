"""Fills, broadcasts, masked copies, transpositions, comparisons and selections, everywhere."""

from __future__ import annotations

from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rows_model import (
    DTYPES,
    SOCS,
    Array,
    Bytes,
    Row,
    check,
    legal,
    operand,
    places,
    run,
    scalar_of,
)

SOURCE = Path(__file__).parent / "moves.cpp"
APIS = (
    "Duplicate", "Brcb", "Copy", "TransDataTo5HD", "TransDataAt", "Compare", "CompareScalar",
    "Compares", "Select", "SelectScalar", "SelectRegister", "CompareRegister", "GetCmpMask",
)  # fmt: skip
LACKING = {
    1001: ("Brcb", "Copy", "CompareScalar", "Compares", "SelectScalar", "CompareRegister",
           "GetCmpMask"),
    2002: ("Copy",),
    2201: (),
    3510: (),
}  # fmt: skip
COMPARISONS: tuple[Any, ...] = (
    np.less,
    np.greater,
    np.equal,
    np.less_equal,
    np.greater_equal,
    np.not_equal,
)
CMPMASK, TENSOR_SCALAR, TENSOR_TENSOR = range(3)
WORDS = ("fp32", "fp16", "int16", "uint16", "int32", "uint32")

# form, repeats, mask, block strides, repeat strides of dst, src0, src1
_MASKED = (
    ("lanes", 0, (64, 0), (1, 1, 1), (8, 8, 8)),
    ("lanes", 5, (21, 0), (2, 1, 2), (19, 8, 16)),
    ("lanes", 9, (64, 0), (1, 0, 1), (8, 1, 0)),
    ("lanes", 255, (8, 0), (1, 1, 1), (1, 1, 1)),
    ("bits", 3, (0x8000_0000_0000_0001, 1 << 63), (1, 1, 1), (8, 8, 8)),
    ("register", 2, (0xFF00_0001, 0), (1, 2, 1), (8, 16, 8)),
    ("register bits", 2, (0xF0F1, 0x8001), (1, 1, 1), (8, 8, 8)),
    ("counter", 0, (333, 0), (1, 1, 1), (8, 8, 8)),
    ("counted", 2, (65, 0), (1, 1, 1), (9, 8, 8)),
)


def data(*kinds: str) -> tuple[str, str, str]:
    first, second, third = (f"{kind}:mixed:{i + 1}" for i, kind in enumerate(kinds))
    return first, second, third


def masked(arch: int, row: Row, operands: str) -> list[Row]:
    """The row in every masked form; `operands`: which of d, a, b have strides, in that order."""
    rows = []
    for form, repeats, mask, block, step in _MASKED:
        if arch == 1001 and form in ("counter", "counted"):
            continue
        at = ["dab".index(name) for name in operands]
        strides = (*(block[i] for i in at), *(step[i] for i in at))
        change: dict[str, Any] = {"form": form, "repeats": repeats, "mask": mask}
        rows.append(Row(**{**row.__dict__, **change, "strides": strides, "count": 0}))
    return rows


def fill_rows(arch: int) -> list[Row]:
    rows = []
    for dtype in (*WORDS, "bf16") if arch >= 2201 else WORDS:
        one = Row("Duplicate", dtype, scalar=3.0, data=data(dtype, dtype, dtype))
        rows += [Row("Duplicate", dtype, count=n, scalar=7.0, data=one.data)
                 for n in (0, 1, 100, 4096)]  # fmt: skip
        rows += masked(arch, one, "d")
        strides = ((0, (1, 8)), (1, (1, 8)), (16, (1, 8)), (5, (3, 40)), (7, (2, 0)))
        rows += [Row("Brcb", dtype, repeats=r, strides=s, data=one.data) for r, s in strides]
        rows += masked(arch, Row("Copy", dtype, data=one.data), "da")
    return rows


def transpose_rows(arch: int) -> list[Row]:
    types: tuple[str, ...] = ("fp16", "int16", "uint16", "int8", "uint8")
    if arch != 1001:
        types = (*types, "fp32", "int32", "uint32")
    rows = []
    for dtype, api in product(types, ("TransDataTo5HD", "TransDataAt")):
        for repeats, steps in ((1, (0, 0)), (1, (2, 1)), (3, (16, 8)), (0, (1, 1)), (9, (1, 2))):
            lists = (20, 18) if steps == (1, 2) else (1, 16)
            lists = (1, 1) if steps == (16, 8) else lists
            for mode in range(4) if dtype.endswith("int8") else (0,):
                rows.append(Row(api, dtype, repeats=repeats, mode=mode, strides=(*lists, *steps),
                                data=data(dtype, dtype, dtype)))  # fmt: skip
    return rows


def compare_rows(arch: int) -> list[Row]:
    rows = []
    for dtype in ("fp32", "fp16", "int32") if arch >= 2201 else ("fp32", "fp16"):
        per = 256 // DTYPES[dtype].itemsize
        sets = data("uint8", dtype, dtype)
        for mode in (2,) if dtype == "int32" else range(6):
            for kind in (sets, (sets[0], sets[1], sets[1])):
                common: dict[str, Any] = {"other": dtype, "mode": mode, "data": kind}
                rows += [Row("Compare", "uint8", count=n, **common) for n in (0, per, 8 * per)]
                for repeats, strides in ((3, (1, 1, 1, 8, 8, 8)), (5, (1, 2, 0, 8, 16, 1))):
                    rows.append(Row("Compare", "uint8", "lanes", 0, repeats, mask=(per, 0),
                                    strides=strides, **common))  # fmt: skip
                full = ((1 << 64) - 1, (1 << 64) - 1)
                rows.append(Row("Compare", "uint8", "register", 0, 2, mask=full,
                                strides=(1, 1, 1, 8, 8, 8), **common))  # fmt: skip
            common["scalar"] = float(operand(sets[1]).view(DTYPES[dtype])[5])
            for api, n in product(("CompareScalar", "Compares"), (per, 5 * per)):
                rows.append(Row(api, "uint8", count=n, **common))
            rows.append(Row("CompareScalar", "uint8", "lanes", 0, 3, mask=(per, 0),
                            strides=(1, 2, 8, 17), **common))  # fmt: skip
            for lanes in (per, 19, 1):
                rows.append(Row("CompareRegister", "uint8", "lanes", 0, 1, mask=(lanes, 0),
                                strides=(1, 1, 2, 8, 8, 8), **common))  # fmt: skip
        rows.append(Row("GetCmpMask", "uint8", other=dtype, data=sets))
    return rows


def select_rows(arch: int) -> list[Row]:
    rows = []
    for dtype in ("fp32", "fp16"):
        sets = data(dtype, dtype, dtype)
        for mode in (CMPMASK,) if arch == 1001 else (CMPMASK, TENSOR_TENSOR):
            one = Row("Select", dtype, mode=mode, data=sets)
            rows += [Row("Select", dtype, count=n, mode=mode, data=sets) for n in (0, 1, 63, 1000)]
            rows += [r for r in masked(arch, one, "dab") if r.form != "register bits"]
        one = Row("SelectScalar", dtype, mode=TENSOR_SCALAR, scalar=-2.5, data=sets)
        rows += [Row("SelectScalar", dtype, count=n, mode=TENSOR_SCALAR, scalar=0.1, data=sets)
                 for n in (1, 63, 1000)]  # fmt: skip
        rows += [r for r in masked(arch, one, "dab") if r.form != "register bits"]
        for repeats, lanes in ((1, 64), (4, 64), (3, 17)):
            rows.append(Row("SelectRegister", dtype, "lanes", 0, repeats, mask=(lanes, 0),
                            strides=(1, 1, 1, 8, 8, 8), data=sets))  # fmt: skip
    return rows


def rows_of(arch: int) -> list[Row]:
    rows = fill_rows(arch) + transpose_rows(arch) + compare_rows(arch) + select_rows(arch)
    return [row for row in rows if row.api not in LACKING[arch]]


def fill(row: Row, out: Array, a: Array) -> None:
    size = out.itemsize
    if row.api == "Duplicate":
        for at in places(row, size, size, *(row.strides or (1, 8))):
            out[at] = scalar_of(row)[0]
    elif row.api == "Brcb":
        per = 32 // size
        for i in range(8 * row.repeats):
            begin = (i // 8 * row.strides[1] + i % 8 * row.strides[0]) * per
            out[begin : begin + per] = a[i]
    else:
        d_blk, a_blk, d_rep, a_rep = row.strides
        to, source = places(row, size, size, d_blk, d_rep), places(row, size, size, a_blk, a_rep)
        for d_at, a_at in zip(to, source, strict=True):
            out[d_at] = a[a_at]


def transpose(row: Row, out: Array, a: Array) -> None:
    """Element e of every source row, one after the other, is row e of the destination."""
    size = out.itemsize
    per, elements = 32 // size, 8 if size == 4 else 16
    d_list, a_list, d_rep, a_rep = row.strides
    d_half, a_half = (16 * (row.mode & 1), 16 * (row.mode >> 1 & 1)) if size == 1 else (0, 0)
    # One repeat alone starts one stride behind, as the page has it.
    for number in (1,) if row.repeats == 1 else range(row.repeats):
        rows = [a[(i * a_list + number * a_rep) * per + a_half :][:elements] for i in range(16)]
        for e, column in enumerate(np.array(rows).T):
            pieces = column.reshape(2, 8) if size == 4 else column.reshape(1, 16)
            for i, piece in enumerate(pieces):
                entry = len(pieces) * e + i
                begin = (entry * d_list + number * d_rep) * per + d_half
                out[begin : begin + piece.size] = piece


def compared(row: Row, a: Array, b: Array) -> list[Array]:
    """Bits, repeat by repeat."""
    size = a.itemsize
    two = row.api in ("Compare", "CompareRegister", "SelectRegister")
    _, a_blk, *rest = row.strides or ((1, 1, 1, 8, 8, 8) if two else (1, 1, 8, 8))
    b_blk, _, a_rep, b_rep = rest if two else (1, 0, rest[1], 8)
    a_places = places(row, size, size, a_blk, a_rep)
    b_places = places(row, size, size, b_blk, b_rep)
    operation = COMPARISONS[0 if row.api == "SelectRegister" else row.mode]
    second = b if two else np.broadcast_to(scalar_of(row), b.shape)
    return [operation(a[x], second[y]) for x, y in zip(a_places, b_places, strict=True)]


def select(row: Row, out: Array, a: Array, b: Array, bits: Array) -> None:
    size = out.itemsize
    per = 256 // size
    d_blk, a_blk, b_blk, d_rep, a_rep, b_rep = row.strides or (1, 1, 1, 8, 8, 8)
    lanes = places(row, size, size, 1, 0) if row.form != "first" else None
    to = places(row, size, size, d_blk, d_rep)
    from_a = places(row, size, size, a_blk, a_rep)
    from_b = places(row, size, size, b_blk, b_rep)
    for number, (d_at, a_at, b_at) in enumerate(zip(to, from_a, from_b, strict=True)):
        inside = lanes[number] if lanes is not None else np.arange(d_at.size)
        step = 0 if row.mode == CMPMASK or row.api == "SelectRegister" else number * per
        chosen = bits[step + inside] != 0
        second = scalar_of(row) if row.api == "SelectScalar" else b[b_at]
        out[d_at] = np.where(chosen, a[a_at], second)


def model(row: Row, arch: int, out: Bytes, a: Bytes, b: Bytes) -> Bytes:
    kind = DTYPES[row.other or row.dtype]
    x, y = a.view(kind), b.view(kind)
    if row.api in ("Duplicate", "Brcb", "Copy"):
        fill(row, out.view(kind), x)
    elif row.api.startswith("Trans"):
        transpose(row, out.view(kind), x)
    elif row.api == "GetCmpMask":
        out[:16] = a[:16]
    elif row.api == "CompareRegister":
        bits = np.unpackbits(b[:16], bitorder="little")  # what the register held before
        bits[: row.mask[0]] = compared(row, x, y)[0]
        out[:16] = np.packbits(bits, bitorder="little")
    elif row.api.startswith("Compare"):
        bits = np.concatenate([np.zeros(0, bool), *compared(row, x, y)])
        out[: bits.size // 8] = np.packbits(bits, bitorder="little")
    elif row.api == "SelectRegister":
        select(row, out.view(kind), x, y, compared(row, x, y)[0])
    else:
        bits = np.unpackbits(operand(row.data[0]), bitorder="little")
        select(row, out.view(kind), x, y, bits)
    return out


ROWS = {arch: legal(arch, rows_of(arch)) for arch in SOCS}


@cache
def results(arch: int) -> list[Bytes]:
    return run(SOURCE, arch, APIS, ROWS[arch])


@pytest.mark.parametrize(("arch", "api"), [*product(SOCS, APIS)])
def test_moves(arch: int, api: str) -> None:
    chosen = [(i, row) for i, row in enumerate(ROWS[arch]) if row.api == api]
    assert bool(chosen) == (api not in LACKING[arch])
    for i, row in chosen:
        check(row, arch, results(arch)[i], model)
