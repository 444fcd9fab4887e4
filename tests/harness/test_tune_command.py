"""The command `tune` on a runner that knows the best plan: words, budget, rows, resume."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from conftest import Fake, Normgrad, rows

from normgrad import bank

CASE = "rms_norm_grad:ascend910b4:bf16:200x300:seed1"
Tune = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def tune(normgrad: Normgrad) -> Tune:
    """`normgrad tune`, with its rows in the folder of the test."""

    def call(*words: str, fake: str = "timed") -> subprocess.CompletedProcess[str]:
        return normgrad("tune", *words, "--out", "rows", "--jobs", "2", fake=fake)

    return call


@dataclass(frozen=True)
class Whole:
    """One search without a budget, looked at by several tests."""

    folder: Path
    done: subprocess.CompletedProcess[str]

    def figures(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads(
            (self.folder / "normgrad-tune" / "results.json").read_text()
        )["rows"]
        return found


@pytest.fixture(scope="module")
def whole(fake: Fake, tmp_path_factory: pytest.TempPathFactory) -> Whole:
    folder = tmp_path_factory.mktemp("whole")
    own = {"NORMGRAD_CACHE": str(fake.cache), "PYTHONPATH": str(fake.tree / "python")}
    command = [sys.executable, "-m", "normgrad", "tune", CASE, "--out", "rows", "--json"]
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **own, "NORMGRAD_FAKE": "timed"},
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )
    return Whole(folder, done)


def test_it_finds_the_best_plan_and_keeps_a_row(whole: Whole) -> None:
    assert whole.done.returncode == 0, whole.done.stderr
    (found,) = rows(whole.done)
    # Four buffers make the planner cut tiles of two rows, which is best here.
    assert found["knobs"] == {"strategy": "DxWholeRow", "buffers": 4}
    assert found["plan"] == "DxWholeRow"
    assert isinstance(found["winner_us"], float)
    assert isinstance(found["default_us"], float)
    assert found["gain"] == pytest.approx(1 - found["winner_us"] / found["default_us"])
    (row,) = bank.read(whole.folder / "rows" / "ascend910b4.csv")
    assert row.shape_class == "128..255x300"
    assert row.knobs == "strategy=DxWholeRow buffers=4"
    assert (row.measured, row.rows) == ("modelled", "200")
    assert float(row.winner_us) == pytest.approx(found["winner_us"], abs=0.06)
    # What the search says on the way, and all of its figures.
    assert f"{CASE}: " in whole.done.stderr
    assert "us  strategy=DxWholeRow buffers=4" in whole.done.stderr
    figures = whole.figures()
    assert {figure["case"] for figure in figures} == {CASE}
    assert all(figure["reason"] for figure in figures if figure["us"] is None)


def test_a_plan_that_breaks_a_rule_is_out(whole: Whole) -> None:
    broken = [f for f in whole.figures() if f["knobs"].get("rows_per_tile") == 1]
    assert broken
    assert {(f["status"], f["us"]) for f in broken} == {("RULE", None)}
    assert "never freed" in broken[0]["reason"]
    assert "out       strategy=DxWholeRow rows_per_tile=1" in whole.done.stderr


def test_a_budget_of_one_is_the_planner_alone(tune: Tune, tmp_path: Path) -> None:
    done = tune(CASE, "--budget", "1", "--json")
    assert done.returncode == 0, done.stderr
    (found,) = rows(done)
    assert (found["candidates"], found["knobs"], found["gain"]) == (1, {}, 0.0)
    assert "0.0% is no more than the 0.5% that one must win" in str(found["row"])
    assert not (tmp_path / "rows").exists()
    two = tune(CASE, "--budget", "2", "--json")
    assert rows(two)[0]["candidates"] == 2
    assert rows(tune(CASE, "--budget", "2", "--json"))[0]["knobs"] == rows(two)[0]["knobs"]


def test_a_row_that_no_longer_wins_goes(tune: Tune, whole: Whole, tmp_path: Path) -> None:
    first = (whole.folder / "rows" / "ascend910b4.csv").read_text()
    other = first.splitlines()[1].replace("x300", "x400")
    file = tmp_path / "rows" / "ascend910b4.csv"
    file.parent.mkdir()
    file.write_text(f"{first}{other}\n")
    assert tune(CASE, "--budget", "1").returncode == 0
    assert [row.shape_class for row in bank.read(file)] == ["128..255x400"]


def test_refresh_searches_stale_rows_alone(tune: Tune, whole: Whole, tmp_path: Path) -> None:
    nothing = tune("--refresh")
    assert nothing.returncode == 0
    assert "no row is stale" in nothing.stdout
    file = tmp_path / "rows" / "ascend910b4.csv"
    shutil.copytree(whole.folder / "rows", file.parent)
    (row,) = bank.read(file)
    assert "no row is stale" in tune("--refresh").stdout
    file.write_text(file.read_text().replace(row.source, "0" * 12))
    done = tune("--refresh", "--json", "--budget", "2")
    assert done.returncode == 0, done.stderr
    assert [found["case"] for found in rows(done)] == [CASE]
    assert all(each.source == row.source for each in bank.read(file))
    assert "it takes no case" in tune("--refresh", CASE).stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "no case is given"),
        ((CASE.replace("seed1", "chunk=512"),), "chunk= is no matter of a search"),
        ((CASE.replace("seed1", "strategy=DxWholeRow"),), "strategy= is no matter of a search"),
        ((CASE, "--budget", "0"), "'0' is not a whole number of at least 1"),
        ((CASE, "--buget", "3"), "did you mean --budget"),
        ((CASE, "--backend", "npu"), "'npu' is unknown: allowed: twin, aclnn"),
        (("rms_norm_grad:ascend910b5:bf16:8x8",), "unknown chip 'ascend910b5'"),
    ],
)
def test_wrong_words_are_one_sentence(tune: Tune, words: tuple[str, ...], said: str) -> None:
    done = tune(*words)
    assert done.returncode == 2
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_broken_bank_is_one_sentence(tune: Tune, tmp_path: Path) -> None:
    (tmp_path / "rows").mkdir()
    (tmp_path / "rows" / "ascend910b4.csv").write_text("op,cols\n")
    done = tune(CASE, "--budget", "1")
    assert done.returncode == 2
    assert "rows/ascend910b4.csv:1: the columns are not op,shape_class," in done.stderr
    assert "Traceback" not in done.stderr


def test_what_is_refused_is_said_and_the_others_are_tuned(tune: Tune) -> None:
    refused = "rms_norm_grad:ascend310p3:bf16:8x64"  # bf16 is not there
    done = tune(refused, CASE, "--budget", "3", "--json")
    assert done.returncode == 1
    first, second = rows(done)
    assert first["status"] == "UNSUPPORTED"
    assert "bf16" in str(first["reason"])
    assert second["status"] == "PASSED"


def test_a_killed_search_goes_on_with_resume(
    tune: Tune, fake_environment: dict[str, str], tmp_path: Path
) -> None:
    words = ["tune", CASE, "--budget", "12", "--out", "rows", "--jobs", "2"]
    process = subprocess.Popen(
        [sys.executable, "-m", "normgrad", *words],
        cwd=tmp_path,
        env={**fake_environment, "NORMGRAD_FAKE": "timed-slowly"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    journal = tmp_path / "normgrad-tune" / "results.jsonl"
    limit = time.monotonic() + 60
    while time.monotonic() < limit and _rows_in(journal) < 3:
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait(timeout=30)
    kept = _rows_in(journal)
    assert 3 <= kept < 12
    done = tune("--resume", "--json")
    assert done.returncode == 0, done.stderr
    assert f"--resume: {kept} figures were there before" in done.stderr
    (found,) = rows(done)
    assert found["candidates"] == 12
    whole = tune(CASE, "--budget", "12", "--json", "--report", "other")
    assert rows(whole) == [found]


def test_interrupt_says_how_to_go_on(fake_environment: dict[str, str], tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "normgrad", "tune", CASE, "--out", "rows", "--jobs", "2"],
        cwd=tmp_path,
        env={**fake_environment, "NORMGRAD_FAKE": "timed-slowly"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    journal = tmp_path / "normgrad-tune" / "results.jsonl"
    limit = time.monotonic() + 60
    while time.monotonic() < limit and _rows_in(journal) < 2:
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 1
    assert "interrupted; to go on: normgrad tune --resume" in out
    assert "Traceback" not in err
    assert not (tmp_path / "rows").exists()


def _rows_in(journal: Path) -> int:
    return len(journal.read_text().splitlines()) - 1 if journal.exists() else 0
