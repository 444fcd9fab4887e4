"""Codes beside a boundary are forgiven, wrong rounding is not."""

from __future__ import annotations

import numpy as np
import pytest
from reference import rms_norm_grad

from normgrad import golden, hif8, quantised
from normgrad.cases import Case
from normgrad.dtypes import F64, Array, to_float32
from normgrad.inputs import make_inputs
from normgrad.quantised import Quantisation

HOWS = [
    Quantisation(dst, scale, divides, offset)
    for dst in ("int8", "hif8")
    for scale, divides, offset in (
        (37.3, False, None), (0.0268, True, None), (37.3, False, 5), (0.0268, True, -7),
    )
]  # fmt: skip


def numbers(dist: str = "normal") -> tuple[Array, F64, F64, F64]:
    """dx of honest fp32 arithmetic, and the golden's value, S and U."""
    case = Case.parse(f"rms_norm_grad:ascend910b4:fp32:128x256:dist={dist}")
    data = make_inputs(case)
    block, _ = golden.rms_norm_grad_rows(golden.matrices(data), 0, 128)
    return to_float32(rms_norm_grad(data)["dx"]), block.dx, block.dx_s, block.dx_u


def quantise(dx: Array, how: Quantisation) -> F64:
    """In fp32, as a kernel does it."""
    scale = np.float32(how.scale)
    value = dx / scale if how.divides else dx * scale
    return (value if how.offset is None else value + np.float32(how.offset)).astype(np.float64)


@pytest.mark.parametrize("how", HOWS, ids=str)
def test_honest_arithmetic_passes(how: Quantisation) -> None:
    dx, value, s, u = numbers()
    how = Quantisation(how.dst, float(np.float32(how.scale)), how.divides, how.offset)
    got = quantised.encode(quantise(dx, how), how.dst)
    exact, slack = quantised.value_and_slack(value, s, u, how, 4.0)
    assert quantised.scores(got, exact, slack, how.dst).max() <= 1.0
    rounded = quantised.encode(exact, how.dst)
    assert quantised.scores(rounded, exact, slack, how.dst).max() == 0.0


@pytest.mark.parametrize("how", HOWS, ids=str)
def test_cutting_off_fails_at_once(how: Quantisation) -> None:
    dx, value, s, u = numbers()
    cut = quantise(dx, how)
    if how.dst == "int8":
        got: Array = np.trunc(cut).clip(-128, 127).astype(np.int8)
    else:
        got = hif8.encode(cut)
        beyond = np.abs(hif8.decode(got)) > np.abs(cut)
        lower = {int(r): c for c, r in enumerate(hif8.rank(np.arange(256, dtype=np.uint8)))}
        steps = [lower[abs(int(r)) - 1] for r in hif8.rank(got[beyond])]
        got[beyond] = np.array(steps, np.uint8) | np.where(cut[beyond] < 0, 0x80, 0).astype(
            np.uint8
        )
        got[got == 0x80] = 0
    exact, slack = quantised.value_and_slack(value, s, u, how, 4.0)
    failing = quantised.scores(got, exact, slack, how.dst) > 1.0
    assert failing.mean() > 0.2


def test_wrong_rule_for_ties_fails_where_the_value_is_exact() -> None:
    """Ties away for int8, ties to even for hif8: each is the other's rule."""
    halves = np.arange(-20, 20) + 0.5
    none = np.zeros_like(halves)
    away = (np.sign(halves) * np.floor(np.abs(halves) + 0.5)).astype(np.int8)
    assert np.isinf(quantised.scores(away, halves, none, "int8")).sum() == 20
    ties = hif8.bounds()[:-1]
    below = hif8.encode(np.nextafter(ties, 0.0))
    assert np.isinf(quantised.scores(below, ties, np.zeros_like(ties), "hif8")).all()
    assert (quantised.scores(hif8.encode(ties), ties, np.zeros_like(ties), "hif8") == 0).all()


@pytest.mark.parametrize("dst", ["int8", "hif8"])
def test_neighbour_is_forgiven_only_beside_the_boundary(dst: str) -> None:
    bounds = np.array([0.5, 1.5, -2.5, 100.5]) if dst == "int8" else hif8.bounds()[[0, 9, 40, 99]]
    slack = np.full(4, 1e-9) * np.abs(bounds)
    for distance, passes in ((0.5, True), (2.0, False)):
        inside, outside = bounds - distance * slack, bounds + distance * slack
        other = quantised.encode(outside, dst)
        assert (quantised.scores(other, inside, slack, dst) <= 1.0).all() == passes


def test_two_codes_away_and_sign_flips_fail_whatever_the_slack() -> None:
    wide = np.full(4, 1e9)
    codes = hif8.encode(np.array([1.0, 3.75, 15.0, 0.0137]))
    values = np.array([-1.0, 0.5, 0.25, 256.0])
    assert np.isinf(quantised.scores(codes, values, wide, "hif8")).all()
    numbers_ = np.array([127, -128, 5, 0], np.int8)
    assert np.isinf(quantised.scores(numbers_, np.array([-128.0, 127, 7, 2]), wide, "int8")).all()


def test_special_values_saturate() -> None:
    values = np.array([np.inf, -np.inf, np.nan, 1e9])
    slack = np.zeros(4)
    assert quantised.encode(values, "int8").tolist() == [127, -128, 0, 127]
    assert hif8.decode(quantised.encode(values, "hif8")).tolist() == [32768, -32768, 0, 32768]
    for dst in ("int8", "hif8"):
        got = quantised.encode(values, dst)
        assert (quantised.scores(got, values, slack, dst) == 0).all()
    not_saturating = hif8.encode(values, saturate=False)
    assert (quantised.scores(not_saturating, values, slack, "hif8")[:3] > 1).all()
