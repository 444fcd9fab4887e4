"""A run that ends early: what it leaves, and how --resume goes on with it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from conftest import Normgrad, rows

from normgrad import cli, commands, store
from normgrad.errors import NormgradError

CASE = "rms_norm_grad:ascend910b4:bf16:33x129:seed1"
OTHER = "rms_norm_grad:ascend910b4:fp32:3x7:seed1"


def test_interrupt_keeps_what_has_ended(fake_environment: dict[str, str], tmp_path: Path) -> None:
    empty = "rms_norm_grad:ascend910b4:bf16:3x0"  # nothing to launch: ends at once
    process = subprocess.Popen(
        [sys.executable, "-m", "normgrad", "verify", empty, CASE, OTHER, "--jobs", "2"],
        cwd=tmp_path,
        env={**fake_environment, "NORMGRAD_FAKE": "hang"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    journal = tmp_path / "normgrad-report" / "results.jsonl"
    limit = time.monotonic() + 30
    while time.monotonic() < limit and _rows_in(journal) < 1:
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    out, err = process.communicate(timeout=30)
    assert process.returncode == 1
    assert "1 of 3 cases" in out
    assert "Traceback" not in err
    command = out.partition("interrupted; to run the other cases: ")[2].splitlines()[0].split()
    assert command[:2] == ["normgrad", "verify"]
    assert command[-1] == "--resume"
    found = json.loads((tmp_path / "normgrad-report" / "results.json").read_text())["rows"]
    assert [row["status"] for row in found] == ["PASSED"]


def _rows_in(journal: Path) -> int:
    return len(journal.read_text().splitlines()) - 1 if journal.exists() else 0


def test_killed_run_goes_on_with_resume(
    fake_environment: dict[str, str], normgrad: Normgrad, tmp_path: Path
) -> None:
    empty = "rms_norm_grad:ascend910b4:bf16:3x0"
    words = [empty, CASE, OTHER, "--jobs", "2", "--report", str(tmp_path / "r")]
    process = subprocess.Popen(
        [sys.executable, "-m", "normgrad", "verify", *words],
        cwd=tmp_path,
        env={**fake_environment, "NORMGRAD_FAKE": "hang"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    journal = tmp_path / "r" / "results.jsonl"
    limit = time.monotonic() + 30
    while time.monotonic() < limit and _rows_in(journal) < 1:
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait(timeout=30)
    assert [json.loads(line)["status"] for line in journal.read_text().splitlines()[1:]] == [
        "PASSED"
    ]
    done = normgrad("verify", *words, "--resume", "--json")
    assert done.returncode == 0, done.stderr
    assert "--resume: 1 of 3 cases have ended before" in done.stderr
    assert [row["status"] for row in rows(done)] == ["PASSED"] * 3
    again = normgrad("verify", *words, "--resume", "--json")
    assert "3 of 3 cases have ended before" in again.stderr
    assert rows(again) == rows(done)
    other = normgrad("verify", *words, "--resume", "--json", "--check", "off")
    assert other.returncode == 2
    assert "holds results under other options" in other.stderr


def test_resume_alone_goes_on_with_what_was_asked(normgrad: Normgrad, tmp_path: Path) -> None:
    """The words of the first run need not be said again, and other words do not throw it away."""
    words = ["verify", CASE, OTHER, "--sync", "autosync"]
    first = normgrad(*words, "--json")
    assert first.returncode == 0, first.stderr
    journal = tmp_path / "normgrad-report" / "results.jsonl"
    lines = journal.read_text().splitlines()
    journal.write_text("\n".join(lines[:2]) + "\n")  # as a kill after the first case leaves it
    done = normgrad("verify", "--resume", "--json")
    assert "--resume: 1 of 2 cases have ended before" in done.stderr
    assert [(row["case"], row["sync"]) for row in rows(done)] == [
        (row["case"], "autosync") for row in rows(first)
    ]
    before = journal.read_text()
    other = normgrad("verify", CASE, "--resume")
    assert other.returncode == 2
    assert f"holds results of 1 other case, {OTHER}" in other.stderr
    assert journal.read_text() == before
    head = json.loads(before.splitlines()[0])
    journal.write_text("\n".join([json.dumps({**head, "sources": "x"}), *lines[1:]]) + "\n")
    changed = normgrad("verify", "--resume", "--json")
    assert "0 of 2 cases have ended before: normgrad-report holds no results of these sources" in (
        changed.stderr
    )


def test_pages_of_an_earlier_run_do_not_speak_for_a_kernel_that_does_not_compile(
    in_fake_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_: object) -> None:
        raise NormgradError("the kernel does not compile")

    monkeypatch.setattr(commands, "build_units", fails)
    for name in ("report.html", "junit.xml", "results.json", "results.jsonl"):
        (tmp_path / name).write_text("of an earlier run")
    assert cli.main(["verify", CASE, "--report", str(tmp_path)]) == 2
    assert [file.name for file in tmp_path.iterdir()] == ["results.jsonl"]


def test_a_report_folder_has_one_run_at_a_time(normgrad: Normgrad, tmp_path: Path) -> None:
    with store.locked(tmp_path / "r"):
        second = normgrad("verify", CASE, "--report", "r")
    assert second.returncode == 2
    assert "another run is writing into the report folder r" in second.stderr
    assert normgrad("verify", CASE, "--report", "r").returncode == 0


def test_resume_runs_a_capture_again_that_has_changed(normgrad: Normgrad, tmp_path: Path) -> None:
    def write(rows: int) -> None:
        x = np.ones((rows, 8), np.float32)
        tensors = {"dy": x, "x": x, "rstd": np.ones(rows, np.float32), "gamma": x[0]}
        np.savez(tmp_path / "mine.npz", **tensors)

    words = ("verify", "npz:rms_norm_grad:ascend910b4:mine.npz")
    write(4)
    assert rows(normgrad(*words, "--json"))[0]["rows"] == 4
    assert "1 of 1 cases have ended before" in normgrad(*words, "--resume").stderr
    write(5)
    assert rows(normgrad(*words, "--resume", "--json"))[0]["rows"] == 5
