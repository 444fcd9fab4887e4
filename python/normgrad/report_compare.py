"""What `normgrad compare` and `verify --baseline` say; report.py prints it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any, TextIO

from normgrad import report
from normgrad.regressions import RULES, Change, Comparison, Kind
from normgrad.words import counted

_LIMITS = {rule.name: f"{100 * rule.share:g} %" for rule in RULES}
_SHOWN = 40  # lines of a table that people read


def rows(comparison: Comparison) -> Iterable[dict[str, Any]]:
    for change in comparison.changes:
        yield {**asdict(change), "kind": change.kind.name, "share": change.share}
    for case in comparison.gone:
        yield {"case": case, "what": "not run", "kind": Kind.RESULT.name}


def show(comparison: Comparison, old: Path, accept: str, stream: TextIO | None = None) -> None:
    """A line per change, the worse first, and how to accept them on purpose."""
    better = [change for change in comparison.changes if change.kind is Kind.NONE]
    ordered = [*comparison.worse, *better]
    if ordered:
        report.table(
            ("", "figure", "old", "new", "change", "allowed", "case"),
            [_line(change) for change in ordered[:_SHOWN]],
            stream=stream,
        )
    if len(ordered) > _SHOWN:
        report.say(f"and {len(ordered) - _SHOWN} more; --json prints all", stream)
    said = [counted(len(comparison.cases), "case") + f" compared with {old}"]
    said.append(f"{len(comparison.worse)} worse, {len(better)} better")
    if comparison.added:
        said.append(counted(len(comparison.added), "case") + " not in it")
    report.say(": ".join(said[:2]) + "".join(f", {words}" for words in said[2:]), stream)
    if comparison.gone:
        gone = counted(len(comparison.gone), "case")
        report.say(
            f"{gone} of {old} not run (first: {comparison.gone[0]}): run them, or take their lines "
            "out of it",
            stream,
        )
    if comparison.worse:
        report.say(f"to accept this on purpose: {accept}", stream)


def accepted(path: Path, count: int) -> None:
    report.say(f"{path} holds {counted(count, 'case')} now")


def _line(change: Change) -> tuple[object, ...]:
    share = "-" if change.share is None else f"{100 * change.share:+.2f} %"
    word = "better" if change.kind is Kind.NONE else "WORSE"
    limit = _LIMITS.get(change.what, "-")
    return word, change.what, _cell(change.old), _cell(change.new), share, limit, change.case


def _cell(value: object) -> object:
    return f"{value:.6g}" if isinstance(value, float) else value
