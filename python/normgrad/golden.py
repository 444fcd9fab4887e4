"""What the operators should give, in float64, block by block of rows.

Beside each value stand S, the sum of the magnitudes of its terms, and U, what underflow of fp32
intermediates may add: the verdict's budget is made of them. Inputs are taken as stored, nothing
is rounded on the way, and the sums over rows are added in two levels (inside a block, then across
blocks), so that their own error stays below 1e-12 S.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from normgrad import dtypes, ops
from normgrad.dtypes import F64, Array

Mask = npt.NDArray[np.bool_]

UNDERFLOW = 2.0**-149  # the smallest positive fp32
FP32_MAX = dtypes.FORMATS["fp32"].max_finite


@dataclass(frozen=True)
class Matrices:
    """The inputs of an operator as rows x cols; dy and x in their storage dtype."""

    dy: Array
    x: Array
    rstd: F64
    gamma: F64
    mean: F64 | None = None  # None: the operator subtracts none

    @property
    def rows(self) -> int:
        return self.rstd.size

    @property
    def cols(self) -> int:
        return self.gamma.size


@dataclass(frozen=True)
class RowBlock:
    """dx of rows begin..end: value, S and U. `undefined` marks rows that may overflow in fp32."""

    begin: int
    end: int
    dx: F64
    dx_s: F64
    dx_u: F64
    undefined: Mask | None  # one per row; None: no row


@dataclass(frozen=True)
class GoldenSum:
    """A sum over some rows: value, S, U and the columns that may overflow in fp32."""

    value: F64
    s: F64
    u: F64
    undefined: Mask

    def add(self, other: GoldenSum) -> None:
        """Adds other rows, in place."""
        with np.errstate(all="ignore"):
            np.add(self.value, other.value, out=self.value)
            np.add(self.s, other.s, out=self.s)
            np.add(self.u, other.u, out=self.u)
            np.logical_or(self.undefined, other.undefined, out=self.undefined)


Sums = dict[str, GoldenSum]  # by output


def no_rows(cols: int) -> GoldenSum:
    """The empty sum: that of no rows is zero."""
    u = np.full(cols, UNDERFLOW)
    return GoldenSum(np.zeros(cols), np.zeros(cols), u, np.zeros(cols, np.bool_))


def matrices(inputs: Mapping[str, Array], cols: int | None = None) -> Matrices:
    """The inputs of an operator by name, whatever their ranks, as matrices.

    Without gamma, which counts as ones, `cols` says how many.
    """
    rstd = dtypes.to_float64(inputs["rstd"]).reshape(-1)
    if "gamma" in inputs:
        gamma = dtypes.to_float64(inputs["gamma"]).reshape(-1)
    else:
        gamma = np.ones(cols or 0)
    mean = dtypes.to_float64(inputs["mean"]).reshape(-1) if "mean" in inputs else None
    shape = (rstd.size, gamma.size)
    return Matrices(inputs["dy"].reshape(shape), inputs["x"].reshape(shape), rstd, gamma, mean)


def rows_of(op: str) -> Callable[[Matrices, int, int], tuple[RowBlock, Sums]]:
    """The function of an operator: dx of rows begin..end, and what they add to the sums."""
    with_mean = ops.find_op(op).has_mean
    return layer_norm_grad_rows if with_mean else rms_norm_grad_rows


def rms_norm_grad_rows(data: Matrices, begin: int, end: int) -> tuple[RowBlock, Sums]:
    """dx of rows begin..end, and what these rows add to dgamma.

    xhat = x rstd,  dx = (dy gamma - xhat mean(dy gamma xhat)) rstd,  dgamma = sum(dy xhat)
    """
    with np.errstate(all="ignore"):
        dy = dtypes.to_float64(data.dy[begin:end])
        rstd = data.rstd[begin:end, None]
        abs_rstd = np.abs(rstd)
        xhat = dtypes.to_float64(data.x[begin:end])
        xhat *= rstd
        abs_xhat = np.abs(xhat)
        term = dy * data.gamma
        product = term * xhat
        mean = product.sum(axis=1, keepdims=True) / data.cols
        np.abs(product, out=product)
        abs_sum = product.sum(axis=1, keepdims=True)

        dx = np.multiply(xhat, mean, out=product)
        np.subtract(term, dx, out=dx)
        dx *= rstd
        np.abs(term, out=term)
        dx_s = abs_xhat * (abs_sum / data.cols)
        dx_s += term
        dx_s *= abs_rstd
        dx_u = _underflow_of_xhat(abs_xhat, abs_rstd, term, abs_sum)
        dx_u += abs_xhat * (UNDERFLOW * abs_rstd)
        dx_u += UNDERFLOW * (1.0 + 2.0 * abs_rstd)

        xhat *= dy
        dgamma = _sum(xhat, UNDERFLOW * (end - begin + np.abs(dy, out=dy).sum(axis=0)))
        rows, dgamma.undefined[...] = _may_overflow(
            abs_sum, dx_s, (term, abs_xhat), (np.abs(xhat, out=xhat), abs_xhat)
        )
    return RowBlock(begin, end, dx, dx_s, dx_u, rows), {"dgamma": dgamma}


def layer_norm_grad_rows(data: Matrices, begin: int, end: int) -> tuple[RowBlock, Sums]:
    """dx of rows begin..end, and what these rows add to dgamma and dbeta.

    xhat = (x - mean) rstd,  dgamma = sum(dy xhat),  dbeta = sum(dy)
    dx = (dy gamma - mean(dy gamma) - xhat mean(dy gamma xhat)) rstd
    """
    assert data.mean is not None
    with np.errstate(all="ignore"):
        dy = dtypes.to_float64(data.dy[begin:end])
        rstd = data.rstd[begin:end, None]
        abs_rstd = np.abs(rstd)
        xhat = dtypes.to_float64(data.x[begin:end])
        xhat -= data.mean[begin:end, None]
        xhat *= rstd
        abs_xhat = np.abs(xhat)
        term = dy * data.gamma
        product = term * xhat
        c1 = term.sum(axis=1, keepdims=True) / data.cols
        c2 = product.sum(axis=1, keepdims=True) / data.cols
        np.abs(product, out=product)
        abs_sum = product.sum(axis=1, keepdims=True)

        dx = np.multiply(xhat, c2, out=product)
        np.subtract(term, dx, out=dx)
        dx -= c1
        dx *= rstd
        np.abs(term, out=term)
        dx_s = abs_xhat * (abs_sum / data.cols)
        dx_s += term
        dx_s += term.sum(axis=1, keepdims=True) / data.cols
        dx_s *= abs_rstd
        dx_u = _underflow_of_xhat(abs_xhat, abs_rstd, term, abs_sum)
        dx_u += abs_xhat * (UNDERFLOW * (1.0 + abs_rstd))
        dx_u += UNDERFLOW * (1.0 + 3.0 * abs_rstd)

        dbeta = _sum(dy, np.full(data.cols, UNDERFLOW))
        xhat *= dy
        dgamma = _sum(xhat, UNDERFLOW * (end - begin + dbeta.s))
        rows, dgamma.undefined[...] = _may_overflow(
            abs_sum, dx_s, (term, abs_xhat), (np.abs(xhat, out=xhat), abs_xhat)
        )
    return RowBlock(begin, end, dx, dx_s, dx_u, rows), {"dgamma": dgamma, "dbeta": dbeta}


def _underflow_of_xhat(abs_xhat: F64, abs_rstd: F64, abs_term: F64, abs_sum: F64) -> F64:
    """What an xhat below the normal numbers of fp32 does to dx: through the mean, and by itself."""
    cols = abs_term.shape[1]
    through_mean: F64 = abs_xhat * (abs_term.sum(axis=1, keepdims=True) / cols)
    through_mean += abs_sum / cols
    through_mean *= UNDERFLOW * abs_rstd
    return through_mean


def _sum(terms: F64, u: F64) -> GoldenSum:
    """The sum over rows of what lies in fp32 everywhere."""
    return GoldenSum(
        terms.sum(axis=0), np.abs(terms).sum(axis=0), u, np.zeros(terms.shape[1], np.bool_)
    )


def _may_overflow(
    abs_sum: F64, dx_s: F64, in_dx: tuple[F64, ...], in_dgamma: tuple[F64, ...]
) -> tuple[Mask | None, Mask]:
    """Rows of dx and columns of dgamma in which an intermediate is finite, but not in fp32."""
    rows, cols = dx_s.shape
    all_magnitudes = (abs_sum, dx_s, *in_dx, *in_dgamma)
    if rows * cols == 0 or all(float(values.max()) <= FP32_MAX for values in all_magnitudes):
        return None, np.zeros(cols, np.bool_)
    by_row = np.zeros(rows, np.bool_)
    for values in (abs_sum, dx_s, *in_dx):
        by_row |= beyond_fp32(values).any(axis=1)
    by_col = np.zeros(cols, np.bool_)
    for values in in_dgamma:
        by_col |= beyond_fp32(values).any(axis=0)
    return by_row, by_col


def beyond_fp32(values: F64) -> Mask:
    """Where a magnitude is finite, but not in fp32."""
    return (values > FP32_MAX) & (values < np.inf)
