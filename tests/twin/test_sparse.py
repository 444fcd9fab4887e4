"""Tensors that no memory holds, and launches of which some cores alone run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import samples

from normgrad import build
from normgrad.backends import LaunchOptions, Outputs, SparseInput, SparseOutput, twin

FILE = Path(__file__).with_name("sparse.cpp")
SAMPLES = {sample.name: sample for sample in samples.read(FILE)}
FLOAT = np.dtype(np.float32)
FAR = (1 << 32) + 1000  # elements, as in the kernels
NBYTES = (FAR + 128) * 4
COUNT = 64


def launch(
    name: str, inputs: dict[str, Any], outputs: dict[str, Any], cores_run: tuple[int, ...] = ()
) -> Outputs:
    sample = SAMPLES[name]
    what = twin.RawLaunch(
        unit=build.kernel_library(FILE, 2201),
        soc=samples.SOCS[2201],
        cores=sample.cores,
        ub_bytes=samples.UB_BYTES,
        tiling_key=sample.index,
        tiling=bytes(16),
        workspace_bytes=samples.WORKSPACE_BYTES,
        workspace_zeroed_bytes=256,
        cores_run=cores_run,
    )
    return twin.launch(what, ("in", "out"), inputs, outputs, LaunchOptions(timeout_s=60.0))


def far_launch(name: str, places: dict[int, Any] | None = None) -> Outputs:
    near, far = np.arange(8, dtype=FLOAT), 1000 + np.arange(COUNT, dtype=FLOAT)
    source = SparseInput(NBYTES, {0: near, FAR * 4: far})
    return launch(name, {"in": source}, {"out": SparseOutput(NBYTES, places or {})})


def test_bytes_beyond_2_to_the_34_are_read_and_written() -> None:
    places = {(FAR - 8) * 4: ((COUNT + 16,), FLOAT), 4: ((2,), FLOAT)}
    done = far_launch("AddsFarAndNear", places)
    assert (done.error, done.findings) == (None, ())
    got = done.arrays[f"out@{(FAR - 8) * 4}"]
    expected = 1000 + np.arange(COUNT, dtype=FLOAT)
    expected[:8] += np.arange(8)  # the rest of the tensor is zeros
    assert np.array_equal(got[8:-8], expected)
    assert np.isnan(got[:8]).all(), "poison where nobody wrote"
    assert np.isnan(got[-8:]).all()
    assert np.isnan(done.arrays["out@4"]).all()
    assert done.unwritten == {"out": (8 + 8 + 2) * 4}, "of what is read back"


@pytest.mark.parametrize("name", ["ReadsFarOutput", "ReadsBeyondTheFarEnd"])
def test_rules_hold_far_away(name: str) -> None:
    done = far_launch(name)
    assert done.error is None
    assert tuple(map(samples.as_expected, done.findings)) == SAMPLES[name].findings


@pytest.mark.parametrize("cores_run", [(), (0, 1, 2, 3), (3,), (0, 2), (2, 1)])
def test_cores_that_do_not_run_keep_nobody_waiting(cores_run: tuple[int, ...]) -> None:
    inputs = {"in": np.zeros(samples.GM_ELEMS, FLOAT)}
    done = launch("MeetsInThreeWays", inputs, {"out": ((4 * COUNT,), FLOAT)}, cores_run)
    assert (done.error, done.findings) == (None, ())
    for core in range(4):
        stored = done.arrays["out"][core * COUNT : (core + 1) * COUNT]
        assert (
            (stored == core).all() if not cores_run or core in cores_run else np.isnan(stored).all()
        )
    running = len(cores_run) or 4
    assert done.unwritten == {"out": (4 - running) * COUNT * 4}
    assert done.counters["sync_all"] == 2 * running


def test_what_cannot_be_launched_is_one_sentence() -> None:
    inputs = {"in": np.zeros(samples.GM_ELEMS, FLOAT)}
    done = launch("MeetsInThreeWays", inputs, {"out": ((4 * COUNT,), FLOAT)}, (4,))
    assert done.error is not None
    assert "cores_run names core 4; the launch has 4" in done.error
    done = far_launch("AddsFarAndNear", {NBYTES - 4: ((2,), FLOAT)})
    assert done.error is not None
    assert f"out has {NBYTES} bytes, a slice of it is {NBYTES - 4} to {NBYTES + 4}" in done.error
