"""report.html of `tune`: what its pictures and its table say of the figures of a search."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from normgrad import candidates, charts_tune, page_tune, render, timeline
from normgrad.candidates import Candidate
from normgrad.cases import Case
from normgrad.charts_tune import Spot
from normgrad.measure import Figure
from normgrad.timeline import Slice
from normgrad.tuned import Tuned

CASE = Case.parse("rms_norm_grad:ascend910b4:bf16:2048x1024:seed1")
SLICES = [
    Slice("VECTOR", "Mul", "a.h:1", 0.0, 2.0),
    Slice("MTE2", "DataCopyPad", "a.h:2", 1.0, 4.0),
    Slice("SCALAR", "wait", "", 0.0, 10.0),
]
CELL = re.compile(r"<g><title>([^<]*)</title><rect class=\"([^\"]*)\" fill-opacity=\"([0-9.]+)\"")


def _figure(us: float | None, tiles: int = 8, reason: str = "", **wishes: int | str) -> Figure:
    given = (*candidates.default_of(CASE).wishes, *wishes.items())
    status = "PASSED" if us else "RULE"
    return Figure(Candidate(CASE, given), status, us, reason, "DxWholeRow", tiles)


DEFAULT = _figure(20.0)
WON = _figure(16.0, strategy="DxWholeRow", rows_per_tile=4, buffers=3)
FOUND = Tuned(
    CASE,
    (
        DEFAULT,
        _figure(30.0, 2, strategy="DxWholeRow", rows_per_tile=4, buffers=3),  # few tiles: no word
        WON,
        _figure(24.0, strategy="DxWholeRow", rows_per_tile=2, buffers=2),
        _figure(None, reason="<a rule>", strategy="DxWholeRow", rows_per_tile=2, buffers=3),
    ),
    4,
    9,
    note="a row of the bank",
)


@pytest.fixture(autouse=True)
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Rows of the launches of which timelines are asked."""
    asked: list[int] = []

    def of_core(case: Case, plan: object) -> list[Slice]:
        asked.append(case.rows)
        return SLICES

    monkeypatch.setattr(timeline, "of_core", of_core)
    return asked


def test_a_section_says_what_was_found(drawn: list[int]) -> None:
    section = page_tune.section(FOUND)
    assert section.title == "rms_norm_grad:ascend910b4:bf16:2048x1024"
    assert "16.0 us by strategy=DxWholeRow rows_per_tile=4 buffers=3" in section.sentence
    assert "20.0 us: 20.0 % less, the best of 4" in section.sentence
    assert [(row.us, row.mark) for row in section.rows] == [
        (16.0, "best"),
        (20.0, "default"),
        (24.0, ""),
        (None, ""),
    ]
    assert section.rows[0].against == pytest.approx(-0.2)
    assert [picture.caption for picture in section.landscapes] == [
        "DxWholeRow: rows per tile and buffers"
    ]
    assert [picture.caption.partition(" (")[0] for picture in section.timelines] == [
        "the planner's choice",
        "strategy=DxWholeRow rows_per_tile=4 buffers=3",
    ]
    assert len(set(drawn)) == 1  # both draw the same rows


def test_the_planner_s_choice_alone_is_one_timeline() -> None:
    section = page_tune.section(Tuned(CASE, (DEFAULT,), 1, 1))
    assert "the planner's choice, 20.0 us, is the best of 1" in section.sentence
    assert section.landscapes == ()
    assert len(section.timelines) == 1
    refused = page_tune.section(Tuned(CASE, (), refused="no"))
    assert (refused.sentence, refused.note) == ("nothing could be timed", "no")
    assert refused.timelines == ()


def test_cells_are_as_strong_as_they_are_quick() -> None:
    spots = [
        Spot(1, 2, 10.0, "first", "best"),
        Spot(2, 2, 12.5, "second", "default"),
        Spot(2, 2, 14.0, "slower, behind it"),
        Spot(1, 3, 30.0, "third"),
        Spot(2, 3, None, "out"),
    ]
    svg = charts_tune.landscape("a", "x", "y", spots, 10.0)
    cells = {title: (kind, float(opacity)) for title, kind, opacity in CELL.findall(svg)}
    assert cells == {
        "first": ("quick best", 0.6),
        "second\nslower, behind it": ("quick default", 0.33),
        "third": ("quick", 0.06),
    }
    assert re.findall(r">(best|\+\d+|out)</text>", svg) == ["best", "+25", "+200", "out"]


def test_pipes_are_as_busy_as_their_slices() -> None:
    svg = charts_tune.overview("a", SLICES, 10.0)
    bars = re.findall(r'class="(s\d)" fill-opacity="1" x="([0-9.]+)" [^>]* width="(\d+)"', svg)
    width = 520 - 62
    assert [(kind, round((float(x) - 62) / width, 2), round(int(w) / width, 2))
            for kind, x, w in bars] == [("s1", 0.0, 0.2), ("s2", 0.1, 0.4)]  # fmt: skip
    assert "DataCopyPad a.h:2, 4000 ns" in charts_tune.zoom("a", SLICES, 10.0)


def test_the_page_is_one_file_and_text_stays_text(tmp_path: Path) -> None:
    sections = [page_tune.section(FOUND)]
    page = render.write_tune(tmp_path / "report.html", sections, 1.0, "us, modelled")
    text = page.read_text()
    assert "&lt;a rule&gt;" in text
    assert "<a rule>" not in text
    assert "http" not in text
    assert text.count("<svg") == 1 + 2 * 2
