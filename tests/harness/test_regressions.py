"""compare, --accept and verify --baseline: one rule per figure, and what each exit code means."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from normgrad import cli, regressions
from normgrad.regressions import Kind

CASE = "rms_norm_grad:ascend910b4:bf16:64x512:seed1"
ROW = {
    "case": CASE,
    "status": "PASSED",
    "expected": True,
    "score": 0.5,
    "bytes_over_minimum": 1.0162,
    "slope_cycles_per_64": 20.0,
    "registers_per_64": 9.0,
    "modelled_us": 40.0,
    "deterministic": True,
    "batch_invariant": True,
}


def written(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text(json.dumps({"rows": rows}))
    return path


@pytest.mark.parametrize(
    ("figure", "worse", "same", "kind"),
    [
        ("score", 0.53, 0.524, Kind.RESULT),
        ("score", float("inf"), 0.484, Kind.RESULT),
        ("score", float("nan"), 0.5, Kind.RESULT),
        ("bytes_over_minimum", 1.01621, 1.0162 + 1e-12, Kind.COST),
        ("slope_cycles_per_64", 20.41, 20.39, Kind.COST),
        ("registers_per_64", 9.2, 9.1, Kind.COST),
        ("modelled_us", 40.9, 40.79, Kind.COST),
        ("deterministic", False, True, Kind.RESULT),
        ("batch_invariant", False, None, Kind.RESULT),
    ],
)
def test_a_figure_has_one_rule(figure: str, worse: Any, same: Any, kind: Kind) -> None:
    found = regressions.compare([ROW], [{**ROW, figure: worse}])
    assert [(change.what, change.kind) for change in found.changes] == [(figure, kind)]
    assert found.exit_code == kind
    back = regressions.compare([{**ROW, figure: worse}], [ROW])
    assert [change.kind for change in back.changes] == [Kind.NONE]
    assert back.exit_code == 0
    assert regressions.compare([ROW], [{**ROW, figure: same}]).changes == ()


@pytest.mark.parametrize("status", ["FAILED", "RULE", "MISTRUSTED", "UNSUPPORTED", "ERROR"])
def test_a_status_that_nobody_expects_is_worse(status: str) -> None:
    wrong = {**ROW, "status": status, "expected": False}
    assert regressions.compare([ROW], [wrong]).exit_code == 1
    assert regressions.compare([wrong], [ROW]).exit_code == 0
    other = {**wrong, "status": "FAILED" if status != "FAILED" else "RULE"}
    assert regressions.compare([wrong], [other]).exit_code == 1
    assert regressions.compare([wrong], [wrong]).exit_code == 0


def test_results_weigh_more_than_costs() -> None:
    both = {**ROW, "score": 0.9, "modelled_us": 50.0}
    found = regressions.compare([ROW, {**ROW, "case": "other"}], [both, {**ROW, "case": "other"}])
    assert {change.what for change in found.worse} == {"score", "modelled_us"}
    assert found.exit_code == 1


def test_a_case_that_was_not_run_is_missed() -> None:
    found = regressions.compare([ROW, {**ROW, "case": "other"}], [ROW, {**ROW, "case": "new"}])
    assert (found.gone, found.added, found.exit_code) == (("other",), ("new",), 1)
    part = regressions.compare([ROW, {**ROW, "case": "other"}], [ROW], only_new=True)
    assert (part.gone, part.exit_code) == ((), 0)


def test_a_baseline_is_written_read_and_grown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = tmp_path / "base" / "smoke.json", written(tmp_path / "results.json", ROW)
    assert cli.main(["compare", str(old), str(new), "--accept"]) == 0
    assert "1 case now" in capsys.readouterr().out
    assert cli.main(["compare", str(old), str(new)]) == 0
    slower = written(tmp_path / "slower.json", {**ROW, "modelled_us": 44.0})
    assert cli.main(["compare", str(old), str(slower)]) == 3
    said = capsys.readouterr().out
    assert "+10.00 %" in said
    command = said.splitlines()[-1].partition(": ")[2].split()
    assert command[0] == "normgrad"
    assert cli.main(command[1:]) == 0
    assert cli.main(["compare", str(old), str(slower)]) == 0
    more = written(tmp_path / "more.json", {**ROW, "case": "another"})
    assert cli.main(["compare", str(old), str(more), "--accept"]) == 0
    assert [row["case"] for row in regressions.read_rows(old)] == ["another", CASE]
    assert len(old.read_text().splitlines()) == 4  # a row a line


def test_wrong_results_are_no_baseline(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = written(tmp_path / "new.json", {**ROW, "status": "FAILED", "expected": False})
    assert cli.main(["compare", str(tmp_path / "old.json"), str(wrong), "--accept"]) == 2
    assert f"{CASE} is FAILED" in capsys.readouterr().err
    assert not (tmp_path / "old.json").exists()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (None, "cannot be read (No such file or directory)"),
        ("{", "is not JSON of the form"),
        ("[]", "is not JSON of the form"),
        ('{"rows": [{"case": "a"}]}', "a row without case and status"),
        ('{"rows": [{"case": "a", "status": "PASSED", "score": "x"}]}', "a figure that is no"),
        (
            '{"rows": [{"case": "a", "status": "PASSED"}, {"case": "a", "status": "PASSED"}]}',
            "more than one row of a",
        ),
    ],
)
def test_a_file_that_is_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str | None, says: str
) -> None:
    old, new = tmp_path / "old.json", written(tmp_path / "new.json", ROW)
    if text is not None:
        old.write_text(text)
    assert cli.main(["compare", str(old), str(new)]) == 2
    error = capsys.readouterr().err
    assert says in error
    assert len(error.splitlines()) == 1


def test_json_has_every_change(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = written(tmp_path / "old.json", ROW, {**ROW, "case": "other"})
    new = written(tmp_path / "new.json", {**ROW, "modelled_us": 30.0})
    assert cli.main(["compare", str(old), str(new), "--json"]) == 1
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [(row["case"], row["what"], row["kind"]) for row in rows] == [
        (CASE, "modelled_us", "NONE"),
        ("other", "not run", "RESULT"),
    ]
