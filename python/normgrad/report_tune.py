"""What `tune` says: progress, the best so far, a table at the end; report.py prints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO

from normgrad.measure import FULL_TILES, Figure
from normgrad.report import Lines, say, table
from normgrad.tuned import Tuned
from normgrad.words import counted


class Progress(Lines):
    """The best so far of a case, a line each time that there is a better one."""

    def __init__(self, title: str, stream: TextIO) -> None:
        super().__init__(stream, "figure")
        self._best: float | None = None
        self._write(title)

    def add(self, figure: Figure) -> None:
        """Only figures with the last word can be the best."""
        if self._bar is not None:
            self._bar.update()
            if self._best is not None:
                self._bar.set_postfix_str(f"best {self._best:,.1f} us")
        if figure.us is None:
            self._write(f"  out       {figure.candidate.words}: {figure.reason}")
        elif figure.tiles == FULL_TILES and (self._best is None or figure.us < self._best):
            self._best = figure.us
            self._write(f"  {figure.us:8,.1f} us  {figure.candidate.words}")


def title(tuned: Tuned) -> str:
    """Before the figures of a case."""
    of = "" if tuned.drawn == tuned.known else f" of {tuned.known:,}"
    return f"{tuned.case}: {tuned.drawn:,}{of} candidates"


def results(found: Sequence[Tuned], unit: str, stream: TextIO) -> None:
    """One line per case."""
    rows = []
    for tuned in found:
        first, best = tuned.default, tuned.winner
        rows.append(
            (
                tuned.case,
                f"{first.us:,.1f}" if first and first.us is not None else "-",
                f"{best.us:,.1f}" if best and best.us is not None else "-",
                "-" if tuned.gain is None else f"{tuned.gain:.1%}",
                best.candidate.words if best else "-",
                tuned.note or tuned.refused,
            )
        )
    say(stream=stream)
    table(("case", f"default {unit}", f"best {unit}", "gain", "by", ""), rows, stream=stream)


def ended(found: Sequence[Tuned], asked: int, seconds: float, files: str, stream: TextIO) -> None:
    """The last lines."""
    figures = sum(len(tuned.figures) for tuned in found)
    say(
        f"{len(found)} of {counted(asked, 'case')} in {seconds:.1f} s, "
        f"{counted(figures, 'figure')}: {files}",
        stream,
    )
