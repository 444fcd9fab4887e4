"""Plans of tensors from 2^31 - 1 to 2^60 elements: 64-bit fields hold them, and nothing wraps."""

from __future__ import annotations

from math import prod

import pytest
from tiling_struct import Tiling

from normgrad.plan import Options, Plan, Problem, Refused, TensorDesc, check, make_plan

OP, SOC = "rms_norm_grad", "ascend910b4"
SIZE = {"bf16": 2, "fp32": 4}
MOST_BYTES = 1 << 60  # of dy: then every sum of bytes stays within 64 bits
EDGES = [(1 << power) + step for power in (31, 32, 33, 40, 53, 57) for step in (-1, 0, 1)]
COLS = [1, 7, 64, 1024, 4099, 7168]


def planned(rows: int, cols: int, dtype: str, cores: int | None = None) -> Plan:
    return make_plan(OP, SOC, Problem(rows, cols, dtype, dtype), Options(cores=cores))


@pytest.mark.parametrize("cores", [None, 1, 3])
@pytest.mark.parametrize("dtype", SIZE)
@pytest.mark.parametrize("cols", COLS)
@pytest.mark.parametrize("elems", EDGES, ids=lambda n: f"2^{(n + 1).bit_length() - 1}-{n % 3}")
def test_rows_are_dealt_without_a_wrap(
    elems: int, cols: int, dtype: str, cores: int | None
) -> None:
    rows = -(-elems // cols)
    plan = planned(rows, cols, dtype, cores)
    data = Tiling.from_buffer_copy(plan.tiling)  # fields for people are doubles: exact to 2^53
    assert (data.rows, data.cols) == (rows, cols)
    assert data.rows_per_core * data.cores + data.cores_with_one_more == rows
    assert data.cores_with_one_more < data.cores == plan.cores
    size = SIZE[dtype]
    assert plan.minimum_bytes == 3 * rows * cols * size + rows * 4 + cols * (size + 4)
    assert 1 <= data.rows_per_tile <= 4095
    assert plan.ub_used_bytes(1) <= plan.ub_limit_bytes
    assert plan.workspace_bytes < 1 << 32, "it grows with cols and cores alone"


@pytest.mark.parametrize("dtype", SIZE)
@pytest.mark.parametrize("cols", [1, 64, 1000])
def test_the_largest_tensor_is_planned_and_one_row_more_refused(cols: int, dtype: str) -> None:
    rows = MOST_BYTES // SIZE[dtype] // cols
    assert Tiling.from_buffer_copy(planned(rows, cols, dtype).tiling).rows == rows
    for more in (rows + 1, 1 << 60, (1 << 64) - 1):
        with pytest.raises(Refused, match=r"counts tensors of up to 2\^60 bytes; split the call"):
            planned(more, cols, dtype)


def test_small_plans_and_large_ones_differ_in_rows_alone() -> None:
    small, large = (planned(rows, 1024, "bf16") for rows in (40_000, 40_000 << 20))
    one, two = (Tiling.from_buffer_copy(plan.tiling) for plan in (small, large))
    assert two.rows_per_core == one.rows_per_core << 20
    for name in ("cols", "cores", "pitch_cols", "partial_pitch_cols", "strip_cols"):
        assert getattr(one, name) == getattr(two, name)
    assert bytes(one.ub) == bytes(two.ub)


@pytest.mark.parametrize(
    "shape", [(1 << 31, 3), (3, 1 << 20, 1 << 11, 5), (1 << 16, 1 << 16, 1 << 16, 2, 64)]
)
def test_the_check_multiplies_axes_in_64_bits(shape: tuple[int, ...]) -> None:
    leading, cols = shape[:-1], shape[-1:]

    def tensor(*lengths: int, dtype: str = "bf16") -> TensorDesc:
        return TensorDesc(dtype, lengths)

    whole, statistics = tensor(*shape), tensor(*leading, dtype="fp32")
    given = [whole, whole, statistics, tensor(*cols), whole, tensor(*cols, dtype="fp32")]
    problem = check(OP, SOC, given)
    assert (problem.rows, problem.cols) == (prod(leading), cols[0])
    assert problem.rows * problem.cols > 1 << 31
