"""The verdict: honest results pass on every distribution, each planted defect is seen."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pytest
from reference import Defect, correctly_rounded, rms_norm_grad

from normgrad import dtypes, golden, verdict
from normgrad.cases import DISTS, Case
from normgrad.dtypes import Array
from normgrad.inputs import make_inputs
from normgrad.verdict import Status, Verdict, judge

SHAPES = ["64x96", "300x65", "1x1", "3x7", "7x1", "129x1", "0x5", "5x0", "33x1000"]


def case_of(text: str) -> Case:
    return Case.parse(f"rms_norm_grad:ascend910b4:{text}")


def judged(text: str, defect: Defect | None = None) -> Verdict:
    case = case_of(text)
    data = make_inputs(case)
    return judge(case, data, rms_norm_grad(data, defect))


def test_nothing_finite_proves_nothing() -> None:
    case = case_of("fp32:8x16")
    data = make_inputs(case)
    data["x"] = np.full_like(data["x"], np.nan)
    result = judge(case, data, correctly_rounded(data))
    assert result.status is Status.MISTRUSTED
    assert "nothing finite was compared" in result.reason


def test_each_output_must_prove_something() -> None:
    """NaN in every element of dx, numbers in dgamma: nothing was said of dx."""
    case = case_of("fp32:4x32")
    data = make_inputs(case)
    data["gamma"][:] = np.nan
    result = judge(case, data, correctly_rounded(data))
    assert result.status is Status.MISTRUSTED
    assert "every element of dx is NaN or Inf" in result.reason


@pytest.mark.parametrize("dtype", ["bf16", "fp16", "fp32"])
@pytest.mark.parametrize("dist", DISTS)
def test_correctly_rounded_and_honest_fp32_pass(dist: str, dtype: str) -> None:
    for shape in SHAPES:
        case = case_of(f"{dtype}:{shape}:dist={dist}")
        data = make_inputs(case)
        for name, outputs in (
            ("rounded", correctly_rounded(data)),
            ("fp32", rms_norm_grad(data)),
        ):
            result = judge(case, data, outputs)
            assert result.status is Status.PASSED, f"{name} {case}: {result.reason}"
            assert result.score <= 1.0


@pytest.mark.parametrize("dtype", ["bf16", "fp32"])
@pytest.mark.parametrize("dist", ["constant", "uniform01", "cancelling", "parallel", "exact"])
def test_honest_fp32_passes_with_many_rows(dist: str, dtype: str) -> None:
    result = judged(f"{dtype}:4096x24:dist={dist}")
    assert result.status is Status.PASSED, result.reason


def test_sequential_sum_of_4096_constant_rows_fails() -> None:
    result = judged("fp32:4096x24:dist=constant", Defect(sequential=True))
    assert result.status is Status.FAILED
    assert result.score > 2.0
    assert "dgamma" in result.reason


@pytest.mark.parametrize(
    ("text", "defect", "words"),
    [
        ("bf16:512x64", Defect(accumulator="bf16"), r"dgamma\["),
        ("fp16:512x64", Defect(accumulator="fp16"), r"dgamma\["),
        ("bf16:512x64", Defect(drop_last_row=True), r"dgamma.*in every column"),
        ("bf16:512x64", Defect(drop_last_col=True), r"dx\["),
        ("fp32:512x4096", Defect(drop_last_col=True), r"dx\["),
        ("fp32:64x1000", Defect(cols_off_by=1), r"dx.*in every row"),
        ("bf16:64x64", Defect(cols_off_by=1), r"dx\["),
        ("bf16:64x64", Defect(plus=True), r"dx.*in every row"),
        ("bf16:64x100", Defect(stale_tail=4), r"dx.*only in the last 4 of 100 columns"),
        ("bf16:512x64", Defect(xhat_in_dtype=True), r"dgamma\["),
        ("fp16:512x64", Defect(xhat_in_dtype=True), r"dx\["),
    ],
)
def test_planted_defect_fails(text: str, defect: Defect, words: str) -> None:
    result = judged(text, defect)
    assert result.status is Status.FAILED
    assert result.score > 1.0
    assert re.search(words, result.reason), result.reason


def test_exact_inputs_must_give_exact_results() -> None:
    """One bit wrong in the last place is inside the budget of other inputs, but not of these."""
    case = case_of("fp32:64x128:dist=exact")
    data = make_inputs(case)
    outputs = rms_norm_grad(data)
    assert judge(case, data, outputs).status is Status.PASSED
    for name in ("dx", "dgamma"):
        off = {n: v.copy() for n, v in outputs.items()}
        flat = off[name].reshape(-1)
        at = int(np.flatnonzero(flat)[5])
        flat[at] = np.nextafter(flat[at], np.float32(np.inf))
        assert judge(case, data, off).status is Status.FAILED


@pytest.mark.parametrize("dtype", ["bf16", "fp16"])
def test_ties_of_exact_results_go_to_even(dtype: str) -> None:
    """Half an ulp is inside the budget of other inputs; rounding away from zero is not right."""
    case = case_of(f"{dtype}:256x512:dist=exact")
    data = make_inputs(case)
    outputs = correctly_rounded(data)
    assert judge(case, data, outputs).status is Status.PASSED
    block, _ = golden.rms_norm_grad_rows(golden.matrices(data), 0, 256)
    fmt = dtypes.FORMATS[dtype]
    away = np.nextafter(np.abs(block.dx), np.inf)  # a tie is a tie no more
    outputs["dx"] = dtypes.round_to(np.copysign(away, block.dx), fmt.name)
    result = judge(case, data, outputs)
    assert result.status is Status.FAILED
    assert "off by" in result.reason


def test_xhat_below_the_normal_numbers_is_allowed_its_error() -> None:
    """x of 3e-43 has two bits; times a dy of 1e12 its rounding is seen in the row's mean."""
    case = case_of("fp32:8x16")
    data = make_inputs(case)
    data["x"][:, 0], data["dy"][:, 0] = 3e-43, 1e12
    result = judge(case, data, rms_norm_grad(data))
    assert result.status is Status.PASSED, result.reason


