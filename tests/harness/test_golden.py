"""The golden against a second, slow version in exact arithmetic, and its bounds."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from normgrad import dtypes, golden
from normgrad.cases import Case
from normgrad.inputs import make_inputs

CASES = ["bf16:5x9", "fp32:7x33:dist=heavy", "fp16:6x8:dist=cancelling", "bf16:4x16:dist=parallel"]


def data_of(text: str) -> golden.Matrices:
    return golden.matrices(make_inputs(Case.parse(f"rms_norm_grad:ascend910b4:{text}")))


def exact(values: dtypes.Array) -> list[list[Fraction]]:
    return [[Fraction(float(v)) for v in row] for row in np.atleast_2d(values)]


@pytest.mark.parametrize("text", CASES)
def test_golden_agrees_with_exact_arithmetic(text: str) -> None:
    data = data_of(text)
    rows, cols = data.rows, data.cols
    dy, x = exact(data.dy), exact(data.x)
    gamma, rstd = exact(data.gamma)[0], exact(data.rstd)[0]
    block, sums = golden.rms_norm_grad_rows(data, 0, rows)
    for r in range(rows):
        xhat = [x[r][c] * rstd[r] for c in range(cols)]
        term = [dy[r][c] * gamma[c] for c in range(cols)]
        mean = sum(t * h for t, h in zip(term, xhat, strict=True)) / cols
        size = sum(abs(t * h) for t, h in zip(term, xhat, strict=True)) / cols
        for c in range(cols):
            s = rstd[r] * (abs(term[c]) + abs(xhat[c]) * size)
            assert abs(block.dx[r, c] - (term[c] - xhat[c] * mean) * rstd[r]) <= 1e-14 * s
            assert abs(block.dx_s[r, c] - s) <= 1e-14 * s
    for c in range(cols):
        parts = [dy[r][c] * x[r][c] * rstd[r] for r in range(rows)]
        s = sum(abs(p) for p in parts)
        assert abs(sums["dgamma"].value[c] - sum(parts)) <= 1e-14 * s
        assert abs(sums["dgamma"].s[c] - s) <= 1e-14 * s


@pytest.mark.parametrize("text", CASES)
def test_golden_of_layer_norm_agrees_with_exact_arithmetic(text: str) -> None:
    case = Case.parse(f"layer_norm_grad_v3:ascend910b4:{text}")
    data = golden.matrices(make_inputs(case))
    assert data.mean is not None
    rows, cols = data.rows, data.cols
    dy, x = exact(data.dy), exact(data.x)
    gamma, rstd, mean = (exact(a)[0] for a in (data.gamma, data.rstd, data.mean))
    block, sums = golden.layer_norm_grad_rows(data, 0, rows)
    xhat = [[(x[r][c] - mean[r]) * rstd[r] for c in range(cols)] for r in range(rows)]
    for r in range(rows):
        term = [dy[r][c] * gamma[c] for c in range(cols)]
        product = [t * h for t, h in zip(term, xhat[r], strict=True)]
        c1, c2 = sum(term) / cols, sum(product) / cols
        size = (sum(map(abs, term)) / cols, sum(map(abs, product)) / cols)
        for c in range(cols):
            s = rstd[r] * (abs(term[c]) + size[0] + abs(xhat[r][c]) * size[1])
            assert abs(block.dx[r, c] - (term[c] - c1 - xhat[r][c] * c2) * rstd[r]) <= 1e-14 * s
            assert abs(block.dx_s[r, c] - s) <= 1e-14 * s
    for c in range(cols):
        for name, parts in (
            ("dgamma", [dy[r][c] * xhat[r][c] for r in range(rows)]),
            ("dbeta", [dy[r][c] for r in range(rows)]),
        ):
            s = sum(abs(p) for p in parts)
            assert abs(sums[name].value[c] - sum(parts)) <= 1e-14 * s
            assert abs(sums[name].s[c] - s) <= 1e-14 * s


def test_blocks_of_rows_add_up() -> None:
    data = data_of("fp32:101x24")
    whole, sums = golden.rms_norm_grad_rows(data, 0, 101)
    total = golden.no_rows(24)
    for begin in range(0, 101, 7):
        block, part = golden.rms_norm_grad_rows(data, begin, min(begin + 7, 101))
        total.add(part["dgamma"])
        np.testing.assert_array_equal(block.dx, whole.dx[block.begin : block.end])
    one = sums["dgamma"]
    np.testing.assert_allclose(total.value, one.value, rtol=0, atol=1e-14 * one.s.max())


def test_sum_over_many_constant_rows_is_far_inside_the_budget() -> None:
    """65,536 rows of one value: 1e-12 S, where the verdict allows 2.4e-7 S."""
    rows = 1 << 16
    value = np.float32(0.1)
    data = golden.Matrices(
        np.full((rows, 1), value), np.ones((rows, 1), np.float32), np.ones(rows), np.ones(1)
    )
    total = golden.no_rows(1)
    for begin in range(0, rows, 256):
        total.add(golden.rms_norm_grad_rows(data, begin, begin + 256)[1]["dgamma"])
    expected = Fraction(float(value)) * rows
    assert abs(Fraction(float(total.value[0])) - expected) <= Fraction(1e-12) * expected


def test_no_rows_is_the_empty_sum() -> None:
    assert (golden.no_rows(3).value == 0).all()


def test_special_values_spread_over_their_row_and_column_only() -> None:
    inputs = make_inputs(Case.parse("rms_norm_grad:ascend910b4:fp32:6x10"))
    inputs["dy"][2, 3] = np.nan
    inputs["dy"][4, 5] = np.inf
    block, sums = golden.rms_norm_grad_rows(golden.matrices(inputs), 0, 6)
    assert np.isnan(block.dx[2]).all()
    assert np.isinf(block.dx[4, [0, 1, 9]]).all()
    assert np.isnan(block.dx[4, 5])  # Inf - Inf
    assert np.isfinite(block.dx[[0, 1, 3, 5]]).all()
    assert list(np.flatnonzero(np.isnan(sums["dgamma"].value))) == [3]
    assert list(np.flatnonzero(np.isinf(sums["dgamma"].value))) == [5]


def test_rows_that_overflow_in_fp32_only_are_marked() -> None:
    inputs = make_inputs(Case.parse("rms_norm_grad:ascend910b4:fp32:6x10"))
    inputs["dy"][2, 3] = 3e38
    inputs["gamma"][3] = 4.0
    inputs["rstd"][2] = 1e-6
    block, _ = golden.rms_norm_grad_rows(golden.matrices(inputs), 0, 6)
    assert block.undefined is not None
    assert list(np.flatnonzero(block.undefined)) == [2]


def test_golden_of_an_operator_stays_under_60_lines() -> None:
    text = Path(golden.__file__).read_text()
    begin = text.index("def rms_norm_grad_rows")
    assert text[begin : text.index("\ndef ", begin)].count("\n") < 60
