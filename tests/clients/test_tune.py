"""Wishes that reach the planner of the aclnn functions by the environment; a search over them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from normgrad import jobs, run
from normgrad.backends import LaunchOptions, aclnn
from normgrad.cases import Case
from normgrad.errors import Refused

CASE = "rms_norm_grad:ascend910b4:bf16:90x64:seed1"


def _normgrad(folder: Path, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "normgrad", *words],
        cwd=folder,
        env={**os.environ, **more},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def test_wishes_reach_the_planner_of_the_functions(tmp_path: Path) -> None:
    """One core needs no workspace for partial sums: what the first phase asks for shows it."""
    case = Case.parse(CASE)
    options = LaunchOptions(backend="aclnn")
    sizes = {}
    for wishes in ((), (("cores", 1),)):
        aclnn.wish(wishes)
        with aclnn._session(case, options) as session:
            tensors = {s.name: session.tensor(*aclnn._form(s, case)) for s in aclnn._tensors(case)}
            sizes[wishes] = aclnn._first_phase(session, case, tensors)[0]
    aclnn.wish(())
    assert sizes[()] > sizes[(("cores", 1),)]


@pytest.mark.parametrize("text", ["tiles=4", "cores=none", "strategy=DxNone", "cores=41"])
def test_a_wrong_wish_is_refused(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NORMGRAD_KNOBS", text)
    with pytest.raises(Refused, match=text.partition("=")[0]) as said:
        aclnn.refuse(Case.parse(CASE))
    assert said.value.code == 561002


def test_launches_are_repeated_and_their_median_is_there() -> None:
    job = jobs.Job(CASE, Case.parse(CASE), wishes=(("rows_per_tile", 1),))
    options = LaunchOptions(backend="aclnn", repeats=3)
    row = run.run_case(job, options).result
    aclnn.wish(())
    assert row.status == "PASSED", row.reason
    assert row.measured_us is not None
    assert row.measured_us > 0


def test_a_search_through_the_functions_keeps_no_row_of_the_twin(tmp_path: Path) -> None:
    words = ("tune", CASE, "--backend", "aclnn", "--budget", "2", "--out", "rows", "--json")
    done = _normgrad(tmp_path, *words)
    assert done.returncode == 0, done.stderr
    (found,) = json.loads(done.stdout)["rows"]
    assert found["status"] == "PASSED"
    assert found["default_us"] > 0
    assert "no row: " in found["row"]
    assert "twin's library" in found["row"]
    assert not (tmp_path / "rows").exists()
