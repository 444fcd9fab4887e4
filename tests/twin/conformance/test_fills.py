"""Fill and Broadcast against their documented definition, per element type and architecture."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from normgrad import build
from normgrad.backends import LaunchOptions, Outputs, twin

BYTES = 16384
POISON = 0xFF  # what an output holds before anybody writes
SOURCE = Path(__file__).parent / "fills.cpp"
SOCS = {2002: "ascend310p3", 2201: "ascend910b4"}
FILL, INIT_OUTPUT, ROW, COLUMN, ELEMENT = range(5)
FILL_BYTES = (4, 2, 2, 2, 4, 4)  # of the element types of Fill, in the kernel's order
SPREAD_BYTES = (4, 2, 1, 1)
Bytes = npt.NDArray[np.uint8]
Shape = tuple[int, int]


def _source() -> Bytes:
    return np.random.Generator(np.random.PCG64(3)).integers(0, 255, BYTES).astype(np.uint8)


def _run(arch: int, tiling: tuple[int, ...]) -> Outputs:
    what = twin.RawLaunch(
        unit=build.kernel_library(SOURCE, arch),
        soc=SOCS[arch],
        cores=1,
        ub_bytes=188416,
        tiling_key=0,
        tiling=struct.pack("<9I", *tiling),
        workspace_bytes=0,
    )
    outputs = {"out": ((BYTES,), np.dtype(np.uint8))}
    options = LaunchOptions(timeout_s=30.0)
    done = twin.launch(what, ("source", "out"), {"source": _source()}, outputs, options)
    assert done.error is None
    assert done.findings == ()
    return done


@pytest.mark.parametrize("arch", SOCS)
@pytest.mark.parametrize("way", [FILL, INIT_OUTPUT])
@pytest.mark.parametrize("dtype", range(len(FILL_BYTES)))
@pytest.mark.parametrize(("at", "count"), [(0, 1), (3, 37), (0, 2048), (1, 4095), (0, 0)])
def test_fill(arch: int, way: int, dtype: int, at: int, count: int) -> None:
    size = FILL_BYTES[dtype]
    done = _run(arch, (way, dtype, at, count, 0, 0, 0, 0, 0))
    want = np.full(BYTES, POISON, np.uint8)
    want[at * size : (at + count) * size] = np.resize(_source()[:size], count * size)
    np.testing.assert_array_equal(done.arrays["out"], want)
    assert done.counters["gm_write_bytes"] == count * size


SPREADS = [
    *((ROW, (rows, cols), (1, cols)) for rows, cols in ((1, 32), (5, 32), (40, 96))),
    *((COLUMN, (rows, cols), (rows, 1)) for rows, cols in ((32, 32), (64, 40), (32, 7), (32, 1))),
    *((ELEMENT, (cols, 1), (1, 1)) for cols in (1, 13, 320)),
    (ROW, (3, 32), (3, 32)),
]


@pytest.mark.parametrize("arch", SOCS)
@pytest.mark.parametrize("dtype", range(len(SPREAD_BYTES)))
@pytest.mark.parametrize("own_tmp", [0, 1])
@pytest.mark.parametrize(("way", "to", "origin"), SPREADS, ids=str)
def test_broadcast(arch: int, dtype: int, own_tmp: int, way: int, to: Shape, origin: Shape) -> None:
    size = SPREAD_BYTES[dtype]
    done = _run(arch, (way, dtype, 0, 0, *to, *origin, own_tmp))
    elements = _source()[: origin[0] * origin[1] * size].reshape(*origin, size)
    want = _source()  # dst holds it before
    want[: to[0] * to[1] * size] = np.broadcast_to(elements, (*to, size)).reshape(-1)
    np.testing.assert_array_equal(done.arrays["out"], want)


@pytest.mark.parametrize("rows", [1, 8, 13])
def test_any_number_of_rows_on_2201(rows: int) -> None:
    done = _run(2201, (COLUMN, 0, 0, 0, rows, 24, rows, 1, 1))
    values = _source().view(np.float32)[:rows]
    got = done.arrays["out"].view(np.float32)[: rows * 24].reshape(rows, 24)
    np.testing.assert_array_equal(got, np.broadcast_to(values[:, None], (rows, 24)))


def test_broadcast_counts_its_documented_steps() -> None:
    """16 elements to blocks: 2 repeats; 16 rows of 96 floats: 2 repeats each."""
    done = _run(2201, (COLUMN, 0, 0, 0, 16, 96, 16, 1, 1))
    assert done.counters["vector_instructions"] == 1
    assert done.counters["vector_repeats"] == 2 + 16 * 2