def changed(name: str, index: object, value: float, text: str = "fp32:40x32") -> Verdict:
    case = case_of(text)
    data = make_inputs(case)
    outputs = rms_norm_grad(data)
    outputs[name][index] = value  # type: ignore[index]
    return judge(case, data, outputs)


def test_reason_names_place_values_error_and_count() -> None:
    result = changed("dx", (7, 5), 123.0)
    assert result.worst is not None
    assert result.worst.output == "dx"
    assert result.worst.index == (7, 5)
    assert result.worst.got == 123.0
    assert result.worst.error_ulp > 1e6
    for words in ("dx[7, 5] (row 7, col 5) is 123 instead of", "ulp", "times what is allowed",
                  "1 of 1280 elements fail", "only in row 7"):  # fmt: skip
        assert words in result.reason


def test_index_has_the_rank_of_the_tensor() -> None:
    result = changed("dx", (1, 2, 3), 50.0, "fp32:4x6x8:axes=2")
    assert result.worst is not None
    assert result.worst.index == (1, 2, 3)
    assert (result.worst.row, result.worst.col) == (1, 19)


@pytest.mark.parametrize(
    ("index", "words"),
    [
        ((-1, slice(None)), "only in the last row"),
        ((slice(None), slice(29, 32)), "only in the last 3 of 32 columns and in every row"),
        ((slice(None), 3), "only in column 3"),
        ((slice(8, 12), slice(None)), "only in rows 8 to 11"),
    ],
)
def test_reason_knows_simple_patterns(index: object, words: str) -> None:
    assert words in changed("dx", index, 99.0).reason


def test_reason_names_the_core_that_a_plan_gives_the_rows_to() -> None:
    @dataclass(frozen=True)
    class Split:
        cores: int
        fields: Mapping[str, int | float]

    case = case_of("fp32:43x8")
    data = make_inputs(case)
    outputs = rms_norm_grad(data)
    outputs["dx"][12:15] = 0.0  # 43 rows on 10 cores: cores 0 to 2 have 5, the others 4
    split = Split(10, {"rows_per_core": 4, "cores_with_one_more": 3})
    reason = judge(case, data, outputs, plan=split).reason
    assert "only in rows of core 2" in reason
    assert "all of them are zero" in reason


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("name", ["dx", "dgamma"])
def test_special_value_in_the_wrong_place_fails(name: str, value: float) -> None:
    result = changed(name, (3, 4) if name == "dx" else 4, value)
    assert result.status is Status.FAILED
    assert "a special value in the wrong place" in result.reason


