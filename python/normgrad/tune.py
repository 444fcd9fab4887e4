"""The command `tune`: searches the knobs of a plan, and keeps what wins as a row of the bank."""

from __future__ import annotations

import argparse
import shlex
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from normgrad import (
    bank,
    candidates,
    commands,
    jobs,
    measure,
    ops,
    options,
    page_tune,
    paths,
    plan,
    pool,
    render,
    report,
    report_tune,
    search,
    store,
    tuned,
)
from normgrad.backends import LaunchOptions, aclnn
from normgrad.candidates import Candidate
from normgrad.cases import Case
from normgrad.errors import NormgradError, Refused
from normgrad.measure import FULL_TILES, Figure
from normgrad.tuned import Tuned

DEFAULT_FOLDER = Path("normgrad-tune")
BUDGET = 96  # candidates of a case
_SEED = 1
_CHOSEN_HERE = ("strategy", "ub", "cores", "chunk", "noncontig", "null", "mask", "expect")
_QUESTION = ("cases", "suite", "op", "soc", "dtype", "budget", "backend", "refresh")


class Figures:
    """The figures of a run, those of an interrupted one included; each is on disk at once."""

    def __init__(
        self,
        journal: store.Journal,
        known: Sequence[Figure],
        how: LaunchOptions,
        executor: pool.Executor,
    ) -> None:
        self._journal, self._options, self._executor = journal, how, executor
        self._known = {_key(figure.candidate, figure.tiles): figure for figure in known}

    def ask(self, chosen: Sequence[Candidate], tiles: int) -> Iterator[Figure]:
        """A figure for each candidate, known ones first."""
        missing = []
        for candidate in chosen:
            if (figure := self._known.get(_key(candidate, tiles))) is not None:
                yield figure
            else:
                missing.append(candidate)
        for figure in measure.measure(missing, tiles, self._options, self._executor):
            self._known[_key(figure.candidate, figure.tiles)] = figure
            self._journal.append(figure)
            yield figure


def _key(candidate: Candidate, tiles: int) -> tuple[str, str, int]:
    return str(candidate.case), candidate.words, tiles


def add_arguments(part: argparse.ArgumentParser) -> None:
    """The options that no other command has."""
    part.add_argument(
        "--budget",
        type=options.positive,
        default=BUDGET,
        metavar="N",
        help=f"candidates of a case, the planner's own choice included (default: {BUDGET})",
    )
    part.add_argument(
        "--out",
        type=options.named("folder"),
        metavar="DIR",
        help="folder of the rows that the planner is built with (default: tiling/tuned)",
    )
    part.add_argument(
        "--refresh",
        action="store_true",
        help="search again what rows are for whose kernels, or whose model of time, have changed",
    )
    part.add_argument(
        "--report",
        type=options.named("folder"),
        default=DEFAULT_FOLDER,
        metavar="DIR",
        help="folder of report.html, results.json and of what --resume needs (default: "
        f"{DEFAULT_FOLDER})",
    )
    part.add_argument(
        "--resume",
        action="store_true",
        help="go on with the interrupted search in DIR",
    )
    options.executor(part, "launches")


def tune(args: argparse.Namespace) -> int:
    with store.locked(args.report):
        return _tune(args)


def _tune(args: argparse.Namespace) -> int:
    if args.resume:
        _ask_again(args)
    out = args.out or paths.source_root() / "tiling" / "tuned"
    stream = sys.stderr if args.json else sys.stdout
    cases = _cases(args, out)
    if not cases:
        report.say("no row is stale: nothing to search again", stream)
        return 0
    on_device = args.backend == "aclnn"
    with pool.executor(
        args.executor, 2 * FULL_TILES, args.jobs, needs_device=on_device, fresh=on_device
    ) as executor:
        return _tune_by(executor, args, cases, out)


def _tune_by(
    executor: pool.Executor, args: argparse.Namespace, cases: Sequence[Case], out: Path
) -> int:
    stream = sys.stderr if args.json else sys.stdout
    began = time.perf_counter()
    sources = store.sources_digest()
    known = _ended_before(args, sources) if args.resume else []
    how = measure.options_for(args.backend, executor.threads)
    commands.build_units([jobs.from_case(case) for case in cases])
    found: list[Tuned] = []
    interrupted = False
    try:
        question = {name: getattr(args, name) for name in _QUESTION} | {"out": str(out)}
        with store.Journal(args.report, sources, known, question) as journal:
            figures = Figures(journal, known, how, executor)
            for case in cases:
                found.append(_searched(case, args, figures, stream))
                found[-1] = _with_row(found[-1], args, figures, out)
    except KeyboardInterrupt:
        interrupted = True
    for remark in executor.remarks:
        report.say(remark, stream)
    unit = "us, modelled" if args.backend == "twin" else "us, measured"
    report_tune.results(found, unit, stream)
    written = store.write_rows(
        args.report, [figure.row() for each in found for figure in each.figures]
    )
    seconds = time.perf_counter() - began
    sections = [page_tune.section(each) for each in found]
    page = render.write_tune(args.report / "report.html", sections, seconds, unit)
    report_tune.ended(found, len(cases), seconds, f"{written}, {page}", stream)
    if interrupted:
        report.say(f"interrupted; to go on: {_resume_command(args)}", stream)
    if args.json:
        report.json_rows(each.as_json() for each in found)
    return 0 if len(found) == len(cases) and all(each.winner for each in found) else 1


