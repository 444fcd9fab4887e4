"""Plans for chips that are programmed in registers."""

from __future__ import annotations

import pytest

from normgrad.plan import Options, Problem, make_plan

OP = "rms_norm_grad"


@pytest.mark.parametrize(
    ("dtype", "gamma", "cols"),
    [("bf16", "bf16", 16384), ("fp16", "fp32", 13312), ("fp32", "fp32", 10752)],
)
def test_one_read_covers_more_in_registers(dtype: str, gamma: str, cols: int) -> None:
    """Where UB holds no fp32 copies a row takes its inputs, gamma and a pair of sums."""
    made = make_plan(OP, "ascend950", Problem(4096, cols, dtype, gamma), Options())
    assert (made.strategy, made.declared_c) == ("DxInPlaceRow", 4.0)
    tiles = make_plan(OP, "ascend950", Problem(4096, 5120, "bf16", "bf16"), Options())
    assert (tiles.strategy, tiles.fields["rows_per_tile"]) == ("DxWholeRow", 3)


@pytest.mark.parametrize(
    ("dtype", "gamma", "cols"),
    [("bf16", "bf16", 10240), ("fp16", "fp32", 9728), ("fp32", "fp32", 8192)],
)
def test_one_read_with_two_sums_over_rows(dtype: str, gamma: str, cols: int) -> None:
    """Two pairs a column, and a row's statistics in its own dtype or in fp32."""
    for stats in (dtype, "fp32"):
        problem = Problem(4096, cols, dtype, gamma, stats, gamma, 0b111, has_mean=True)
        made = make_plan("layer_norm_grad_v3", "ascend950", problem, Options())
        assert (made.strategy, made.declared_c) == ("DxInPlaceRow", 4.0)