@pytest.mark.parametrize("name", ["dx", "dgamma"])
def test_missing_special_value_fails(name: str) -> None:
    case = case_of("bf16:200x320:dist=specials")
    data = make_inputs(case)
    for kind in (np.isnan, np.isposinf, np.isneginf):
        outputs = rms_norm_grad(data)
        flat = outputs[name].reshape(-1)
        there = np.flatnonzero(kind(flat.astype(np.float32)))
        if len(there) == 0:
            continue
        flat[there[0]] = 1.0
        assert judge(case, data, outputs).status is Status.FAILED


def test_16_bit_formats_of_some_chips_saturate() -> None:
    case = case_of("fp16:200x320:dist=specials")
    data = make_inputs(case)
    outputs = rms_norm_grad(data)
    plain = outputs["dx"]
    outputs["dx"] = np.nan_to_num(plain, nan=0.0, posinf=65504.0, neginf=-65504.0)
    assert judge(case, data, outputs, saturates=True).status is Status.PASSED
    assert judge(case, data, outputs).status is Status.FAILED
    for kind in (np.isnan, np.isposinf, np.isneginf):
        wrong = outputs["dx"].copy()
        there = tuple(np.argwhere(kind(plain.astype(np.float32)))[0])
        wrong[there] = plain[there]
        assert judge(case, data, {**outputs, "dx": wrong}, saturates=True).status is Status.FAILED


def test_fp32_saturates_nowhere() -> None:
    case = case_of("fp32:200x320:dist=specials")
    data = make_inputs(case)
    assert judge(case, data, rms_norm_grad(data), saturates=True).status is Status.PASSED


def test_overflow_of_the_output_dtype_is_inf() -> None:
    case = case_of("fp16:8x64")
    data = make_inputs(case)
    data["rstd"][:4] *= np.float32(1e6)
    outputs = correctly_rounded(data)
    assert np.isinf(outputs["dx"]).any()
    assert judge(case, data, outputs).status is Status.PASSED
    outputs["dx"][np.isinf(outputs["dx"])] = np.float16(65504)
    assert judge(case, data, outputs).status is Status.FAILED


def test_overflow_of_fp32_alone_is_counted_but_not_judged() -> None:
    case = case_of("fp32:8x64")
    data = make_inputs(case)
    data["dy"][3, 5] = 3e38
    data["gamma"][5] = 4.0
    data["rstd"][3] = 1e-6
    outputs = correctly_rounded(data)
    outputs["dx"][3] = np.nan
    result = judge(case, data, outputs)
    assert result.status is Status.PASSED, result.reason
    assert result.metrics["dx"]["undefined_share"] == 1 / 8


def poisoned(data: Mapping[str, Array]) -> dict[str, Array]:
    outputs = {n: v.copy() for n, v in rms_norm_grad(data).items()}
    outputs["dx"].view(np.uint16)[40:] = 0xFFFF
    return outputs


def test_poison_fails_and_says_never_written() -> None:
    case = case_of("bf16:64x32")
    data = make_inputs(case)
    outputs = poisoned(data)
    assert "never written" in judge(case, data, outputs).reason
    result = judge(case, data, outputs, unwritten={"dx": 24 * 32 * 2, "dgamma": 0})
    assert result.status is Status.FAILED
    assert "1536 of 4096 bytes of dx were never written" in result.reason
    assert "poison" in result.reason


def test_unwritten_bytes_fail_although_the_numbers_agree() -> None:
    case = case_of("bf16:64x32")
    data = make_inputs(case)
    result = judge(case, data, rms_norm_grad(data), unwritten={"dgamma": 4})
    assert result.status is Status.FAILED
    assert "4 of 128 bytes of dgamma were never written" in result.reason


def test_output_that_is_missing_or_of_another_form_fails() -> None:
    case = case_of("bf16:6x8")
    data = make_inputs(case)
    outputs = rms_norm_grad(data)
    assert "dgamma is missing" in judge(case, data, {"dx": outputs["dx"]}).reason
    wide = outputs | {"dx": outputs["dx"].astype(np.float32)}
    assert "output dx is float32" in judge(case, data, wide).reason
    assert judge(case, data, wide).status is Status.FAILED


