"""The documented meaning of the vector calls in numpy, and the unit that runs them.

Nothing here comes from the twin: addresses follow the vendor's description of repeats, blocks and
strides, arithmetic is numpy's, one rounding per operation.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt

from normgrad import build
from normgrad.backends import LaunchOptions, Outputs, twin

BYTES = 32768
UB_BYTES = 188416
SOURCE = Path(__file__).parent / "calls.cpp"
APIS = (
    "Add", "Sub", "Mul", "MulAddDst", "Adds", "Muls", "Widen", "Narrow", "Duplicate", "Brcb",
    "WholeReduceSum", "Compare", "Select",
)  # fmt: skip
FORMS = ("first", "count", "bits")
DTYPES: dict[str, np.dtype[Any]] = {
    "fp32": np.dtype(np.float32),
    "fp16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "int16": np.dtype(np.int16),
    "int32": np.dtype(np.int32),
}
Bytes = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Call:
    """One row of a table. `strides`: in the order of the call's parameters."""

    api: str
    dtype: str = "fp32"
    form: str = "first"
    count: int = 0
    repeats: int = 0
    mode: int = 0
    alias: int = 0
    scalar: float = 0.0
    strides: tuple[int, ...] = ()
    mask: tuple[int, int] = (0, 0)

    def tiling(self) -> bytes:
        api, dtype = APIS.index(self.api), list(DTYPES).index(self.dtype)
        numbers = (api, dtype, FORMS.index(self.form), self.count, self.repeats, self.mode)
        strides = (*self.strides, *(0,) * 6)[:6]
        return struct.pack("<7If6I2Q", *numbers, self.alias, self.scalar, *strides, *self.mask)


def run(call: Call, dst: Bytes, src0: Bytes, src1: Bytes) -> Outputs:
    what = twin.RawLaunch(
        unit=build.kernel_library(SOURCE, 2201),
        soc="ascend910b4",
        cores=1,
        ub_bytes=UB_BYTES,
        tiling_key=0,
        tiling=call.tiling(),
        workspace_bytes=0,
    )
    inputs = {"dst": dst, "src0": src0, "src1": src1}
    outputs = {"out": ((BYTES,), np.dtype(np.uint8))}
    order = ("dst", "src0", "src1", "out")
    return twin.launch(what, order, inputs, outputs, LaunchOptions(timeout_s=30.0))


