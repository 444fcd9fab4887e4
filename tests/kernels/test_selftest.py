"""Every planted defect is found for its reason; a runner that could not tell is found, too."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from normgrad import defects, paths, selftest

LEAST = 24
# What must be among them, by a word of `finds` or of the edit.
KINDS = {"FAILED", "RULE", "ORDER", "BITS", "UNSUPPORTED"}
CASE = "rms_norm_grad:ascend910b4:fp32:5x7:seed1"

Row = dict[str, Any]


def run(*words: str, cwd: Path, sources: Path | None = None) -> tuple[int, list[Row], str]:
    environment = {**os.environ, "PYTHONPATH": str(Path(paths.__file__).parents[1])}
    if sources:
        environment["NORMGRAD_SOURCES"] = str(sources)
    done = subprocess.run(
        [sys.executable, "-m", "normgrad", "selftest", "--json", *words],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    rows: list[Row] = json.loads(done.stdout)["rows"] if done.stdout else []
    return done.returncode, rows, done.stderr


def by_name(rows: list[Row]) -> dict[str, Row]:
    return {row["defect"]: row for row in rows}


def test_every_defect_is_killed(tmp_path: Path) -> None:
    code, rows, said = run(cwd=tmp_path)
    assert code == 0, said
    assert {row["status"] for row in rows} == {"KILLED"}
    assert LEAST <= len(rows) <= selftest.DEFAULT_MOST
    assert {row["finds"].split()[0] for row in rows} == KINDS
    folders = {file.split("/")[0] for row in rows for file in row["files"]}
    assert folders == {"op_kernel", "tiling"}


@pytest.mark.full
def test_every_case_of_every_defect_kills_it(tmp_path: Path) -> None:
    code, rows, said = run("--full", cwd=tmp_path)
    assert code == 0, said
    assert len(rows) == len(defects.load(paths.defects_root()))
    assert all(row["smoke_cases"] > 10 for row in rows)


def test_failure_text_names_what_was_planted(tmp_path: Path) -> None:
    """Of two kernel defects drawn at random: the file for a broken rule, else the pattern."""
    known = selftest.choose([], full=True)
    kinds = {kind: [d for d in known if d.kind == kind] for kind in ("RULE", "FAILED")}
    in_kernel = [d for d in kinds["RULE"] if not d.names and d.edits[0].file.startswith("op_k")]
    drawn = random.SystemRandom().choice(in_kernel), random.SystemRandom().choice(kinds["FAILED"])
    code, rows, said = run(*(defect.name for defect in drawn), cwd=tmp_path)
    assert code == 0, said
    rule, failed = (by_name(rows)[defect.name] for defect in drawn)
    assert Path(rule["files"][0]).name in rule["found"]
    assert failed["names"], failed
    assert drawn[1].names


def test_every_failed_defect_names_a_pattern() -> None:
    patterns = (
        "row",
        "column",
        "never written",
        "dgamma is right",
        "dx is right",
        "one side",
        "as if",
    )
    for defect in selftest.choose([], full=True):
        if defect.kind == "FAILED":
            assert any(p in name for p in patterns for name in defect.names), defect.name


# ---- the runner, on defects of which it knows the end ----

OWN = f"""[changes_nothing] a comment more
case: {CASE}
finds: FAILED
@@ op_kernel/common/args.h
   struct RowSpan {{
+  // nothing

[is_found_otherwise] the mean has the wrong sign, which breaks no rule
case: {CASE}
finds: RULE queue-leak
@@ op_kernel/common/split_sum.h
-    factor_ = plan.mean_factor;
+    factor_ = -plan.mean_factor;

[is_found] the mean has the wrong sign
case: {CASE}
finds: FAILED
names: in every row
@@ op_kernel/common/split_sum.h
-    factor_ = plan.mean_factor;
+    factor_ = -plan.mean_factor;

[has_lost_its_text] what it edits is not there
case: {CASE}
finds: FAILED
@@ op_kernel/common/args.h
-  int what_nobody_wrote;
+  int what_somebody_wrote;

[does_not_compile] nonsense
case: {CASE}
finds: ERROR
@@ op_kernel/common/args.h
   struct RowSpan {{
+  nonsense;

[ends_the_process] the planner crashes
case: {CASE}
finds: ERROR
@@ tiling/norm_grad_plan.cpp
   tiling.rows = problem.rows;
   tiling.cols = cols;
+  *reinterpret_cast<volatile int*>(cols - cols) = 1;
"""


@pytest.fixture(scope="module")
def own_tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sources, hence with their cache, and other defects."""
    tree = paths.copy_sources(tmp_path_factory.mktemp("tree"), "tests/cases")
    (tree / "tests" / "defects").mkdir()
    (tree / "tests" / "defects" / "own.txt").write_text(OWN)
    return tree


def test_runner_tells_each_end_from_a_kill(own_tree: Path, tmp_path: Path) -> None:
    code, rows, said = run(cwd=tmp_path, sources=own_tree)
    assert code == 1
    ends = {
        "changes_nothing": ("SURVIVED", f"{CASE} is PASSED"),
        "is_found_otherwise": ("WRONG KIND", "is FAILED"),
        "is_found": ("KILLED", "in every row"),
        "has_lost_its_text": (
            "ERROR",
            "args.h holds no longer, not once: `int what_nobody_wrote;`",
        ),
        "does_not_compile": ("ERROR", "args.h"),
        "ends_the_process": ("ERROR", "its process died"),
    }
    found = by_name(rows)
    assert {name: row["status"] for name, row in found.items()} == {
        name: status for name, (status, _) in ends.items()
    }
    for name, (_, text) in ends.items():
        assert text in found[name]["found"]
        assert "selftest-" not in found[name]["found"]  # a folder that is gone by now
    assert "1 KILLED" in said
    assert "own.txt" in said
    assert "has_lost_its_text" in said


@pytest.mark.parametrize(
    ("name", "code"), [("is_found", 0), ("is_found_otherwise", 1), ("has_lost_its_text", 1)]
)
def test_one_defect_that_is_not_killed_is_exit_code_1(
    own_tree: Path, tmp_path: Path, name: str, code: int
) -> None:
    assert run(name, cwd=tmp_path, sources=own_tree)[0] == code


def test_sources_that_fail_by_themselves_prove_nothing(own_tree: Path, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    shutil.copytree(own_tree, tree)
    file = tree / "op_kernel" / "common" / "split_sum.h"
    file.write_text(file.read_text().replace("= plan.mean_factor", "= -plan.mean_factor"))
    code, rows, said = run("is_found", cwd=tmp_path, sources=tree)
    assert (code, rows) == (1, [])
    assert "control: the sources fail without any defect" in said
    assert f"{CASE} is FAILED" in said
