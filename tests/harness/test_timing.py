"""What is said of modelled times: figures, labels, limits."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from normgrad import budgets, jobs, render, report, run, timing
from normgrad.backends import LaunchOptions
from normgrad.cases import Case
from normgrad.store import Result

CASE = "rms_norm_grad:ascend910b4:bf16:4096x1024:seed1"
PART = {"us": 50.0, "aiv_time_us": 49.0, "aiv_vec_time_us": 20.0, "aiv_scalar_time_us": 10.0,
        "aiv_mte2_time_us": 30.0, "aiv_mte3_time_us": 15.0}  # fmt: skip
TIME: dict[str, Any] = {
    "calibrated": True, "clock_mhz": 1650.0, "gm_pool_gb_per_s": 680.0, "l2_pool_gb_per_s": 2900.0,
    "launch_us": 2.5, "sync_all_us": 3.0, "cold": PART, "resident": {**PART, "us": 40.0},
}  # fmt: skip


def test_fraction_is_minimum_bytes_over_cold_time_of_what_can_be_had() -> None:
    figures = timing.figures(TIME, minimum_bytes=17_000_000)
    assert figures["modelled_us"] == 50.0
    assert figures["modelled_resident_us"] == 40.0
    assert figures["bandwidth_fraction"] == pytest.approx(17e6 / 50e-6 / 680e9)
    assert timing.figures({}, 1) == {}
    nothing = {**TIME, "cold": {**PART, "us": 0.0}}
    assert timing.figures(nothing, 1)["bandwidth_fraction"] is None


@pytest.mark.parametrize(("calibrated", "said"), [(True, False), (False, True)])
def test_every_print_says_uncalibrated_where_it_is(
    calibrated: bool, said: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    time = {**TIME, "calibrated": calibrated}
    assert any("uncalibrated" in line for line in timing.lines(time, 0.5)) is said
    report.bench_table([replace(_result(), **timing.figures(time, 17_000_000))])
    printed = capsys.readouterr().out
    assert ("uncalibrated" in printed) is said
    assert "without launch and SyncAll" in printed


def test_an_inferred_memory_rate_is_said() -> None:
    sure = timing.figures(TIME, 1, pool_measured=True)["time"]
    guess = timing.figures(TIME, 1, pool_measured=False)["time"]
    assert timing.label(sure) == "modelled"
    assert timing.label(guess) == "modelled, memory rate inferred"
    case = Case.parse("rms_norm_grad:ascend910b3:bf16:8x64:seed1")
    row = run.run_case(jobs.from_case(case), LaunchOptions()).result
    assert row.time["pool_measured"] is False


def _result() -> Result:
    return Result(CASE, "PASSED", True, "", soc="ascend910b4", cores=40)


def test_bench_shows_limits_beside_figures(capsys: pytest.CaptureFixture[str]) -> None:
    figures = timing.figures(TIME, 17_000_000)
    budget = {"modelled_us": 42.0, "bandwidth_fraction": 0.75, "slope_cycles_per_64": 22.0}
    report.bench_table([replace(_result(), **figures, budget=budget, slope_cycles_per_64=20.5)])
    words = capsys.readouterr().out.splitlines()[1].split()
    for figure, limit in (("50.0", "42"), ("0.500", "0.75"), ("20.50", "22")):
        assert words[words.index(figure) + 1] == limit


def _limits(text: str) -> budgets.Budget:
    case = Case.parse(text)
    return budgets.of(case, run.plan_case(case))


def test_limits_of_a_case() -> None:
    limits = _limits(CASE)
    # 40 cores x (8 bytes of a partial sum + 2 of gamma) over 6 bytes of dy, x and dx x 4096 rows
    assert limits.bytes_over_minimum == pytest.approx(1.005 + 40 * 10 / (6 * 4096))
    assert (limits.slope_cycles_per_64, limits.modelled_us) == (22, 42)
    assert limits.bandwidth_fraction == 0.75
    strong = _limits("rms_norm_grad:ascend910b4:bf16:4096x1024:det=strong:seed1")
    # 64 groups x 8 bytes, 40 cores x 2
    assert strong.bytes_over_minimum == pytest.approx(1.005 + (64 * 8 + 80) / (6 * 4096))
    assert (strong.modelled_us, strong.bandwidth_fraction) == (None, None)
    wide = _limits("rms_norm_grad:ascend910b4:bf16:4096x4096:seed1")
    assert (wide.slope_cycles_per_64, wide.modelled_us) == (28, None)  # one row at a time
    fp32 = _limits("rms_norm_grad:ascend910b4:fp32:4096x1024:seed1")
    assert fp32.bytes_over_minimum == pytest.approx(1.005 + 40 * 12 / (12 * 4096))
    assert fp32.bandwidth_fraction is None
    few = _limits("rms_norm_grad:ascend910b1:bf16:4096x1024:seed1")
    assert (few.modelled_us, few.bandwidth_fraction) == (None, None)  # of ascend910b4 alone
    assert _limits("rms_norm_grad:ascend910b4:bf16:0x64:seed1") == budgets.Budget()


def test_a_row_carries_time_and_limits() -> None:
    row = replace(_result(), **timing.figures(TIME, 1), budget={"modelled_us": 42.0}).row()
    assert row["modelled_us"] == 50.0
    assert row["modelled_resident_us"] == 40.0
    assert row["time"]["cold"]["aiv_vec_time_us"] == 20.0
    assert row["budget"] == {"modelled_us": 42.0}


def test_the_page_has_the_modelled_time_and_its_mark(tmp_path: Path) -> None:
    sure = replace(_result(), **timing.figures(TIME, 17_000_000))
    guess = replace(_result(), **timing.figures({**TIME, "calibrated": False}, 17_000_000))
    text = render.write_html(tmp_path / "report.html", [sure, guess, _result()], 1.0).read_text()
    assert '<td class="n">50.0</td>' in text
    assert '<td class="n">50.0 uncalibrated</td>' in text
    assert text.count("time (modelled; without launch") == 1
    assert text.count("time (modelled, uncalibrated; without launch") == 1
