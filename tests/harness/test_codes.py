"""The verdict on a quantised output: what it says of right and of wrong roundings."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pytest

from normgrad import cases, codes, compare, fair, golden, hif8, quantised, verdict
from normgrad.cases import Case
from normgrad.dtypes import F64, Array
from normgrad.inputs import make_inputs
from normgrad.quantised import Quantisation
from normgrad.verdict import Status, Verdict

SOC = "ascend950pr_9599"
Rounding = Callable[[F64, Quantisation], Array]


def case_of(words: str = "", shape: str = "96x128") -> Case:
    return Case.parse(f"rms_norm_grad_quant:{SOC}:bf16:{shape}" + (f":{words}" if words else ""))


def right(value: F64, how: Quantisation) -> Array:
    return quantised.encode(value, how.dst)


def judged(case: Case, rounding: Rounding, of_fp32: bool = False) -> Verdict:
    """The verdict on outputs that are the golden's, rounded like this, or fp32 arithmetic's."""
    data: Mapping[str, Array] = make_inputs(case)
    source = golden.matrices(data)
    block, sums = golden.rms_norm_grad_rows(source, 0, case.rows)
    dst = case.dst or "int8"
    how = quantised.of_call(case, data, dst)
    dx = block.dx
    if of_fp32:
        wide = {n: data[n].astype(np.float32) for n in ("dy", "x", "rstd", "gamma")}
        plain, _ = fair.rows(golden.matrices(wide), 0, case.rows, True)
        assert plain is not None
        dx = plain.astype(np.float64)
    value, _ = quantised.value_and_slack(dx, block.dx_s, block.dx_u, how, verdict.C)
    with np.errstate(all="ignore"):
        outputs = {"dx": rounding(value, how), "dgamma": sums["dgamma"].value.astype(np.float32)}
    return verdict.judge(case, data, outputs)


@pytest.mark.parametrize("dst", ["int8", "hif8"])
@pytest.mark.parametrize("dist", cases.DISTS)
def test_right_codes_pass(dist: str, dst: str) -> None:
    case = case_of(f"dst={dst}:dist={dist}:offset=5", "96x8" if dist == "exact" else "96x128")
    for of_fp32 in (False, True):
        found = judged(case, right, of_fp32)
        assert (found.status, found.reason) == (Status.PASSED, "")
        # parallel: dx is what is left of large terms
        assert found.metrics["dx"]["share_of_neighbours"] < (1e-2 if dist == "parallel" else 1e-3)


@pytest.mark.parametrize(
    ("words", "cause", "rounding"),
    [
        ("", "cut off", codes._cut_off),
        ("dst=hif8", "cut off", codes._cut_off),
        ("dist=exact", "rounded with halves away from zero", lambda v, _: codes._halfway(v, False)),
        (
            "dst=hif8:dist=exact",
            "rounded with halves to even",
            lambda v, _: codes._halfway(v, True),
        ),
        ("", "rounded down", lambda v, _: quantised.encode(np.floor(v), "int8")),
        ("dist=exact:offset=3", "rounded before the offset", codes._before_offset),
        ("dst=hif8:offset=9", "rounded before the offset", codes._before_offset),
        ("scale=0.01", "not saturated", codes._wrapped),
        ("dst=hif8:dist=specials", "stored as Inf and NaN", lambda v, _: hif8.encode(v, False)),
        ("offset=-2", "stored without the offset", lambda v, h: right(v - (h.offset or 0), h)),
    ],
)
def test_wrong_rounding_fails_and_is_named(words: str, cause: str, rounding: Rounding) -> None:
    found = judged(case_of(words, "96x8" if "exact" in words else "96x128"), rounding)
    assert found.status is Status.FAILED
    assert f"as if {cause}" in found.reason


def test_a_neighbour_away_from_the_boundary_is_one_code_off() -> None:
    def wrong(value: F64, how: Quantisation) -> Array:
        got = right(value, how)
        got[7, 11] += 1 if got[7, 11] < 127 else -1
        return got

    found = judged(case_of(), wrong)
    assert found.status is Status.FAILED
    assert "dx[7, 11] (row 7, col 11)" in found.reason
    assert "off by 1 code, " in found.reason
    assert "1 of 12288 elements fail" in found.reason


def test_two_codes_off_never_passes() -> None:
    def wrong(value: F64, how: Quantisation) -> Array:
        got = right(value, how)
        got[0, 0] = np.int8(got[0, 0] - 2 if got[0, 0] > 0 else got[0, 0] + 2)
        return got

    found = judged(case_of("scale=1e-30"), wrong)  # saturated everywhere else
    assert (found.status, found.score) == (Status.FAILED, float("inf"))
    assert "off by 2 codes, 1 of" in found.reason


def test_near_zero_fp32_decides_between_many_codes_of_hif8() -> None:
    """dist=parallel: dx is what is left of terms a thousand times as large."""
    how = Quantisation("hif8", 1.0)
    tally = codes.CodeTally.of("dx", (1, 4), 1, 4, 4.0, False, how)
    value = np.array([[1e-6, 1e-6, 1.0, 1.0]])
    got = hif8.encode(np.array([[6e-5, 1e-3, 1.0, 1.25]]))
    block = compare.Block(0, value, np.full((1, 4), 4.0e2), np.zeros((1, 4)))
    tally.add(got, block)  # off by up to 1e-4
    assert (tally.compared, tally.undefined, tally.failed) == (3, 1, 2)
    assert tally.failed_cols.tolist() == [0, 1, 0, 1]


def test_poison_is_recognised() -> None:
    found = judged(case_of("dst=hif8"), lambda v, _: np.full(v.shape, 0xFF, np.uint8))
    assert "still hold the poison" in found.reason


def test_a_scale_that_leaves_nothing_to_see_is_mistrusted() -> None:
    found = judged(case_of("scale=1e9"), right)
    assert found.status is Status.MISTRUSTED
    assert "are zero, although the golden is not" in found.reason
    assert judged(case_of("scale=inf"), right).status is Status.PASSED


def test_an_exact_dx_forgives_nothing() -> None:
    halves = Quantisation("int8", 0.5, True, 3)
    assert halves.stays_exact(8)
    assert not Quantisation("int8", 0.3).stays_exact(8)
    assert not Quantisation("int8", 0.0, True).stays_exact(8)
    assert not Quantisation("int8", 2.0**-20, False, 100).stays_exact(1 << 14)


def test_tables_of_the_alternatives() -> None:
    value = np.array([0.5, 1.5, -2.5, 0.9, -0.9, 126.9, 200.0])
    how = Quantisation("int8", 1.0)
    assert codes._cut_off(value, how).tolist() == [0, 1, -2, 0, 0, 126, 127]
    assert codes._halfway(value, False).tolist() == [1, 2, -3, 1, -1, 127, 127]
    assert codes._wrapped(value, how)[-1] == -56
    eighths = np.array([1.0625, 1.1875, -1.0625])  # between 1 + n/8: halves
    to_even = hif8.decode(codes._halfway(eighths, True)).tolist()
    assert to_even in ([1.0, 1.25, -1.0], [1.125, 1.125, -1.125])
    cut = hif8.decode(codes._cut_off(np.array([1.1, -1.99, 3e-9]), Quantisation("hif8", 1.0)))
    assert cut.tolist() == [1.0, -1.875, 0.0]
