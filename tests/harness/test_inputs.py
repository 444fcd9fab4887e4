"""Inputs: the same for the same text, and each distribution what its name says."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from normgrad import dtypes, inputs
from normgrad.cases import DISTS, Case


def case(text: str) -> Case:
    return Case.parse(f"rms_norm_grad:ascend910b4:{text}")


def digest(arrays: dict[str, dtypes.Array]) -> str:
    total = hashlib.sha256()
    for name in sorted(arrays):
        total.update(arrays[name].tobytes())
    return total.hexdigest()[:16]


@pytest.mark.parametrize("dtype", ["bf16", "fp16", "fp32"])
@pytest.mark.parametrize("dist", DISTS)
def test_shapes_and_dtypes_are_those_of_the_case(dist: str, dtype: str) -> None:
    for shape in ("1x1", "3x7", "0x5", "5x0", "64x96", "9"):
        got = inputs.make_inputs(case(f"{dtype}:{shape}:dist={dist}"))
        full = tuple(int(n) for n in shape.split("x"))
        assert list(got) == ["dy", "x", "rstd", "gamma"]
        assert got["dy"].shape == got["x"].shape == full
        assert got["rstd"].shape == full[:-1]
        assert got["gamma"].shape == full[-1:]
        assert got["rstd"].dtype == np.float32
        assert {dtypes.dtype_name(got[n].dtype) for n in ("dy", "x", "gamma")} == {dtype}
        finite = all(np.isfinite(dtypes.to_float64(values)).all() for values in got.values())
        assert finite == (dist != "specials" or "0" in full or 0 in full)


def test_same_text_same_bits_other_seed_other_bits() -> None:
    one, again = (inputs.make_inputs(case("bf16:33x40")) for _ in range(2))
    assert digest(one) == digest(again)
    assert digest(one) != digest(inputs.make_inputs(case("bf16:33x40:seed2")))
    assert digest(one) == digest(inputs.make_inputs(case("bf16:33x40:cores=3:ub=65536")))


def test_bits_are_the_recorded_ones() -> None:
    """A change here changes every case: baselines and reports of others no longer compare."""
    got = inputs.make_inputs(case("bf16:8x16:dist=exact"))
    assert digest(got) == "389f6435bee14401"


def test_gamma_option_and_axes_are_followed() -> None:
    got = inputs.make_inputs(case("bf16:4x6x8:gamma=fp32:axes=2"))
    assert got["gamma"].shape == (6, 8)
    assert got["gamma"].dtype == np.float32
    assert got["rstd"].shape == (4,)


def test_rstd_is_that_of_the_stored_x() -> None:
    got = inputs.make_inputs(case("bf16:50x300:dist=heavy"))
    x = got["x"].astype(np.float64)
    expected = 1.0 / np.sqrt((x * x).mean(axis=1) + 1e-6)
    np.testing.assert_array_equal(got["rstd"], expected.astype(np.float32))


def test_large_inputs_have_rows_that_differ() -> None:
    got = inputs.make_inputs(case("bf16:40000x128"))
    first = got["x"].view(np.uint16)
    assert len(np.unique(first, axis=0)) > 39_900
    assert abs(got["x"][:1000].astype(np.float64).mean()) < 0.02


def test_cancelling_pairs_lie_apart_and_leave_a_small_remainder() -> None:
    got = {n: v.astype(np.float64) for n, v in inputs.make_inputs(
        case("fp32:512x64:dist=cancelling")
    ).items()}  # fmt: skip
    terms = got["dy"] * got["x"] * got["rstd"][:, None]
    ratio = np.abs(terms.sum(axis=0)) / np.abs(terms).sum(axis=0)
    assert 0.0 < ratio.max() < 1e-3
    neighbours = np.abs(terms[0::2] + terms[1::2]).max(axis=1)
    assert np.count_nonzero(neighbours < 1e-12) < 10


def test_parallel_dy_makes_dx_cancel() -> None:
    for shape in ("64x512", "40000x128"):
        got = {n: v.astype(np.float64) for n, v in inputs.make_inputs(
            case(f"fp32:{shape}:dist=parallel")
        ).items()}  # fmt: skip
        term = got["dy"] * got["gamma"]
        xhat = got["x"] * got["rstd"][:, None]
        dx = term - xhat * (term * xhat).mean(axis=1, keepdims=True)
        assert np.abs(dx).mean() < 0.01 * np.abs(term).mean()


def test_specials_leave_most_rows_and_columns_alone() -> None:
    got = inputs.make_inputs(case("bf16:200x320:dist=specials"))
    assert np.isfinite(got["rstd"]).all()
    wrong = ~np.isfinite(got["dy"].astype(np.float32)) | ~np.isfinite(got["x"].astype(np.float32))
    assert wrong.sum() == 6
    assert len(np.flatnonzero(wrong.any(axis=1))) == len(np.flatnonzero(wrong.any(axis=0))) == 6


def test_subnormal_inputs_are_subnormal() -> None:
    for dtype in ("bf16", "fp16", "fp32"):
        got = inputs.make_inputs(case(f"{dtype}:10x64:dist=subnormal"))
        smallest = 2.0 ** dtypes.FORMATS[dtype].min_exponent
        dy, x = dtypes.to_float64(got["dy"]), dtypes.to_float64(got["x"])
        assert 0 < np.abs(dy[0::2]).max() < smallest
        assert 0 < np.abs(x[1::2]).max() < smallest
