"""Every reduction on every architecture: order of additions, rounding between levels, masks."""

from __future__ import annotations

from functools import cache
from itertools import product
from pathlib import Path

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
    repeats_of,
    run,
    saturated,
)

SOURCE = Path(__file__).parent / "reductions.cpp"
APIS = (
    "WholeReduceSum", "WholeReduceMax", "WholeReduceMin", "BlockReduceSum", "BlockReduceMax",
    "BlockReduceMin", "PairReduceSum", "RepeatReduceSum", "ReduceSum", "ReduceMax", "ReduceMin",
    "GetAccVal",
)  # fmt: skip
VALUE_INDEX, INDEX_VALUE, ONLY_VALUE, ONLY_INDEX = range(4)
ORDERS = {1001: 1, 2002: 2, 2201: 4, 3510: 4}  # how many of them a chip has

# form, repeats, mask, strides: dst in results, src blocks, src repeats
_MASKED = (
    ("lanes", 0, (64, 0), (1, 1, 8)),
    ("lanes", 1, (64, 0), (1, 1, 8)),
    ("lanes", 60, (64, 0), (1, 1, 8)),
    ("lanes", 255, (8, 0), (2, 1, 1)),
    ("lanes", 20, (33, 0), (2, 1, 8)),
    ("lanes", 10, (64, 0), (1, 2, 16)),
    ("lanes", 10, (17, 0), (3, 0, 8)),
    ("lanes", 3, (1, 0), (1, 1, 0)),
    ("bits", 5, (0x8000_0000_0000_0001, 0), (1, 1, 8)),
    ("bits", 3, (0x1234_0000_0F00_00F1, 1 << 63), (1, 1, 8)),
    ("register", 3, (0xFF, 0), (1, 1, 8)),
    ("register bits", 2, (0xFFFF_0001, 0), (1, 1, 8)),
    ("counter", 0, (700, 0), (1, 1, 8)),
    ("counted", 1, (321, 0), (1, 1, 8)),
)


def rows_of(arch: int) -> list[Row]:
    rows = []
    for api, dtype in product(APIS, ("fp16",) if arch == 1001 else ("fp32", "fp16")):
        kinds = ("finite", "mixed") if api.endswith("Sum") else ("finite",)
        for kind in kinds:
            data = (f"{dtype}:finite:1", f"{dtype}:{kind}:2", f"{dtype}:finite:1")
            rows += _rows(arch, api, dtype, data)
    return rows


def _rows(arch: int, api: str, dtype: str, data: tuple[str, str, str]) -> list[Row]:
    if api == "GetAccVal":
        return [Row(api, dtype, count=n, data=data) for n in (1, 100, 1000)] if arch >= 2201 else []
    rows = []
    modes = range(ORDERS[arch]) if api[:8] in ("WholeRed",) and api[-3:] != "Sum" else (0,)
    if api.startswith("Reduce"):
        modes = range(2) if api != "ReduceSum" else range(1)
        counts = (1, 64, 65, 129, 200, 256, 500, 1000, 4096)
        rows += [Row(api, dtype, count=n, mode=m, data=data) for n, m in product(counts, modes)]
    for (form, repeats, mask, all_strides), mode in product(_MASKED, modes):
        strides: tuple[int, ...] = all_strides
        if arch == 1001 and form in ("counter", "counted"):
            continue
        if api == "RepeatReduceSum" and form != "lanes":
            continue
        if api == "PairReduceSum" and repeats > 100:
            continue  # their 32 or 64 results each do not fit the operand
        if api.startswith("Reduce"):
            allowed = {"ReduceSum": ("lanes", "bits")}.get(api, ("lanes",))
            if form == "counter" and api == "ReduceSum" and arch == 2201:
                rows.append(Row(api, dtype, form, mask=mask, data=data))
            if form not in allowed or strides[1] != 1 or repeats == 0:
                continue
            strides = strides[2:]
        rows.append(Row(api, dtype, form, 0, repeats, mode, 0, mask, strides, data=data))
    return rows


def tree(values: Array, arch: int) -> Array:
    """Neighbours, then pairs of results, each rounded to the element's type."""
    while values.size > 1:
        values = saturated(values[0::2] + values[1::2], arch)
    return values


