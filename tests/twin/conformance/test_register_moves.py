"""How register calls move elements, against a model of bytes."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from rows_model import DTYPES, Array, Bytes, Row, mismatches, operand, run
from test_register_memory import bits_of, mask_bits
from test_registers import ALL, ARCH, MASK_AT, REGISTER, larger

SOURCE = Path(__file__).parent / "register_moves.cpp"
APIS = (
    "Interleave", "DeInterleave", "Pack", "UnPack", "Compare", "Compares", "Reduce",
    "ReduceDataBlock", "PairReduceElem", "MaskLogic", "MaskPack", "MaskInterleave",
    "MaskPattern", "MaskFromRegister",
)  # fmt: skip
PATTERNS = {0: 256, 1: 1, 2: 2, 3: 3, 4: 4, 5: 8, 6: 16, 7: 32, 8: 64, 15: 0}
SUMS = {"fp32": "fp32", "fp16": "fp16", "int32": "int32", "uint32": "uint32", "int16": "int32",
        "uint16": "uint32"}  # fmt: skip


def rows() -> list[Row]:
    found: list[Row] = []

    def add(api: str, dtype: str, other: str = "", **how: object) -> None:
        source = other or dtype
        data = (f"{dtype}:mixed:5", f"{source}:mixed:6", f"{source}:mixed:7")
        found.append(Row(api, dtype, other=other, data=data, scalar=1, **how))  # type: ignore[arg-type]

    for dtype in ALL:
        lanes = REGISTER // DTYPES[dtype].itemsize
        add("Interleave", dtype)
        add("DeInterleave", dtype)
        for mode in range(6):
            for api in ("Compare", "Compares"):
                add(api, dtype, mode=mode, count=lanes)
                add(api, dtype, mode=mode, count=lanes // 3)
        add("MaskInterleave", dtype, mode=0)
        add("MaskInterleave", dtype, mode=1)
        for mode in (*PATTERNS, 10, 11, 12, 13):
            if PATTERNS.get(mode, 0) <= lanes or mode == 0:
                add("MaskPattern", dtype, mode=mode)
        if DTYPES[dtype].itemsize > 1:
            add("MaskFromRegister", dtype)
    for mode in range(7):
        add("MaskLogic", "uint8", "", form="bits", mode=mode)
    for mode in range(4):
        add("MaskPack", "uint8", mode=mode)
    for narrow, wide in (("uint8", "int16"), ("uint8", "uint16"), ("uint16", "int32"),
                         ("uint16", "uint32")):  # fmt: skip
        add("Pack", narrow, wide, mode=0)
        add("Pack", narrow, wide, mode=1)
    for narrow, wide in (("uint8", "uint16"), ("int8", "int16"), ("uint16", "uint32"),
                         ("int16", "int32")):  # fmt: skip
        add("UnPack", wide, narrow, mode=0)
        add("UnPack", wide, narrow, mode=1)
    for source, to in SUMS.items():
        lanes = REGISTER // DTYPES[source].itemsize
        for count in (0, 1, lanes // 3, lanes):
            for api in ("Reduce", "ReduceDataBlock"):
                add(api, to, source, mode=0, count=count)
                add(api, source, source, mode=1, count=count)
                add(api, source, source, mode=2, count=count)
            if source in ("fp32", "fp16"):
                add("PairReduceElem", to, source, count=count)
        add("Reduce", to, source, form="bits", mode=0)
        add("Reduce", source, source, form="bits", mode=1)
    return found


ROWS = rows()


@cache
def results() -> list[Bytes]:
    return run(SOURCE, ARCH, APIS, ROWS)


def shuffled(row: Row, out: Bytes, s: Bytes, b: Bytes) -> None:
    kind = DTYPES[row.dtype]
    size = kind.itemsize
    x, y = (t[:REGISTER].view(kind) for t in (s, b))
    m, n, p = (bits_of(b[MASK_AT + 32 * k :][:32]) for k in (1, 2, 3))
    bits: Array | None = None
    if row.api == "Interleave":
        out[: 2 * REGISTER] = np.stack([x, y], axis=1).reshape(-1).view(np.uint8)
    elif row.api == "DeInterleave":
        joined = np.concatenate([x, y])
        out[: 2 * REGISTER] = np.concatenate([joined[::2], joined[1::2]]).view(np.uint8)
    elif row.api in ("Compare", "Compares"):
        other = y if row.api == "Compare" else np.full(x.size, 1, kind)
        u, v = (t.astype(np.float64) for t in (x, other))
        holds = (u < v, u > v, u == v, u <= v, u >= v, u != v)[row.mode]
        bits = np.zeros(REGISTER, bool)
        bits[::size] = holds & (np.arange(x.size) < row.count)
    elif row.api == "MaskLogic":
        mask = mask_bits(row, b, size)
        bits = (m & n, m | n, m ^ n, ~m, m, m, np.where(mask, m, n))[row.mode]
        bits = bits if row.mode >= 5 else bits & mask
    elif row.api == "MaskPack":
        bits = p.copy()
        if row.mode < 2:
            bits[row.mode * 128 :][:128] = m[::2]
        else:
            bits[:] = False
            bits[::2] = m[(row.mode - 2) * 128 :][:128]
    elif row.api == "MaskInterleave":
        u, v = m.reshape(-1, size), n.reshape(-1, size)
        joined = np.stack([u, v], axis=1).reshape(-1, size)
        if row.mode == 1:
            whole = np.concatenate([u, v])
            joined = np.concatenate([whole[::2], whole[1::2]])
        pair = joined.reshape(2, REGISTER)
        out[:64] = np.packbits(pair, axis=1, bitorder="little").reshape(-1)
    elif row.api == "MaskFromRegister":
        lanes = REGISTER // size
        piece = bits_of(s[5 * lanes // 8 : 6 * lanes // 8])
        bits = np.repeat(piece, size)
    else:
        bits = np.zeros(REGISTER, bool)
        lanes = REGISTER // size
        step = {10: 3, 11: 4}.get(row.mode, 1)
        count = {12: lanes // 2, 13: lanes // 4}.get(row.mode, PATTERNS.get(row.mode, lanes))
        bits[: min(count, lanes) * size : step * size] = True
    if bits is not None:
        out[:32] = np.packbits(bits, bitorder="little")


def tree(values: Array, kind: np.dtype) -> Array:
    """Neighbours, then neighbours of sums, each rounded."""
    while values.shape[1] > 1:
        wide = np.float32 if kind.kind == "f" else kind
        values = (values[:, ::2].astype(wide) + values[:, 1::2].astype(wide)).astype(kind)
    return values[:, 0]


def reduced(row: Row, out: Bytes, s: Bytes, b: Bytes) -> None:
    source, to = DTYPES[row.other], DTYPES[row.dtype]
    size = source.itemsize
    x = s[:REGISTER].view(source)
    active = mask_bits(row, b, size)[::size]
    per = {"Reduce": x.size, "ReduceDataBlock": 32 // size, "PairReduceElem": 2}[row.api]
    values, on = x.reshape(-1, per), active.reshape(-1, per)
    result = np.zeros(REGISTER // to.itemsize, to)
    if row.mode == 0:
        sums = tree(np.where(on, values, np.zeros(1, source)).astype(to), to)
        result[: sums.size] = sums
    else:
        most = row.mode == 1
        for group in range(values.shape[0]):
            best = -1
            for lane in np.flatnonzero(on[group]):
                value = values[group, lane]
                if value != value:
                    best = lane
                    break
                if best < 0:
                    best = lane
                    continue
                pair = np.array([values[group, best]]), np.array([value])
                if larger(*pair, most).tobytes() != pair[0].tobytes():
                    best = lane
            least = {True: -np.inf, False: np.inf}[most]
            if source.kind in "iu":
                info = np.iinfo(source)
                least = info.min if most else info.max
            result[group] = values[group, best] if best >= 0 else least
            if row.api == "Reduce" and best >= 0:
                result.view(f"u{size}")[1] = best
    out[:REGISTER] = result.view(np.uint8)


def packed(row: Row, out: Bytes, s: Bytes) -> None:
    to, source = DTYPES[row.dtype], DTYPES[row.other]
    if row.api == "Pack":
        low = s[:REGISTER].view(source).astype(to).view(np.uint8)
        out[row.mode * 128 :][:128] = low
        return
    half = s[row.mode * 128 :][:128].view(source)
    out[:REGISTER] = half.astype(to).view(np.uint8)


@pytest.mark.parametrize("api", APIS)
def test_register_call_moves_what_its_page_says(api: str) -> None:
    chosen = [(i, row) for i, row in enumerate(ROWS) if row.api == api]
    assert chosen
    for i, row in chosen:
        dst, s, b = (operand(name) for name in row.data)
        want = dst.copy()
        with np.errstate(all="ignore"):
            if "Reduce" in api:
                reduced(row, want, s, b)
            elif api in ("Pack", "UnPack"):
                packed(row, want, s)
            else:
                shuffled(row, want, s, b)
        kind = row.dtype if "Reduce" in api else "uint8"
        wrong = mismatches(results()[i], want, kind)
        got = results()[i].view(DTYPES[kind])[wrong[:6]]
        assert wrong.size == 0, (str(row), wrong[:6], got, want.view(DTYPES[kind])[wrong[:6]])