def _cases(args: argparse.Namespace, out: Path) -> list[Case]:
    """The problems, each once; NormgradError names what cannot be tuned."""
    if args.refresh:
        if args.cases or args.suite:
            raise NormgradError(
                "tune --refresh searches the rows of the bank again that are stale: it takes no "
                "case and no suite"
            )
        return _stale_cases(out)
    chosen = commands.jobs_of(args, default_suite=None)
    if not chosen:
        raise NormgradError(
            "no case is given, or none is left after the filters: name one, or a file of cases "
            "with --suite"
        )
    found = []
    for job in chosen:
        if job.npz is not None:
            raise NormgradError(
                f"{job.text} is a file of tensors: tune takes their shape, write "
                f"{replace(job.case, seed=1)}"
            )
        if ops.find_op(job.case.op).own:
            raise NormgradError(f"{job.case.op} comes from outside: its planner has no knobs here")
        for name in _CHOSEN_HERE:
            if getattr(job.case, name):
                raise NormgradError(
                    f"{job.text}: {name}= is no matter of a search for a plan; leave it out"
                )
        soc = plan.find_soc(job.case.soc).name  # rows belong to a product
        found.append(replace(job.case, soc=soc))
    return list(dict.fromkeys(found))


def _stale_cases(out: Path) -> list[Case]:
    root = paths.source_root()
    return [
        tuned.case_of(row, file.stem)
        for file in sorted(out.glob("*.csv"))
        for row in bank.read(file)
        if tuned.is_stale(row, root)
    ]


def _searched(case: Case, args: argparse.Namespace, figures: Figures, stream: Any) -> Tuned:
    """All figures of a case."""
    try:
        known = candidates.candidates_of(case)
    except Refused as refused:
        return Tuned(case, (), refused=f"{refused.sentence} (code {refused.code})")
    drawn = search.draw(known, args.budget, _SEED)
    start = Tuned(case, (), len(drawn), len(known))
    kept: list[Figure] = []
    with report_tune.Progress(report_tune.title(start), stream) as progress:

        def ask(chosen: Sequence[Candidate], tiles: int) -> Iterator[Figure]:
            for figure in figures.ask(chosen, tiles):
                kept.append(figure)
                progress.add(figure)
                yield figure

        search.search(drawn, ask)
    return replace(start, figures=tuple(kept))


def _with_row(found: Tuned, args: argparse.Namespace, figures: Figures, out: Path) -> Tuned:
    """The same with what becomes of the winner; the bank's file is written."""
    if found.refused:
        return found
    case, best = found.case, found.winner
    on_twin_library = args.backend == "aclnn" and aclnn.is_twin(case.op)
    file = bank.path_of_soc(out, case.soc)
    if found.gain is not None and found.gain > bank.LEAST_GAIN and best is not None:
        found = replace(found, ends=_at_ends(best, figures))
    verdict = tuned.worth_a_row(found, str(file), on_twin_library)
    row = None
    if verdict.keep:
        how = "modelled" if args.backend == "twin" else "measured"
        row = tuned.row_of(found, tuned.Provenance(paths.source_root(), how))
    key = (
        case.op,
        bank.class_of(case.rows, case.cols, case.det == "strong"),
        case.dtype if case.gamma is None else f"{case.dtype}:gamma={case.gamma}",
    )
    before = bank.read(file)
    after = [each for each in before if each.key != key] + ([row] if row else [])
    if not on_twin_library and after != before:
        bank.write(file, after)
    return replace(found, row=row, note=verdict.note)


def _at_ends(best: Figure, figures: Figures) -> tuple[tuple[Figure, Figure], ...]:
    """Default and winner with the least and the most rows of the class."""
    case = best.candidate.case
    pairs = []
    for rows in bank.ends_of(bank.class_of(case.rows, case.cols, False)):
        if rows == case.rows:
            continue
        there = candidates.with_rows(case, rows)
        pair = [candidates.default_of(there), replace(best.candidate, case=there)]
        ended = {f.candidate: f for f in figures.ask(pair, FULL_TILES)}
        pairs.append((ended[pair[0]], ended[pair[1]]))
    return tuple(pairs)


def _ask_again(args: argparse.Namespace) -> None:
    """Gives --resume without cases the question of the folder's run."""
    if args.cases or args.suite or args.refresh:
        return
    for name, value in store.read_question(args.report).items():
        if name == "out":
            args.out = args.out or Path(value)
        elif name in _QUESTION:
            setattr(args, name, value)


def _ended_before(args: argparse.Namespace, sources: str) -> list[Figure]:
    rows = store.read_rows(args.report, sources)
    found = []
    for row in rows or ():
        try:
            found.append(measure.from_row(row))
        except (KeyError, TypeError, ValueError):  # damaged: it is measured again
            continue
    why = f": {args.report} holds no figures of these sources" if rows is None else ""
    report.note(f"--resume: {len(found)} figures were there before{why}")
    return found


def _resume_command(args: argparse.Namespace) -> str:
    words = ["normgrad", "tune"]
    words += [] if args.report == DEFAULT_FOLDER else ["--report", str(args.report)]
    return shlex.join([*words, "--resume"])
