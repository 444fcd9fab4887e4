"""`verify --resume`: what an interrupted run was asked, and which of its results still hold.

The first line of results.jsonl keeps the question, so that --resume alone goes on with it.
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from normgrad import report, store
from normgrad.backends import LaunchOptions
from normgrad.errors import NormgradError
from normgrad.jobs import Job
from normgrad.words import counted

_SELECTION = ("cases", "suite", "op", "soc", "dtype")
_OWN = "ops_from"
_OPTIONS = ("backend", "check", "sync", "shuffle_runs", "invariance")
_DEFAULT_FOLDER = Path("normgrad-report")


def question(args: argparse.Namespace) -> dict[str, Any]:
    """What a command line asks for, as the journal keeps it."""
    return {name: getattr(args, name) for name in (*_SELECTION, _OWN, *_OPTIONS)}


def ask_again(args: argparse.Namespace) -> None:
    """Gives --resume without cases, suites and filters the question of the folder's run."""
    if any(getattr(args, name) for name in _SELECTION):
        return
    for name, value in store.read_question(args.report).items():
        if name in (*_SELECTION, _OWN, *_OPTIONS):
            setattr(args, name, value)


def command(args: argparse.Namespace, options: LaunchOptions) -> str:
    """What goes on with this run when it has been interrupted."""
    words = ["normgrad", "verify", *args.cases]
    for name in _SELECTION[1:]:
        words += [word for value in getattr(args, name) for word in (f"--{name}", value)]
    words += [word for value in args.ops_from for word in ("--ops-from", value)]
    words += options.words.split()
    words += [] if args.executor == "local" else ["--executor", args.executor]
    words += [] if args.report == _DEFAULT_FOLDER else ["--report", str(args.report)]
    return shlex.join([*words, "--resume"])


def ended_before(
    folder: Path, chosen: Sequence[Job], sources: str, options: LaunchOptions
) -> dict[int, store.Result]:
    """Results that still hold: same sources, same options, came to a status."""
    found = store.read_journal(folder, sources)
    texts = {job.text for job in chosen}
    if others := [result.case for result in found or () if result.case not in texts]:
        raise NormgradError(
            f"--resume: {folder} holds results of {counted(len(others), 'other case')}, "
            f"{others[0]} for one: leave cases, suites and "
            "filters away to go on with that run, or choose another folder with --report"
        )
    commands = {job.text: job.command(options.words) for job in chosen}
    if changed := next((r for r in found or () if r.command != commands[r.case]), None):
        raise NormgradError(
            f"--resume: {folder} holds results under other options ({changed.command}): leave "
            "all other words away to go on with that run, or choose another folder with --report"
        )
    known = {result.case: result for result in found or () if result.status != "ERROR"}
    ended = {
        index: known[job.text]
        for index, job in enumerate(chosen)
        if job.text in known and known[job.text].inputs_digest == job.digest()
    }
    why = f": {folder} holds no results of these sources" if found is None else ""
    report.note(f"--resume: {len(ended)} of {len(chosen)} cases have ended before{why}")
    return ended
