"""The kernels on the twin as a user runs them: smoke, the captures, the promises of bench."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from normgrad import jobs, paths, regressions, run

BASELINE = Path(__file__).parents[1] / "baselines" / "smoke.json"
LEAST_CASES = 40
MOST_UNITS = 16  # each costs the first `verify` of a fresh computer up to seven seconds
BYTES_LIMIT = 1.03


def normgrad(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(Path(paths.__file__).parent.parent)}
    return subprocess.run(
        [sys.executable, "-m", "normgrad", *words],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_smoke(tmp_path: Path) -> None:
    """As expected, and no figure worse than the baseline: the last lines say how to accept one."""
    promises = ("--shuffle-runs", "1", "--invariance", "--baseline", str(BASELINE))
    done = normgrad("verify", "--suite", "smoke", *promises, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = json.loads((tmp_path / "normgrad-report" / "results.json").read_text())["rows"]
    assert len(rows) >= LEAST_CASES
    assert any(row["case"].startswith("npz:") for row in rows)
    assert {row["plan"] for row in rows} >= {
        "DxWholeRow",
        "DxInPlaceRow",
        "DxSplitRow",
        "DxFewRows",
    }
    for row in rows:
        if row["counters"]:  # the kernel takes exactly what the planner has budgeted
            assert row["counters"]["ub_high_water_bytes"] == planned_ub(row), row["case"]
            assert row["deterministic"] is True, row["case"]
            assert row["batch_invariant"] is (True if row["rows"] else None), row["case"]


def test_smoke_compiles_few_units() -> None:
    assert len(run.units_of(jobs.from_suite("smoke"))) <= MOST_UNITS


def test_the_baseline_has_every_case_of_smoke() -> None:
    """A case without a row would be compared with nothing."""
    known = {row["case"] for row in regressions.read_rows(BASELINE)}
    assert known == {job.text for job in jobs.from_suite("smoke")}


def planned_ub(row: dict[str, Any]) -> int:
    """Bytes of the larger phase: the buffers of one phase are gone before those of the next."""
    phases: Counter[int] = Counter()
    for buffer in row["buffers"]:
        phases[buffer["phase"]] += buffer["bytes"] * buffer["count"]
    return max(phases.values())


@pytest.mark.parametrize(
    "capture", sorted(paths.captures_root().glob("rms_*.npz")), ids=lambda path: path.stem
)
def test_capture(capture: Path, tmp_path: Path) -> None:
    where = ("--op", "rms_norm_grad", "--soc", "ascend910b4")
    done = normgrad("run", str(capture), *where, "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)["rows"][0]["status"] == "PASSED"


@pytest.mark.parametrize("shape", ["4096x1024", "4096x8192"])
def test_bytes_over_minimum(shape: str, tmp_path: Path) -> None:
    done = normgrad("bench", f"rms_norm_grad:ascend910b4:bf16:{shape}", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)["rows"][0]["bytes_over_minimum"] <= BYTES_LIMIT


def test_large_case_is_quick(tmp_path: Path) -> None:
    case = "rms_norm_grad:ascend910b4:bf16:4096x8192:seed1"
    assert normgrad("run", case.replace("4096x8192", "8x8192"), cwd=tmp_path).returncode == 0
    began = time.perf_counter()
    done = normgrad("run", case, cwd=tmp_path)  # what it needs is built by now
    assert done.returncode == 0, done.stdout + done.stderr
    assert time.perf_counter() - began < 10


@pytest.mark.parametrize("dtype", ["bf16", "fp32"])
def test_two_runs_have_the_same_bits(dtype: str, tmp_path: Path) -> None:
    for name in ("first", "second"):
        words = ("run", f"rms_norm_grad:ascend910b4:{dtype}:257x513", "--save", name)
        assert normgrad(*words, cwd=tmp_path).returncode == 0
    first, second = ((tmp_path / n / "outputs.npz").read_bytes() for n in ("first", "second"))
    assert first == second
