"""One quantised output against its golden: codes that differ, and how they may have come about."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from normgrad import dtypes, hif8, quantised
from normgrad.compare import Block, Tally
from normgrad.dtypes import F64, Array
from normgrad.quantised import Quantisation

Rounding = Callable[[F64, Quantisation], Array]


def values_of(codes: Array, dst: str) -> F64:
    """The numbers that codes stand for."""
    return dtypes.to_float64(hif8.decode(codes) if dst == "hif8" else codes)


def _halfway(value: F64, to_even: bool) -> Array:
    """Codes of hif8 or int8 that treat halves the other way round."""
    if not to_even:
        return quantised.encode(np.sign(value) * np.floor(np.abs(value) + 0.5), "int8")
    code = hif8.encode(value)
    below = hif8.encode(np.nextafter(value, 0.0))
    odd = (hif8.rank(code).astype(np.int64) & 1) == 1
    return np.where(np.isin(np.abs(value), hif8.bounds()) & odd, below, code).astype(np.uint8)


def _cut_off(value: F64, how: Quantisation) -> Array:
    if how.dst == "int8":
        return quantised.encode(np.trunc(value), "int8")
    codes = hif8.encode(value)
    too_large = np.abs(values_of(codes, "hif8")) > np.abs(value)
    order = np.argsort(hif8.rank(np.arange(256, dtype=np.uint8)), kind="stable").astype(np.uint8)
    ranks = hif8.rank(codes).astype(np.int64)
    lower = order[np.searchsorted(hif8.rank(order), ranks - np.sign(ranks))]
    return np.where(too_large, lower, codes).astype(np.uint8)


def _before_offset(value: F64, how: Quantisation) -> Array:
    offset = float(np.float32(how.offset or 0))
    first = values_of(quantised.encode(value - offset, how.dst), how.dst)
    return quantised.encode(first + offset, how.dst)


def _wrapped(value: F64, how: Quantisation) -> Array:
    whole = np.nan_to_num(np.rint(value), posinf=0.0, neginf=0.0)
    codes: Array = np.mod(whole, 256.0).astype(np.uint8).view(np.int8)
    return codes


# What a kernel may have done instead of the right thing, and for which codes it means something;
# what differs least from the right thing first.
_WRONG: dict[str, tuple[Rounding, tuple[str, ...]]] = {
    "rounded with halves away from zero": (lambda v, _: _halfway(v, False), ("int8",)),
    "rounded with halves to even": (lambda v, _: _halfway(v, True), ("hif8",)),
    "cut off": (_cut_off, ("int8", "hif8")),
    "rounded down": (lambda v, _: quantised.encode(np.floor(v), "int8"), ("int8",)),
    "rounded before the offset": (_before_offset, ("int8", "hif8")),
    "not saturated": (_wrapped, ("int8",)),
    "stored as Inf and NaN": (lambda v, _: hif8.encode(v, saturate=False), ("hif8",)),
    "stored without the offset": (
        lambda v, how: quantised.encode(v - float(how.offset or 0), how.dst), ("int8", "hif8"),
    ),
}  # fmt: skip


@dataclass
class CodeTally(Tally):
    """What has been seen of one quantised output."""

    how: Quantisation = field(default_factory=lambda: Quantisation("int8", 1.0))
    forgiven: int = 0  # neighbours of the right code, whose value is beside their boundary
    saturated: int = 0  # of the golden
    _as_if: dict[str, int] = field(default_factory=dict)  # failing codes, by what explains them

    @staticmethod
    def of(
        name: str, shape: tuple[int, ...], rows: int, cols: int, c: float, exact: bool,
        how: Quantisation,
    ) -> CodeTally:  # fmt: skip
        """`exact`: dx is, before it is quantised."""
        fp32 = dtypes.FORMATS["fp32"]
        exact = exact and how.stays_exact(cols)
        return CodeTally(name, fp32, shape, rows, cols, c, exact, how=how)

    def add(self, raw: Array, golden: Block) -> None:
        dst = self.how.dst
        value, slack = quantised.value_and_slack(golden.value, golden.s, golden.u, self.how, self.c)
        if self.exact:
            slack = np.zeros_like(slack)
        want = quantised.encode(value, dst)
        score = quantised.scores(raw, value, slack, dst)
        keep = np.ones(raw.shape, np.bool_)
        if golden.undefined is not None:
            keep &= ~golden.undefined
        if (score > 1.0).any():
            keep &= ~self._undecided(raw, value, slack, want)
        score[~keep] = 0.0
        fails = score > 1.0
        with np.errstate(invalid="ignore"):
            noise = (np.abs(golden.value) > golden.s * 2.0**-24) & np.isfinite(value) & (value != 0)
        self.compared += int(np.count_nonzero(keep))
        self.undefined += int(raw.size - np.count_nonzero(keep))
        self.finite += int(np.count_nonzero(keep & np.isfinite(golden.value)))
        self.got_zero += int(np.count_nonzero(raw == 0))
        self.significant += 0 if self._spreads(value) else int(np.count_nonzero(noise))
        self.forgiven += int(np.count_nonzero((score > 0.0) & ~fails))
        with np.errstate(invalid="ignore"):
            largest = hif8.MAX_FINITE if dst == "hif8" else quantised.INT8_MAX
            self.saturated += int(np.count_nonzero(np.abs(value) > largest))
        shown = values_of(raw, dst)
        self.count_failures(fails, raw, shown, golden.begin)
        self._explain(raw[fails], value[fails])
        wanted = values_of(want, dst)
        away = np.abs(quantised.place(raw, dst) - quantised.place(want, dst))
        with np.errstate(invalid="ignore"):
            step = np.where(away > 0, np.abs(shown - wanted) / np.maximum(away, 1), 1.0)
        self.keep_worst(score, shown, step, slack, replace(golden, value=wanted))

    def _spreads(self, value: F64) -> bool:
        """Whether values are large enough for codes other than 0: zeros of them mean something."""
        finite = value[np.isfinite(value)]
        least = hif8.bounds()[0] if self.how.dst == "hif8" else 0.5
        with np.errstate(over="ignore"):
            return finite.size > 0 and float(np.sqrt(np.mean(np.square(finite)))) >= least

    def _undecided(self, raw: Array, value: F64, slack: F64, want: Array) -> npt.NDArray[np.bool_]:
        """Where fp32 arithmetic may give any of several codes, and the output is one of them.

        Near zero codes of hif8 lie closer together than dx may be off that is left of large terms.
        """
        dst = self.how.dst
        sure = np.isfinite(value) & np.isfinite(slack)
        with np.errstate(all="ignore"):
            low, high = (
                quantised.place(quantised.encode(np.where(sure, edge, 0.0), dst), dst)
                for edge in (value - slack, value + slack)
            )
        right, got = quantised.place(want, dst), quantised.place(raw, dst)
        several = sure & ((high - right > 1) | (right - low > 1))
        return several & (low <= got) & (got <= high)

    def _explain(self, got: Array, value: F64) -> None:
        if got.size == 0:
            return
        with np.errstate(all="ignore"):
            for words, (rounding, kinds) in _WRONG.items():
                if self.how.dst in kinds and (self.how.offset or "offset" not in words):
                    same = np.count_nonzero(rounding(value, self.how) == got)
                    self._as_if[words] = self._as_if.get(words, 0) + int(same)

    def error_words(self) -> str:
        assert self.worst is not None
        if not np.isfinite(self.worst.error_ulp):
            return "a special value in the wrong place"
        codes = (
            "1 code" if round(self.worst.error_ulp) == 1 else f"{self.worst.error_ulp:.0f} codes"
        )
        if not np.isfinite(self.score):
            return f"off by {codes}"
        return f"off by {codes}, {self.score:.3g} times as far from its boundary as is allowed"

    def cause_words(self) -> str:
        all_of = [words for words, count in self._as_if.items() if count == self.failed]
        return f"as if {all_of[0]}" if all_of else super().cause_words()

    def metrics(self) -> dict[str, float]:
        """Statistics for information."""
        count = max(self.compared, 1)
        return {
            "score": self.score,
            "compared": self.compared,
            "failed": self.failed,
            "undefined_share": self.undefined / max(self.compared + self.undefined, 1),
            "share_of_neighbours": self.forgiven / count,
            "share_saturated": self.saturated / count,
        }
