"""Plans under det=strong: the order of dgamma's sum does not follow the cores; what it costs."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from normgrad.plan import Options, Plan, Problem, Refused, make_plan

OP = "rms_norm_grad"
SOCS = ("ascend910b1", "ascend910b4", "ascend910_9362", "ascend910_9391")
GROUP = 64  # rows
BLOCK = 64  # partial sums

rows = st.one_of(st.integers(0, 200), st.integers(0, 1 << 20), st.integers(0, 1 << 40))
cols = st.one_of(st.integers(1, 300), st.integers(1, 16000), st.integers(16000, 200000))
pairs = st.sampled_from(
    [("bf16", "bf16"), ("fp16", "fp16"), ("fp32", "fp32"), ("bf16", "fp32"), ("fp16", "fp32")]
)
problems = st.builds(lambda r, c, d: Problem(r, c, *d), rows, cols, pairs)
ub = st.none() | st.integers(8192, 196608)
cores = st.none() | st.integers(1, 40)
common = settings(derandomize=True, max_examples=400, deadline=None)


def planned(soc: str, problem: Problem, **wishes: Any) -> Plan | None:
    try:
        return make_plan(OP, soc, problem, Options(det_strong=True, **wishes))
    except Refused:
        event("refused")
        return None


def ceil_div(value: int, step: int) -> int:
    return -(-value // step)


def groups_of(problem: Problem) -> int:
    return max(1, ceil_div(problem.rows, GROUP))


def order(plan: Plan) -> tuple[Any, ...]:
    """All that the order of dgamma's sum may depend on; tiles of whole groups do not count, nor
    who has which columns: DxFewRows adds up rows as DxSplitRow does."""
    fields = plan.fields
    names = ("rows_per_step", "deal_rows", "partial_slots")
    has_lo = any(buffer.name == "sum_lo" for buffer in plan.buffers)
    piece = min(int(fields["rows_per_tile"]), GROUP)
    if piece % int(fields["rows_per_step"]) == 0 and piece in (GROUP, GROUP // 2):
        piece = GROUP  # cut into the same steps
    strategy = plan.strategy.replace("DxFewRows", "DxSplitRow")
    return (strategy, has_lo, piece, *(fields[name] for name in names))


def test_whole_group_is_copied_only_where_it_fits() -> None:
    # Two tiles of 32 rows fill this UB to the last byte; one core has both groups.
    problem = Problem(65, 65, "bf16", "bf16")
    tight, roomy = (planned("ascend910b1", problem, ub_bytes=b, cores=1) for b in (39456, None))
    assert tight is not None
    assert roomy is not None
    assert (tight.fields["rows_per_tile"], roomy.fields["rows_per_tile"]) == (32, 64)


@common
@given(st.sampled_from(SOCS), problems, ub, cores)
def test_order_does_not_depend_on_cores(
    soc: str, problem: Problem, ub_bytes: int | None, wanted: int | None
) -> None:
    plan = planned(soc, problem, ub_bytes=ub_bytes, cores=wanted)
    other = planned("ascend910b4", problem, ub_bytes=ub_bytes)
    assert (plan is None) == (other is None)
    if plan is None or other is None:
        return
    event(plan.strategy)
    assert order(plan) == order(other)
    assert plan.declared_c == other.declared_c


@common
@given(st.sampled_from(SOCS), problems, ub, cores)
def test_groups_are_dealt_once(
    soc: str, problem: Problem, ub_bytes: int | None, wanted: int | None
) -> None:
    plan = planned(soc, problem, ub_bytes=ub_bytes, cores=wanted)
    if plan is None:
        return
    groups, fields = groups_of(problem), plan.fields
    assert fields["deal_rows"] == GROUP
    assert fields["partial_slots"] == groups
    parts = plan.cores // max(1, int(fields["col_groups"]))  # cores, or those that share columns
    assert parts == min(wanted or plan.soc.cores, groups)
    end = 0
    for core in range(parts):
        more = int(fields["cores_with_one_more"])
        begin = core * int(fields["rows_per_core"]) + min(core, more) * GROUP
        assert begin == end
        end = begin + int(fields["rows_per_core"]) + (GROUP if core < more else 0)
        assert problem.rows == 0 or begin < problem.rows, "no core is launched for nothing"
    assert max(0, end - GROUP) <= problem.rows <= end
    tile = int(fields["rows_per_tile"])
    if plan.strategy == "DxWholeRow":
        assert tile < GROUP or tile % GROUP == 0, "a tile is a piece of a group, or groups"
        assert int(fields["rows_per_step"]) <= min(tile, GROUP)
        # Tiles begin anew with each group: one whose rstd came in two copies would be torn.
        rstd = int(fields["rstd_rows"])
        if groups > 1:
            assert rstd % tile == 0 if GROUP % tile == 0 or tile > GROUP else rstd % GROUP == 0


@common
@given(st.sampled_from(SOCS), problems, ub, cores)
def test_second_phase_fits_and_covers_the_columns(
    soc: str, problem: Problem, ub_bytes: int | None, wanted: int | None
) -> None:
    plan = planned(soc, problem, ub_bytes=ub_bytes, cores=wanted)
    if plan is None:
        return
    fields, groups = plan.fields, groups_of(problem)
    if groups == 1:
        leaf_sums = problem.rows * int(fields["leaf_row_pitch"])
        assert (plan.workspace_bytes, fields["strip_cols"]) == (4 * leaf_sums, 0)
        return
    blocks = ceil_div(groups, BLOCK)
    pitch, strip = int(fields["partial_pitch_cols"]), int(fields["strip_cols"])
    block_strip = int(fields["block_strip_cols"])
    assert pitch >= problem.cols
    assert pitch % (8 if problem.cols < 128 else 128) == 0
    assert plan.workspace_bytes == (groups + (blocks if blocks > 1 else 0)) * pitch * 4
    assert strip > 0
    assert strip % 8 == 0
    assert (block_strip > 0) == (blocks > 1)
    assert block_strip % 8 == 0
    assert plan.ub_used_bytes(2) <= plan.ub_limit_bytes
    held = {b.name.split(" ")[0]: b for b in plan.buffers if b.phase == 2}
    widest = max(strip, block_strip)
    assert held["partials_in"].bytes == min(groups, BLOCK) * widest * 4
    assert held["partials_in"].count == fields["partial_buffers"] == (2 if blocks > 1 else 1)
    assert held["sum_out"].bytes == widest * 4
    assert ("strip_hi" in held) == (blocks > BLOCK)
    if blocks > BLOCK:
        assert held["strip_hi"].bytes == held["strip_lo"].bytes == ceil_div(strip, 64) * 256
        assert held["strip_mask"].bytes * 8 >= ceil_div(strip, 64) * 64


@common
@given(st.sampled_from(SOCS), problems)
def test_cost_is_said(soc: str, problem: Problem) -> None:
    plan = planned(soc, problem)
    if plan is None:
        return
    assert len(plan.reason) < 500
    if problem.rows <= GROUP:
        assert plan.reason.endswith("; det=strong: all rows are one group")
        return
    said = re.search(
        r"; det=strong: ([\d,]+) groups of 64 rows, the busiest core has ([\d,]+) rows, (\d+) on "
        r"average; their sums move (\d+\.\d) % more bytes$",
        plan.reason,
    )
    assert said is not None, plan.reason
    groups, busiest, mean = (int(said[i].replace(",", "")) for i in (1, 2, 3))
    assert groups == groups_of(problem)
    assert busiest == min(problem.rows, ceil_div(groups, plan.cores) * GROUP)
    assert abs(mean - problem.rows / plan.cores) <= 0.5
    extra = 8 * groups * problem.cols / plan.minimum_bytes
    assert abs(float(said[4]) - 100 * extra) < 0.06
    if problem.rows >= 100 * GROUP and problem.cols >= 16:
        assert extra < 0.0215, "8 bytes a column for 64 rows of 6 bytes"


def test_one_accumulator_declares_the_rows_of_a_group() -> None:
    plan = planned("ascend910b4", Problem(8192, 16384, "bf16", "bf16"))
    assert plan is not None
    assert plan.declared_c == 4 + GROUP / 3


def test_narrow_rows_are_copied_in_groups() -> None:
    many = planned("ascend910b4", Problem(1 << 20, 24, "bf16", "bf16"))
    few = planned("ascend910b4", Problem(100 * GROUP, 24, "bf16", "bf16"))
    assert many is not None
    assert few is not None
    assert many.fields["rows_per_tile"] == 320, "15 KB of 16"
    assert few.fields["rows_per_tile"] == 128, "two tiles for the three groups of a core"
    assert many.fields["rows_per_step"] == few.fields["rows_per_step"] == GROUP


def test_a_group_is_copied_whole_where_there_is_another_one() -> None:
    alone = planned("ascend910b4", Problem(4096, 128, "bf16", "bf16"), cores=40)
    other = planned("ascend910b4", Problem(4096, 128, "bf16", "bf16"), cores=7)
    few = planned("ascend910b1", Problem(40 * GROUP, 128, "bf16", "bf16"))
    assert alone is not None
    assert other is not None
    assert few is not None
    assert [p.fields["rows_per_tile"] for p in (alone, other, few)] == [GROUP, GROUP, GROUP // 2]
    assert {p.fields["rows_per_step"] for p in (alone, other, few)} == {GROUP // 2}


@pytest.mark.parametrize(
    ("wanted", "tile"), [(1, 1), (10, 10), (GROUP, GROUP), (200, GROUP), (4095, GROUP)]
)
def test_rows_per_tile_stays_within_a_group(wanted: int, tile: int) -> None:
    plan = planned("ascend910b4", Problem(4096, 64, "bf16", "bf16"), rows_per_tile=wanted)
    assert plan is not None
    assert plan.fields["rows_per_tile"] == tile


@pytest.mark.parametrize("lower", [1, 64, 65, 4096, 4097, 1 << 18, (1 << 18) + 1])
def test_levels_of_the_sum(lower: int) -> None:
    plan = planned("ascend910b4", Problem(lower, 64, "fp32", "fp32"))
    assert plan is not None
    assert (plan.fields["partial_slots"] == 1) == (lower <= GROUP)
    assert (plan.fields["block_strip_cols"] == 0) == (lower <= GROUP * BLOCK)
    has_pair = any(buffer.name.startswith("strip_hi") for buffer in plan.buffers)
    assert has_pair == (lower > GROUP * BLOCK * BLOCK)
