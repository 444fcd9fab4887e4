"""The scalar unit's loads and stores, and atomic additions, for every element type."""

from __future__ import annotations

from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from rows_model import DTYPES, SOCS, Bytes, Row, check, run, saturated

SOURCE = Path(__file__).parent / "scalars.cpp"
APIS = ("Local", "Global", "AtomicAdd")
COUNT = 64
SUMS = {
    1001: ("fp32",),
    2002: ("fp32", "fp16", "int16"),
    2201: ("fp32", "fp16", "int16", "bf16", "int8", "int32"),
    3510: ("fp32", "fp16", "int16", "bf16", "int8", "int32"),
}


def types_of(api: str, arch: int) -> tuple[str, ...]:
    return SUMS[arch] if api == "AtomicAdd" else tuple(name for name in DTYPES if name != "hif8")


def rows_of(arch: int) -> list[Row]:
    rows = []
    for api in APIS:
        for dtype in types_of(api, arch):
            # Whether an atomic addition of half saturates is not documented: finite sums only.
            kind = "finite" if (api, dtype) == ("AtomicAdd", "fp16") else "mixed"
            rows.append(Row(api, dtype, data=(f"{dtype}:{kind}:1", f"{dtype}:{kind}:2",
                                              f"{dtype}:{kind}:3")))  # fmt: skip
    return rows


def model(row: Row, arch: int, out: Bytes, a: Bytes, b: Bytes) -> Bytes:
    kind = DTYPES[row.dtype]
    d, x, y = out.view(kind), a.view(kind)[:COUNT], b.view(kind)[:COUNT]
    d[:COUNT] = saturated(x + y, arch) if row.api == "AtomicAdd" else x[::-1]
    return out


ROWS = {arch: rows_of(arch) for arch in SOCS}


@cache
def results(arch: int) -> list[Bytes]:
    return run(SOURCE, arch, APIS, ROWS[arch])


@pytest.mark.parametrize(("arch", "api"), [*product(SOCS, APIS)])
def test_single_elements_and_sums(arch: int, api: str) -> None:
    for i, row in enumerate(ROWS[arch]):
        if row.api == api:
            check(row, arch, results(arch)[i], model)
    assert np.unique([row.api for row in ROWS[arch]]).size == len(APIS)
