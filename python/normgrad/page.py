"""What report.html shows, as plain data for its template: summary, rows, pictures, details.

Details are JSON in the page, columns of values under names said once: of 4,700 cases they take
8 MB where written-out tables took 45. The page draws those of a case when it is opened.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from normgrad import findings, timing
from normgrad.regressions import Change, Comparison, Kind
from normgrad.store import Result, to_json
from normgrad.words import counted

_TABLES = ("worst", "counters", "fields")  # attributes that are one table of names and values


@dataclass(frozen=True)
class Cell:
    """One operator, chip and pair of dtypes."""

    cases: int
    wrong: int
    refused: int
    worst: float | None  # score


@dataclass(frozen=True)
class Summary:
    dtypes: tuple[str, ...]
    rows: tuple[tuple[str, str, tuple[Cell | None, ...]], ...]  # op, soc, a cell per dtype


def summary(results: Sequence[Result]) -> Summary:
    """Counts by operator and chip (down) and dtype (across)."""
    groups: dict[tuple[str, str, str], list[Result]] = defaultdict(list)
    for result in results:
        groups[result.op, result.soc, result.dtype].append(result)
    dtypes = tuple(dict.fromkeys(dtype for _, _, dtype in sorted(groups)))
    places = dict.fromkeys((op, soc) for op, soc, _ in sorted(groups))
    return Summary(
        dtypes,
        tuple(
            (op, soc, tuple(_cell(groups.get((op, soc, dtype), ())) for dtype in dtypes))
            for op, soc in places
        ),
    )


def _cell(results: Sequence[Result]) -> Cell | None:
    if not results:
        return None
    scores = [result.score for result in results if result.score is not None]
    return Cell(
        cases=len(results),
        wrong=sum(1 for result in results if not result.expected),
        refused=sum(1 for result in results if result.expected and result.status == "UNSUPPORTED"),
        worst=max(scores, default=None),
    )


def trends(against: Comparison) -> dict[str, str]:
    """What became of each case of the baseline, in a few words; cases that it lacks are absent."""
    changes: dict[str, list[Change]] = defaultdict(list)
    for change in against.changes:
        changes[change.case].append(change)
    return {case: _trend(changes.get(case, ())) for case in against.cases}


def _trend(changes: Sequence[Change]) -> str:
    if not changes:
        return "same"
    first = changes[0]  # the worse come first
    word = "better" if first.kind is Kind.NONE else "worse"
    share = "" if first.share is None else f" {100 * first.share:+.1f} %"
    return f"{word}: {first.what.replace('_', ' ')}{share}"


def details(results: Sequence[Result]) -> str:
    """JSON for a script element: {"names": {table: [...]}, "cases": [{...}, ...]}."""
    names = {
        table: list(dict.fromkeys(n for r in results for n in (getattr(r, table) or {})))
        for table in _TABLES
    }
    metrics = (each for result in results for each in _metrics(result).values())
    names["metrics"] = list(dict.fromkeys(name for metric in metrics for name in metric))
    cases = [_details(result, names) for result in results]
    text = json.dumps(to_json({"names": names, "cases": cases}), separators=(",", ":"))
    return text.replace("<", "\\u003c")  # so that no text of a case ends the script element


def _details(result: Result, names: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Only what is there: an absent key is drawn as nothing."""
    tables = {
        name: _values(getattr(result, name) or {}, names[name], 9 if name == "worst" else 6)
        for name in _TABLES  # 9 digits tell every fp32 number from its neighbours
    }
    shown = {
        "reason": result.reason,
        "again": result.command,
        "lines": [*result.explanation, *result.compared],
        "plan": _plan_words(result),
        "ub": result.ub_limit_bytes if result.buffers else None,
        "buffers": [[b["name"], b["bytes"], b["count"], b["phase"]] for b in result.buffers],
        "findings": [
            [each["rule"], each["message"], findings.details(each)] for each in result.findings
        ],
        "metrics": {
            name: _values(metric, names["metrics"]) for name, metric in _metrics(result).items()
        },
        "time": timing.lines(result.time, result.bandwidth_fraction),
        "pipes": _pipes(result),
        **tables,
    }
    return {name: value for name, value in shown.items() if value}


def _plan_words(result: Result) -> str:
    if not result.plan:
        return ""
    cores = counted(result.cores or 0, "core")
    return (
        f"{result.plan} (tiling key {result.tiling_key}) on {cores}, error budget "
        f"C = {result.declared_c or 0:.4g}: {result.plan_reason}"
    )


def _metrics(result: Result) -> dict[str, Mapping[str, Any]]:
    return {
        name: metric if isinstance(metric, Mapping) else {name: metric}
        for name, metric in result.metrics.items()
    }


def _values(table: Mapping[str, Any], names: Sequence[str], digits: int = 6) -> list[Any]:
    """Values in the order of the names, without the empty ones at the end."""
    found = [_short(table.get(name), digits) for name in names]
    while found and found[-1] is None:
        found.pop()
    return found


def _short(value: Any, digits: int) -> Any:
    """0 of a counter or a knob is not shown, as nothing is."""
    if isinstance(value, float):
        return float(f"{value:.{digits}g}")
    return None if isinstance(value, int) and value == 0 else value


def _pipes(result: Result) -> list[list[Any]]:
    """Busy microseconds of each pipe, cold, beside the whole."""
    if not result.time:
        return []
    cold = result.time["cold"]
    pairs: Iterable[tuple[str, float]] = (
        ("modelled", cold["us"]),
        *((pipe, cold[f"aiv_{pipe}_time_us"]) for pipe in timing.PIPES),
    )
    return [[name, round(float(value), 2)] for name, value in pairs]
