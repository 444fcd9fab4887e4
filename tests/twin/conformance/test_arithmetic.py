"""Every element by element call, on every architecture, in every form, for every element type."""

from __future__ import annotations

from collections.abc import Callable
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
    places,
    run,
    saturated,
    scalar_of,
)

SOURCE = Path(__file__).parent / "arithmetic.cpp"
NUMBERS = ("Add", "Sub", "Mul", "Max", "Min")
SCALARS = ("Adds", "Muls", "Maxs", "Mins")
UNARY = ("Abs", "Exp", "Ln", "Sqrt", "Rsqrt", "Reciprocal")
APIS = (
    "Add", "Sub", "Mul", "Div", "Max", "Min", "And", "Or", "MulAddDst", "FusedMulAdd", *UNARY,
    "Relu", "Not", *SCALARS, "Axpy", "MixedMulAddDst", "MixedAxpy",
)  # fmt: skip
ONE_SOURCE = (*UNARY, "Relu", "Not", *SCALARS, "Axpy", "MixedAxpy")
# One more ulp than correct rounding: the host's fp64 function is not exact either.
APPROXIMATE = ("Exp", "Ln")
# -0 and +0 are equal, so that either is the larger one.
SIGN_OF_ZERO_OPEN = ("Max", "Min", "Maxs", "Mins", "Relu")


_WORDS = ("fp32", "fp16", "int32", "int16")
ON_3510: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(NUMBERS, (*_WORDS, "bf16", "uint16", "uint32")),
    **dict.fromkeys(("And", "Or", "Not"), ("int16", "uint16", "int32", "uint32")),
    **dict.fromkeys(("Adds", "Muls", "Maxs", "Mins"), (*_WORDS, "bf16")),
    **dict.fromkeys(("FusedMulAdd", "Axpy"), ("fp32", "fp16", "bf16")),
    "Abs": _WORDS,
}
FLUSHED = ("Div", "Exp", "Ln", "Sqrt")  # on 3510 subnormal numbers count as 0
IN_RANGE = 8  # bit 53 of the control register: rows.h


def types_of(api: str, arch: int) -> tuple[str, ...]:
    """Element types as the pages list them."""
    floats = ("fp32", "fp16")
    if arch == 3510 and api in ON_3510:
        return ON_3510[api]
    if api in NUMBERS:
        return (*floats, "int32") if arch == 1001 else (*floats, "int32", "int16")
    if api in ("And", "Or", "Not"):
        return ("int16", "uint16")
    if api in ("MulAddDst", "FusedMulAdd"):
        return () if arch == 1001 else floats
    if api == "MixedMulAddDst":
        return () if arch == 1001 else ("fp32",)
    if api == "MixedAxpy":
        return ("fp32",)
    if api == "Relu":
        return ("fp16",) if arch == 1001 else (*floats, "int32")
    if api in ("Adds", "Muls"):
        return floats if arch == 1001 else (*floats, "int32", "int16")
    if api in ("Maxs", "Mins"):
        return () if arch == 1001 else (*floats, "int32", "int16")
    return floats


_ALL = (1 << 64) - 1
# form, repeats, mask, block and repeat strides of dst, src0, src1 (0: the same block again).
_MASKED = (
    ("lanes", 0, (64, 0), (1, 1, 1), (8, 8, 8)),
    ("lanes", 3, (64, 0), (1, 1, 1), (8, 8, 8)),
    ("lanes", 5, (37, 0), (1, 1, 0), (8, 8, 1)),
    ("lanes", 3, (60, 0), (2, 1, 3), (17, 8, 25)),
    ("lanes", 4, (21, 0), (1, 0, 1), (9, 0, 7)),
    ("lanes", 255, (8, 0), (1, 1, 1), (1, 1, 1)),
    ("bits", 3, (0x8000000000000001, 1 << 63), (1, 1, 2), (8, 8, 16)),
    ("bits", 2, (0x5555AAAA0F0F00FF, 0x8001), (2, 1, 1), (16, 8, 0)),
    ("register", 3, (0xFF00FF00F1, 0), (1, 1, 1), (8, 8, 8)),
    ("register bits", 2, (0x123456789ABCDEF1, _ALL), (1, 2, 1), (8, 16, 8)),
    ("counter", 0, (201, 0), (1, 1, 1), (8, 8, 8)),
    ("counted", 1, (333, 0), (1, 1, 1), (10, 8, 8)),
    ("counter", 7, (64, 0), (2, 1, 0), (16, 8, 8)),
)


