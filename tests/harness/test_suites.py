"""The written suites are those that their writer writes; what they promise is there."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import edge_suite
import published_suite
import pytest
import suite_writer

from normgrad import cases, paths, run
from normgrad.cases import Case
from normgrad.plan import Refused, check

OP = "rms_norm_grad"
EVERY_OP = pytest.mark.parametrize("op", suite_writer.OPS)


def written(suite: str, op: str) -> Path:
    return suite_writer.CASES / suite / f"{op}.txt"


@EVERY_OP
def test_edge_is_what_the_planner_gives_now(op: str) -> None:
    """If this fails after a change of the planner: python tests/harness/suite_writer.py edge."""
    assert edge_suite.text(op) == written("edge", op).read_text()


@EVERY_OP
def test_published_refuses_what_the_planner_refuses_now(op: str) -> None:
    """If this fails with a new kernel: python tests/harness/suite_writer.py published."""
    text = written("published", op).read_text()
    assert published_suite.refreshed(text) == text


@EVERY_OP
def test_published_expects_what_the_contract_says(op: str) -> None:
    for case in cases.load_file(written("published", op)):
        assert case.expect == published_suite.contract(case) or case.expect in (None, 561002)


@pytest.mark.parametrize("suite", cases.suite_names(paths.cases_root()))
def test_suite_expects_the_refusals_that_the_planner_gives(suite: str) -> None:
    for case in cases.load_suite(suite, paths.cases_root()):
        code = None
        try:
            run.plan_case(case)
        except Refused as refused:
            code = refused.code
        assert case.expect == code, case


@EVERY_OP
def test_edge_has_both_sides_every_strategy_every_chip_and_all_data(op: str) -> None:
    edge = cases.load_file(written("edge", op))
    planned = {case: run.plan_case(case) for case in edge if case.expect is None and case.cols}
    seen = Counter((case.soc, plan.strategy) for case, plan in planned.items())
    socs = {soc for soc, _ in seen}
    assert len(socs) == len({chip.soc.name for chip in edge_suite._chips(op)})
    strategies = {strategy for _, strategy in seen} - {"Nothing"}
    assert {(soc, strategy) for soc in socs for strategy in strategies} <= set(seen)
    for strategy in strategies:
        found = {case.dist for case, plan in planned.items() if plan.strategy == strategy}
        assert found == set(cases.DISTS)
    # Where a row is refused, a row beside it that is not is there as well.
    for case in edge:
        if case.expect == 561002 and case.rows == 1:
            beside = [c for c in edge if abs(c.cols - case.cols) == 1 and c.dtype == case.dtype]
            assert any(c.expect is None for c in beside), case


def _record(**more: object) -> dict[str, object]:
    plain: dict[str, object] = {
        "op": "RmsNormGrad",
        "source_file": "norm/rms_norm_grad/tests/ut/a.cpp",
        "source_kind": "ut_tiling",
        "name": "first",
        "shapes": {"dy": [4, 16], "x": [4, 16], "rstd": [4], "gamma": [16]},
        "dtypes": {"dy": "BF16", "x": "BF16", "rstd": "FLOAT", "gamma": "BF16"},
        "expected": {"status": "ge::GRAPH_SUCCESS"},
    }
    return plain | more


def test_published_record_becomes_a_case() -> None:
    text, differences = published_suite.texts([_record(), _record(name="second")])
    assert "rms_norm_grad:ascend910b4:bf16:4x16:seed1  # first and 1 like it" in text
    assert "# ut/a.cpp" in text
    assert differences == ""


def test_published_difference_names_the_row_of_the_contract() -> None:
    half = {"dy": "FLOAT16", "x": "FLOAT16", "rstd": "FLOAT16", "gamma": "FLOAT16"}
    text, differences = published_suite.texts([_record(dtypes=half)])
    assert "stats=fp16:expect=161002" in text
    assert "first | success | 161002 | dtypes | rstd is FLOAT16" in differences
    assert published_suite.refreshed(text) == text


def test_published_record_beyond_case_text_is_a_comment(tmp_path: Path) -> None:
    shapes = {"dy": [4, 16], "x": [4, 8], "rstd": [4], "gamma": [16]}
    text, _ = published_suite.texts([_record(shapes=shapes)])
    (tmp_path / "cases.txt").write_text(text)
    assert cases.load_file(tmp_path / "cases.txt") == []
    assert "# first is not a case" in text


def test_stats_of_another_dtype_are_refused() -> None:
    case = Case.parse(f"{OP}:ascend910b4:fp32:4x16:stats=fp16:expect=161002")
    with pytest.raises(Refused) as caught:
        check(OP, case.soc, run.descriptors(case))
    assert caught.value.code == 161002
