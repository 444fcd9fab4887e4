"""Loads and stores of registers, against a model of bytes."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from rows_model import DTYPES, Array, Bytes, Row, mismatches, operand, run
from test_registers import ARCH, MASK_AT, REGISTER

SOURCE = Path(__file__).parent / "register_memory.cpp"
APIS = (
    "Load", "LoadTwo", "LoadBlocks", "LoadMask", "LoadUnaligned", "LoadAddress", "Store",
    "StoreTwo", "StoreBlocks", "StoreMask", "StoreUnaligned", "StoreAddress", "StorePart",
)  # fmt: skip
# The vendor's numbers of LoadDist and StoreDist.
LOADS = {
    "NORM": 0, "BRC_B8": 1, "BRC_B16": 2, "BRC_B32": 3, "US_B8": 6, "US_B16": 7, "DS_B8": 8,
    "DS_B16": 9, "UNPACK_B8": 13, "UNPACK_B16": 14, "BLK": 15, "E2B_B16": 16, "E2B_B32": 17,
    "UNPACK_B32": 18, "UNPACK4_B8": 20,
}  # fmt: skip
TWO = {"DINTLV_B8": 11, "DINTLV_B16": 12, "DINTLV_B32": 19}
STORES = {
    "NORM": 16, "NORM_B8": 0, "NORM_B16": 1, "NORM_B32": 2, "FIRST_ELEMENT_B8": 3,
    "FIRST_ELEMENT_B16": 4, "FIRST_ELEMENT_B32": 5,
}  # fmt: skip
PARTS = {"PACK_B16": 6, "PACK_B32": 7, "PACK_B64": 10, "PACK4_B32": 12}
STORES_TWO = {"INTLV_B8": 8, "INTLV_B16": 9, "INTLV_B32": 11}
MOVED = ("fp32", "fp16", "uint8")


def name_of(table: dict[str, int], mode: int) -> tuple[str, int]:
    """NORM_B32 -> NORM_B32, 4."""
    (name,) = [name for name, number in table.items() if number == mode]
    bits = name.rpartition("_B")[2]
    return name, int(bits) // 8 if bits.isdigit() else 0


def rows() -> list[Row]:
    found: list[Row] = []

    def add(api: str, dtype: str, other: str = "", **how: object) -> None:
        source = other or dtype
        data = (f"{dtype}:mixed:5", f"{source}:mixed:6", f"{source}:mixed:7")
        found.append(Row(api, dtype, other=other, data=data, scalar=1, **how))  # type: ignore[arg-type]

    for dtype in MOVED:
        size = DTYPES[dtype].itemsize
        lanes = REGISTER // size
        step = 32 // size
        for mode in LOADS.values():
            name, width = name_of(LOADS, mode)
            at = width // size if name.startswith("BRC") and width >= size else step * 3
            add("Load", dtype, mode=mode, strides=(at,))
        for mode in TWO.values():
            add("LoadTwo", dtype, mode=mode, strides=(step,))
        for count in (lanes, lanes // 2 + 1, 1):
            add("LoadBlocks", dtype, count=count, strides=(step, 1))
            add("LoadBlocks", dtype, count=count, strides=(step, 3))
            add("LoadBlocks", dtype, count=count, mode=1, strides=(step, 2, 5))
            add("LoadBlocks", dtype, count=count, strides=(0, 0))
        add("LoadBlocks", dtype, "", form="bits", strides=(0, 2))
        for mode in range(3):
            add("LoadMask", dtype, mode=mode, strides=(0,))
            add("LoadMask", dtype, mode=mode, strides=(64,))
        for at in (0, 1, 5, step):
            add("LoadUnaligned", dtype, strides=(at,))
            add("LoadUnaligned", dtype, mode=1, strides=(at, lanes))
            add("LoadUnaligned", dtype, mode=1, strides=(at, 3))
        add("LoadAddress", dtype, strides=(step, step, 4 * step, 2 * step))
        for count in (0, 1, lanes // 3, lanes):
            for mode in STORES.values():
                if name_of(STORES, mode)[1] in (0, size):
                    add("Store", dtype, mode=mode, count=count, strides=(step,))
            for mode in PARTS.values():
                add("StorePart", dtype, mode=mode, count=count, strides=(step,))
            for strides in ((0, 1, 8), (step, 3, 24)):
                add("StoreBlocks", dtype, count=count, strides=strides)
            add("StoreMask", dtype, count=count, strides=(step,))
            add("StoreMask", dtype, mode=1, count=count, strides=(step,))
            add("StoreAddress", dtype, count=count, strides=(0, 8 * step, 8 * step))
        add("Store", dtype, "", form="bits", mode=STORES["NORM"], strides=(0,))
        add("StoreMask", dtype, "", form="bits", strides=(0,))
        for mode in STORES_TWO.values():
            add("StoreTwo", dtype, mode=mode, strides=(step,))
        for at in (0, 1, 7, step):
            for count in (1, step, lanes // 2 + 1, lanes):
                add("StoreUnaligned", dtype, count=count, strides=(at,))
                add("StoreUnaligned", dtype, mode=1, strides=(at, count, 5))
                add("StoreUnaligned", dtype, mode=1, strides=(at, count, lanes))
    return found


ROWS = rows()


@cache
def results() -> list[Bytes]:
    return run(SOURCE, ARCH, APIS, ROWS)


def bits_of(data: Bytes) -> Array:
    return np.unpackbits(data, bitorder="little").astype(bool)


def mask_bits(row: Row, b: Bytes, width: int) -> Array:
    if row.form == "bits":
        return bits_of(b[MASK_AT : MASK_AT + 32])
    bits = np.zeros(REGISTER, bool)
    bits[: row.count * width : width] = True
    return bits


def zero_extended(data: Bytes, width: int, by: int) -> Bytes:
    wide = np.zeros((REGISTER // (width * by), width * by), np.uint8)
    wide[:, :width] = data[: REGISTER // by].reshape(-1, width)
    return wide.reshape(-1)


def distributed(name: str, width: int, s: Bytes) -> Bytes:
    lanes = REGISTER // width if width else 0
    if name.startswith("BRC"):
        return np.tile(s[:width], lanes)
    if name.startswith("US"):
        return np.repeat(s[: REGISTER // 2].reshape(-1, width), 2, axis=0).reshape(-1)
    if name.startswith("DS"):
        return s[: 2 * REGISTER].reshape(-1, 2, width)[:, 0].reshape(-1)
    if name.startswith("UNPACK4"):
        return zero_extended(s, width, 4)
    if name.startswith("UNPACK"):
        return zero_extended(s, width, 2)
    if name == "BLK":
        return np.tile(s[:32], 8)
    if name.startswith("E2B"):
        return np.repeat(s[: 8 * width].reshape(8, width), 32 // width, axis=0).reshape(-1)
    return s[:REGISTER]


def blocks(s: Bytes, at: int, stride: int, bits: Array) -> Bytes:
    out = np.zeros(REGISTER, np.uint8)
    for i in range(8):
        if bits[32 * i : 32 * i + 32].any():
            begin = at + i * stride * 32
            out[32 * i : 32 * i + 32] = s[begin : begin + 32]
    return out


def loaded(row: Row, out: Bytes, s: Bytes, b: Bytes) -> None:
    size = DTYPES[row.dtype].itemsize
    strides = (*row.strides, 0, 0, 0, 0)
    at = strides[0] * size if row.api != "LoadMask" else 0
    here = s[strides[0] * size :]
    second: Bytes | None = None
    if row.api == "Load":
        first = distributed(*name_of(LOADS, row.mode), here)
    elif row.api == "LoadTwo":
        pairs = here[: 2 * REGISTER].reshape(-1, 2, name_of(TWO, row.mode)[1])
        first, second = pairs[:, 0].reshape(-1), pairs[:, 1].reshape(-1)
    elif row.api == "LoadBlocks":
        bits = mask_bits(row, b, size)
        first = blocks(s, at, strides[1], bits)
        if row.mode == 1:
            second = blocks(s, at + 2 * strides[2] * 32, strides[1], bits)
    elif row.api == "LoadMask":
        data = bits_of(b[strides[0] :])
        bits = (data[:REGISTER], np.repeat(data[:128], 2), data[:512:2])[row.mode]
        # `here` starts after as many elements as the mask after bytes.
        lanes = [here[k * REGISTER : (k + 1) * REGISTER].reshape(-1, size) for k in range(2)]
        first = np.where(bits[::size, None], lanes[0], lanes[1]).reshape(-1)
    elif row.api == "LoadUnaligned":
        first = s[at : at + REGISTER]
        if row.mode == 1:
            second, at = first, at + strides[1] * size
            first = s[at : at + REGISTER]
    else:
        offset = at + (2 * strides[1] + strides[2]) * size
        first = s[offset : offset + REGISTER]
        second = s[at + strides[3] * size :][:REGISTER]
    out[:REGISTER] = first
    if second is not None:
        out[REGISTER : 2 * REGISTER] = second


def stored(row: Row, out: Bytes, s: Bytes, b: Bytes) -> None:
    size = DTYPES[row.dtype].itemsize
    strides = (*row.strides, 0, 0, 0, 0)
    at = strides[0] * size
    first, second = s[:REGISTER], s[REGISTER : 2 * REGISTER]
    bits = mask_bits(row, b, size)
    active = np.repeat(bits[::size], size)

    def put(begin: int, data: Bytes, where: Array) -> None:
        out[begin : begin + data.size][where] = data[where]

    if row.api == "Store":
        name, width = name_of(STORES, row.mode)
        if name.startswith("FIRST"):
            out[at : at + width] = first[:width]
        else:
            put(at, first, active)
    elif row.api == "StorePart":
        name, width = name_of(PARTS, row.mode)
        kept = 1 if name == "PACK4_B32" else width // 2
        count = min(row.count, REGISTER // width)
        out[at : at + count * kept] = first.reshape(-1, width)[:count, :kept].reshape(-1)
    elif row.api == "StoreTwo":
        width = name_of(STORES_TWO, row.mode)[1]
        pairs = np.stack([first.reshape(-1, width), second.reshape(-1, width)], axis=1)
        out[at : at + 2 * REGISTER] = pairs.reshape(-1)
    elif row.api == "StoreBlocks":
        for data, begin in ((first, at), (second, at + strides[2] * 32)):
            for i in range(8):
                part = slice(32 * i, 32 * i + 32)
                put(begin + i * strides[1] * 32, data[part], active[part])
    elif row.api == "StoreMask":
        packed = np.packbits(bits if row.mode == 0 else bits[::2], bitorder="little")
        out[at : at + packed.size] = packed
    elif row.api == "StoreUnaligned" and row.mode == 0:
        out[at : at + row.count * size] = first[: row.count * size]
    elif row.api == "StoreUnaligned":
        lengths = [min(strides[k] * size, REGISTER) for k in (1, 2)]
        out[at : at + lengths[0]] = first[: lengths[0]]
        out[at + lengths[0] :][: lengths[1]] = second[: lengths[1]]
    else:
        put(at + 3 * strides[1] * size, first, active)
        put(at, second, active)
        put(at + strides[2] * size, second, active)


@pytest.mark.parametrize("api", APIS)
def test_register_call_moves_what_its_page_says(api: str) -> None:
    chosen = [(i, row) for i, row in enumerate(ROWS) if row.api == api]
    assert chosen
    for i, row in chosen:
        dst, s, b = (operand(name) for name in row.data)
        want = dst.copy()
        with np.errstate(all="ignore"):
            (loaded if api.startswith("Load") else stored)(row, want, s, b)
        wrong = mismatches(results()[i], want, "uint8")
        got = results()[i].view(DTYPES["uint8"])[wrong[:6]]
        assert wrong.size == 0, (str(row), wrong[:6], got, want.view(DTYPES["uint8"])[wrong[:6]])
