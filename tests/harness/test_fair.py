"""The second gate: honest arithmetic is far inside, plain summation of rows is outside."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from reference import Defect, correctly_rounded, kernel_order, rms_norm_grad

from normgrad import fair, golden
from normgrad.cases import DISTS, Case
from normgrad.dtypes import Array
from normgrad.inputs import forward_rstd, make_inputs
from normgrad.verdict import Status, judge

Inputs = dict[str, Array]


def case_of(text: str) -> Case:
    return Case.parse(f"rms_norm_grad:ascend910b4:{text}")


@pytest.mark.parametrize("dist", DISTS)
def test_honest_orders_of_rows_pass(dist: str) -> None:
    for text in ("fp32:4096x96", "bf16:301x130", "fp16:100x64"):
        case = case_of(f"{text}:dist={dist}")
        data = make_inputs(case)
        for outputs in (
            correctly_rounded(data),
            rms_norm_grad(data),
            kernel_order(data, 40, 4),
            kernel_order(data, 7, 16),
        ):
            result = judge(case, data, outputs)
            assert result.status is Status.PASSED, f"{case}: {result.reason}"


@pytest.mark.parametrize("dist", ["normal", "uniform", "offset", "tiny"])
def test_rows_added_one_by_one_fail_inside_the_budget(dist: str) -> None:
    case = case_of(f"fp32:4096x96:dist={dist}")
    data = make_inputs(case)
    result = judge(case, data, rms_norm_grad(data, Defect(sequential=True)))
    assert result.status is Status.FAILED
    assert result.score <= 1.0  # no single element shows it
    assert "dgamma: its RMSE is" in result.reason
    assert result.metrics["dgamma"]["rmse_share"] > 1.0


def ones(rows: int, cols: int) -> Inputs:
    x = np.ones((rows, cols), np.float32)
    return {"dy": x, "x": x, "rstd": np.ones(rows, np.float32), "gamma": x[0]}


def one_row(rows: int, cols: int) -> Inputs:
    """The same row again and again, as a broadcast tensor has it."""
    rng = np.random.default_rng(1)
    x, dy = (np.tile(rng.standard_normal(cols, np.float32), (rows, 1)) for _ in range(2))
    return {"dy": dy, "x": x, "rstd": forward_rstd(x), "gamma": np.ones(cols, np.float32)}


@pytest.mark.parametrize("make", [ones, one_row])
@pytest.mark.parametrize("shape", [(64, 256), (4096, 64), (128, 128)])
def test_data_that_repeats_is_judged_by_its_elements_alone(
    make: Callable[[int, int], Inputs], shape: tuple[int, int]
) -> None:
    """Sums of equal numbers in pairs are exact, so that any other order looks bad beside them."""
    case = case_of(f"fp32:{shape[0]}x{shape[1]}")
    data = make(*shape)
    for cores, rows_per_tile in ((40, 4), (7, 16), (3, 1)):
        result = judge(case, data, kernel_order(data, cores, rows_per_tile), drawn=False)
        assert result.status is Status.PASSED, result.reason
        assert result.metrics["dgamma"]["rmse_binds"] == 0.0


@pytest.mark.parametrize(("rows", "binds"), [(63, 0.0), (64, 1.0)])
def test_few_rows_are_few_witnesses_of_dx(rows: int, binds: float) -> None:
    case = case_of(f"fp32:{rows}x200:dist=parallel")
    data = make_inputs(case)
    metrics = judge(case, data, rms_norm_grad(data)).metrics
    assert metrics["dx"]["rmse_binds"] == binds
    assert metrics["dgamma"]["rmse_binds"] == 1.0


def test_underflow_beside_zeros_is_no_ratio() -> None:
    case = case_of("fp32:64x64")
    data = {**make_inputs(case), "dy": np.zeros((64, 64), np.float32)}
    outputs = rms_norm_grad(data)
    outputs["dx"][3, 3] = np.float32(1e-45)
    assert judge(case, data, outputs, drawn=False).metrics["dx"]["rmse_share"] <= 1.0


def test_sums_that_may_overflow_are_left_out() -> None:
    case = case_of("fp32:64x256")
    data = make_inputs(case)
    data["dy"] *= np.float32(1e30)
    data["x"][:, 3] = 3e38
    data["rstd"][:] = 1.0
    assert judge(case, data, rms_norm_grad(data), drawn=False).metrics["dgamma"]["score"] <= 1.0


def test_gate_is_only_shown_where_a_strategy_declares_more() -> None:
    case = case_of("fp32:4096x96")
    data = make_inputs(case)
    result = judge(case, data, rms_norm_grad(data, Defect(sequential=True)), declared_c=20.0)
    assert result.status is Status.PASSED
    assert result.metrics["dgamma"]["rmse_share"] > 1.0


def test_small_offset_of_every_element_is_a_bias() -> None:
    """A quarter of an fp32 step of S: far inside the budget, and inside twice the RMSE."""
    case = case_of("fp32:256x128")
    data = make_inputs(case)
    outputs = correctly_rounded(data)
    block, _ = golden.rms_norm_grad_rows(golden.matrices(data), 0, 256)
    moved = block.dx + 0.25 * 2.0**-24 * block.dx_s
    outputs["dx"] = moved.astype(np.float32)
    result = judge(case, data, outputs)
    assert result.status is Status.FAILED
    assert "dx: on average it lies above the golden" in result.reason
    assert judge(case, data, outputs, drawn=False).status is Status.PASSED


def test_cutting_off_instead_of_rounding_fails() -> None:
    case = case_of("bf16:256x128")
    data = make_inputs(case)
    assert judge(case, data, rms_norm_grad(data, Defect(truncate=True))).status is Status.FAILED


def test_pairwise_sum_is_a_tree_over_its_parts() -> None:
    parts = np.random.default_rng(1).standard_normal((8, 5)).astype(np.float32)
    total = fair.PairwiseSum()
    for part in parts:
        total.add(part)
    pairs = [parts[i] + parts[i + 1] for i in range(0, 8, 2)]
    want = (pairs[0] + pairs[1]) + (pairs[2] + pairs[3])
    np.testing.assert_array_equal(total.total(), want)
    total.add(parts[0])
    np.testing.assert_array_equal(total.total(), want + parts[0])


def test_halving_is_that_of_a_padded_power_of_two() -> None:
    values = np.arange(1, 8, dtype=np.float32)[:, None]
    assert fair.halved(values.copy())[0] == 28
    tiny = np.array([[1.0], [2.0**-24], [2.0**-24]], np.float32)
    assert fair.halved(tiny.copy())[0] == 1.0 + 2.0**-23 or fair.halved(tiny.copy())[0] == 1.0


def test_information_columns_are_there() -> None:
    case = case_of("bf16:64x96")
    data = make_inputs(case)
    metrics = judge(case, data, rms_norm_grad(data)).metrics["dx"]
    assert metrics["mere_mare_pass"] == 1.0
    assert metrics["ttk_mixed_pass"] == 1.0
    wrong = rms_norm_grad(data, Defect(plus=True))
    metrics = judge(case, data, wrong).metrics["dx"]
    assert metrics["mere_mare_pass"] == 0.0
    assert metrics["ttk_mixed_pass"] == 0.0
    assert metrics["ttk_mixed_share"] > 0.01
