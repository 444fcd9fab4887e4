"""The scale and the offset of a quantised dx, where a case does not say them.

A quantiser that has seen such tensors would choose a scale that spreads dx over its codes: here 32
steps of int8 to one standard deviation, so that a few of ten thousand normal numbers saturate.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from normgrad import dtypes, golden
from normgrad.cases import Case
from normgrad.dtypes import Array

_STEPS = 32.0  # of one rms of dx
# The least step, in rms of S: fp32 arithmetic may be off by half of it. Rows of one column have a
# dx of rounding errors alone.
_LEAST_STEP = 2.0**-21
_ROWS, _ELEMS = 256, 1 << 16  # of dx that are looked at, in rows spread evenly


def make(case: Case, inputs: Mapping[str, Array]) -> dict[str, Array]:
    """scales_x and offset_x; the latter is there only if the case has one."""
    value = case.scale_value
    if value is None:
        step = _step(case, inputs)
        value = step if case.divides else 1.0 / step
    fmt = dtypes.FORMATS[case.scale_dtype]
    if np.isfinite(value) and case.scale_value is None:
        value = float(np.clip(value, 2.0**fmt.min_exponent, fmt.max_finite))
    made = {"scales_x": dtypes.round_to(np.array([value]), case.scale_dtype)}
    if case.offset is not None:
        made["offset_x"] = np.array([int(case.offset)], np.int32)
    return made


def _step(case: Case, inputs: Mapping[str, Array]) -> float:
    """One step of a code, in units of dx; a power of two where sums are to be exact."""
    data = golden.matrices(inputs)
    rows = max(1, min(data.rows, _ROWS, _ELEMS // max(data.cols, 1)))
    chosen = np.unique(np.linspace(0, max(data.rows - 1, 0), rows).astype(np.int64))
    squares, terms, count = 0.0, 0.0, 0
    for row in chosen if data.rows and data.cols else ():
        block, _ = golden.rms_norm_grad_rows(data, int(row), int(row) + 1)
        is_finite = np.isfinite(block.dx) & np.isfinite(block.dx_s)
        squares += float(np.square(block.dx[is_finite]).sum())
        terms += float(np.square(block.dx_s[is_finite]).sum())
        count += int(np.count_nonzero(is_finite))
    rms, rms_of_terms = (float(np.sqrt(total / max(count, 1))) for total in (squares, terms))
    step = max(rms / _STEPS, rms_of_terms * _LEAST_STEP)
    if not 0.0 < step < np.inf:
        return 1.0
    return float(2.0 ** np.round(np.log2(step))) if case.dist == "exact" else step
