"""What is promised of bits: one result under any order of the cores, and of a row in any batch."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from normgrad import defects, paths

KEPT = [
    "rms_norm_grad:ascend910b4:bf16:257x513:seed1",
    "rms_norm_grad:ascend910b4:fp32:30x6000:seed1",
    "rms_norm_grad:ascend910b4:bf16:1x3000:seed1",
]
OPTIONS = ("--shuffle-runs", "2", "--invariance")


def verified(*words: str, cwd: Path, sources: Path | None = None) -> tuple[list[Any], str]:
    environment = {**os.environ, "PYTHONPATH": str(Path(paths.__file__).parents[1])}
    if sources:
        environment["NORMGRAD_SOURCES"] = str(sources)
    done = subprocess.run(
        [sys.executable, "-m", "normgrad", "verify", *words],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    report = cwd / "normgrad-report"
    return json.loads((report / "results.json").read_text())["rows"], done.stdout


def test_our_kernel_keeps_both(tmp_path: Path) -> None:
    rows, said = verified(*KEPT, *OPTIONS, cwd=tmp_path)
    for row in rows:
        assert (row["status"], row["deterministic"], row["batch_invariant"]) == (
            "PASSED", True, True,
        ), row["reason"]  # fmt: skip
    assert "determ.  invar." in said
    assert "deterministic: 3 of 3 cases\nbatch invariant: 3 of 3 cases\n" in said
    page = (tmp_path / "normgrad-report" / "report.html").read_text()
    assert ">batch invariant</button>" in page
    assert page.count("rows bit-equal in 4 other batches") == 2


def test_nothing_is_said_of_what_was_not_examined(tmp_path: Path) -> None:
    rows, said = verified(KEPT[0], cwd=tmp_path)
    assert (rows[0]["deterministic"], rows[0]["batch_invariant"]) == (None, None)
    page = (tmp_path / "normgrad-report" / "report.html").read_text()
    assert not any("invar" in text or "determ" in text for text in (said, page))


@pytest.mark.parametrize(
    ("finds", "deterministic", "batch_invariant", "words"),
    [
        ("BITS dx", True, False, "depends on the batch around it"),
        ("ORDER", False, True, "depends on which core comes first"),
    ],
)
def test_a_broken_promise_fails_the_case(
    finds: str, deterministic: bool, batch_invariant: bool, words: str, tmp_path: Path
) -> None:
    tree = paths.copy_sources(tmp_path / "tree", "tests/cases")
    defect = next(d for d in defects.load(paths.defects_root()) if d.finds == finds)
    defects.plant(defect, tree)
    (row,), _ = verified(defect.cases[0], *OPTIONS, cwd=tmp_path, sources=tree)
    assert row["status"] == "FAILED", row["reason"]
    assert (row["deterministic"], row["batch_invariant"]) == (deterministic, batch_invariant)
    assert words in row["reason"]
    assert row["score"] <= 1, "the numbers are right within their budget: nothing else would tell"
