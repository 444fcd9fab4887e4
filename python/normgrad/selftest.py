"""Plants defects one by one in copies of the sources and runs the cases that must find them.

Each worker has a copy of the tree; a defect is edited in, its cases run in a process of their own
(build folders and the planner's library are found once per process), and the files are put back.
What is built from them goes to a cache that is removed in the end; what a defect does not touch,
the twin above all, is linked to from the user's.
"""

from __future__ import annotations

import functools
import hashlib
import multiprocessing
import os
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path

import numpy as np

from normgrad import build, cache, defects, jobs, paths, pool, run, stop
from normgrad.backends import Array, LaunchOptions
from normgrad.cases import Case
from normgrad.defects import Answer, Defect, DefectError
from normgrad.errors import NormgradError
from normgrad.words import nearest

DEFAULT_MOST = 40  # defects without --full: docs of the budgets in CONTRIBUTING.md
_SMOKE = "smoke"
# One defect is built and met in 10 s; in the planner it may also make a loop endless, which no
# time-out of a launch would cut.
_LIMIT_S = 300.0
_LIMIT_FULL_S = 1800.0
_POLL_S = 1.0


@dataclass(frozen=True)
class Outcome:
    """How a planted defect ended."""

    defect: Defect
    status: str  # KILLED, SURVIVED, WRONG KIND or ERROR
    found: str
    cases: int  # that were run for it
    seconds: float
    smoke: tuple[int, int] | None = None  # cases of smoke that noticed it, of how many

    @property
    def killed(self) -> bool:
        return self.status == "KILLED"


@dataclass(frozen=True)
class _Task:
    """Cases to run in one tree."""

    texts: tuple[str, ...]
    shuffle_runs: int = 0
    defect: Defect | None = None


@dataclass
class _Run:
    task: _Task
    tree: Path
    before: Mapping[Path, str]  # of the files that the defect edits
    process: BaseProcess
    began: float


def choose(names: Sequence[str], full: bool) -> list[Defect]:
    """The defects of these names; of no names all, without --full but those that it keeps."""
    known = {defect.name: defect for defect in defects.load(paths.defects_root())}
    for name in names:
        if name not in known:
            raise NormgradError(
                f"unknown defect {name!r}: the {len(known)} that there are stand in "
                f"{paths.defects_root()}{nearest(name, known)}"
            )
    if names:
        return [known[name] for name in dict.fromkeys(names)]
    return [defect for defect in known.values() if full or not defect.only_full]


def control(chosen: Sequence[Defect], full: bool, workers: int) -> list[Answer]:
    """The cases of these defects on the sources as they are."""
    wanted: dict[int, dict[str, None]] = {}
    for defect in chosen:
        wanted.setdefault(defect.shuffle_runs, {}).update(dict.fromkeys(_cases(defect, full)))
    if full:
        for defect in chosen:
            wanted.setdefault(0, {}).update(dict.fromkeys(_smoke_texts(defect)))
    tasks = [
        _Task(tuple(texts)[part::workers], shuffle_runs)
        for shuffle_runs, texts in wanted.items()
        for part in range(workers)
        if tuple(texts)[part::workers]
    ]
    answers: list[Answer] = []
    trees = [paths.source_root()] * workers
    for _, said, _ in _run_all(tasks, trees, paths.cache_root(), _LIMIT_FULL_S):
        if isinstance(said, str):
            raise NormgradError(f"the sources without any defect: {said}")
        answers += said
    return answers


def control_fails(chosen: Sequence[Defect], answers: Sequence[Answer]) -> list[str]:
    """Why a failure would prove nothing; no sentence if the sources as they are pass."""
    lines = [
        f"{answer.result.case} is {answer.result.status}: {answer.result.reason}"
        for answer in answers
        if not answer.result.expected
    ]
    by_case = {answer.result.case: answer for answer in answers}
    for defect in chosen:
        own = [by_case[text] for text in defect.cases if text in by_case]
        if defect.kind == "BITS" and not lines and not defects.same_bits(defect, own):
            lines.append(f"{defect.word} has other bits in the cases of {defect.name}")
    return lines


def plant_all(chosen: Sequence[Defect], full: bool, workers: int) -> Iterator[Outcome]:
    """Plants each defect and says what its cases found, in the order in which they end."""
    with cache.scratch("selftest") as folder:
        trees = [paths.copy_sources(folder / f"tree{number}") for number in range(workers)]
        own_cache = folder / "cache"
        own_cache.mkdir()
        build.link_all(own_cache)
        tasks = [_task_of(defect, full) for defect in chosen]
        limit_s = _LIMIT_FULL_S if full else _LIMIT_S
        for task, said, seconds in _run_all(tasks, trees, own_cache, limit_s):
            assert task.defect is not None
            yield _outcome(task.defect, said, full, seconds)


def workers_for(count: int, wanted: int | None) -> int:
    return pool.workers_for(count, wanted)[0]


def _cases(defect: Defect, full: bool) -> tuple[str, ...]:
    """Without --full the first case alone, but bits are compared among all."""
    return defect.cases if full or defect.kind == "BITS" else defect.cases[:1]