def rows_of(arch: int) -> list[Row]:
    rows = []
    for api in APIS:
        for dtype in types_of(api, arch):
            other = "fp16" if api.startswith("Mixed") else ""
            source = other or dtype
            kind = "positive" if api in ("Sqrt", "Rsqrt") else "mixed"
            data = (f"{dtype}:mixed:1", f"{source}:{kind}:2", f"{source}:mixed:3")
            common: dict[str, Any] = {"other": other, "data": data, "scalar": -1.5}
            counts = (0, 1, 129, BYTES_OF[dtype]) if other == "" else (0, 1, 129, 4096)
            rows += [Row(api, dtype, count=n, **common) for n in counts]
            if api in ("Sqrt", "Rsqrt", "Ln"):
                rows.append(Row(api, dtype, count=999, data=(data[0], f"{dtype}:mixed:4", data[2])))
            for form, repeats, mask, block, step in _MASKED:
                if arch == 1001 and form in ("counter", "counted"):
                    continue
                one = api in ONE_SOURCE
                strides = (*block[:2], *step[:2]) if one else (*block, *step)
                rows.append(Row(api, dtype, form, 0, repeats, 0, 0, mask, strides, **common))
    for dtype in ("fp32", "fp16"):
        data = (f"{dtype}:mixed:1", f"{dtype}:mixed:2", f"{dtype}:mixed:3")
        specials = (0.0, -0.0, np.inf, np.nan, 6e-8)
        rows += [Row("Adds", dtype, count=300, scalar=s, data=data) for s in specials]
        data = (f"{dtype}:finite:5", f"{dtype}:finite:6", f"{dtype}:finite:7")
        add = Row("Add", dtype, "lanes", 0, 9, 0, 2, (64, 0), (1, 1, 1, 0, 8, 0), data=data)
        rows += [add, Row("Mul", dtype, count=500, alias=1, data=data)]
        rows += [Row("Sub", dtype, count=500, alias=2, data=data)]
        rows += [Row("Abs", dtype, count=77, alias=1, data=data)]
    for api in ("Add", "Sub", "Mul", "Adds", "Muls") if arch == 3510 else ():
        for dtype in ("int16", "int32", *(("uint16", "uint32") if api in NUMBERS else ())):
            data = (f"{dtype}:mixed:1", f"{dtype}:mixed:2", f"{dtype}:mixed:3")
            rows.append(Row(api, dtype, count=777, scalar=300, data=data, control=IN_RANGE))
    return rows


BYTES_OF = {name: 16384 // kind.itemsize for name, kind in DTYPES.items()}
_OPERATIONS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "Add": lambda d, a, b: a + b,
    "Sub": lambda d, a, b: a - b,
    "Mul": lambda d, a, b: a * b,
    "Div": lambda d, a, b: a / b,
    "Max": lambda d, a, b: np.maximum(a, b),
    "Min": lambda d, a, b: np.minimum(a, b),
    "And": lambda d, a, b: a & b,
    "Or": lambda d, a, b: a | b,
    "Not": lambda d, a, b: ~a,
    "Abs": lambda d, a, b: np.abs(a),
    "Exp": lambda d, a, b: np.exp(a.astype(np.float64)),
    "Ln": lambda d, a, b: np.log(a.astype(np.float64)),
    "Sqrt": lambda d, a, b: np.sqrt(a.astype(np.float64)),
    "Rsqrt": lambda d, a, b: 1 / np.sqrt(a.astype(np.float64)),
    "Reciprocal": lambda d, a, b: 1 / a.astype(np.float64),
    "Relu": lambda d, a, b: np.maximum(a, a.dtype.type(0)),
}
_OPERATIONS |= {name + "s": _OPERATIONS[name] for name in ("Add", "Mul", "Max", "Min")}


def odd_sum(product: Array, addend: Array) -> Array:
    """Of two fp64, with an odd last bit if inexact: no later rounding meets a tie that was none."""
    total = product + addend
    part = total - product
    error = (product - (total - part)) + (addend - part)
    cut = np.isfinite(total) & (error != 0)
    bits = total.view(np.int64) - (cut & ((error < 0) != (total < 0)))
    return (bits | cut).view(np.float64)


