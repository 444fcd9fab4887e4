"""Knobs of a plan: their ranges, wishes for buffers, and parts of a problem that keep its tiles."""

from __future__ import annotations

import pytest

from normgrad import candidates, knobs, plan, run
from normgrad.cases import Case
from normgrad.errors import NormgradError, Refused
from normgrad.plan import Knobs, Options

SHAPES = (
    "rms_norm_grad:ascend910b4:bf16:4096x1024",
    "rms_norm_grad:ascend910b4:bf16:4096x5120",
    "rms_norm_grad:ascend910b4:fp32:300x16384",
    "rms_norm_grad:ascend910b4:bf16:7x8192",
    "rms_norm_grad:ascend310p3:fp16:500x2048",
    "rms_norm_grad:ascend950pr_9599:bf16:4096x5120",
    "rms_norm_grad_quant:ascend950pr_9599:bf16:1000x3000",
    "layer_norm_grad_v3:ascend910b4:bf16:2000x768",
    "layer_norm_grad_v3:ascend910a:fp16:2000x4096",
)
FIELDS = ("rows_per_tile", "chunk_cols", "buffers", "cores")


def _find(case: Case) -> list[Knobs]:
    options = Options(det_strong=case.det == "strong")
    return plan.find_knobs(case.op, case.soc, run.problem_of(case), options)


@pytest.mark.parametrize("text", SHAPES)
def test_every_value_of_a_range_is_planned_and_the_next_one_is_not(text: str) -> None:
    case = Case.parse(text)
    found = _find(case)
    assert run.plan_case(case).strategy in [each.strategy for each in found]
    for each in found:
        for name in FIELDS:
            given = getattr(each, name)
            if given is None:
                continue
            values = list(given.values())
            shown = values if len(values) < 40 else [*values[:20], *values[-20:]]
            for value in shown:
                made = run.plan_case(case, strategy=each.strategy, **{name: value})
                assert made.strategy == each.strategy
                if name == "buffers":
                    assert made.fields["in_buffers"] == value
    cores = found[0].cores
    assert cores
    with pytest.raises(Refused, match="cores is"):
        run.plan_case(case, cores=cores.most + 1)


def test_rows_of_a_tile_end_where_ub_ends() -> None:
    case = Case.parse("rms_norm_grad:ascend910b4:bf16:40960x1024")
    whole = next(each for each in _find(case) if each.strategy == "DxWholeRow")
    assert whole.rows_per_tile
    assert 4 < whole.rows_per_tile.most < 40
    with pytest.raises(Refused, match="rows per tile"):
        run.plan_case(case, strategy=whole.strategy, rows_per_tile=whole.rows_per_tile.most + 1)


def test_strong_leaves_cores_and_buffers_and_one_strategy() -> None:
    for shape in ("4096x1024", "4096x5120", "300x16384", "7x8192"):
        case = Case.parse(f"rms_norm_grad:ascend910b4:bf16:{shape}:det=strong")
        (found,) = _find(case)
        assert found.strategy == run.plan_case(case).strategy
        assert (found.rows_per_tile, found.chunk_cols) == (None, None)
        assert found.cores
        assert found.cores.most == 40


@pytest.mark.parametrize("shape", ["4096x1024", "4096x64", "4096x5120", "4096x20000"])
def test_buffers_do_not_change_the_tiles_of_strong_plans(shape: str) -> None:
    case = Case.parse(f"rms_norm_grad:ascend910b4:bf16:{shape}:det=strong")
    own = run.plan_case(case).fields
    same = ("rows_per_tile", "rows_per_step", "chunk_cols", "groups", "group_rows", "deal_rows")
    tried = 0
    for buffers in range(1, 6):
        try:
            made = run.plan_case(case, buffers=buffers)
        except Refused:
            continue
        tried += 1
        assert made.fields["in_buffers"] == buffers
        assert [made.fields[name] for name in same] == [own[name] for name in same]
    assert tried >= 1


def test_wrong_buffers_are_said() -> None:
    case = Case.parse("rms_norm_grad:ascend910b4:bf16:4096x1024")
    with pytest.raises(Refused, match="buffers is 6: it takes 1 to 5 on ascend910b4"):
        run.plan_case(case, buffers=6)
    with pytest.raises(Refused, match="buffers is 1: DxWholeRow takes 2 to 4"):
        run.plan_case(case, buffers=1, strategy="DxWholeRow")
    with pytest.raises(Refused, match="buffers is 3: DxSplitRow takes 1 to 2"):
        run.plan_case(case, buffers=3, strategy="DxSplitRow")
    assert run.plan_case(case, buffers=5).strategy == "DxInPlaceRow"


@pytest.mark.parametrize("text", SHAPES)
def test_a_part_of_a_problem_has_the_tiles_of_all_of_it(text: str) -> None:
    case = Case.parse(text)
    same = ("rows_per_tile", "rows_per_step", "chunk_cols", "segment_cols", "in_buffers",
            "out_buffers", "sum_places", "gamma_is_wide", "cores")  # fmt: skip
    for candidate in candidates.candidates_of(case)[:40]:
        made = candidate.plan()
        if made.fields["col_groups"]:
            continue
        unit = int(made.fields["rows_per_tile"]) * made.cores
        if unit >= case.rows:
            continue
        part = candidates.with_rows(case, unit)
        wishes = dict(candidate.wishes)
        smaller = run.plan_case(part, **wishes, tile_for_rows=case.rows)
        assert smaller.strategy == made.strategy
        assert [smaller.fields[name] for name in same] == [made.fields[name] for name in same]
        assert smaller.fields["rows"] == unit


def test_a_part_is_no_more_than_the_whole() -> None:
    case = Case.parse("rms_norm_grad:ascend910b4:bf16:64x1024")
    with pytest.raises(Refused, match="rows is 64: it takes 0 to 63 as a part of that many"):
        run.plan_case(case, tile_for_rows=63)


def test_knobs_are_written_as_they_are_read() -> None:
    wishes = knobs.read_all(["chunk=1024", "strategy=DxSplitRow", "buffers=1", "tuned=off"])
    assert wishes == {
        "chunk_cols": 1024, "strategy": "DxSplitRow", "buffers": 1, "use_tuned": False,
    }  # fmt: skip
    assert knobs.words(wishes) == ["strategy=DxSplitRow", "chunk=1024", "buffers=1", "tuned=off"]
    for word, said in (
        ("buffer=2", "did you mean buffers"),
        ("buffers", "has no value"),
        ("buffers=two", "whole number"),
        ("tuned=on", "allowed: off"),
    ):
        with pytest.raises(NormgradError, match=said):
            knobs.read_all([word])


def test_candidates_are_distinct_plans_of_which_the_default_is_the_first() -> None:
    case = Case.parse("rms_norm_grad:ascend910b4:bf16:4096x5120")
    found = candidates.candidates_of(case)
    assert found[0].is_default
    assert not any(each.is_default for each in found[1:])
    plans = [(made.tiling_key, made.cores, made.tiling) for made in (c.plan() for c in found)]
    assert len(set(plans)) == len(plans) > 30
    assert {made.strategy for made in (c.plan() for c in found)} == {"DxInPlaceRow", "DxSplitRow"}
    again = [candidates.from_row(candidates.row_of(each)) for each in found]
    assert again == found
