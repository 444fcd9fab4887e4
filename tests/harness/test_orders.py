"""Launches under several orders of the cores: what differs, and what only one of them shows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from normgrad import jobs, orders, run
from normgrad.backends import Finding, LaunchOptions, Outputs

CASE = "rms_norm_grad:ascend910b4:fp32:5x7:seed1"
RACE = Finding("race-cores", "dgamma is written twice", api="DataCopy", file="a.h", line=3)


def outputs(*values: float) -> Outputs:
    return Outputs({"dx": np.array([values], np.float32), "dgamma": np.zeros(2, np.float32)})


def test_bit_equal_launches_are_counted() -> None:
    found = orders.gather(outputs(1, 2), [(1, outputs(1, 2)), (2, outputs(1, 2))])
    assert (found.same, found.words) == (True, "bit-equal over 3 orders")


def test_nan_is_equal_to_its_own_bits_and_zero_is_not_minus_zero() -> None:
    same = orders.gather(outputs(np.nan), [(1, outputs(np.nan))])
    assert same.same
    assert "dx[0, 0] is 0 " in orders.gather(outputs(0.0), [(1, outputs(-0.0))]).words


def test_the_first_difference_names_element_values_and_seed() -> None:
    found = orders.gather(outputs(1, 2), [(1, outputs(1, 2)), (2, outputs(1, 2.5))])
    assert found.same is False
    assert found.words == (
        "dx[0, 1] is 2 in the natural order of the cores and 2.5 under seed 2 (1 of 2 elements of "
        "dx differ): the result depends on which core comes first"
    )


def test_a_finding_of_one_order_counts() -> None:
    again = replace(outputs(1), findings=(RACE,))
    found = orders.gather(outputs(1), [(1, outputs(1)), (2, again), (3, again)]).outputs.findings
    assert [finding.message for finding in found] == ["dgamma is written twice (under seed 2)"]


def test_a_launch_that_fails_names_its_seed_and_is_the_last() -> None:
    launched = []

    def further() -> object:
        for seed in (1, 2):
            launched.append(seed)
            yield seed, Outputs({}, error="it hangs")

    found = orders.gather(outputs(1), further())  # type: ignore[arg-type]
    assert found.outputs.error == "under seed 1: it hangs"
    assert (found.same, found.words) == (None, ""), "nothing was compared to its end"
    assert launched == [1]


@pytest.mark.parametrize(
    ("mode", "status", "said"),
    [
        ("right", "PASSED", ""),
        ("unsteady", "FAILED", "dx[1, 3] is"),
        ("late-rule", "RULE", "under seed 2"),
    ],
)
def test_orders_decide_the_status(
    mode: str, status: str, said: str, in_fake_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NORMGRAD_FAKE", mode)
    options = LaunchOptions(shuffle_runs=3, sync="autosync")
    result = run.run_case(jobs.from_text(CASE), options).result
    assert result.status == status
    assert said in result.reason
    assert result.command == f"normgrad run {CASE} --sync autosync --shuffle-runs 3"
    assert result.deterministic is (mode != "unsteady")
    assert (result.compared == ("bit-equal over 4 orders",)) == (mode != "unsteady")
    assert result.batch_invariant is None
    if mode != "right":  # two orders are not enough to see it
        few = run.run_case(jobs.from_text(CASE), replace(options, shuffle_runs=1)).result
        assert few.status == "PASSED"


def test_one_order_says_nothing(in_fake_cache: Path) -> None:
    result = run.run_case(jobs.from_text(CASE), LaunchOptions()).result
    assert (result.deterministic, result.batch_invariant, result.compared) == (None, None, ())
    assert result.command == f"normgrad run {CASE}"
