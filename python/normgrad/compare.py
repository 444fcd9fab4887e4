"""One output against its golden, block by block: budgets, maps of special values, statistics.

An element may be off by half a step of its dtype, plus C 2^-24 S for fp32 arithmetic, plus U for
underflow; its score is the error in units of that budget. docs/accuracy.md says why.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from normgrad import dtypes
from normgrad.dtypes import F64, Array, FloatFormat

FP32_EPS = 2.0**-24  # half a step at 1: the error of one fp32 operation
MAP_ROWS, MAP_COLS = 16, 64  # cells at most, of the map of failing elements
MERE_FLOOR = 1e-7  # of CANN's relative errors, |error| / (|golden| + floor)
# For information, by dtype of the output: the limit of MERE (MARE: ten times it), and what TTK's
# `mixed` standard takes: rtol, atol, and the hard limit of any error below 32 steps.
MERE_LIMIT = {"fp16": 2.0**-10, "bf16": 2.0**-7, "fp32": 2.0**-13}
TTK_MIXED = {
    "fp16": (2.0**-9, 2.0**-9, 0.1),
    "bf16": (2.0**-6, 2.0**-6, 1.0),
    "fp32": (2.0**-10, 2.0**-16, 1e-2),
}
TTK_SHARE = 0.01  # of elements that may be beyond rtol and atol


@dataclass(frozen=True)
class Block:
    """Golden of some rows of one output: where they begin, value, S, U, undefined elements."""

    begin: int
    value: F64
    s: F64
    u: F64
    undefined: npt.NDArray[np.bool_] | None = None  # broadcasts over the block


@dataclass(frozen=True)
class Worst:
    """The element with the largest score."""

    output: str
    index: tuple[int, ...]
    expected: float
    got: float
    error_ulp: float
    limit: float  # the element's budget, absolute
    row: int = 0
    col: int = 0


@dataclass
class Tally:
    """What has been seen of one output. `add` takes its blocks in any order."""

    name: str
    fmt: FloatFormat
    shape: tuple[int, ...]  # of the tensor
    rows: int
    cols: int
    c: float  # of the budget
    exact: bool = False  # fp32 arithmetic is exact: nothing but the rounded value is right
    saturates: bool = False  # the chip's 16-bit formats have no Inf and no NaN
    sums_rows: bool = False  # its elements are sums over rows

    compared: int = 0
    finite: int = 0  # of the compared: numbers on both sides
    undefined: int = 0
    failed: int = 0
    mismatched: int = 0  # of the failed: NaN, +Inf or -Inf where something else belongs
    poisoned: int = 0  # of the failed: all bits are ones, as before the run
    zeros_failed: int = 0  # of the failed: zero
    got_zero: int = 0
    significant: int = 0  # golden is above what one fp32 operation may lose
    score: float = 0.0
    worst: Worst | None = None
    failed_rows: npt.NDArray[np.int64] = field(init=False)
    failed_cols: npt.NDArray[np.int64] = field(init=False)
    map: npt.NDArray[np.int64] = field(init=False)  # failing elements, the output reduced to cells
    _finite: int = 0
    _not_correct: int = 0
    _ulp: tuple[float, float] = (0.0, 0.0)  # sum, maximum
    _relative: tuple[float, float] = (0.0, 0.0)
    _squares: float = 0.0
    _signed: float = 0.0
    _ttk_beyond: int = 0
    _ttk_hard: int = 0

    def __post_init__(self) -> None:
        self.failed_rows = np.zeros(self.rows, np.int64)
        self.failed_cols = np.zeros(self.cols, np.int64)
        self.map = np.zeros((min(self.rows, MAP_ROWS), min(self.cols, MAP_COLS)), np.int64)

    def add(self, raw: Array, golden: Block) -> None:
        """Compares rows of the output, as stored, with their golden."""
        with np.errstate(all="ignore"):
            if self.exact:  # one result is right: that of rounding to nearest, ties to even
                rounded = dtypes.round_to(golden.value, self.fmt.name)
                golden = replace(golden, value=dtypes.to_float64(rounded))
            if self.saturates:
                golden = saturated(golden, self.fmt.max_finite)
            got = dtypes.to_float64(raw)
            step = dtypes.ulp(golden.value, self.fmt)
            slack = 0.0 if self.exact else self.c * FP32_EPS * golden.s + golden.u
            budget = step * 0.5
            budget += slack
            error = got - golden.value
            score = np.abs(error)
            score /= budget
            self.got_zero += got.size - int(np.count_nonzero(got))
            noise = golden.s * FP32_EPS
            self.significant += int(np.count_nonzero(np.abs(golden.value) > noise))
            if golden.undefined is None and float(score.max()) <= 1.0:
                self.compared += got.size
                self.finite += got.size
                self._measure(error, golden.value, step)
                self.keep_worst(score, got, step, budget, golden)
            else:
                self._add_slowly(raw, got, step, budget, error, score, slack, golden)

    def _add_slowly(
        self, raw: Array, got: F64, step: F64, budget: F64, error: F64, score: F64,
        slack: F64 | float, golden: Block,
    ) -> None:  # fmt: skip
        """Blocks with special values, undefined elements or failures."""
        value, bound = golden.value, self.fmt.overflow_bound
        expected = np.where(np.abs(value) >= bound, np.copysign(np.inf, value), value)
        both_finite = np.isfinite(got) & np.isfinite(value)
        same = (np.isnan(got) & np.isnan(value)) | (got == expected)
        # Inf is right, too, where the error that is allowed could carry the value to the bound.
        edge = np.isinf(got) & (np.sign(got) * value + slack >= bound) & (not self.saturates)
        score[...] = np.where(both_finite, score, np.where(same | edge, 0.0, np.inf))
        score[np.isnan(score)] = np.inf
        keep = np.ones(got.shape, np.bool_)
        if golden.undefined is not None:
            keep &= ~golden.undefined & np.ones(got.shape, np.bool_)
            score[~keep] = 0.0
        self.undefined += int(got.size - np.count_nonzero(keep))
        self.compared += int(np.count_nonzero(keep))
        self.finite += int(np.count_nonzero(keep & both_finite))
        fails = score > 1.0
        self.mismatched += int(np.count_nonzero(fails & ~both_finite))
        self.count_failures(fails, raw, got, golden.begin)
        counted = keep & both_finite
        self._measure(error[counted], value[counted], step[counted])
        self.keep_worst(score, got, step, budget, golden)

    def count_failures(
        self, fails: npt.NDArray[np.bool_], raw: Array, got: F64, begin: int
    ) -> None:
        """Which elements fail, and what is there."""
        if not fails.any():
            return
        self.failed += int(np.count_nonzero(fails))
        self.poisoned += int(np.count_nonzero(fails & _is_poison(raw)))
        self.zeros_failed += int(np.count_nonzero(fails & (got == 0.0)))
        self.failed_rows[begin : begin + len(fails)] += fails.sum(axis=1)
        self.failed_cols += fails.sum(axis=0)
        row, col = np.nonzero(fails)
        cell = ((row + begin) * len(self.map) // self.rows, col * self.map.shape[1])
        np.add.at(self.map, (cell[0], cell[1] // self.cols), 1)

    def _measure(self, error: F64, value: F64, step: F64) -> None:
        if error.size == 0:
            return
        self._finite += error.size
        self._signed += float(error.sum())
        flat = error.reshape(-1)
        self._squares += float(np.einsum("i,i->", flat, flat))  # dot would start BLAS threads
        magnitude = np.abs(error)
        in_ulp = magnitude / step
        self._not_correct += int(np.count_nonzero(in_ulp > 0.5))
        self._ulp = (self._ulp[0] + float(in_ulp.sum()), max(self._ulp[1], float(in_ulp.max())))
        base = np.abs(value)
        rtol, atol, hard = TTK_MIXED[self.fmt.name]
        self._ttk_beyond += int(np.count_nonzero(magnitude > base * rtol + atol))
        if float(magnitude.max()) > hard:
            self._ttk_hard += int(np.count_nonzero((magnitude > hard) & (in_ulp > 32.0)))
        base += MERE_FLOOR
        magnitude /= base
        total, largest = self._relative
        self._relative = (
            total + float(magnitude.sum()),
            max(largest, float(magnitude.max())),
        )

    def keep_worst(self, score: F64, got: F64, step: F64, budget: F64, golden: Block) -> None:
        """`golden` has what was expected of the elements as they are shown."""
        at = int(score.argmax())
        row, col = divmod(at, self.cols)
        if self.worst is not None and score[row, col] <= self.score:
            return
        self.score = float(score[row, col])
        expected, seen = float(golden.value[row, col]), float(got[row, col])
        index = np.unravel_index((golden.begin + row) * self.cols + col, self.shape)
        self.worst = Worst(
            output=self.name,
            index=tuple(int(i) for i in index),
            expected=expected,
            got=seen,
            error_ulp=abs(seen - expected) / float(step[row, col]),
            limit=float(budget[row, col]),
            row=golden.begin + row,
            col=col,
        )

    def error_words(self) -> str:
        """How far off the worst element is."""
        if self.worst is None or not np.isfinite(self.score):
            return "a special value in the wrong place"
        return f"off by {self.worst.error_ulp:.3g} ulp, {self.score:.3g} times what is allowed"

    def cause_words(self) -> str:
        """What the failing elements have in common beside their places; empty if nothing."""
        if self.poisoned == self.failed:
            return "all of them still hold the poison from before the run (never written?)"
        if self.poisoned:
            return f"{self.poisoned} of them still hold the poison from before the run"
        if self.zeros_failed == self.failed:
            return "all of them are zero"
        return f"{self.mismatched} of them NaN or Inf on one side" if self.mismatched else ""

    def metrics(self) -> dict[str, float]:
        """Statistics for information; over the elements that are finite on both sides."""
        count = max(self._finite, 1)
        mere, mare, limit = self._relative[0] / count, self._relative[1], MERE_LIMIT[self.fmt.name]
        beyond = self._ttk_beyond / count
        return {
            "score": self.score,
            "compared": self.compared,
            "failed": self.failed,
            "undefined_share": self.undefined / max(self.compared + self.undefined, 1),
            "max_ulp": self._ulp[1],
            "mean_ulp": self._ulp[0] / count,
            "mere": mere,
            "mare": mare,
            "mere_mare_pass": float(not self.mismatched and mere < limit and mare < 10 * limit),
            "ttk_mixed_share": beyond,
            "ttk_mixed_pass": float(
                not self.mismatched and beyond <= TTK_SHARE and not self._ttk_hard
            ),
            "share_not_correctly_rounded": self._not_correct / count,
            "rmse": math.sqrt(self._squares / count),
            "bias": self._signed / count,
        }


def saturated(golden: Block, largest: float) -> Block:
    """The golden of a chip whose formats saturate: Inf is the largest number, NaN is 0."""
    special = ~np.isfinite(golden.value)
    value = np.clip(np.where(np.isnan(golden.value), 0.0, golden.value), -largest, largest)
    return replace(
        golden, value=value, s=np.where(special, 0.0, golden.s), u=np.where(special, 0.0, golden.u)
    )


def _is_poison(raw: Array) -> npt.NDArray[np.bool_]:
    kind = np.dtype(f"u{raw.dtype.itemsize}")
    poison: npt.NDArray[np.bool_] = raw.view(kind) == np.iinfo(kind).max
    return poison
