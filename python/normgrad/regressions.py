"""Two sets of results, case by case: what became worse, by one rule per figure.

A baseline is a file of rows with the figures that the rules read, one row a line, so that what a
change does to it can be read in a diff. Any results.json, and any output of --json, is one too.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Any

from normgrad.errors import NormgradError
from normgrad.store import to_json

Row = Mapping[str, Any]


class Kind(IntEnum):
    """What a change means for the exit code: the figure is that code."""

    NONE = 0  # nothing, or better
    RESULT = 1  # a status, a promise about bits, accuracy
    COST = 3  # bytes or cycles


@dataclass(frozen=True)
class Rule:
    """A figure may grow by `share` of its old value, or by `floor` if that is more."""

    name: str  # of the figure in a row
    kind: Kind
    share: float
    floor: float = 0.0


# Scores far below the limit move with any new order of sums; 0.02 of the budget is no loss.
RULES = (
    Rule("score", Kind.RESULT, 0.05, floor=0.02),
    Rule("bytes_over_minimum", Kind.COST, 0.0, floor=1e-9),  # the same bytes: a division's rounding
    Rule("slope_cycles_per_64", Kind.COST, 0.02),
    Rule("registers_per_64", Kind.COST, 0.02),
    Rule("modelled_us", Kind.COST, 0.02),
)
_PROMISES = ("deterministic", "batch_invariant")
_NAMES = ("case", "status", "expected", *_PROMISES, *(rule.name for rule in RULES))


@dataclass(frozen=True)
class Change:
    """One figure of one case; `kind` is NONE where it did not become worse."""

    case: str
    what: str
    old: Any
    new: Any
    kind: Kind

    @property
    def share(self) -> float | None:
        """New over old, less 1; None where there is no ratio."""
        numbers = isinstance(self.old, (int, float)) and isinstance(self.new, (int, float))
        return self.new / self.old - 1 if numbers and self.old else None


@dataclass(frozen=True)
class Comparison:
    """`changes` in the order of the old rows, the worse ones of a case first."""

    cases: tuple[str, ...]  # that both have
    changes: tuple[Change, ...]
    added: tuple[str, ...]  # cases that only the new rows have
    gone: tuple[str, ...]  # cases that only the old rows have: nobody knows how they are

    @property
    def worse(self) -> tuple[Change, ...]:
        return tuple(change for change in self.changes if change.kind is not Kind.NONE)

    @property
    def exit_code(self) -> int:
        kinds = {change.kind for change in self.worse}
        if self.gone or Kind.RESULT in kinds:
            return Kind.RESULT
        return Kind.COST if kinds else Kind.NONE


def compare(old: Sequence[Row], new: Sequence[Row], only_new: bool = False) -> Comparison:
    """`only_new`: a case that the new rows lack was not asked for, and is not missed."""
    before = {row["case"]: row for row in old}
    now = {row["case"]: row for row in new}
    both = [case for case in before if case in now]
    changes: list[Change] = []
    for case in both:
        changes += sorted(
            _changes(before[case], now[case]), key=lambda change: change.kind is Kind.NONE
        )
    return Comparison(
        cases=tuple(both),
        changes=tuple(changes),
        added=tuple(case for case in now if case not in before),
        gone=() if only_new else tuple(case for case in before if case not in now),
    )


def _changes(old: Row, new: Row) -> Iterable[Change]:
    case = old["case"]
    if old["status"] != new["status"] or _expected(old) != _expected(new):
        # Among statuses that nobody expects none is better than another: a finding and a wrong
        # number both have to be looked at.
        kind = Kind.NONE if _expected(new) else Kind.RESULT
        yield Change(case, "status", old["status"], new["status"], kind)
    for name in _PROMISES:
        before, now = old.get(name), new.get(name)
        if None not in (before, now) and before != now:
            yield Change(case, name, before, now, Kind.NONE if now else Kind.RESULT)
    for rule in RULES:
        before, now = (_number(row.get(rule.name)) for row in (old, new))
        if before is None or now is None or _same(before, now, rule):
            continue
        better = now < before or math.isnan(before)
        yield Change(case, rule.name, before, now, Kind.NONE if better else rule.kind)


def _same(before: float, now: float, rule: Rule) -> bool:
    if before == now or (math.isnan(before) and math.isnan(now)):
        return True
    return math.isfinite(before) and abs(now - before) <= max(rule.share * before, rule.floor)


def _expected(row: Row) -> bool:
    return bool(row.get("expected", row["status"] == "PASSED"))


def _number(value: Any) -> float | None:
    """Numbers that JSON lacks are text in a row: a score of "inf" is worse than any other."""
    return None if value is None else float(value)


def read_rows(path: Path) -> list[dict[str, Any]]:
    """The rows of results.json, of a baseline, or of what --json printed."""
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))["rows"]
    except OSError as error:
        raise NormgradError(
            f"{path} cannot be read ({error.strerror}): give results.json of a report folder, or a "
            "baseline"
        ) from None
    except (ValueError, KeyError, TypeError):
        raise NormgradError(
            f'{path} is not JSON of the form {{"rows": [...]}}: give results.json of a report '
            "folder, or a baseline"
        ) from None
    if not isinstance(rows, list) or not all(_is_row(row) for row in rows):
        raise NormgradError(
            f"{path} has a row without case and status, or with a figure that is no number: give "
            "results.json of a report folder, or a baseline"
        )
    counts = Counter(row["case"] for row in rows)
    if twice := next((text for text, count in counts.items() if count > 1), None):
        raise NormgradError(f"{path} has more than one row of {twice}: which one counts is unclear")
    return rows


def _is_row(row: Any) -> bool:
    if not isinstance(row, dict):
        return False
    if not all(isinstance(row.get(name), str) for name in ("case", "status")):
        return False
    try:
        for rule in RULES:
            _number(row.get(rule.name))
    except (TypeError, ValueError):
        return False
    return True


def write_baseline(path: Path, rows: Iterable[Row]) -> None:
    """Only what the rules read, one row a line, in the order of the cases' texts."""
    kept = [{name: row[name] for name in _NAMES if row.get(name) is not None} for row in rows]
    lines = [json.dumps(to_json(row)) for row in sorted(kept, key=lambda row: str(row["case"]))]
    text = '{"rows": [\n' + ",\n".join(lines) + "\n]}\n"
    fresh = path.with_name(path.name + ".new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh.write_text(text, encoding="utf-8")
        fresh.replace(path)
    except OSError as error:
        raise NormgradError(f"the baseline {path} cannot be written ({error.strerror})") from None
