"""What a search for a plan has found for one problem, and whether a row of the bank is worth it."""

from __future__ import annotations

import datetime
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from normgrad import bank, knobs
from normgrad.cases import Case
from normgrad.measure import Figure
from normgrad.search import best_of

NEAR = 0.005  # what a plan may lose at the ends of its class: half a percent is no loss


@dataclass(frozen=True)
class Tuned:
    """A problem with all figures of its candidates."""

    case: Case
    figures: tuple[Figure, ...]
    drawn: int = 0  # candidates of the search
    known: int = 0  # candidates that there are
    refused: str = ""  # why there is nothing to search among
    ends: tuple[tuple[Figure, Figure], ...] = ()  # default and winner at the ends of the class
    note: str = ""  # why there is no row, or that there is one
    row: bank.Row | None = None

    @property
    def default(self) -> Figure | None:
        """The planner's own choice, with the most tiles that it was timed on."""
        own = [figure for figure in self.figures if figure.candidate.is_default]
        return max(own, key=lambda figure: figure.tiles, default=None)

    @property
    def winner(self) -> Figure | None:
        return best_of(self.figures)

    @property
    def gain(self) -> float | None:
        """The share of the default's time that the winner saves."""
        first, best = self.default, self.winner
        if first is None or best is None or not first.us or best.us is None:
            return None
        return 1 - best.us / first.us

    def as_json(self) -> dict[str, Any]:
        first, best = self.default, self.winner
        return {
            "case": str(self.case),
            "status": best.status if best else first.status if first else "UNSUPPORTED",
            "plan": best.strategy if best else None,
            "knobs": best.candidate.knobs if best else {},
            "default_us": first.us if first else None,
            "winner_us": best.us if best else None,
            "gain": self.gain,
            "candidates": self.drawn,
            "of": self.known,
            "row": self.note,
            "reason": self.refused or (first.reason if first and not best else ""),
        }


@dataclass(frozen=True)
class Verdict:
    """Whether a winner becomes a row, and the sentence that says why."""

    keep: bool
    note: str


def worth_a_row(tuned: Tuned, file: str, on_twin_library: bool) -> Verdict:
    """A row wins by more than LEAST_GAIN where it was searched, and nowhere in its class loses."""
    gain = tuned.gain
    if gain is None:
        return Verdict(False, "no row: nothing could be timed")
    if on_twin_library:
        return Verdict(False, "no row: times of the twin's library say nothing of a device")
    if gain <= bank.LEAST_GAIN:
        return Verdict(
            False, f"no row: {gain:.1%} is no more than the {bank.LEAST_GAIN:.1%} that one must win"
        )
    for first, best in tuned.ends:
        if first.us is None or best.us is None:
            wrong = best if best.us is None else first
            return Verdict(False, f"no row: with {first.candidate.case.rows:,} rows {wrong.reason}")
        if best.us > first.us * (1 + NEAR):
            return Verdict(
                False,
                f"no row: with {first.candidate.case.rows:,} rows it takes {best.us:,.1f} us, the "
                f"planner's choice {first.us:,.1f}",
            )
    return Verdict(True, f"a row in {file}")


@dataclass(frozen=True)
class Provenance:
    """What a row says of how it was found."""

    root: Path
    measured: str
    today: datetime.date = field(default_factory=datetime.date.today)


def row_of(tuned: Tuned, how: Provenance) -> bank.Row:
    """The row of a winner."""
    case, first, best = tuned.case, tuned.default, tuned.winner
    assert first is not None
    assert best is not None
    assert first.us is not None
    assert best.us is not None
    modelled = how.measured == "modelled"
    given = {knobs.KNOBS[word]: value for word, value in best.candidate.knobs.items()}
    return bank.Row(
        op=case.op,
        shape_class=bank.class_of(case.rows, case.cols, case.det == "strong"),
        dtype=case.dtype if case.gamma is None else f"{case.dtype}:gamma={case.gamma}",
        knobs=" ".join(knobs.words(given)),
        default_us=f"{first.us:.1f}",
        winner_us=f"{best.us:.1f}",
        measured=how.measured,
        rows=str(case.rows),
        date=how.today.isoformat(),
        source=bank.source_of(how.root, case.op),
        model=bank.model_of(how.root) if modelled else "-",
    )


def case_of(row: bank.Row, soc: str) -> Case:
    """The problem that a row was searched for."""
    classed = row.shape_class.partition(":")[0]
    cols = classed.partition("x")[2]
    strong = ":det=strong" if row.shape_class.endswith(":det=strong") else ""
    dtype, colon, gamma = row.dtype.partition(":")
    return Case.parse(f"{row.op}:{soc}:{dtype}:{row.rows}x{cols}{colon}{gamma}{strong}")


def is_stale(row: bank.Row, root: Path) -> bool:
    """Whether the kernels, or the model that a modelled row comes from, have changed since."""
    old_model = row.model not in ("-", bank.model_of(root))
    return old_model or row.source != bank.source_of(root, row.op)
