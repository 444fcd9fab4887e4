"""Findings of a launch in words: which weighs most, and how often and where each was seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from normgrad.backends import Finding
from normgrad.words import counted

_FORGOTTEN = ("flag-", "queue-")
_BETWEEN_CORES = "race-between-cores"


def ordered(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """What says most of its cause first: what ended the launch, then a flag or a tensor that was
    forgotten, whose place is exact, then what differs from run to run; else what came most often.
    """

    def weight(finding: Finding) -> tuple[int, int]:
        if finding.fatal:
            return 0, 0
        if finding.rule.startswith(_FORGOTTEN):
            return 1, 0
        return 2 if finding.rule == _BETWEEN_CORES else 3, -finding.count

    return tuple(sorted(findings, key=weight))


def headline(findings: Sequence[Finding]) -> str:
    """The first finding in one line, and how many more there are."""
    first = findings[0]
    place = where(first.file, first.line)
    place += f", called from {first.callers[0]}" if first.callers else ""
    more = [_times(first.count, first.cores)] if first.count > 1 else []
    others = len(findings) - 1
    more += [f"and {counted(others, 'other finding')}"] if others else []
    return f"{first.rule}: {first.message}{place}" + (f" ({', '.join(more)})" if more else "")


def where(file: str, line: int) -> str:
    """` at file:line`, or nothing of a finding that has no place."""
    return f" at {file}:{line}" if file else ""


def lines(findings: Sequence[Mapping[str, Any]]) -> list[str]:
    """All findings of a result, as rows of results.json have them."""
    if not findings:
        return ["findings: none"]
    total = sum(found["count"] for found in findings)
    found_lines = [f"findings: {len(findings)}" + (f" ({total:,} times)" if total > 1 else "")]
    for found in findings:
        found_lines += [f"  {found['rule']}: {found['message']}", f"    {details(found)}"]
    return found_lines


def details(found: Mapping[str, Any]) -> str:
    """Where a finding was seen, and how often."""
    words = [f"{found['file']}:{found['line']}"] if found.get("file") else []
    words += [f"called from {', '.join(found['callers'])}"] if found.get("callers") else []
    words += [f"{name} {found[name]}" for name in ("api", "pipe", "buffer") if found.get(name)]
    words += [f"declared at {found['declared']}"] if found.get("declared") else []
    words += [f"core {found['core']}"] if found.get("core", -1) >= 0 else []
    if found.get("end_byte"):
        words.append(f"bytes {found['begin_byte']}..{found['end_byte']}")
    return f"{', '.join(words)}; {_times(found['count'], found.get('cores', 1))}"


def _times(count: int, cores: int) -> str:
    times = "once" if count == 1 else f"{count:,} times"
    return f"{times} on {cores} cores" if cores > 1 else times