def repeat_lines(row: Row, a: Array, blk: int, rep: int) -> list[tuple[list[int], Array]]:
    """Active lanes and all lanes of each repeat, 0 where masked."""
    size = a.itemsize
    lines = []
    for lanes, at in zip(repeats_of(row, size), places(row, size, size, blk, rep), strict=True):
        line = np.zeros(256 // size, a.dtype)
        line[lanes] = a[at]
        lines.append((lanes, line))
    return lines


def extreme(values: Array, largest: bool) -> int:
    return int(values.argmax() if largest else values.argmin())


def whole(row: Row, arch: int, out: Array, lines: list[tuple[list[int], Array]]) -> None:
    result_bytes = {ONLY_VALUE: out.itemsize, ONLY_INDEX: 4}.get(row.mode, 2 * out.itemsize)
    for number, (lanes, line) in enumerate(lines):
        if row.api.endswith("Sum"):
            out[number * row.strides[0]] = tree(line, arch)[0]
            continue
        lane = lanes[extreme(line[lanes], row.api.endswith("Max"))]
        value = line[lane : lane + 1].tobytes()
        index = lane.to_bytes(out.itemsize, "little")
        result = {
            VALUE_INDEX: value + index,
            INDEX_VALUE: index + value,
            ONLY_VALUE: value,
            ONLY_INDEX: lane.to_bytes(4, "little"),
        }[row.mode]
        begin = number * row.strides[0] * result_bytes
        out.view(np.uint8)[begin : begin + result_bytes] = np.frombuffer(result, np.uint8)


def parts(row: Row, arch: int, out: Array, lines: list[tuple[list[int], Array]]) -> None:
    """Blocks or pairs; one without an active lane leaves its result as it was, but on 3510 it gets
    what the reduction starts from."""
    start = {"Sum": 0.0, "Max": -np.inf, "Min": np.inf}[row.api[-3:]]
    width = 2 if row.api == "PairReduceSum" else 32 // out.itemsize
    for number, (lanes, line) in enumerate(lines):
        per_repeat = line.size // width
        for part in range(per_repeat):
            inside = [lane for lane in lanes if lane // width == part]
            at = number * row.strides[0] * per_repeat + part
            if not inside:
                out[at] = start if arch == 3510 else out[at]
                continue
            if row.api.endswith("Sum"):
                out[at] = tree(line[part * width : (part + 1) * width], arch)[0]
            else:
                out[at] = line[inside][extreme(line[inside], row.api.endswith("Max"))]


def total(partials: Array, arch: int, in_sequence: bool) -> Array:
    if in_sequence:
        result = partials[:1]
        for partial in partials[1:]:
            result = saturated(result + partial, arch)
        return result
    lanes = 256 // partials.itemsize
    while partials.size > 1:
        padded = np.zeros(-(-partials.size // lanes) * lanes, partials.dtype)
        padded[: partials.size] = partials
        partials = np.concatenate([tree(line, arch) for line in padded.reshape(-1, lanes)])
    return partials


def added_repeats(lines: list[tuple[list[int], Array]]) -> Array:
    """Two to four repeats of counted elements on 3510: lane by lane; lanes that the last one lacks
    keep what they have."""
    last = len(lines) - 1
    rows = [line.copy() for _, line in lines]

    def merge(to: int, number: int) -> None:
        lanes = lines[number][0] if number == last else slice(None)
        rows[to][lanes] = rows[to][lanes] + rows[number][lanes]

    merge(0, 1)
    if last == 2:
        merge(0, 2)
    if last == 3:
        merge(2, 3)
        rows[0] = rows[0] + rows[2]
    return rows[0]


def everything(row: Row, arch: int, out: Array, a: Array) -> None:
    lines = repeat_lines(row, a, 1, row.strides[0] if row.strides else 8)
    if row.api in ("ReduceSum", "GetAccVal"):
        if arch == 3510 and row.form == "first" and 2 <= len(lines) <= 4:
            out[0] = tree(added_repeats(lines), arch)[0]
            return
        partials = np.concatenate([tree(line, arch) for _, line in lines])
        in_sequence = arch == 2201 and row.form in ("first", "counter")
        out[0] = total(partials, arch, in_sequence)[0]
        return
    values = np.concatenate([line[lanes] for lanes, line in lines])
    indices = [n * line.size + lane for n, (lanes, line) in enumerate(lines) for lane in lanes]
    best = extreme(values, row.api == "ReduceMax")
    out[0] = values[best]
    if row.mode == 1:
        out.view(f"u{out.itemsize}")[1] = indices[best]


def model(row: Row, arch: int, out: Bytes, a: Bytes, _: Bytes) -> Bytes:
    kind = DTYPES[row.dtype]
    if row.api.startswith("Reduce") or row.api == "GetAccVal":
        everything(row, arch, out.view(kind), a.view(kind))
        return out
    lines = repeat_lines(row, a.view(kind), *row.strides[1:])
    if row.api.startswith(("Whole", "Repeat")):
        whole(row, arch, out.view(kind), lines)
    else:
        parts(row, arch, out.view(kind), lines)
    return out


ROWS = {arch: legal(arch, rows_of(arch)) for arch in SOCS}


@cache
def results(arch: int) -> list[Bytes]:
    return run(SOURCE, arch, APIS, ROWS[arch])


@pytest.mark.parametrize(("arch", "api"), [*product(SOCS, APIS)])
def test_reductions(arch: int, api: str) -> None:
    chosen = [(i, row) for i, row in enumerate(ROWS[arch]) if row.api == api]
    assert bool(chosen) == (arch >= 2201 or api != "GetAccVal")
    for i, row in chosen:
        check(row, arch, results(arch)[i], model)


@pytest.mark.parametrize("dtype", ["fp32", "fp16"])
def test_data_shows_the_order_of_a_sum(dtype: str) -> None:
    values = operand(f"{dtype}:finite:2").view(DTYPES[dtype])[:4000]
    lanes = 256 // values.itemsize
    padded = np.zeros(-(-values.size // lanes) * lanes, values.dtype)
    padded[: values.size] = values
    partials = np.concatenate([tree(line, 2201) for line in padded.reshape(-1, lanes)])
    assert total(partials, 2201, True) != total(partials, 2201, False)
    assert tree(padded[:lanes], 2201)[0] != np.add.accumulate(padded[:lanes])[-1]
