"""PlanRmsNormGrad over random shapes and wishes: what holds for every plan."""

from __future__ import annotations

import re

import pytest
from hypothesis import event, example, given, settings
from hypothesis import strategies as st

from normgrad.plan import Options, Plan, Problem, Refused, find_soc, make_plan

OP = "rms_norm_grad"
SOCS = (
    "ascend910b1", "ascend910b4", "ascend910_9362", "ascend910_9391", "ascend310p1", "ascend310p3"
)  # fmt: skip
LEAF_COLS = 512
MEETING_BYTES = 1024
MAX_COPY_ROWS = 4095
NARROW_COLS = 248

rows = st.one_of(st.integers(0, 200), st.integers(0, 1 << 20), st.integers(0, 1 << 40))
cols = st.one_of(
    st.integers(1, 600),
    st.integers(1, 13000),
    st.integers(4000, 20000),
    st.integers(13000, 2_000_000),
)
dtypes = st.sampled_from(
    [("bf16", "bf16"), ("fp16", "fp16"), ("bf16", "fp32"), ("fp16", "fp32"), ("fp32", "fp32")]
)
problems = st.builds(lambda r, c, d: Problem(r, c, *d), rows, cols, dtypes)
ub = st.none() | st.integers(8192, 196608)
no_wish = st.builds(Options, ub_bytes=ub, cores=st.none() | st.integers(1, 40))
chunk_wish = st.builds(
    Options,
    ub_bytes=ub,
    cores=st.none() | st.integers(1, 40),
    chunk_cols=st.none() | st.integers(1, 24).map(lambda leaves: leaves * LEAF_COLS),
    strategy=st.just("DxInPlaceRow"),
)
rows_wish = st.builds(
    Options,
    ub_bytes=ub,
    cores=st.none() | st.integers(1, 40),
    rows_per_tile=st.none() | st.integers(1, MAX_COPY_ROWS),
    strategy=st.just("DxWholeRow"),
)
cut_wish = st.builds(
    Options,
    ub_bytes=ub,
    cores=st.none() | st.integers(1, 40),
    chunk_cols=st.none() | st.sampled_from([512, 1024, 2048, 4096]),
    rows_per_tile=st.none() | st.sampled_from([1, 2, 4, 8, 16]),
    strategy=st.sampled_from(["DxSplitRow", "DxFewRows"]),
)
wishes = st.one_of(no_wish, chunk_wish, rows_wish, cut_wish)
KEYS = {"DxWholeRow": 1, "DxInPlaceRow": 2, "DxSplitRow": 3, "DxFewRows": 4}
CUT = ("DxSplitRow", "DxFewRows")


def planned(soc: str, problem: Problem, options: Options) -> Plan | None:
    """The plan, or None after a look at the refusal."""
    try:
        plan = make_plan(OP, soc, problem, options)
    except Refused as caught:
        refused = caught
    else:
        event(plan.strategy)
        return plan
    event("refused")
    assert refused.code == 561002
    assert re.search(r": .*; ", refused.sentence)
    return None


