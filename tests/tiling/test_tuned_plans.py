"""A planner that is built with rows of tiling/tuned: whom they serve, who wins over them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from normgrad import bank, paths
from normgrad.bank import Row

pytestmark = pytest.mark.xdist_group("tuned")  # one worker builds the planner

CASE = "rms_norm_grad:ascend910b4:bf16:5000x1024:seed1"
ROW = Row(
    "rms_norm_grad", "4096..8191x1024", "bf16", "strategy=DxWholeRow rows_per_tile=2 buffers=4",
    "52.5", "50.1", "modelled", "4096", "2026-11-30", "0" * 12, "0" * 12,
)  # fmt: skip
Plan = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sources with rows: one that is right, one that no plan follows, one of other kernels."""
    folder = tmp_path_factory.mktemp("tuned")
    made = paths.copy_sources(folder / "tree", "op_host", "tests/cases")
    (made / bank.TABLE).unlink()
    own = replace(ROW, source=bank.source_of(made, ROW.op))
    too_large = replace(own, shape_class="4096..8191x2048", knobs="rows_per_tile=900")
    strong = replace(own, shape_class="4096..8191x1024:det=strong", knobs="buffers=3 cores=30")
    old = replace(ROW, op="layer_norm_grad_v3")
    bank.write(bank.path_of_soc(made / "tiling" / "tuned", "ascend910b4"), [own, too_large, strong])
    bank.write(bank.path_of_soc(made / "tiling" / "tuned", "ascend910b1"), [old])
    return made


@pytest.fixture
def plan(tree: Path) -> Plan:
    def call(*words: str) -> subprocess.CompletedProcess[str]:
        cache = tree.parent / "cache"
        cache.mkdir(exist_ok=True)
        env = {**os.environ, "NORMGRAD_SOURCES": str(tree), "NORMGRAD_CACHE": str(cache)}
        return subprocess.run(
            [sys.executable, "-m", "normgrad", "plan", *words],
            env=env,
            capture_output=True,
            text=True,
            timeout=900,
            check=False,
        )

    return call


def _fields(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert done.returncode == 0, done.stderr
    row: dict[str, Any] = json.loads(done.stdout)["rows"][0]
    return {**row["fields"], "tuned": row["tuned"], "reason": row["reason"]}


def test_a_problem_of_the_class_has_the_plan_of_the_row(plan: Plan) -> None:
    made = _fields(plan(CASE, "--json"))
    assert (made["rows_per_tile"], made["in_buffers"]) == (2, 4)
    assert made["tuned"].startswith("ascend910b4.csv: strategy=DxWholeRow rows_per_tile=2")
    assert "50.1 instead of 52.5 us (modelled, 4096 rows, 2026-11-30)" in made["tuned"]
    assert made["reason"].endswith(", as tuned")
    said = plan(CASE).stdout
    assert "  tuned: ascend910b4.csv: strategy=DxWholeRow" in said


@pytest.mark.parametrize(
    "words",
    [
        (CASE, "--set", "tuned=off"),
        (CASE, "--set", "cores=40"),
        (CASE.replace("seed1", "ub=180000"),),
        (CASE.replace("5000", "8192"),),
        (CASE.replace("1024", "1032"),),
        (CASE.replace("bf16", "fp16"),),
        (CASE.replace("seed1", "gamma=fp32"),),
        (CASE.replace("910b4", "910b3"),),
        (CASE.replace("5000x1024", "5000x2048"),),  # its row fits nobody
    ],
    ids=lambda words: " ".join(words)[24:],
)
def test_others_have_the_planner_s_own_choice(plan: Plan, words: tuple[str, ...]) -> None:
    made = _fields(plan(*words, "--json"))
    assert made["tuned"] == ""
    assert "tuned" not in made["reason"]


def test_strong_plans_have_rows_of_their_own(plan: Plan) -> None:
    made = _fields(plan(CASE.replace("seed1", "det=strong"), "--json"))
    assert (made["cores"], made["in_buffers"]) == (30, 3)


def test_a_stale_row_is_left_out_and_said(plan: Plan, tree: Path) -> None:
    assert "tiling/tuned/ascend910b1.csv: 1 row of layer_norm_grad_v3 left out" in (
        plan(CASE).stderr
    )
    kernel = tree / "op_kernel" / "rms_norm_grad" / "dx_whole_row.h"
    before = kernel.read_text()
    kernel.write_text(before + "// another kernel\n")
    try:
        done = plan(CASE, "--json")
        assert _fields(done)["tuned"] == ""
        assert "ascend910b4.csv: 3 rows of rms_norm_grad left out" in done.stderr
    finally:
        kernel.write_text(before)
    assert _fields(plan(CASE, "--json"))["tuned"] != ""


def test_a_broken_file_is_one_sentence(plan: Plan, tree: Path) -> None:
    file = bank.path_of_soc(tree / "tiling" / "tuned", "ascend310p3")
    file.write_text("op,shape\n")
    try:
        done = plan(CASE)
    finally:
        file.unlink()
    assert done.returncode == 2
    assert done.stderr.startswith("normgrad: tiling/tuned/ascend310p3.csv:1: the columns are not")
    assert len(done.stderr.splitlines()) == 1
