"""The suites on the twin: each as a user runs it. Smoke is in test_smoke.py."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from normgrad import paths

# What a command and its launches may take, whichever process of them takes most.
MEMORY_OF_ITSELF = 256 << 20
MEMORY_PER_TENSOR_BYTE = 4
PEAK = (
    "import resource, subprocess, sys\n"
    "code = subprocess.run([sys.executable, '-m', 'normgrad', *sys.argv[1:]],"
    " stdout=subprocess.DEVNULL).returncode\n"
    "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)\n"
    "sys.exit(code)\n"
)


def _python(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(Path(paths.__file__).parent.parent)}
    return subprocess.run(
        [sys.executable, *words],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def _holds(suite: str, folder: Path) -> None:
    done = _python("-m", "normgrad", "verify", "--suite", suite, "--invariance", cwd=folder)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr
    rows = json.loads((folder / "normgrad-report" / "results.json").read_text())["rows"]
    assert {row["status"] for row in rows} <= {"PASSED", "UNSUPPORTED"}
    launched = [row for row in rows if row["counters"] and row["rows"]]
    assert all(row["batch_invariant"] for row in launched)


@pytest.mark.parametrize("suite", ["ci", "published"])
def test_suite_holds(suite: str, tmp_path: Path) -> None:
    _holds(suite, tmp_path)


@pytest.mark.full
@pytest.mark.parametrize("suite", ["edge", "models", "full"])
def test_slow_suite_holds(suite: str, tmp_path: Path) -> None:
    _holds(suite, tmp_path)


def test_golden_and_verdict_stream(tmp_path: Path) -> None:
    """float64 copies of whole tensors would take 4 x 2 bytes per element each."""
    case = "rms_norm_grad:ascend910b4:bf16:4096x8192:seed1"
    assert _python("-m", "normgrad", "run", case.replace("4096x", "8x"), cwd=tmp_path)  # is built
    done = _python("-c", PEAK, "run", case, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    tensors = 3 * 4096 * 8192 * 2
    assert int(done.stdout) <= MEMORY_PER_TENSOR_BYTE * tensors + MEMORY_OF_ITSELF
