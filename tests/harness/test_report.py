"""Lines, junit.xml and report.html say what the results say, whatever text is in them."""

from __future__ import annotations

import io
import math
import re
import xml.etree.ElementTree as ET
from dataclasses import asdict, replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from normgrad import findings, render, report
from normgrad.backends import Finding
from normgrad.errors import NormgradError
from normgrad.store import Result

VOID = {"meta", "link", "br", "rect", "input"}

PASSED = Result(
    case="rms_norm_grad:ascend910b4:bf16:4096x1024:seed1",
    status="PASSED",
    expected=True,
    reason="",
    op="rms_norm_grad",
    plan="DxWholeRow",
    plan_reason="6 rows fit",
    tiling_key=1,
    cores=40,
    ub_limit_bytes=1000,
    score=0.5,
    bytes_over_minimum=1.0041,
    slope_cycles_per_64=18.25,
    seconds=0.5,
    buffers=(
        {"name": "dy_in", "bytes": 200, "count": 2, "phase": 1},
        {"name": "x_in", "bytes": 100, "count": 1, "phase": 1},
        {"name": "partials", "bytes": 900, "count": 1, "phase": 2},
    ),
    counters={"gm_read_bytes": 12345},
    metrics={"dx": {"max_ulp": 0.5}},
)
FAILED = Result(
    case="rms_norm_grad:ascend910b4:fp32:3x7:seed1",
    status="RULE",
    expected=False,
    reason='<script>alert("x")</script> \x07 & more',
    command="normgrad run rms_norm_grad:ascend910b4:fp32:3x7:seed1 --sync autosync",
    findings=({"rule": "queue.leak", "message": "m", "file": "f.h", "line": 3, "api": "A",
               "buffer": "b", "core": 1, "count": 2},),
    worst={"output": "dx", "got": float("nan")},
)  # fmt: skip
REFUSED = Result(
    case="rms_norm_grad:ascend910a:fp32:3x7:expect=561003:seed1",
    status="UNSUPPORTED",
    expected=True,
    reason="not on this chip",
    code=561003,
)
ALL = [PASSED, FAILED, REFUSED]


