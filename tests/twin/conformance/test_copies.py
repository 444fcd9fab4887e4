"""DataCopy and DataCopyPad against their documented definition: blocks, gaps, padding, counters."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from normgrad import build
from normgrad.backends import LaunchOptions, Outputs, twin

BYTES = 16384
POISON = 0xFF  # what an output holds before anybody writes
SOURCE = Path(__file__).parent / "copies.cpp"
WAYS = ("in", "out", "inside", "pad_in", "pad_out", "pad_in16", "pad_out16")
Bytes = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Copy:
    """One row. Lengths and gaps in the units of the call: see `bytes_of`."""

    way: str
    element: int = 4
    count: int = 1
    length: int = 0
    src_gap: int = 0
    dst_gap: int = 0
    is_pad: bool = False
    left: int = 0
    right: int = 0
    value: int = 0

    def tiling(self, suffix: str) -> bytes:
        numbers = (self.element, self.count, self.length, self.src_gap, self.dst_gap)
        padding = (int(self.is_pad), self.left, self.right, self.value)
        return struct.pack("<10I", WAYS.index(self.way + suffix), *numbers, *padding)


def up(value: int) -> int:
    return -(-value // 32) * 32


def run(copy: Copy, before: Bytes, source: Bytes, suffix: str = "") -> Outputs:
    what = twin.RawLaunch(
        unit=build.kernel_library(SOURCE, 2201),
        soc="ascend910b4",
        cores=1,
        ub_bytes=188416,
        tiling_key=0,
        tiling=copy.tiling(suffix),
        workspace_bytes=0,
    )
    outputs = {"out": ((BYTES,), np.dtype(np.uint8))}
    inputs = {"before": before, "source": source}
    return twin.launch(
        what, ("before", "source", "out"), inputs, outputs, LaunchOptions(timeout_s=30.0)
    )


def expected(copy: Copy, before: Bytes, source: Bytes) -> tuple[Bytes, npt.NDArray[np.bool_]]:
    """The output, and which of its bytes are documented as undefined."""
    to_gm = copy.way in ("out", "pad_out")
    out = np.full(BYTES, POISON, np.uint8) if to_gm else before.copy()
    undefined = np.zeros(BYTES, bool)
    pad = copy.way.startswith("pad")
    length = copy.length if pad else copy.length * 32
    left, right = copy.left * copy.element, copy.right * copy.element
    value = np.frombuffer(copy.value.to_bytes(copy.element, "little"), np.uint8)
    ub_block = up(left + length + right) if pad else length
    # A gap is from the end of a block to the begin of the next one: bytes in GM for DataCopyPad,
    # 32 B blocks everywhere else. Blocks of DataCopyPad start on 32 B in UB.
    src_is_gm, dst_is_gm = copy.way in ("in", "pad_in"), to_gm
    src_step = (length if src_is_gm or not pad else ub_block) + copy.src_gap * (
        1 if pad and src_is_gm else 32
    )
    dst_step = (length if dst_is_gm or not pad else ub_block) + copy.dst_gap * (
        1 if pad and dst_is_gm else 32
    )
    for i in range(copy.count if length else 0):
        data = source[i * src_step : i * src_step + length]
        if copy.way != "pad_in":
            out[i * dst_step : i * dst_step + length] = data
            continue
        block = np.zeros(ub_block, np.uint8)
        hole = np.ones(ub_block, bool)
        hole[left : left + length] = False
        if copy.is_pad:
            block = np.resize(value, ub_block)
            hole[:] = False
        elif left + right == 0:
            tail = ub_block - length
            block[length:] = np.resize(data[: copy.element], tail)
            hole[:] = False
        block[left : left + length] = data
        out[i * dst_step : i * dst_step + ub_block] = block
        undefined[i * dst_step : i * dst_step + ub_block] = hole
    return out, undefined


COPIES = [
    *(Copy(way, count=c, length=n, src_gap=s, dst_gap=d) for way in ("in", "out", "inside")
      for c, n, s, d in ((0, 4, 0, 0), (3, 0, 1, 1), (1, 512, 0, 0), (7, 3, 0, 0), (7, 3, 5, 0),
                         (7, 3, 0, 5), (9, 1, 2, 3), (100, 2, 1, 3))),
    *(Copy("pad_in", e, count=c, length=n * e, src_gap=s, dst_gap=d, is_pad=p, value=v)
      for e in (1, 2, 4, 8) for c, n, s, d, p, v in (
        (1, 5, 0, 0, False, 0), (1, 5, 0, 0, True, 0), (4, 7, 0, 0, False, 0),
        (4, 7, 3, 1, False, 0), (4, 7, 3 * e, 2, True, 0), (5, 32, 8, 0, True, 0))),
    *(Copy("pad_in", e, count=3, length=5 * e, is_pad=True, left=2, right=3, value=v)
      for e, v in ((1, 7), (2, 0x3F80), (4, 0x3F800000))),
    Copy("pad_in", 4, count=3, length=20, right=3),
    Copy("pad_in", 2, count=2, length=22, left=3, right=1, dst_gap=1),
    Copy("pad_in", 4, count=2, length=4, left=8, right=7, is_pad=True, value=5),
    *(Copy("pad_out", e, count=c, length=n * e, src_gap=s, dst_gap=d) for e in (1, 2, 4, 8)
      for c, n, s, d in ((0, 3, 0, 0), (1, 5, 0, 0), (6, 9, 0, 0), (6, 9, 2, 0), (6, 9, 1, 11))),
]  # fmt: skip


def _data(seed: int) -> Bytes:
    values: Any = np.random.Generator(np.random.PCG64(seed)).integers(0, 255, BYTES)
    return np.asarray(values, np.uint8)


@pytest.mark.parametrize(
    ("copy", "suffix"),
    [*((copy, "") for copy in COPIES), *((copy, "16") for copy in COPIES if "pad" in copy.way)],
    ids=str,
)
def test_copy(copy: Copy, suffix: str) -> None:
    """Suffix 16: the older forms of DataCopyPad, with lengths and gaps of 16 bits."""
    before, source = _data(1), _data(2)
    done = run(copy, before, source, suffix)
    assert done.error is None
    want, undefined = expected(copy, before, source)
    # The store of the whole buffer at the end reads what is undefined, and only then complains.
    rules = {finding.rule for finding in done.findings}
    assert rules == ({"ub-uninitialised-read"} if undefined.any() else set())
    if undefined.any():
        assert done.findings[0].begin_byte == int(np.argmax(undefined))
    got = done.arrays["out"]
    np.testing.assert_array_equal(got[~undefined], want[~undefined])


def test_counters_of_a_copy() -> None:
    """Two loads and a store of everything, and the call's own 3 blocks of 20 bytes."""
    done = run(Copy("pad_in", 4, count=3, length=20, is_pad=True, right=3), _data(1), _data(2))
    assert done.counters["gm_read_bytes"] == 2 * BYTES + 60
    assert done.counters["gm_read_bursts"] == 2 + 3
    assert done.counters["gm_write_bytes"] == BYTES
    assert done.counters["gm_write_bursts"] == 1
    assert done.counters["barriers"] == 2
    assert done.counters["vector_instructions"] == 0
    assert done.counters["ub_high_water_bytes"] == 2 * BYTES
