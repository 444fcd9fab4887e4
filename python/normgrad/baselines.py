"""The command `compare`, and what verify does with --baseline."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from normgrad import regressions, report, report_compare
from normgrad.errors import NormgradError
from normgrad.store import Result


def compare(args: argparse.Namespace) -> int:
    """With --accept the figures of NEW replace those of OLD, case by case; others stay."""
    new = regressions.read_rows(args.new)
    if args.accept:
        return _accept(args.old, new)
    found = regressions.compare(regressions.read_rows(args.old), new)
    if args.json:
        report.json_rows(report_compare.rows(found))
    else:
        report_compare.show(found, args.old, _accepting(args.old, args.new))
    return found.exit_code


def _accept(old: Path, new: Sequence[regressions.Row]) -> int:
    if wrong := next((row for row in new if not row.get("expected", True)), None):
        raise NormgradError(
            f"{wrong['case']} is {wrong['status']}, not as expected: a baseline holds results that "
            "are right; mend it, or leave the case out"
        )
    before: Sequence[regressions.Row] = regressions.read_rows(old) if old.exists() else ()
    kept = {row["case"]: row for row in (*before, *new)}
    regressions.write_baseline(old, kept.values())
    report_compare.accepted(old, len(kept))
    return 0


def read(path: Path | None) -> Sequence[regressions.Row] | None:
    """The rows of verify's --baseline, before any case runs: a wrong path is said at once."""
    return None if path is None else regressions.read_rows(path)


def against(
    rows: Sequence[regressions.Row] | None, results: Sequence[Result]
) -> regressions.Comparison | None:
    """What became of the baseline's cases that were run."""
    if rows is None:
        return None
    return regressions.compare(rows, [result.row() for result in results], only_new=True)


def show(found: regressions.Comparison, baseline: Path, folder: Path, stream: TextIO) -> int:
    """Says what became worse than the baseline; the exit code of that alone."""
    report_compare.show(found, baseline, _accepting(baseline, folder / "results.json"), stream)
    return found.exit_code


def _accepting(old: Path, new: Path) -> str:
    return shlex.join(["normgrad", "compare", str(old), str(new), "--accept"])
