"""Rounding and spacing of the storage dtypes."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from normgrad import dtypes


def all_16_bit(name: str) -> dtypes.Array:
    return np.arange(1 << 16, dtype=np.uint16).view(dtypes.numpy_dtype(name))


@pytest.mark.parametrize("name", ["bf16", "fp16"])
def test_to_float64_is_exact_for_every_code(name: str) -> None:
    values = all_16_bit(name)
    with np.errstate(invalid="ignore"):  # signalling NaN
        expected = values.astype(np.float64)
    np.testing.assert_array_equal(dtypes.to_float64(values), expected)


@pytest.mark.parametrize("name", ["bf16", "fp16"])
def test_round_to_keeps_every_value_and_breaks_ties_to_even(name: str) -> None:
    values = all_16_bit(name)
    kind = np.uint16
    finite = values[np.isfinite(dtypes.to_float64(values))]
    exact = finite.astype(np.float64)
    np.testing.assert_array_equal(dtypes.round_to(exact, name).astype(np.float64), exact)
    positive = np.sort(exact[exact >= 0])
    positive = np.unique(positive)
    middle = (positive[:-1] + positive[1:]) / 2
    low = positive[:-1].astype(np.float32).astype(dtypes.numpy_dtype(name)).view(kind)
    nearest_even = np.where(low % 2 == 0, positive[:-1], positive[1:])
    np.testing.assert_array_equal(dtypes.round_to(middle, name).astype(np.float64), nearest_even)
    above = np.nextafter(middle, np.inf)
    np.testing.assert_array_equal(dtypes.round_to(above, name).astype(np.float64), positive[1:])
    below = np.nextafter(middle, 0.0)
    np.testing.assert_array_equal(dtypes.round_to(below, name).astype(np.float64), positive[:-1])


@pytest.mark.parametrize("name", dtypes.FLOAT_NAMES)
def test_round_to_overflows_at_the_bound_only(name: str) -> None:
    fmt = dtypes.FORMATS[name]
    values = [np.nextafter(fmt.overflow_bound, 0.0), fmt.overflow_bound, -fmt.overflow_bound]
    rounded = dtypes.round_to(values, name).astype(np.float64)
    np.testing.assert_array_equal(rounded, [fmt.max_finite, np.inf, -np.inf])
    assert np.isnan(dtypes.round_to([np.nan], name).astype(np.float64))[0]


@pytest.mark.parametrize("name", dtypes.FLOAT_NAMES)
def test_format_agrees_with_ml_dtypes(name: str) -> None:
    fmt, info = dtypes.FORMATS[name], ml_dtypes.finfo(dtypes.numpy_dtype(name))
    assert fmt.max_finite == float(info.max)
    assert fmt.min_subnormal == float(info.smallest_subnormal)


def test_ulp_is_spacing_with_the_subnormal_floor() -> None:
    values = np.array([0.0, 1e-45, 1.0, 1.5, -2.0, 3.9, 1e30, 1e-40])
    expected = np.abs(np.spacing(np.abs(values).astype(np.float32)).astype(np.float64))
    np.testing.assert_array_equal(dtypes.ulp(values, dtypes.FORMATS["fp32"]), expected)
    np.testing.assert_array_equal(
        dtypes.ulp(np.array([1.0, 2.0**-14, 2.0**-20, 0.0]), dtypes.FORMATS["fp16"]),
        [2.0**-10, 2.0**-24, 2.0**-24, 2.0**-24],
    )


def test_names_and_numpy_types_are_one_to_one() -> None:
    for name in dtypes.NAMES:
        assert dtypes.dtype_name(dtypes.numpy_dtype(name)) == name
    with pytest.raises(ValueError, match="float64"):
        dtypes.dtype_name(np.float64)
