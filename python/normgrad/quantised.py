"""The verdict on quantised outputs: the right code, or its neighbour if the value is on the brink.

A code stands for all values that round to it. A wrong code is forgiven only if fp32 arithmetic may
have carried the golden value over the boundary between the two, and never by more than one code.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import frexp

import numpy as np
import numpy.typing as npt

from normgrad import dtypes, hif8
from normgrad.cases import Case
from normgrad.dtypes import F64, Array

DTYPES = ("int8", "hif8")
INT8_MIN, INT8_MAX = -128, 127
_FP32 = dtypes.FORMATS["fp32"]


@dataclass(frozen=True)
class Quantisation:
    """What is done to dx before it is stored."""

    dst: str  # "int8" or "hif8"
    scale: float
    divides: bool = False  # dx / scale instead of dx * scale
    offset: int | None = None

    @property
    def factor(self) -> float:
        """What dx is multiplied by."""
        with np.errstate(all="ignore"):
            return float(np.divide(1.0, self.scale)) if self.divides else self.scale

    def stays_exact(self, cols: int) -> bool:
        """Whether dx of dist=exact, a multiple of 2^-3 / cols below 16, becomes an exact fp32."""
        factor = abs(self.factor)
        if not 0.0 < factor < np.inf or frexp(factor)[0] != 0.5:
            return False
        largest = max(16.0 * factor, abs(self.offset or 0))
        return 2.0 * largest <= 2.0**24 * factor * 2.0**-3 / cols


def of_call(case: Case, inputs: Mapping[str, Array], dst: str) -> Quantisation:
    """What the tensors of a call say."""
    scale = float(dtypes.to_float64(inputs["scales_x"].reshape(-1))[0])
    offset = int(inputs["offset_x"].reshape(-1)[0]) if "offset_x" in inputs else None
    return Quantisation(dst, scale, case.divides, offset)


def value_and_slack(dx: F64, s: F64, u: F64, how: Quantisation, c: float) -> tuple[F64, F64]:
    """What is rounded to a code, from the golden dx, and how far fp32 may be from it."""
    with np.errstate(all="ignore"):
        value = dx / how.scale if how.divides else dx * how.scale
        slack = (c * 2.0**-24 * s + u) * abs(how.factor)
        if how.divides:
            slack = slack + dtypes.ulp(value, _FP32)
        if how.offset is not None:
            value = value + float(np.float32(how.offset))
            slack = slack + 0.5 * dtypes.ulp(value, _FP32)
    return value, slack


def encode(values: F64, dst: str) -> Array:
    """Codes of exact values: int8 to nearest even, hif8 ties away; both saturate, NaN gives 0."""
    if dst == "hif8":
        return hif8.encode(values)
    with np.errstate(invalid="ignore"):
        whole = np.nan_to_num(np.rint(values), nan=0.0, posinf=INT8_MAX, neginf=INT8_MIN)
    codes: Array = np.clip(whole, INT8_MIN, INT8_MAX).astype(np.int8)
    return codes


def scores(got: Array, value: F64, slack: F64, dst: str) -> F64:
    """0 for the right code; for its neighbour how far the value is from their boundary, in slack.

    Inf for anything further, and for a wrong code where nothing may differ (slack is zero).
    """
    want = place(encode(value, dst), dst)
    have = place(got, dst)
    away = np.abs(have - want)
    with np.errstate(all="ignore"):
        distance = np.abs(value - _boundary(want, have, dst)) / slack
    distance[np.isnan(distance)] = np.inf
    return np.where(away == 0, 0.0, np.where(away == 1, distance, np.inf))


def place(codes: Array, dst: str) -> npt.NDArray[np.int64]:
    """Order of codes by value, neighbours one apart."""
    return (hif8.rank(codes) if dst == "hif8" else codes).astype(np.int64)


def _boundary(one: npt.NDArray[np.int64], other: npt.NDArray[np.int64], dst: str) -> F64:
    """The value between neighbouring codes."""
    low, high = np.minimum(one, other), np.maximum(one, other)
    if dst == "int8":
        return (low + high) / 2.0
    # Boundaries of magnitudes: number r lies between ranks r and r + 1.
    index = np.clip(np.where(low >= 0, low, -high), 0, len(hif8.bounds()) - 1)
    magnitude: F64 = hif8.bounds()[index]
    return np.where(low >= 0, magnitude, -magnitude)