def ceil_div(value: int, step: int) -> int:
    return -(-value // step)


def copies_blocks(plan: Plan) -> bool:
    return plan.soc.arch == 2002


def least_copy(plan: Plan, problem: Problem) -> int:
    """Columns of a block; 1 where a row has fewer: only its empty sum is stored."""
    block = 8 if problem.dtype == "fp32" or problem.rows == 0 else 16
    return block if problem.cols >= block else 1


def whole(plan: Plan, name: str) -> int:
    value = plan.fields[name]
    assert isinstance(value, int)
    return value


common = settings(derandomize=True, max_examples=400, deadline=None)


@common
@given(st.sampled_from(SOCS), problems, wishes)
def test_plan_is_complete(soc: str, problem: Problem, options: Options) -> None:
    if soc.startswith("ascend310p") and problem.cols * (4 if problem.dtype == "fp32" else 2) < 32:
        event("less than a block: Check refuses it")
        return
    plan = planned(soc, problem, options)
    if plan is None:
        return
    _rows_are_dealt_once(plan, problem, options)
    _ub_fits(plan, options)
    _chunks_cover_the_row(plan, problem, options)
    _strips_cover_every_column_once(plan, problem)
    assert 0 < len(plan.reason) < 255, "neither missing nor cut"
    assert KEYS[plan.strategy] == plan.tiling_key
    if plan.strategy in CUT:
        _pieces_are_tiles_of_leaves(plan, problem, options)
    assert options.strategy in (None, plan.strategy)


def _rows_are_dealt_once(plan: Plan, problem: Problem, options: Options) -> None:
    per_core, more = whole(plan, "rows_per_core"), whole(plan, "cores_with_one_more")
    assert plan.cores == whole(plan, "cores")
    assert 1 <= plan.cores <= (options.cores or plan.soc.cores)
    groups = plan.cores // (whole(plan, "col_groups") or 1)
    assert more < groups
    assert groups * per_core + more == problem.rows
    assert problem.rows == 0 or per_core >= 1, "no core is launched for nothing"
    busiest = max(1, per_core + (more > 0))
    tile = whole(plan, "rows_per_tile")
    if plan.strategy == "DxWholeRow":
        in_eights = problem.cols <= NARROW_COLS and busiest >= 8 and options.rows_per_tile is None
        assert 1 <= tile <= min(8 * ceil_div(busiest, 8) if in_eights else busiest, MAX_COPY_ROWS)
        assert 1 <= whole(plan, "rows_per_step") <= tile
    if plan.strategy == "DxWholeRow" and options.rows_per_tile is None:
        tiles = ceil_div(busiest, tile)
        even = ceil_div(busiest, tiles)
        in_eights = problem.cols <= NARROW_COLS and tile % 8 == 0 and tile - even < 8
        assert tile == even or in_eights, "even tiles"
    if plan.strategy in CUT:
        busiest = whole(plan, "group_rows")
    if options.rows_per_tile:
        assert tile == min(options.rows_per_tile, busiest)


def _ub_fits(plan: Plan, options: Options) -> None:
    assert plan.ub_limit_bytes == (options.ub_bytes or plan.soc.ub_plan_bytes)
    for phase in (1, 2):
        assert plan.ub_used_bytes(phase) <= plan.ub_limit_bytes
    assert all(b.bytes % 32 == 0 and b.bytes > 0 and b.count > 0 for b in plan.buffers)
    assert len({b.name for b in plan.buffers}) == len(plan.buffers)


def _chunks_cover_the_row(plan: Plan, problem: Problem, options: Options) -> None:
    pitch, chunk = whole(plan, "pitch_cols"), whole(plan, "chunk_cols")
    half_block = problem.cols <= NARROW_COLS and problem.cols % 8 == 0 and not copies_blocks(plan)
    block = 8 if problem.dtype == "fp32" or half_block else 16
    assert pitch == ceil_div(problem.cols, block) * block
    step = whole(plan, "copy_cols")
    assert step == (least_copy(plan, problem) if copies_blocks(plan) else 1)
    assert whole(plan, "ub_cols") == ceil_div(problem.cols, step) * step
    row_bytes = pitch * (4 if problem.dtype == "fp32" else 2)
    steps_meet = plan.fields["rows_per_step"] != plan.fields["rows_per_tile"]
    if plan.strategy == "DxWholeRow" and steps_meet:
        assert whole(plan, "rows_per_step") * row_bytes % 32 == 0, "steps begin on a block"
    leaves = ceil_div(problem.cols, LEAF_COLS)
    assert whole(plan, "leaf_pitch") == (1 if leaves == 1 else ceil_div(leaves, 8) * 8)
    if plan.strategy == "DxWholeRow":
        assert chunk == 0
        return
    assert chunk % LEAF_COLS == 0
    most = leaves * LEAF_COLS
    if plan.strategy == "DxSplitRow":
        most = LEAF_COLS << (leaves - 1).bit_length()  # a power of two leaves
    assert 0 < chunk <= most
    if plan.strategy in CUT:
        return
    assert leaves <= 64, "one repeat sums the leaves"
    segment = whole(plan, "segment_cols")
    assert segment % chunk == 0
    assert ceil_div(problem.cols, segment) <= whole(plan, "in_buffers") <= 5, "flags"
    if options.chunk_cols:
        assert chunk == min(options.chunk_cols, leaves * LEAF_COLS)
    else:
        # One leaf less in each chunk would need another chunk: chunks are even.
        chunks = ceil_div(problem.cols, chunk)
        assert (chunk - LEAF_COLS) * chunks < problem.cols


def _pieces_are_tiles_of_leaves(plan: Plan, problem: Problem, options: Options) -> None:
    chunk, tile = whole(plan, "chunk_cols"), whole(plan, "rows_per_tile")
    group, groups = whole(plan, "group_rows"), whole(plan, "groups")
    leaves = ceil_div(problem.cols, LEAF_COLS)
    assert leaves > 1, "one leaf is not cut"
    assert chunk <= 8 * LEAF_COLS, "a row's leaf sums are one block"
    assert whole(plan, "rows_per_step") == tile <= group
    assert tile in (1, 2, 4) or tile % 8 == 0 or tile == group, "tiles begin on a block of rows"
    busiest = max(1, whole(plan, "rows_per_core") + (whole(plan, "cores_with_one_more") > 0))
    assert group == ceil_div(busiest, groups)
    if plan.strategy == "DxSplitRow":
        assert chunk.bit_count() == 1, "the sum of a chunk is a subtree"
        assert whole(plan, "col_groups") == 0
        least = min(busiest, 64) if options.ub_bytes is None and not options.rows_per_tile else 1
        assert group >= min(least, 33), "gamma and dgamma are paid for by many rows"
        return
    shared = whole(plan, "col_groups")
    assert groups == 1
    assert 1 <= shared <= leaves, "no core without a column"
    assert problem.rows < (options.cores or plan.soc.cores)
    assert plan.declared_c == 4


def _strips_cover_every_column_once(plan: Plan, problem: Problem) -> None:
    pitch, strip = whole(plan, "partial_pitch_cols"), whole(plan, "strip_cols")
    slots, leaf_pitch = whole(plan, "partial_slots"), whole(plan, "leaf_row_pitch")
    shared = whole(plan, "col_groups") or 1
    assert slots == plan.cores // shared * whole(plan, "groups"), "each part of rows has a sum"
    leaf_elems = leaf_pitch * problem.rows * (8 if copies_blocks(plan) else 1)
    leaf_elems *= int(plan.fields["sum_terms"])
    meeting = MEETING_BYTES if copies_blocks(plan) else 0
    blocks = ceil_div(slots, 64)  # of partial sums, which have sums of their own
    sums = slots + (blocks if blocks > 1 else 0)
    in_all = (sums * pitch + leaf_elems) * 4
    if copies_blocks(plan) and plan.cores > 1:
        assert whole(plan, "counters_at") == in_all
        in_all += meeting
    assert plan.workspace_bytes == in_all
    assert leaf_pitch == 0 or leaf_pitch * LEAF_COLS >= problem.cols
    assert (leaf_pitch > 0) == (plan.strategy == "DxFewRows")
    if slots == 1:
        assert (pitch, strip) == (0, 0)
        assert all(b.phase == 1 for b in plan.buffers)
        assert sum(b.bytes for b in plan.buffers if b.name == "meeting") == meeting
        return
    assert pitch % 128 == 0
    assert pitch >= problem.cols
    assert strip % 8 == 0
    assert strip > 0
    if blocks == 1:
        longest = strip + (8 if whole(plan, "copy_cols") > 1 else 0)
        assert plan.ub_used_bytes(2) == (slots + 1) * longest * 4 + meeting, "one row more: the sum"


@common
@given(st.sampled_from(SOCS), problems, wishes)
def test_plan_depends_on_its_arguments_alone(soc: str, problem: Problem, options: Options) -> None:
    first, again = planned(soc, problem, options), planned(soc, problem, options)
    assert first == again


@common
@given(st.sampled_from(SOCS), problems, st.integers(8192, 196608), st.integers(0, 65536))
@example("ascend910b4", Problem(4681, 1, "fp32", "fp32"), 8192, 4640)
@example("ascend910b4", Problem(4481, 1, "fp32", "fp32"), 8192, 4640)
def test_more_ub_never_loses_a_plan(soc: str, problem: Problem, small: int, more: int) -> None:
    large = min(small + more, find_soc(soc).ub_bytes)
    if planned(soc, problem, Options(ub_bytes=small)) is not None:
        assert planned(soc, problem, Options(ub_bytes=large)) is not None


@common
@given(problems)
def test_moved_bytes_stay_near_the_minimum(problem: Problem) -> None:
    # What the plan makes cores move beyond each tensor once: gamma on every core, and dgamma's
    # partial sums out and in. The budget is of design: 1.005 + cores x 12 / (row bytes x rows).
    plan = planned("ascend910b4", problem, Options())
    if plan is None or problem.rows < 48 * 40:
        return
    if plan.strategy == "DxSplitRow":
        _split_rows_move_1_75_times_the_minimum(plan, problem)
        return
    size = 4 if problem.dtype == "fp32" else 2
    gamma = 4 if problem.gamma_dtype == "fp32" else 2
    extra = (plan.cores - 1) * problem.cols * gamma
    extra += 2 * plan.workspace_bytes * problem.cols // max(1, whole(plan, "partial_pitch_cols"))
    budget = 1.005 + plan.cores * (8 + gamma) / (3 * size * problem.rows)
    assert (plan.minimum_bytes + extra) / plan.minimum_bytes <= budget


def _split_rows_move_1_75_times_the_minimum(plan: Plan, problem: Problem) -> None:
    size = 4 if problem.dtype == "fp32" else 2
    gamma = 4 if problem.gamma_dtype == "fp32" else 2
    moved = 5 * size * problem.rows * problem.cols + 4 * problem.rows + 4 * problem.cols
    moved += whole(plan, "partial_slots") * problem.cols * (2 * gamma + 8)
    assert moved <= 1.75 * plan.minimum_bytes


@pytest.mark.parametrize(
    ("rows", "cols", "dtype", "has_lo"),
    [
        (120, 4096, "bf16", False),
        (121, 4096, "bf16", True),
        (120, 8192, "bf16", False),
        (121, 8192, "bf16", True),
        (12600, 24, "fp32", False),
        (20000, 24, "fp32", True),
    ],
)
def test_up_to_three_values_are_summed_without_lo(
    rows: int, cols: int, dtype: str, has_lo: bool
) -> None:
    plan = make_plan(OP, "ascend910b4", Problem(rows, cols, dtype, dtype), Options())
    assert any(buffer.name == "sum_lo" for buffer in plan.buffers) == has_lo
    assert plan.declared_c == 4  # not for want of room: the bits are the same
