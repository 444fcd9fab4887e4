"""report.html: what its data say, and, in a browser, that filters, order and details work."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from normgrad import charts, dtypes, page, regressions, render, where
from normgrad.compare import Tally
from normgrad.store import Result

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "chrome"))), None)


def result(cols: int, dtype: str = "bf16", soc: str = "ascend910b4", **more: object) -> Result:
    plain = Result(
        case=f"rms_norm_grad:{soc}:{dtype}:4096x{cols}:seed1",
        status="PASSED",
        expected=True,
        reason="",
        command="normgrad run it",
        op="rms_norm_grad",
        soc=soc,
        dtype=dtype,
        rows=4096,
        cols=cols,
        plan="DxWholeRow",
        plan_reason="it fits",
        tiling_key=1,
        cores=40,
        ub_limit_bytes=1000,
        score=0.5,
        bandwidth_fraction=0.9,
        buffers=({"name": "dy_in", "bytes": 200, "count": 2, "phase": 1},),
        counters={"gm_read_bytes": 12345, "atomics": 0},
        metrics={"dx": {"max_ulp": 0.5}},
        worst={"got": 0.123456789123},
    )
    return replace(plain, **more)  # type: ignore[arg-type]


FAILED = result(
    512,
    status="FAILED",
    expected=False,
    score=7.0,
    reason="</script><b>no</b>",
    explanation=("##",),
)
ALL = [result(1024), result(2048), result(4096), result(1024, "fp32", score=0.25), FAILED]


def test_summary_counts_by_operator_chip_and_dtype() -> None:
    refused = result(8, soc="ascend910a", status="UNSUPPORTED", score=None)
    found = page.summary([*ALL, refused])
    assert found.dtypes == ("bf16", "fp32")
    assert [(op, soc) for op, soc, _ in found.rows] == [
        ("rms_norm_grad", "ascend910a"),
        ("rms_norm_grad", "ascend910b4"),
    ]
    assert found.rows[0][2] == (page.Cell(1, 0, 1, None), None)
    assert found.rows[1][2] == (page.Cell(4, 1, 0, 7.0), page.Cell(1, 0, 0, 0.25))


def test_details_say_each_name_once_and_leave_out_what_is_not_there() -> None:
    text = page.details(ALL)
    assert "<" not in text
    found = json.loads(text)
    assert found["names"]["counters"] == ["gm_read_bytes", "atomics"]
    first = found["cases"][0]
    assert first["counters"] == [12345]
    assert first["metrics"] == {"dx": [0.5]}
    assert first["worst"] == [0.123456789]
    assert "findings" not in first
    assert found["cases"][-1]["reason"] == FAILED.reason


def test_scores_have_a_picture_and_bandwidth_has_one_where_a_line_shows_something() -> None:
    titles = [chart.title for chart in charts.charts(ALL)]
    assert len(titles) == 2
    assert "4,096 rows" in titles[1]  # three widths; but one number of rows only
    assert [chart.title for chart in charts.charts(ALL[:2])] == titles[:1]
    assert charts.charts([]) == []


def test_a_failure_has_a_heat_map() -> None:
    tally = Tally("dx", dtypes.FORMATS["fp32"], (4, 8), 4, 8, 4.0)
    tally.map[1:3, 2:4] = 1
    tally.map[3, 7] = 1
    lines = [*where.picture(tally), "dx fails <there>"]
    (drawn, svg), last = charts.failure(lines)
    assert drawn
    assert "dx, 4 rows x 8 columns" in svg
    cells = re.findall(
        r'class="hot" fill-opacity="1" x="([0-9.]+)" y="(\d+)" width="([0-9.]+)"', svg
    )
    step = (520 - 46) / 8
    places = [(round((float(x) - 46) / step), int(y), round(float(w) / step)) for x, y, w in cells]
    assert places == [(2, 31, 2), (2, 44, 2), (7, 57, 1)]  # two columns are one rectangle
    assert last == (False, "dx fails <there>")
    assert charts.failure(["row 1 |..|"]) == [(False, "row 1 |..|")]  # no map without its head


def test_points_stand_where_their_figures_say() -> None:
    drawn = charts.charts(ALL)[0].svg
    heights = {
        float(y): title
        for y, title in re.findall(r'cy="([0-9.]+)" r="3"><title>([^<]*)</title>', drawn)
    }
    ordered = [title.rpartition(": ")[2] for _, title in sorted(heights.items())]
    assert ordered == ["7", "0.5", "0.25"]  # the highest first
    assert 'class="wrong"' in drawn


def test_baseline_has_a_column(tmp_path: Path) -> None:
    old = [{**each.row(), "modelled_us": 10.0} for each in ALL[:3]]
    new = [
        replace(each, modelled_us=us, time={"calibrated": True, "cold": {}})
        for each, us in zip(ALL[:3], (10.0, 11.0, 9.0), strict=True)
    ]
    against = regressions.compare(old, [each.row() for each in new])
    said = page.trends(against)
    assert list(said.values()) == [
        "same",
        "worse: modelled us +10.0 %",
        "better: modelled us -10.0 %",
    ]
    new = [replace(each, time={}, modelled_us=None) for each in new]
    text = render.write_html(tmp_path / "r.html", [*new, FAILED], 1.0, against).read_text()
    assert "worse: modelled us +10.0 %" in text
    assert ">new<" in text
    assert "against baseline" not in render.write_html(tmp_path / "r.html", new, 1.0).read_text()


def shown(folder: Path, address: str, script: str = "", width: int = 1200) -> str:
    """The page as a browser has it after its scripts, and one of ours, have run."""
    if CHROMIUM is None:
        pytest.skip("no chromium")
    path = render.write_html(folder / "report.html", ALL, 1.0)
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("</body>", f"<script>{script}</script></body>"), encoding="utf-8")
    options = ("--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'user'}")
    done = subprocess.run(
        [
            CHROMIUM,
            *options,
            f"--window-size={width},900",
            "--dump-dom",
            f"{path.as_uri()}{address}",
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return done.stdout


def visible(dom: str) -> list[str]:
    rows = re.findall(r'<tr id="c\d+"([^>]*)>.*?<code>([^<]*)</code>', dom, re.S)
    return [case for attributes, case in rows if "hidden" not in attributes]


@pytest.mark.full
def test_filters_are_in_the_address(tmp_path: Path) -> None:
    assert len(visible(shown(tmp_path, ""))) == 5
    dom = shown(tmp_path, "#dtype=bf16&text=x1024")
    assert visible(dom) == [ALL[0].case]
    assert "1 of 5 cases" in dom


@pytest.mark.full
def test_a_click_in_the_summary_filters(tmp_path: Path) -> None:
    script = "document.querySelector('#summary button[data-dtype=fp32]').click()"
    assert visible(shown(tmp_path, "", script)) == [ALL[3].case]


@pytest.mark.full
def test_a_click_on_a_heading_sorts_numbers_as_numbers(tmp_path: Path) -> None:
    script = "document.querySelectorAll('#cases th button')[3].click()"
    assert [case.split(":")[2:4] for case in visible(shown(tmp_path, "", script))][0::4] == [
        ["fp32", "4096x1024"],
        ["bf16", "4096x512"],
    ]


@pytest.mark.full
def test_a_case_opens_by_a_click_and_by_its_address(tmp_path: Path) -> None:
    script = "document.querySelectorAll('td.case button')[0].click()"
    for dom in (shown(tmp_path, "", script), shown(tmp_path, "#c0")):
        detail = dom.partition('<tr class="detail">')[2].partition('<tr id="c1"')[0]
        assert "it fits" in detail
        assert "12,345" in detail
        assert "normgrad run it" in dom
    closed = shown(tmp_path, "", f"{script}; {script}")
    assert '<tr class="detail">' not in closed
    assert "<b>no</b>" not in shown(tmp_path, "#c4")  # text stays text


@pytest.mark.full
def test_an_opened_case_fits_a_phone(tmp_path: Path) -> None:
    """The table may be wider, and is scrolled; what belongs to a case is read without."""
    script = """
      const width = what => Math.max(...[...document.querySelectorAll(what)].map(
        each => Math.ceil(each.getBoundingClientRect().width)));
      document.body.dataset.widths = [innerWidth, width("#cases"), width("tr.detail > td > *")];"""
    found = re.search(r'data-widths="(\d+),(\d+),(\d+)"', shown(tmp_path, "#c0", script, 500))
    assert found
    window, table, detail = map(int, found.groups())
    assert 100 < detail <= window < table