def test_data_too_small_for_the_dtype_is_mistrusted() -> None:
    """dx rounds to zero in fp16: a kernel that writes zeros would pass."""
    case = case_of("fp16:64x32")
    data = make_inputs(case)
    data["rstd"] = np.full(64, 1e-9, np.float32)
    result = judge(case, data, correctly_rounded(data))
    assert result.status is Status.MISTRUSTED
    assert "of dx are zero" in result.reason


def test_zeros_instead_of_numbers_never_pass() -> None:
    case = case_of("bf16:64x32")
    data = make_inputs(case)
    outputs = {n: np.zeros_like(v) for n, v in rms_norm_grad(data).items()}
    result = judge(case, data, outputs)
    assert result.status is Status.FAILED
    assert "all of them are zero" in result.reason


def test_nothing_compared_is_mistrusted_unless_empty() -> None:
    case = case_of("fp32:8x64")
    data = make_inputs(case)
    data["dy"][:, 0] = 3e38
    data["gamma"][0] = 4.0
    data["rstd"][:] = 1e-6
    result = judge(case, data, correctly_rounded(data))
    assert result.status is Status.MISTRUSTED
    assert "nothing of dx" in result.reason
    assert judged("fp32:0x64").status is Status.PASSED
    assert judged("fp32:64x0").status is Status.PASSED


def test_too_many_undefined_elements_are_mistrusted() -> None:
    case = case_of("fp32:8x64")
    data = make_inputs(case)
    data["dy"][:5, 0] = 3e38
    data["gamma"][0] = 4.0
    data["rstd"][:5] = 1e-6
    result = judge(case, data, correctly_rounded(data))
    assert result.status is Status.MISTRUSTED
    assert "320 of 512 elements of dx may overflow" in result.reason


def test_no_rows_want_zeros_in_dgamma() -> None:
    case = case_of("fp32:0x64")
    data = make_inputs(case)
    outputs = {"dx": np.zeros((0, 64), np.float32), "dgamma": np.ones(64, np.float32)}
    assert judge(case, data, outputs).status is Status.FAILED


def test_minus_zero_is_zero() -> None:
    case = case_of("fp32:4x8")
    data = make_inputs(case)
    data["dy"][:] = 0.0
    outputs = {"dx": np.full((4, 8), -0.0, np.float32), "dgamma": np.zeros(8, np.float32)}
    assert judge(case, data, outputs).status is Status.PASSED


def test_declared_c_widens_the_budget() -> None:
    case = case_of("fp32:4096x24:dist=constant")
    data = make_inputs(case)
    outputs = rms_norm_grad(data, Defect(sequential=True))
    assert judge(case, data, outputs, declared_c=4 + 4096 / 3).status is Status.PASSED


def test_no_plan_declares_more_than_its_rows_explain() -> None:
    case = case_of("fp32:40x32")
    data = make_inputs(case)
    outputs = rms_norm_grad(data)
    assert judge(case, data, outputs, declared_c=4.0 + 40 / 3).status is Status.PASSED
    result = judge(case, data, outputs, declared_c=18.0)
    assert result.status is Status.FAILED
    assert "the plan declares C = 18, and 40 rows explain 17.3333" in result.reason


def test_verdict_does_not_depend_on_the_block_size(monkeypatch: pytest.MonkeyPatch) -> None:
    case = case_of("bf16:100x48")
    data = make_inputs(case)
    outputs = rms_norm_grad(data)
    outputs["dx"][57, 3] = 9.0
    results = []
    for elems in (1, 500, 1 << 15):
        monkeypatch.setattr(verdict, "BLOCK_ELEMS", elems)
        results.append(judge(case, data, outputs))
    assert len({(r.status, r.score, r.worst, r.reason) for r in results}) == 1


def test_metrics_are_those_of_a_plain_computation() -> None:
    case = case_of("bf16:64x96")
    data = make_inputs(case)
    outputs = rms_norm_grad(data)
    metrics = judge(case, data, outputs).metrics["dx"]
    exact = dtypes.to_float64(correctly_rounded(data)["dx"])
    assert metrics["share_not_correctly_rounded"] == np.mean(
        dtypes.to_float64(outputs["dx"]) != exact
    )
    assert 0.2 < metrics["mean_ulp"] < 0.3
    assert 0.49 < metrics["max_ulp"] < 0.51
    assert abs(metrics["bias"]) < metrics["rmse"] / 10