def lanes(call: Call, wide: int) -> list[int]:
    """Active lanes of one repeat, for elements of `wide` bytes."""
    if call.form == "bits":
        bits = call.mask[0] | (call.mask[1] << 64)
        return [lane for lane in range(256 // wide) if bits >> lane & 1]
    return list(range(min(call.mask[0], 256 // wide)))


def places(call: Call, size: int, wide: int, block: int, repeat: int) -> list[npt.NDArray[Any]]:
    """Element indices of an operand, repeat by repeat; strides in 32 B blocks."""
    if call.form == "first":
        per = 256 // wide
        return [np.arange(i, min(i + per, call.count)) for i in range(0, call.count, per)]
    at = np.array(lanes(call, wide), np.int64) * size
    offset = at // 32 * block * 32 + at % 32
    return [(offset + r * repeat * 32) // size for r in range(call.repeats)]


_BINARY: dict[str, Callable[..., Any]] = {
    "Add": lambda d, a, b: a + b,
    "Sub": lambda d, a, b: a - b,
    "Mul": lambda d, a, b: a * b,
    "MulAddDst": lambda d, a, b: a * b + d,  # two roundings
    "Adds": lambda d, a, b: a + b,
    "Muls": lambda d, a, b: a * b,
}


def expected(call: Call, dst: Bytes, src0: Bytes, src1: Bytes) -> Bytes:
    """dst after the call."""
    out = dst.copy()
    kind = DTYPES[call.dtype]
    a = out if call.alias == 1 else src0
    b = out if call.alias == 2 else src1
    with np.errstate(all="ignore"):
        if call.api in _BINARY:
            _arithmetic(call, kind, out, a, b)
        elif call.api == "Widen":
            _cast(call, np.dtype(np.float32), kind, out, a)
        elif call.api == "Narrow":
            _cast(call, kind, np.dtype(np.float32), out, a)
        elif call.api == "Duplicate":
            block, repeat = call.strides or (1, 8)
            for at in places(call, kind.itemsize, kind.itemsize, block, repeat):
                out.view(kind)[at] = np.float32(call.scalar).astype(kind)
        elif call.api == "Brcb":
            per = 32 // kind.itemsize
            for i in range(8 * call.repeats):
                begin = (i // 8 * call.strides[1] + i % 8 * call.strides[0]) * per
                out.view(kind)[begin : begin + per] = src0.view(kind)[i]
        elif call.api == "WholeReduceSum":
            _reduce(call, out, a)
        elif call.api == "Compare":
            _compare(call, out, a, b)
        elif call.api == "Select":
            chosen = np.unpackbits(src1, bitorder="little")[: call.count] != 0
            values = src0.view(np.float32)[: call.count]
            out.view(np.float32)[: call.count] = np.where(chosen, values, np.float32(call.scalar))
    return out


def _arithmetic(call: Call, kind: np.dtype[Any], out: Bytes, a: Bytes, b: Bytes) -> None:
    size, operation = kind.itemsize, _BINARY[call.api]
    scalar = call.api in ("Adds", "Muls")
    if scalar:
        d_blk, a_blk, d_rep, a_rep = call.strides or (1, 1, 8, 8)
        b_blk, b_rep = 0, 0
    else:
        d_blk, a_blk, b_blk, d_rep, a_rep, b_rep = call.strides or (1, 1, 1, 8, 8, 8)
    to = places(call, size, size, d_blk, d_rep)
    from_a = places(call, size, size, a_blk, a_rep)
    from_b = places(call, size, size, b_blk, b_rep)
    for d_at, a_at, b_at in zip(to, from_a, from_b, strict=True):
        other = np.float32(call.scalar).astype(kind) if scalar else b.view(kind)[b_at]
        old = out.view(kind)[d_at]
        out.view(kind)[d_at] = operation(old, a.view(kind)[a_at], other).astype(kind)


def _cast(call: Call, to: np.dtype[Any], source: np.dtype[Any], out: Bytes, a: Bytes) -> None:
    """As many lanes in a repeat as the wider type has."""
    d_blk, a_blk, d_rep, a_rep = call.strides or (1, 1, 8, 8)
    wide = max(to.itemsize, source.itemsize)
    d_places = places(call, to.itemsize, wide, d_blk, d_rep)
    a_places = places(call, source.itemsize, wide, a_blk, a_rep)
    for d_at, a_at in zip(d_places, a_places, strict=True):
        out.view(to)[d_at] = a.view(source)[a_at].astype(to)


def _reduce(call: Call, out: Bytes, a: Bytes) -> None:
    """Pairs of neighbours, then pairs of results; masked lanes count as 0."""
    d_rep, a_blk, a_rep = call.strides
    for r, a_at in enumerate(places(call, 4, 4, a_blk, a_rep)):
        tree = np.zeros(64, np.float32)
        tree[lanes(call, 4)] = a.view(np.float32)[a_at]
        while tree.size > 1:
            tree = tree[0::2] + tree[1::2]
        out.view(np.float32)[r * d_rep] = tree[0]


def _compare(call: Call, out: Bytes, a: Bytes, b: Bytes) -> None:
    functions = (np.less, np.greater, np.equal, np.less_equal, np.greater_equal, np.not_equal)
    x, y = a.view(np.float32)[: call.count], b.view(np.float32)[: call.count]
    out[: call.count // 8] = np.packbits(functions[call.mode](x, y), bitorder="little")
