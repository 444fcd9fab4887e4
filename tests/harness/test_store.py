"""results.json: the names that others read, valid JSON whatever the numbers are."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from normgrad import store
from normgrad.errors import NormgradError


def _result(**more: object) -> store.Result:
    fields = {"case": "c", "status": "PASSED", "expected": True, "reason": ""}
    return store.Result(**{**fields, **more})  # type: ignore[arg-type]


def test_row_has_the_published_names() -> None:
    row = _result().row()
    published = (
        "case", "status", "plan", "tiling_key", "bytes_over_minimum", "modelled_us",
        "bandwidth_fraction", "score", "findings",
    )  # fmt: skip
    assert set(published) <= set(row)


def test_numbers_that_json_lacks_become_text() -> None:
    row = _result(score=float("inf"), worst={"got": float("nan"), "index": (np.int64(3), 4)}).row()
    text = json.dumps(row, allow_nan=False)
    assert json.loads(text)["score"] == "inf"
    assert json.loads(text)["worst"] == {"got": "nan", "index": [3, 4]}


def test_journal_has_each_row_at_once(tmp_path: Path) -> None:
    with store.Journal(tmp_path / "new") as journal:
        journal.append(_result(case="a"))
        lines = (tmp_path / "new" / "results.jsonl").read_text().splitlines()
    assert [json.loads(line)["case"] for line in lines] == ["a"]


def test_results_are_one_object_of_rows(tmp_path: Path) -> None:
    file = store.write_results(tmp_path, [_result(case="a"), _result(case="b")])
    rows = json.loads(file.read_text())["rows"]
    assert [row["case"] for row in rows] == ["a", "b"]


def test_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(NormgradError, match=r"report folder .*file/x.* --report"):
        store.Journal(tmp_path / "file" / "x")
