"""The pytest plugin as another project uses it: in processes of its own, on the fake runner."""

from __future__ import annotations

import json
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import pytest

CASE = "rms_norm_grad:ascend910b4:fp32:3x7:seed1"
OTHER = "rms_norm_grad:ascend910b4:fp32:4x7:seed1"
REFUSED = "rms_norm_grad:ascend910a:fp32:8x64:expect=561003:seed1"
Pytest = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run_pytest(fake_environment: dict[str, str], tmp_path: Path) -> Pytest:
    def call(*words: str, fake: str = "right") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "pytest", "-p", "normgrad.pytest_plugin", *words],
            cwd=tmp_path,
            env={**fake_environment, "NORMGRAD_FAKE": fake},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return call


def test_cases_stand_beside_other_tests(run_pytest: Pytest, tmp_path: Path) -> None:
    (tmp_path / "test_own.py").write_text("def test_own():\n    pass\n")
    (tmp_path / "own.txt").write_text(f"{CASE}\n{OTHER}\n")
    words = ("--normgrad-suite", "own.txt", "--normgrad-case", REFUSED)
    done = run_pytest("-v", *words, "--junitxml", "junit.xml")
    assert done.returncode == 0, done.stdout + done.stderr
    for text in ("test_own.py::test_own", CASE, OTHER, REFUSED):
        assert f"{text} PASSED" in done.stdout
    cases = {each.get("name"): each for each in ET.parse(tmp_path / "junit.xml").iter("testcase")}
    assert set(cases) == {"test_own", CASE, OTHER, REFUSED}
    figures = {each.get("name"): each.get("value") for each in cases[CASE].iter("property")}
    assert 0 <= float(figures["score"] or "nan") <= 1
    assert "bytes_over_minimum" in figures
    only = run_pytest("-v", *words, "-k", "4x7")
    assert "1 passed, 3 deselected" in only.stdout


def test_cases_are_shared_among_workers(run_pytest: Pytest) -> None:
    texts = [f"rms_norm_grad:ascend910b4:fp32:{rows}x7" for rows in range(1, 7)]
    words = [word for text in texts for word in ("--normgrad-case", text)]
    done = run_pytest("-n", "2", *words)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "6 passed" in done.stdout


def test_a_failure_is_the_verdicts_text_alone(run_pytest: Pytest) -> None:
    done = run_pytest("--normgrad-case", CASE, fake="wrong")
    assert done.returncode == 1
    assert "FAILED: " in done.stdout
    assert f"again: normgrad run {CASE}" in done.stdout
    assert "Traceback" not in done.stdout
    assert "pytest_plugin.py" not in done.stdout


def test_worse_than_the_baseline_fails(run_pytest: Pytest, tmp_path: Path) -> None:
    row = {"case": CASE, "status": "PASSED", "expected": True, "bytes_over_minimum": 1e9}
    baseline = tmp_path / "baseline.json"
    words = ("--normgrad-case", CASE, "--normgrad-case", OTHER, "--normgrad-baseline")
    baseline.write_text(json.dumps({"rows": [row]}))
    assert run_pytest(*words, "baseline.json").returncode == 0
    baseline.write_text(json.dumps({"rows": [{**row, "bytes_over_minimum": 0.5}]}))
    done = run_pytest(*words, "baseline.json")
    assert done.returncode == 1
    assert "worse than the baseline: bytes_over_minimum was 0.5, is " in done.stdout
    assert "1 failed, 1 passed" in done.stdout


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--normgrad-suite", "smok"), "did you mean smoke?"),
        (("--normgrad-case", "rms_norm_grad:ascend910b4"), "rms_norm_grad:ascend910b4"),
        (("--normgrad-case", CASE.replace("910b4", "910b9")), "ascend910b9"),
        (("--normgrad-case", CASE, "--normgrad-dtype", "bf16"), "no case is left"),
        (("--normgrad-case", CASE, "--normgrad-baseline", "none.json"), "none.json cannot be read"),
        (("--normgrad-backend", "npu"), "invalid choice: 'npu'"),
        (
            ("--normgrad-case", CASE, "--normgrad-backend", "aclnn", "--normgrad-sync", "autosync"),
            "who have no --normgrad-sync",
        ),
    ],
)
def test_a_mistake_is_one_sentence(run_pytest: Pytest, words: tuple[str, ...], says: str) -> None:
    done = run_pytest(*words)
    assert done.returncode == 4, done.stdout + done.stderr
    assert says in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr


def test_without_its_options_nothing_is_added(run_pytest: Pytest, tmp_path: Path) -> None:
    (tmp_path / "test_own.py").write_text("def test_own():\n    pass\n")
    assert "1 passed" in run_pytest().stdout