def narrowed(values: Array, kind: np.dtype[Any]) -> Array:
    """fp64 to the type in one rounding: to a 16-bit type by way of fp32 with an odd last bit."""
    if kind.itemsize == 4:
        return values.astype(kind)
    near = values.astype(np.float32)
    rest = values - near.astype(np.float64)
    cut = np.isfinite(near) & (rest != 0)
    bits = near.view(np.int32) - (cut & ((rest < 0) != (near < 0)))
    return (bits | cut).astype(np.int32).view(np.float32).astype(kind)


def flushed(values: Array) -> Array:
    small = np.abs(values) < np.finfo(values.dtype).smallest_normal
    return np.where(small, np.copysign(values.dtype.type(0), values), values)


def value(row: Row, arch: int, d: Array, a: Array, b: Array) -> Array:
    """Of one repeat. Where a product is added to something, it is rounded first, but on 3510."""
    kind = DTYPES[row.dtype]
    if row.control == IN_RANGE:
        exact = _OPERATIONS[row.api](d.astype(object), a.astype(object), b.astype(object))
        limits = np.iinfo(kind)
        return np.clip(exact, int(limits.min), int(limits.max)).astype(kind)
    if arch == 3510 and row.api in ("MulAddDst", "FusedMulAdd", "Axpy"):
        x, y, z = (v.astype(np.float64) for v in (a, b, d))  # products are exact
        fused = odd_sum(x * z, y) if row.api == "FusedMulAdd" else odd_sum(x * y, z)
        return narrowed(fused, kind)
    if arch == 3510 and row.api in FLUSHED:
        result = _OPERATIONS[row.api](d, flushed(a), flushed(b)).astype(kind)
        return flushed(result)
    if row.api in ("MulAddDst", "Axpy"):
        return saturated(a * b, arch) + d
    if row.api == "FusedMulAdd":
        return saturated(a * d, arch) + b
    if row.api.startswith("Mixed"):
        return a.astype(np.float32) * b.astype(np.float32) + d
    result: Array = _OPERATIONS[row.api](d, a, b)
    return result.astype(kind)


def model(row: Row, arch: int, out: Bytes, a: Bytes, b: Bytes) -> Bytes:
    to, source = DTYPES[row.dtype], DTYPES[row.other or row.dtype]
    wide = max(to.itemsize, source.itemsize)
    if row.api in ONE_SOURCE:
        d_blk, a_blk, d_rep, a_rep = row.strides or (1, 1, 8, 8)
        b_blk = b_rep = 0
    else:
        d_blk, a_blk, b_blk, d_rep, a_rep, b_rep = row.strides or (1, 1, 1, 8, 8, 8)
    d_places = places(row, to.itemsize, wide, d_blk, d_rep)
    a_places = places(row, source.itemsize, wide, a_blk, a_rep)
    b_places = places(row, source.itemsize, wide, b_blk, b_rep)
    for d_at, a_at, b_at in zip(d_places, a_places, b_places, strict=True):
        second = scalar_of(row) if row.api in ONE_SOURCE else b.view(source)[b_at]
        result = value(row, arch, out.view(to)[d_at], a.view(source)[a_at], second)
        out.view(to)[d_at] = saturated(result, arch)
    return out


ROWS = {arch: legal(arch, rows_of(arch)) for arch in SOCS}


@cache
def results(arch: int) -> list[Bytes]:
    return run(SOURCE, arch, APIS, ROWS[arch])


@pytest.mark.parametrize(("arch", "api"), [*product(SOCS, APIS)])
def test_values_masks_strides_and_tails(arch: int, api: str) -> None:
    chosen = [(i, row) for i, row in enumerate(ROWS[arch]) if row.api == api]
    assert bool(chosen) == bool(types_of(api, arch))
    for i, row in chosen:
        check(row, arch, results(arch)[i], model,
              ulps=int(api in APPROXIMATE), zeros=api not in SIGN_OF_ZERO_OPEN)  # fmt: skip


def test_fused_sum_beside_a_tie_of_fp16() -> None:
    """1 + 2^-10 and half a unit more, less 2^-31: fp32 would see a tie, and lose the difference."""
    values = {"d": 1 + 2**-10, "a": 2**-6 * (1 + 2**-10), "b": 2**-5 * (1 - 2**-10)}
    given = {name: np.full(16, value, np.float16) for name, value in values.items()}
    row = Row("MulAddDst", "fp16", count=16, data=("d", "a", "b"))
    (done,) = run(SOURCE, 3510, APIS, [row], given)
    assert (done.view(np.float16)[:16] == np.float16(1 + 2**-10)).all()
