"""RmsNormGrad as an honest fp32 implementation does it, with switches that each plant a defect."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from normgrad import dtypes, golden
from normgrad.dtypes import Array

F32 = npt.NDArray[np.float32]


def correctly_rounded(inputs: Mapping[str, Array]) -> dict[str, Array]:
    """The golden, rounded once to the dtypes of the outputs."""
    source = golden.matrices(inputs)
    dtype = dtypes.dtype_name(inputs["x"].dtype)
    dx, dgamma = np.zeros((source.rows, source.cols)), np.zeros(source.cols)
    if dx.size:
        block, sums = golden.rms_norm_grad_rows(source, 0, source.rows)
        dx, dgamma = block.dx, sums["dgamma"].value
    return {
        "dx": dtypes.round_to(dx, dtype).reshape(inputs["x"].shape),
        "dgamma": dtypes.round_to(dgamma, "fp32").reshape(inputs["gamma"].shape),
    }


@dataclass(frozen=True)
class Defect:
    """What is done wrong; nothing by default."""

    sequential: bool = False  # rows are added one after the other
    accumulator: str = "fp32"  # dtype in which rows are added
    drop_last_row: bool = False
    drop_last_col: bool = False
    cols_off_by: int = 0  # in 1 / cols
    plus: bool = False  # the second term of dx is added
    stale_tail: int = 0  # last columns hold the row before
    xhat_in_dtype: bool = False  # x * rstd is rounded to the dtype of x
    term_in_dtype: bool = False  # dy * gamma is
    truncate: bool = False  # dx loses its lower bits instead of being rounded


def halved(values: F32, axis: int) -> F32:
    """Sum by halving, as if zero-padded to a power of two; all in fp32."""
    values = np.moveaxis(values, axis, 0)
    count = 1
    while count < len(values):
        count *= 2
    padded = np.zeros((count, *values.shape[1:]), np.float32)
    padded[: len(values)] = values
    while count > 1:
        count //= 2
        padded = padded[:count] + padded[count:]
    return padded[0]


def rms_norm_grad(inputs: Mapping[str, Array], defect: Defect | None = None) -> dict[str, Array]:
    """dx and dgamma in fp32 arithmetic, sums by halving."""
    with np.errstate(all="ignore"):
        return _rms_norm_grad(inputs, defect or Defect())


def _rms_norm_grad(inputs: Mapping[str, Array], defect: Defect) -> dict[str, Array]:
    rstd = inputs["rstd"].reshape(-1, 1)
    gamma = dtypes.to_float32(inputs["gamma"]).reshape(-1)
    rows, cols = rstd.size, gamma.size
    dy = dtypes.to_float32(inputs["dy"]).reshape(rows, cols)
    x = dtypes.to_float32(inputs["x"]).reshape(rows, cols)
    dtype: Any = inputs["x"].dtype
    xhat = x * rstd
    if defect.xhat_in_dtype:
        xhat = xhat.astype(dtype).astype(np.float32)
    term = dy * gamma
    if defect.term_in_dtype:
        term = term.astype(dtype).astype(np.float32)
    product = term * xhat
    if defect.drop_last_col:
        product = product[:, :-1]
    mean = halved(product, 1) * np.float32(1.0 / max(cols + defect.cols_off_by, 1))
    # One rounding, as the multiply-add of the vector unit: exact in float64, but for its last bit.
    second = xhat.astype(np.float64) * mean[:, None]
    difference = (term + second if defect.plus else term - second).astype(np.float32)
    dx = difference * rstd
    dx = (_cut(dx, dtype) if defect.truncate else dx).astype(dtype)
    if defect.stale_tail:
        dx[1:, cols - defect.stale_tail :] = dx[:-1, cols - defect.stale_tail :]
    parts = dy * xhat
    if defect.drop_last_row:
        parts = parts[:-1]
    if defect.accumulator != "fp32":
        total = np.zeros(cols, dtypes.numpy_dtype(defect.accumulator))
        for part in parts:
            total = (total.astype(np.float32) + part).astype(total.dtype)
        dgamma = total.astype(np.float32)
    else:
        dgamma = np.sum(parts, axis=0, dtype=np.float32) if defect.sequential else halved(parts, 0)
    return {"dx": dx.reshape(inputs["x"].shape), "dgamma": dgamma.reshape(inputs["gamma"].shape)}


def _cut(values: F32, dtype: Any) -> F32:
    """Towards zero to the precision of a dtype, which the later cast then keeps."""
    lost = 23 - dtypes.FORMATS[dtypes.dtype_name(dtype)].fraction_bits
    kept = np.uint32(0xFFFFFFFF << lost & 0xFFFFFFFF)
    return (np.ascontiguousarray(values).view(np.uint32) & kept).view(np.float32)


def kernel_order(
    inputs: Mapping[str, Array], cores: int, rows_per_tile: int, serial: bool = False
) -> dict[str, Array]:
    """dgamma summed as the kernels do: halves in a tile, (hi, lo) over tiles, a tree over cores.

    `serial`: a tile's rows are added one by one, which no kernel may do.
    """
    with np.errstate(all="ignore"):
        rstd = inputs["rstd"].reshape(-1, 1)
        rows, cols = rstd.size, inputs["gamma"].size
        dy, x = (dtypes.to_float32(inputs[n]).reshape(rows, cols) for n in ("dy", "x"))
        parts = dy * (x * rstd)
        sums = []
        for mine in np.array_split(parts, min(cores, rows)):
            hi, lo = np.zeros(cols, np.float32), np.zeros(cols, np.float32)
            for at in range(0, len(mine), rows_per_tile):
                tile = mine[at : at + rows_per_tile]
                add = np.cumsum(tile, axis=0, dtype=np.float32)[-1] if serial else halved(tile, 0)
                total = hi + add
                back = total - hi
                lo = lo + ((hi - (total - back)) + (add - back))
                hi = total
            sums.append(np.where(np.isfinite(hi), hi + lo, hi))  # lo of an Inf is NaN
        dgamma = halved(np.stack(sums), 0)
    return rms_norm_grad(inputs) | {"dgamma": dgamma.reshape(inputs["gamma"].shape)}