class _Balance(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag


def test_lines_are_aligned() -> None:
    out = io.StringIO()
    with report.Progress([r.case for r in ALL], out) as progress:
        for result in ALL:
            progress.add(result)
    lines = out.getvalue().splitlines()
    assert lines[0].index("plan") == lines[1].index("DxWholeRow")
    assert re.search(r"0\.500 +1\.0041 +18\.2 +0\.50 s$", lines[1])
    assert FAILED.reason in lines[3]  # below its line, since it is not as expected


def test_summary_reproduces_failures(capsys: pytest.CaptureFixture[str]) -> None:
    report.summary(ALL, 4, 1.0, "DIR/report.html")
    said = capsys.readouterr().out
    assert "3 of 4 cases in 1.0 s: 1 PASSED, 1 RULE, 1 UNSUPPORTED" in said
    assert FAILED.command in said
    assert REFUSED.case not in said
    assert "DIR/report.html" in said


def test_only_the_first_failures_are_shown_in_full() -> None:
    """A broken kernel fails hundreds of cases for one reason."""
    wrong = [
        replace(FAILED, case=f"case{i}", reason=f"why {i}", command=f"run {i}") for i in range(9)
    ]
    out = io.StringIO()
    with report.Progress([r.case for r in wrong], out) as progress:
        for result in wrong:
            progress.add(result)
    said = out.getvalue()
    assert all(f"why {i}\n" in said for i in range(5))
    assert not any(f"why {i}" in said for i in range(5, 9))
    assert said.count("in the report") == 1
    assert all(f"case{i} " in said for i in range(9))


def test_summary_has_one_line_for_each_cause(capsys: pytest.CaptureFixture[str]) -> None:
    same = [replace(FAILED, command=f"run {i}") for i in range(9)]
    report.summary(same, 9, 1.0, "DIR/report.html")
    said = capsys.readouterr().out
    assert "  RULE queue.leak at f.h:3, 9 cases\n    run 0\n" in said
    assert "run 1" not in said
    rules = [replace(FAILED, findings=({"rule": f"r{i}"},), command=f"run {i}") for i in range(9)]
    report.summary(rules, 9, 1.0, "DIR/report.html")
    said = capsys.readouterr().out
    assert "run 4" in said
    assert "run 5" not in said
    assert "and 4 kinds more, in the report" in said


@pytest.mark.parametrize(
    ("score", "shown"),
    [(0.9984, "  0.998"), (12.3456, " 12.346"), (4123456.0, "4.1e+06"), (math.inf, "    inf")],
)
def test_scores_take_seven_places(score: float, shown: str) -> None:
    out = io.StringIO()
    with report.Progress([PASSED.case], out) as progress:
        progress.add(replace(PASSED, score=score))
    assert f"DxWholeRow      {shown}  " in out.getvalue()


def test_less_than_all_checks_is_noted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fast = replace(PASSED, check="fast", note="--check fast leaves rules out")
    report.summary([fast, fast], 2, 1.0, None)
    assert capsys.readouterr().out.count("note: --check fast leaves rules out") == 1
    text = render.write_html(tmp_path / "report.html", [fast, fast], 1.0).read_text()
    assert text.count("--check fast leaves rules out") == 1


def finding(rule: str, **more: Any) -> Finding:
    return Finding(rule, f"what {rule} says", **more)


def test_findings_that_weigh_most_come_first() -> None:
    found = [
        finding("race-within-pipe", count=656, cores=40, file="a.h", line=7),
        finding("race-between-cores"),
        finding("race-between-pipes", count=657),
        finding("flag-left-set"),
        finding("ub-overflow", fatal=True),
    ]
    assert [f.rule for f in findings.ordered(found)] == [
        "ub-overflow", "flag-left-set", "race-between-cores", "race-between-pipes",
        "race-within-pipe",
    ]  # fmt: skip
    said = findings.headline(found)
    assert said == (
        "race-within-pipe: what race-within-pipe says at a.h:7 (656 times on 40 cores, and 4 other "
        "findings)"
    )
    assert findings.headline(found[1:2]) == "race-between-cores: what race-between-cores says"


def test_findings_say_how_often_and_where_a_buffer_is_declared() -> None:
    found = finding(
        "race-within-pipe", count=656, cores=40, buffer="VECIN queue 1 buffer 0",
        declared="row_queues.h:31", core=0,
    )  # fmt: skip
    said = findings.lines([asdict(found)])
    assert said[0] == "findings: 1 (656 times)"
    assert "buffer VECIN queue 1 buffer 0, declared at row_queues.h:31" in said[2]
    assert said[2].endswith("656 times on 40 cores")
    assert findings.lines([]) == ["findings: none"]


def test_junit_is_well_formed(tmp_path: Path) -> None:
    suite = ET.parse(render.write_junit(tmp_path / "junit.xml", ALL)).getroot()[0]
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("3", "1", "0")
    failure = suite.find("testcase/failure")
    assert failure is not None
    assert failure.get("type") == "RULE"
    assert "alert" in (failure.text or "")


def test_html_is_one_balanced_file_without_network(tmp_path: Path) -> None:
    text = render.write_html(tmp_path / "report.html", ALL, 1.0).read_text(encoding="utf-8")
    page = _Balance()
    page.feed(text)
    assert page.open == []
    assert all(link.startswith("#") for link in page.links)
    assert "http" not in text
    assert "<script>alert" not in text
    assert "prefers-color-scheme: dark" in text
    assert "width=device-width" in text
    for result in ALL:
        assert result.case in text


@pytest.mark.parametrize("name", ["report.html", "junit.xml"])
def test_full_disk_names_the_file(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.symlink_to("/dev/full")
    write = {
        "report.html": lambda: render.write_html(path, ALL, 1.0),
        "junit.xml": lambda: render.write_junit(path, ALL),
    }
    with pytest.raises(NormgradError, match=f"{name} cannot be written .No space left"):
        write[name]()


def test_bench_has_one_form_per_column(capsys: pytest.CaptureFixture[str]) -> None:
    counters = [{"barriers": 16352, "sync_all": 40}, {"barriers": 676520, "sync_all": 40}]
    report.bench_table(
        [
            replace(PASSED, counters=more, slope_cycles_per_64=slope)
            for more, slope in zip(counters, (21.43, 27.0), strict=True)
        ]
    )
    said = capsys.readouterr().out
    for word in ("408.8", "16,913.0", "21.43", "27.00", "1.0041"):
        assert f" {word} " in said


def test_bench_names_what_misses_its_limit(capsys: pytest.CaptureFixture[str]) -> None:
    limits: dict[str, float | None] = {"slope_cycles_per_64": 18.0, "bandwidth_fraction": 0.75}
    over = replace(PASSED, budget=limits, bandwidth_fraction=0.744)
    report.bench_table([over, replace(PASSED, budget={"slope_cycles_per_64": 18.5})])
    said = [line for line in capsys.readouterr().out.splitlines() if "beyond" in line]
    assert said == [
        f"beyond its budget: {PASSED.case}: slope cycles per 64 is 18.25, at most 18, bandwidth "
        "fraction is 0.744, at least 0.75"
    ]


def test_html_of_nothing(tmp_path: Path) -> None:
    assert "0 cases" in render.write_html(tmp_path / "report.html", [], 0.0).read_text()


def test_table_aligns_numbers_to_the_right(capsys: pytest.CaptureFixture[str]) -> None:
    report.table(("name", "n"), [("a", 1), ("long name", 12345)])
    assert capsys.readouterr().out.splitlines() == [
        "name            n", "a               1", "long name  12,345",
    ]  # fmt: skip
