"""The second gate: an output as a whole against plain fp32 arithmetic that sums in pairs.

The budget of one element must allow the worst case. A kernel that is within it everywhere, but on
average several times less accurate than necessary, or off in one direction, is seen here. The
numbers below are from `python tests/harness/calibrate.py`; docs/accuracy.md shows what it printed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from normgrad import dtypes
from normgrad.dtypes import F64, Array, FloatFormat
from normgrad.golden import UNDERFLOW, Mask, Matrices

F32 = npt.NDArray[np.float32]

RMSE_FACTOR = 2.0  # over the largest of: pairwise fp32, correctly rounded, the floor
RMSE_FLOOR = 0.1  # in 2^-24 rms(S)
RMSE_ELEMS = 64  # with fewer elements chance decides
RMSE_COLS = 8  # a row of one column is x / |x|: all rows have the same few errors
# The elements of a row of dx share the error of its mean, so that n rows are n witnesses where it
# dominates (dist=parallel): two honest orders of summation then differ by more than RMSE_FACTOR
# with probability P(F(n, n) > 4), 0.4 % at 16 rows, 4e-8 at 64.
RMSE_ROWS = 64
# Rows or columns looked at to see whether data repeats; below this share of different ones the same
# few rounding errors come again and again, and chance decides.
REPEAT_SAMPLE = 256
REPEAT_SHARE = 0.5
BIAS_SIGMAS = 6.0
BIAS_ELEMS = 4096  # fewer elements say nothing about a bias
# Where terms are drawn from both sides of zero. Elsewhere one rounding error of a row's mean moves
# the whole row one way, so that elements are no independent witnesses.
BIAS_DISTS = ("normal", "uniform", "heavy")
# dx is looked at on whole blocks of rows, about this many elements in all: enough for two digits.
SAMPLE_ELEMS = 1 << 20


def repeats(data: Matrices) -> bool:
    """Whether rows or columns of x or dy are often equal: ones, constants, broadcast tensors."""
    return any(_repeats(each) or _repeats(each.T) for each in (data.x, data.dy))


def _repeats(values: Array) -> bool:
    """Of rows spread evenly, by a sum of their bits times odd numbers, exact in any order."""
    rows, cols = values.shape
    if rows < 2 or cols < 2:
        return False  # nothing to repeat; few elements do not bind anyway
    chosen = values[np.linspace(0, rows - 1, min(rows, REPEAT_SAMPLE)).astype(np.int64)]
    bits = np.ascontiguousarray(chosen).view(f"u{values.dtype.itemsize}")
    odd = np.random.default_rng(1).integers(1, 1 << 62, cols, np.uint64)
    odd += odd + np.uint64(1)
    keys: list[int] = (bits.astype(np.uint64) * odd).sum(axis=1, dtype=np.uint64).tolist()
    return len(set(keys)) < REPEAT_SHARE * len(keys)


def halved(values: F32) -> F32:
    """Sum over the first axis by halving, as if zero-padded to a power of two. Uses up `values`."""
    count = len(values)
    while count > 1:
        half = 1 << ((count - 1).bit_length() - 1)
        values[: count - half] += values[half:count]
        count = half
    total: F32 = values[0]
    return total


def rows(
    data: Matrices, begin: int, end: int, with_dx: bool
) -> tuple[Array | None, dict[str, F32]]:
    """dx of some rows in its storage dtype and what they add to each sum, in fp32 arithmetic."""
    with np.errstate(all="ignore"):
        dy, xhat = (dtypes.to_float32(a[begin:end]) for a in (data.dy, data.x))
        rstd = data.rstd[begin:end, None].astype(np.float32)
        if data.mean is not None:
            xhat = xhat - data.mean[begin:end, None].astype(np.float32)
        xhat = xhat * rstd
        dx: Array | None = None
        if with_dx:
            term = dy * data.gamma.astype(np.float32)
            product = np.ascontiguousarray((term * xhat).T)
            mean = halved(product) / np.float32(data.cols)
            if data.mean is not None:
                term -= (halved(np.ascontiguousarray(term.T)) / np.float32(data.cols))[:, None]
            term -= xhat * mean[:, None]
            term *= rstd
            dx = dtypes.from_float32(term, dtypes.dtype_name(data.x.dtype))
        xhat *= dy
        sums = {"dgamma": halved(xhat).copy()}
        if data.mean is not None:
            sums["dbeta"] = halved(dy.copy()).copy()
        return dx, sums


class PairwiseSum:
    """A sum in pairs of arrays that come one by one: equal numbers of them are added up."""

    def __init__(self) -> None:
        self._parts: list[tuple[int, F32]] = []

    def add(self, part: F32) -> None:
        level = 0
        with np.errstate(all="ignore"):
            while self._parts and self._parts[-1][0] == level:
                part = self._parts.pop()[1] + part
                level += 1
        self._parts.append((level, part))

    def total(self) -> F32:
        parts = [part for _, part in self._parts]
        total = parts.pop()
        with np.errstate(all="ignore"):
            while parts:
                total = parts.pop() + total
        return total


@dataclass
class Comparison:
    """Errors of one output, of the fp32 reference and of rounding alone, on the same elements."""

    fmt: FloatFormat
    cols: int
    is_sum: bool = False  # over rows: its elements are independent of one another
    repeats: bool = False  # the data does
    rows: int = 0  # looked at
    count: int = 0
    squares: float = 0.0  # of the output's errors
    fair_squares: float = 0.0
    rounded_squares: float = 0.0
    s_squares: float = 0.0
    signed: float = 0.0
    rounded_signed: float = 0.0

    def add(self, got: Array, fair: Array, golden: F64, s: F64, undefined: Mask | None) -> None:
        """Counts the elements that are finite in all of them."""
        rounded = dtypes.to_float64(dtypes.round_to(golden, self.fmt.name))
        ours, theirs = dtypes.to_float64(got), dtypes.to_float64(fair)
        keep = np.isfinite(ours) & np.isfinite(theirs) & np.isfinite(rounded)
        if undefined is not None:
            keep &= ~undefined
        if not keep.all():
            ours, theirs, golden, s, rounded = (a[keep] for a in (ours, theirs, golden, s, rounded))
        self.rows += len(got)
        self.count += ours.size
        error = ours - golden
        self.signed += float(error.sum())
        self.squares += _sum_of_squares(error)
        self.fair_squares += _sum_of_squares(theirs - golden)
        rounded -= golden
        self.rounded_signed += float(rounded.sum())
        self.rounded_squares += _sum_of_squares(rounded)
        self.s_squares += _sum_of_squares(s)

    def _rms(self, squares: float) -> float:
        return math.sqrt(squares / max(self.count, 1))

    @property
    def rmse_share(self) -> float:
        """RMSE in units of what is allowed where the gate binds."""
        floor = RMSE_FLOOR * 2.0**-24 * self._rms(self.s_squares)
        best = max(self._rms(self.fair_squares), self._rms(self.rounded_squares), floor, UNDERFLOW)
        return _share(self._rms(self.squares), RMSE_FACTOR * best)

    @property
    def bias_share(self) -> float:
        """Mean error in units of what chance explains."""
        if self.count < BIAS_ELEMS:
            return 0.0
        chance = BIAS_SIGMAS * self._rms(self.squares) / math.sqrt(self.count)
        rounding = abs(self.rounded_signed) / self.count
        return _share(abs(self.signed) / self.count, rounding + chance)

    def metrics(self) -> dict[str, float]:
        """The gate's figures under stable names."""
        return {
            "fair_rmse": self._rms(self.fair_squares),
            "rmse_share": self.rmse_share,
            "bias_share": self.bias_share,
            "rmse_binds": float(self.binds),
        }

    @property
    def binds(self) -> bool:
        """Whether the elements are many and independent enough to judge by their average."""
        many = self.count >= RMSE_ELEMS and self.cols >= RMSE_COLS
        return many and not self.repeats and (self.is_sum or self.rows >= RMSE_ROWS)

    def complaint(self, dist: str) -> str:
        """What the gate says against the output; empty if nothing."""
        if not self.binds:
            return ""
        if self.rmse_share > 1.0:
            return (
                f"its RMSE is {self.rmse_share * RMSE_FACTOR:.3g} times that of fp32 arithmetic "
                f"that sums in pairs ({RMSE_FACTOR:g} times are allowed), although no single "
                "element is beyond its budget"
            )
        if dist in BIAS_DISTS and self.bias_share > 1.0:
            side = "above" if self.signed > 0 else "below"
            return (
                f"on average it lies {side} the golden, {self.bias_share:.3g} times as far as "
                "rounding and chance explain, although no single element is beyond its budget"
            )
        return ""


def _share(value: float, limit: float) -> float:
    return value / limit if value else 0.0


def _sum_of_squares(values: npt.NDArray[Any]) -> float:
    flat = values.reshape(-1)
    with np.errstate(all="ignore"):
        return float(np.einsum("i,i->", flat, flat))
