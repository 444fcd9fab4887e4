"""Rows of a case in other batches: which ones, how they are compared, what a difference says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from normgrad import batches, inputs, jobs, run
from normgrad.backends import LaunchOptions, Outputs
from normgrad.cases import Case
from normgrad.plan import Plan, Refused

CASE = "rms_norm_grad:ascend910b4:fp32:5x7:seed1"
OPTIONS = LaunchOptions(invariance=True)


def planned(text: str) -> tuple[Case, Plan]:
    case = Case.parse(text)
    return case, run.plan_case(case)


@pytest.mark.parametrize(
    ("text", "rows", "cores"),
    [
        (CASE, [[0, 1, 2], [1], [1, 2, 3, 4], [4]], [2, 3, None, None]),
        (f"{CASE}:cores=3", [[0, 1, 2], [1], [1, 2, 3, 4], [4]], [1, 2, None, None]),
        (f"{CASE}:cores=1", [[0, 1, 2], [1], [1, 2, 3, 4], [4]], [2, 3, None, None]),
        (CASE.replace("5x7", "2x7"), [[0], [0], [1]], [1, 3, None]),
        (CASE.replace("5x7", "7"), [[0] * 7], [None]),
        (CASE.replace("5x7", "2x3x7") + ":axes=2", [[0], [0], [1]], [1, 3, None]),
        (CASE.replace("5x7", "0x7"), [], []),
        (CASE.replace("5x7", "5x0"), [], []),
    ],
)
def test_batches_of_a_case(text: str, rows: list[list[int]], cores: list[int | None]) -> None:
    case, plan = planned(text)
    found = batches.batches_of(case, plan)
    assert [list(batch.rows) for batch in found] == rows
    assert [batch.case.cores for batch in found] == cores
    assert all(batch.case.cores != plan.cores for batch in found)
    assert all((b.case.rows, b.case.cols) == (len(b.rows), case.cols) for b in found)


def test_batches_are_cut_in_another_way_than_the_whole() -> None:
    case, plan = planned("rms_norm_grad:ascend910b4:bf16:1000x1024:seed1")
    plans = [plan, *(run.plan_case(b.case) for b in batches.batches_of(case, plan))]
    cuts = {tuple(p.fields[f] for f in ("cores", "rows_per_core", "rows_per_tile")) for p in plans}
    assert len(cuts) == len(plans)
    assert len({p.fields["rows_per_tile"] for p in plans}) >= 2


def test_large_cases_have_small_batches_and_one_keeps_the_options() -> None:
    case, plan = planned("rms_norm_grad:ascend910b4:bf16:100000x1024:strategy=DxWholeRow:ub=100000")
    head, middle, one_each, last = batches.batches_of(case, plan)
    assert len(head.rows) * 1024 == len(middle.rows) * 1024 == 1 << 21
    assert list(one_each.rows) == list(range(99_960, 100_000))
    assert (head.case.strategy, head.case.ub, last.case.strategy) == (None, None, None)
    assert (middle.case.strategy, middle.case.ub) == ("DxWholeRow", 100000)
    assert middle.words == "rows 33333 to 35380 alone on at most 3 cores"


def test_rows_keep_their_values() -> None:
    case = Case.parse("rms_norm_grad:ascend910b4:bf16:2x3x4x5:axes=2:seed1")
    data = inputs.make_inputs(case)
    some = batches.rows_of(case, data, np.array([1, 4]))
    assert {name: array.shape for name, array in some.items()} == {
        "dy": (2, 20), "x": (2, 20), "rstd": (2,), "gamma": (20,),
    }  # fmt: skip
    assert np.array_equal(some["x"], data["x"].reshape(6, 20)[[1, 4]])
    assert np.array_equal(some["rstd"], data["rstd"].reshape(6)[[1, 4]])
    assert np.array_equal(some["gamma"], data["gamma"].reshape(20))


def whole(case: Case) -> Outputs:
    dx = np.arange(case.rows * case.cols, dtype=np.float32).reshape(case.shape)
    return Outputs({"dx": dx, "dgamma": np.zeros(case.cols, np.float32)})


def examined(change: Any, text: str = CASE) -> Any:
    """Examines outputs of which `change` edits what a batch of some rows gives."""
    case, plan = planned(text)
    data = {**inputs.make_inputs(case), "x": whole(case).arrays["dx"]}

    def launch(batch: Case, given: Any) -> Outputs:
        dx = given["x"].copy()
        change(batch, dx)
        return Outputs({"dx": dx, "dgamma": np.full(batch.cols, batch.rows, np.float32)})

    return batches.examine(case, data, whole(case), plan, launch)


def test_equal_rows_are_invariant_whatever_dgamma_is() -> None:
    found = examined(lambda batch, dx: None)
    assert (found.same, found.words) == (True, "rows bit-equal in 4 other batches")


def test_the_first_difference_names_row_column_and_both_bit_patterns() -> None:
    def change(batch: Case, dx: Any) -> None:
        if batch.rows == 3:
            dx[1:, 2:4] = np.nextafter(dx[1:, 2:4], np.float32(np.inf))

    found = examined(change)
    assert found.same is False
    assert found.words == (
        "dx of row 1, col 2 is 0x41100000 (9) among all 5 rows and 0x41100001 (9.00000095) with "
        "rows 0 to 2 alone on at most 2 cores (elements that differ: 4, in 2 of 3 rows): a row's "
        "result depends on the batch around it"
    )


def test_a_row_alone_is_repeated() -> None:
    def change(batch: Case, dx: Any) -> None:
        dx[-1, 6] += 1.0

    found = examined(change, CASE.replace("5x7", "7"))
    assert "dx of row 0, col 6 is" in found.words
    assert "with row 0 7 times (elements that differ: 1, in 1 of 7 rows)" in found.words


def test_nan_is_nan_and_minus_zero_is_not_zero() -> None:
    case, plan = planned(CASE)
    payloads = np.array([0x7FC00000, 0xFFC00001], np.uint32).view(np.float32)
    for first, second, same in ((*payloads, True), (0.0, -0.0, False), (1.0, np.nan, False)):
        one = Outputs({"dx": np.full(case.shape, first, np.float32)})

        def launch(batch: Case, _: Any, value: float = second) -> Outputs:
            return Outputs({"dx": np.full(batch.shape, value, np.float32)})

        assert batches.examine(case, inputs.make_inputs(case), one, plan, launch).same is same


def test_refused_batches_are_left_out() -> None:
    def refuse(batch: Case, dx: Any) -> None:
        if batch.cores == 3:
            raise Refused(561002, "no")

    assert examined(refuse).words == "rows bit-equal in 3 other batches"

    def refuse_all(batch: Case, dx: Any) -> None:
        raise Refused(561002, "no")

    found = examined(refuse_all)
    assert (found.same, found.words) == (None, "")


@pytest.mark.parametrize(
    ("mode", "status", "said"),
    [
        ("right", "PASSED", ""),
        ("batch", "FAILED", "dx of row 4, col 3 is 0x"),  # 4 of 5 rows, one for each core
        ("batch-rule", "RULE", "(with row 1 alone on at most 3 cores)"),
    ],
)
def test_batches_decide_the_status(
    mode: str, status: str, said: str, in_fake_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NORMGRAD_FAKE", mode)
    result = run.run_case(jobs.from_text(CASE), OPTIONS).result
    assert result.status == status
    assert said in result.reason
    assert result.command == f"normgrad run {CASE} --invariance"
    assert (result.deterministic, result.batch_invariant) == (None, mode != "batch")
    assert (result.compared == ("rows bit-equal in 4 other batches",)) == (mode != "batch")


def test_a_difference_fails_the_case(in_fake_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NORMGRAD_FAKE", "batch")
    job = jobs.from_text(CASE.replace("5x7", "9x7"))  # whose head has 6 rows
    plain = run.run_case(job, LaunchOptions()).result
    assert (plain.status, plain.batch_invariant) == ("PASSED", None)
    result = run.run_case(job, replace(OPTIONS, shuffle_runs=1)).result
    assert (result.status, result.deterministic, result.batch_invariant) == ("FAILED", True, False)
    assert result.reason.startswith("dx of row 5, col 3 is 0x")
    assert result.compared == ("bit-equal over 2 orders", result.reason)
