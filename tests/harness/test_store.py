"""results.json: the names that others read, valid JSON whatever the numbers are."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
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
    assert [json.loads(line).get("case") for line in lines] == [None, "a"]


def test_results_are_one_object_of_rows(tmp_path: Path) -> None:
    file = store.write_results(tmp_path, [_result(case="a"), _result(case="b")])
    rows = json.loads(file.read_text())["rows"]
    assert [row["case"] for row in rows] == ["a", "b"]


def test_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(NormgradError, match=r"report folder .*file/x.* --report"):
        store.Journal(tmp_path / "file" / "x")


def _full(folder: Path, bytes_: int) -> list[str]:
    """Writes rows until a file may not grow; returns what the reader still finds."""
    code = f"""
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, ({bytes_}, {bytes_}))
from pathlib import Path
from normgrad import store
from normgrad.errors import NormgradError
with store.Journal(Path({str(folder)!r}), "s") as journal:
    try:
        for n in range(1000):
            journal.append(store.Result(f"case{{n}}", "PASSED", True, ""))
    except NormgradError as error:
        print(n, error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.split(maxsplit=1)


def test_full_disk_leaves_whole_rows_and_says_how_to_go_on(tmp_path: Path) -> None:
    count, sentence = _full(tmp_path, 20_000)
    assert "File too large" in sentence or "No space" in sentence
    assert "--resume" in sentence
    text = (tmp_path / "results.jsonl").read_text()
    assert text.endswith("\n")
    cases = [result.case for result in store.read_journal(tmp_path, "s")]
    assert cases == [f"case{n}" for n in range(int(count))]
    assert len(cases) > 3


def test_row_that_a_kill_cut_off_is_left_out(tmp_path: Path) -> None:
    with store.Journal(tmp_path, "s") as journal:
        for case in "ab":
            journal.append(_result(case=case))
    file = tmp_path / "results.jsonl"
    file.write_bytes(file.read_bytes()[:-20])
    assert [r.case for r in store.read_journal(tmp_path, "s") or ()] == ["a"]
    with store.Journal(tmp_path, "s", store.read_journal(tmp_path, "s") or ()) as journal:
        journal.append(_result(case="c"))
    assert [r.case for r in store.read_journal(tmp_path, "s") or ()] == ["a", "c"]


def test_rows_of_other_sources_are_not_taken(tmp_path: Path) -> None:
    with store.Journal(tmp_path, "s") as journal:
        journal.append(_result(case="a"))
    assert store.read_journal(tmp_path, "t") is None
    assert store.read_journal(tmp_path / "nowhere", "s") is None


@pytest.mark.parametrize("row", ["5", "null", '{"case": 1}', '{"case": "b", "status": "PASSED"}'])
def test_damaged_rows_are_left_out(tmp_path: Path, row: str) -> None:
    with store.Journal(tmp_path, "s", question={"suite": ["edge"]}) as journal:
        journal.append(_result(case="a"))
    file = tmp_path / "results.jsonl"
    wrong = json.dumps({**_result(case="b").row(), "score": "abc"})
    file.write_text(file.read_text() + row + "\n" + wrong + "\n")
    assert [r.case for r in store.read_journal(tmp_path, "s") or ()] == ["a"]
    assert store.read_question(tmp_path) == {"suite": ["edge"]}


def test_row_reads_back(tmp_path: Path) -> None:
    result = _result(
        score=float("inf"), findings=({"rule": "r"},), explanation=("a", "b"), worst={"got": 1.5}
    )
    assert store.from_row(json.loads(json.dumps(result.row()))) == result


def test_results_that_do_not_fit_leave_no_half_file(tmp_path: Path) -> None:
    many = [_result(case=f"case{n}") for n in range(200)]
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, hard))
    try:
        with pytest.raises(NormgradError, match=r"results\.json cannot be written"):
            store.write_results(tmp_path, many)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert list(tmp_path.iterdir()) == []


def test_only_a_taken_folder_is_called_taken(tmp_path: Path) -> None:
    with pytest.raises(BlockingIOError, match="of the run itself"), store.locked(tmp_path):
        raise BlockingIOError("of the run itself")
    with store.locked(tmp_path), pytest.raises(NormgradError, match="another run"):  # noqa: SIM117
        with store.locked(tmp_path):
            pass