def _task_of(defect: Defect, full: bool) -> _Task:
    texts = _cases(defect, full)
    if full:
        texts = tuple(dict.fromkeys([*texts, *_smoke_texts(defect)]))
    return _Task(texts, defect.shuffle_runs, defect)


def _smoke_texts(defect: Defect) -> list[str]:
    """Smoke's cases of the unit that the defect's first case launches: no other is built for it."""
    unit = run.unit_of(Case.parse(defect.cases[0]))
    return list(_smoke_of_units().get(unit, ()))


@functools.lru_cache(maxsize=1)
def _smoke_of_units() -> dict[build.Unit, list[str]]:
    found: dict[build.Unit, list[str]] = {}
    for job in jobs.from_suite(_SMOKE):
        if job.npz is None and job.case.expect is None:
            found.setdefault(run.unit_of(job.case), []).append(job.text)
    return found


def _outcome(defect: Defect, said: list[Answer] | str, full: bool, seconds: float) -> Outcome:
    if isinstance(said, str):
        return Outcome(defect, "ERROR", said, 0, seconds)
    own = [answer for answer in said if answer.result.case in _cases(defect, full)]
    status, found = defects.complaint(defect, own)
    smoke = None
    if full:
        texts = set(_smoke_texts(defect))
        noticed = [a for a in said if a.result.case in texts and not a.result.expected]
        smoke = (len(noticed), len(texts))
    return Outcome(defect, status, found, len(said), seconds, smoke)


# ---- processes ----


def _run_all(
    tasks: Sequence[_Task], trees: Sequence[Path], cache_root: Path, limit_s: float
) -> Iterator[tuple[_Task, list[Answer] | str, float]]:
    """What each task gave: its answers, or a sentence that says why there are none."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    waiting, free = list(reversed(tasks)), list(trees)
    running: dict[Connection, _Run] = {}
    threads = max(1, (os.cpu_count() or 1) // len(trees))
    try:
        while waiting or running:
            while waiting and free:
                task, tree = waiting.pop(), free.pop()
                try:
                    before = defects.plant(task.defect, tree) if task.defect else {}
                except DefectError as error:
                    free.append(tree)
                    yield task, str(error), 0.0
                    continue
                mine, theirs = context.Pipe(duplex=False)
                process = context.Process(
                    target=_work, args=(theirs, tree, cache_root, task, threads)
                )
                with stop.held():
                    process.start()
                    running[mine] = _Run(task, tree, before, process, time.monotonic())
                theirs.close()
            ready = wait(list(running), _POLL_S)
            late = [c for c, r in running.items() if time.monotonic() - r.began > limit_s]
            for connection in {*ready, *late}:
                assert isinstance(connection, Connection)
                ended = running[connection]
                said = _said(connection, ended.process, limit_s)
                del running[connection]
                for file, text in ended.before.items():
                    file.write_text(text, encoding="utf-8")
                free.append(ended.tree)
                yield ended.task, said, time.monotonic() - ended.began
    finally:
        for left in running.values():
            left.process.terminate()
        for left in running.values():
            left.process.join()


def _said(connection: Connection, process: BaseProcess, limit_s: float) -> list[Answer] | str:
    said: list[Answer] | str
    try:
        if connection.poll():
            said = connection.recv()
        else:
            said = f"no answer within {limit_s:.0f} s: does the planner come to an end?"
            process.terminate()
    except EOFError:
        process.join()
        said = f"its process died (exit code {process.exitcode}): does the planner crash?"
    process.join()
    connection.close()
    return said


def _work(reply: Connection, tree: Path, cache_root: Path, task: _Task, threads: int) -> None:
    """In a process of its own, which the two variables make one of that tree."""
    stop.end_with_parent()
    os.environ["NORMGRAD_SOURCES"], os.environ["NORMGRAD_CACHE"] = str(tree), str(cache_root)
    try:
        reply.send(_answers(task, threads))
    except NormgradError as error:  # of a tree and a log that are soon gone
        said = " ".join(str(error).split()).replace(f"{tree}/", "")
        reply.send(re.sub(r" \(log: [^)]*\)", "", said))
    except SystemExit:
        os._exit(1)
    except Exception as error:
        reply.send(f"the harness failed: {type(error).__name__}: {error}".splitlines()[0])


def _answers(task: _Task, threads: int) -> list[Answer]:
    wanted = [jobs.from_text(text) for text in task.texts]
    options = LaunchOptions(threads=threads, shuffle_runs=task.shuffle_runs)
    run.prebuild(wanted)
    answers = []
    for job in wanted:
        outcome = run.run_case(job, options)
        arrays = outcome.outputs.arrays if outcome.outputs else {}
        bits = {name: _hash(array) for name, array in arrays.items()}
        answers.append(Answer(replace(outcome.result, counters={}), bits))
    return answers


def _hash(array: Array) -> str:
    plain = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    return hashlib.blake2b(plain.tobytes(), digest_size=16).hexdigest()
