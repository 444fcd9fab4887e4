"""The pipeline of a case, with a stand-in for the twin's runner."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from normgrad import jobs, many, paths, pool, run
from normgrad.backends import LaunchOptions
from normgrad.cases import Case

Normgrad = Callable[..., "subprocess.CompletedProcess[str]"]
CASE = "rms_norm_grad:ascend910b4:fp32:5x7:seed1"


@pytest.fixture
def scratch(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The scratch folders that are made from now on."""
    made: list[Path] = []
    real = paths.tempfile.mkdtemp

    def remember(**more: Any) -> str:
        made.append(Path(real(**more)))
        return str(made[-1])

    monkeypatch.setattr(paths.tempfile, "mkdtemp", remember)
    return made


def test_a_hang_is_cut(
    in_fake_cache: Path, scratch: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NORMGRAD_FAKE", "hang")
    result = run.run_case(jobs.from_text(CASE), LaunchOptions(timeout_s=0.5)).result
    assert result.status == "ERROR"
    assert "cut off after" in result.reason
    assert result.seconds < 10
    assert [folder.exists() for folder in scratch] == [False]


def test_outputs_outlive_their_files(in_fake_cache: Path, scratch: list[Path]) -> None:
    outcome = run.run_case(jobs.from_text(CASE), LaunchOptions())
    assert [folder.exists() for folder in scratch] == [False]
    assert outcome.outputs is not None
    assert outcome.outputs.arrays["dx"].shape == (5, 7)
    assert outcome.result.status == "PASSED"
    assert outcome.result.expected


def test_a_kernel_that_does_not_compile_is_an_error(
    in_fake_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> Path:
        raise run.build.UnitError("compiling failed: x.h:3: error: nonsense")

    monkeypatch.setattr(run.build, "unit", refuse)
    result = run.run_case(jobs.from_text(CASE), LaunchOptions()).result
    assert (result.status, result.expected) == ("ERROR", False)
    assert "x.h:3" in result.reason


def test_a_full_disk_is_an_error(in_fake_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(run.twin.os, "posix_fallocate", full)
    result = run.run_case(jobs.from_text(CASE), LaunchOptions()).result
    assert (result.status, result.expected) == ("ERROR", False)
    assert "No space left on device" in result.reason


def test_nothing_to_launch_is_no_launch(
    in_fake_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NORMGRAD_FAKE", "crash")
    result = run.run_case(jobs.from_text("rms_norm_grad:ascend910b4:fp32:5x0"), LaunchOptions())
    assert result.result.status == "PASSED"


@pytest.mark.parametrize(
    ("text", "status", "said"),
    [
        ("1000000000x100000000:strategy=DxWholeRow", "UNSUPPORTED", "columns"),
        ("100000000000000x8", "ERROR", "GiB of memory"),
        ("8x10000000000000000000000", "UNSUPPORTED", "10,000,000,000,000,000,000,000"),
        ("9223372036854775807x0", "PASSED|ERROR", ""),
        ("4611686018427387904x4x0", "ERROR|UNSUPPORTED", ""),
        ("0x9223372036854775807", "ERROR|UNSUPPORTED", ""),
        ("8x64:cores=99999999999", "UNSUPPORTED", "cores is 99,999,999,999"),
        ("8x64:ub=99999999999", "UNSUPPORTED", "ub is 99,999,999,999"),
        ("8x512:chunk=512000000000", "UNSUPPORTED", "chunk is 512,000,000,000"),
    ],
)
def test_numbers_beyond_what_a_computer_holds(
    in_fake_cache: Path, text: str, status: str, said: str
) -> None:
    """One sentence, whatever the number: nothing is clamped and nothing raises."""
    job = jobs.from_text(f"rms_norm_grad:ascend910b4:fp32:{text}")
    result = run.run_case(job, LaunchOptions()).result
    assert result.status in status.split("|"), result.reason
    assert said in result.reason
    assert "\n" not in result.reason


def test_code_of_a_refusal_is_said(in_fake_cache: Path) -> None:
    text = "rms_norm_grad:ascend910a:fp32:3x7"
    for more, said in (
        ("", "(code 561003)"),
        (":expect=161002", "expected code 161002, got 56100"),
    ):
        result = run.run_case(jobs.from_text(text + more), LaunchOptions()).result
        assert said in result.reason
        assert not result.expected


def test_descriptors_follow_the_case() -> None:
    case = Case.parse("rms_norm_grad:ascend910b4:bf16:2x3x8:axes=2:noncontig=x:null=gamma")
    names = ("dy", "x", "rstd", "gamma", "dx", "dgamma")
    tensors = dict(zip(names, run.descriptors(case), strict=True))
    assert tensors["dy"].strides == (24, 8, 1)
    assert tensors["x"].strides == (48, 16, 2)
    assert tensors["rstd"].shape == (2,)
    assert tensors["rstd"].dtype == "fp32"
    assert tensors["gamma"].shape == (3, 8)
    assert not tensors["gamma"].present
    assert tensors["x"].present


def test_workers_and_threads_fill_the_computer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool.os, "cpu_count", lambda: 8)
    assert pool.workers_for(100, None) == (8, 1)
    assert pool.workers_for(1, None) == (1, 8)
    assert pool.workers_for(100, 2) == (2, 4)
    assert pool.workers_for(3, 100) == (3, 2)


def test_results_of_many_come_with_their_index(normgrad: Normgrad) -> None:
    texts = [f"rms_norm_grad:ascend910b4:fp32:{rows}x7:seed1" for rows in range(1, 6)]
    done = normgrad("verify", *texts, "--jobs", "2", "--json")
    assert [row["case"] for row in json.loads(done.stdout)["rows"]] == texts
    assert done.returncode == 0


def test_a_fault_of_the_harness_is_one_error(
    in_fake_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run.inputs, "make_inputs", lambda case: 1 / 0)
    [(_, result)] = pool.Local(1).run(many.work(LaunchOptions()), [jobs.from_text(CASE)])
    assert result.status == "ERROR"
    assert "ZeroDivisionError" in result.reason
