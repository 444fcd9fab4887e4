"""Lines, junit.xml and report.html say what the results say, whatever text is in them."""

from __future__ import annotations

import io
import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path

import pytest

from normgrad import render, report
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


def test_html_of_nothing(tmp_path: Path) -> None:
    assert "0 cases" in render.write_html(tmp_path / "report.html", [], 0.0).read_text()


def test_ub_is_drawn_to_scale() -> None:
    pieces = render.ub_pieces(PASSED)
    assert [(p.name, p.x, p.width) for p in pieces] == [
        ("dy_in", 0.0, 400.0),
        ("x_in", 400.0, 100.0),
    ]


def test_table_aligns_numbers_to_the_right(capsys: pytest.CaptureFixture[str]) -> None:
    report.table(("name", "n"), [("a", 1), ("long name", 12345)])
    assert capsys.readouterr().out.splitlines() == [
        "name            n", "a               1", "long name  12,345",
    ]  # fmt: skip
