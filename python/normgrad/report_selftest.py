"""What `normgrad selftest` says; report.py prints it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, TextIO

from normgrad import report
from normgrad.defects import Defect
from normgrad.selftest import Outcome
from normgrad.words import counted

_STATUS_WIDTH = len("WRONG KIND")


def control_passes(count: int, seconds: float, stream: TextIO) -> None:
    report.say(
        f"control: {counted(count, 'case')} without a defect PASSED in {seconds:.1f} s", stream
    )


def control_fails(sentences: Sequence[str], stream: TextIO) -> None:
    text = "control: the sources fail without any defect, so that killing proves nothing"
    report.say(text, stream)
    for sentence in sentences[: report.SHOWN_IN_FULL]:
        report.say(f"  {sentence}", stream)
    if len(sentences) > report.SHOWN_IN_FULL:
        report.say(f"  and {len(sentences) - report.SHOWN_IN_FULL} more", stream)


class Lines:
    """One line per defect as it ends; what was not found for its reason has a second one."""

    def __init__(self, chosen: Sequence[Defect], full: bool, stream: TextIO) -> None:
        self._stream = stream
        self._name = max([len("defect"), *(len(defect.name) for defect in chosen)])
        self._finds = max([len("finds"), *(len(defect.finds) for defect in chosen)])
        self._full = full
        self._write("status", "defect", "finds", "smoke", "time", "what it does")

    def add(self, outcome: Outcome) -> None:
        defect = outcome.defect
        smoke = "-" if outcome.smoke is None else f"{outcome.smoke[0]}/{outcome.smoke[1]}"
        time = f"{outcome.seconds:.1f} s"
        self._write(outcome.status, defect.name, defect.finds, smoke, time, defect.what)
        if not outcome.killed:
            report.say(f"{'':<{_STATUS_WIDTH}}  {outcome.found}", self._stream)

    def _write(self, status: str, name: str, finds: str, smoke: str, time: str, what: str) -> None:
        words = [f"{status:<{_STATUS_WIDTH}}", f"{name:<{self._name}}", f"{finds:<{self._finds}}"]
        words += [f"{smoke:>6}"] if self._full else []
        report.say("  ".join([*words, f"{time:>7}", what]), self._stream)


def summary(outcomes: Sequence[Outcome], left_out: int, seconds: float, stream: TextIO) -> None:
    counts = Counter(outcome.status for outcome in outcomes)
    words = ", ".join(f"{count} {status}" for status, count in sorted(counts.items()))
    report.say(stream=stream)
    report.say(f"{counted(len(outcomes), 'defect')} in {seconds:.1f} s: {words}", stream)
    wrong = [outcome for outcome in outcomes if not outcome.killed]
    for outcome in wrong:
        report.say(f"  {outcome.defect.place}: {outcome.defect.name}", stream)
    if not wrong:
        report.say("each was found for its reason", stream)
    if left_out:
        report.say(f"{left_out} more with --full", stream)


def row(outcome: Outcome) -> dict[str, Any]:
    """A row of --json."""
    defect = outcome.defect
    return {
        "defect": defect.name,
        "status": outcome.status,
        "what": defect.what,
        "files": [edit.file for edit in defect.edits],
        "finds": defect.finds,
        "names": list(defect.needles),
        "case": defect.cases[0],
        "cases": outcome.cases,
        "found": outcome.found,
        "smoke_noticed": outcome.smoke[0] if outcome.smoke else None,
        "smoke_cases": outcome.smoke[1] if outcome.smoke else None,
        "seconds": outcome.seconds,
    }
