"""Many jobs side by side, each in a worker process, so that one that dies takes no other along."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

from normgrad import own_parts, run, stop
from normgrad.backends import LaunchOptions
from normgrad.jobs import Job
from normgrad.store import Result


def workers_for(count: int, wanted: int | None) -> tuple[int, int]:
    """Processes, and threads of each launch, for `count` jobs: together they fill the computer."""
    cores = os.cpu_count() or 1
    workers = max(1, min(wanted or cores, count))
    return workers, max(1, cores // workers)


def run_many(
    jobs: Sequence[Job], options: LaunchOptions, workers: int
) -> Iterator[tuple[int, Result]]:
    """Results with the index of their job, in the order in which they end."""
    if workers == 1:
        for index, job in enumerate(jobs):
            yield index, _result_of(job, options)
        return
    waiting = list(enumerate(jobs))
    while waiting:
        lost: list[tuple[int, Job]] = []
        for index, result in _pooled(waiting, options, workers):
            if result is None:
                lost.append((index, jobs[index]))
            else:
                yield index, result
        for index, job in lost[:workers]:
            # One of these took the worker down: alone, each of them shows whether it was it.
            for _, result in _pooled([(index, job)], options, 1):
                died = run.error_row(job, "its worker process died (out of memory?)", options)
                yield index, result or died
        waiting = lost[workers:]


def _pooled(
    jobs: Sequence[tuple[int, Job]], options: LaunchOptions, workers: int
) -> Iterator[tuple[int, Result | None]]:
    """None: the pool broke before this job ended. The jobs that ran then come first."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["normgrad.pool"])
    pool = ProcessPoolExecutor(
        workers, mp_context=context, initializer=_begin, initargs=(own_parts.files_in_use(),)
    )
    queue = list(reversed(jobs))
    running: dict[Future[Result], int] = {}
    try:
        while queue or running:
            while queue and len(running) < workers:
                index, job = queue[-1]
                running[pool.submit(_work, job, options)] = index
                queue.pop()
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                result = future.result()  # before the pop: a job that broke the pool is not lost
                yield running.pop(future), result
        pool.shutdown()
    except BrokenProcessPool:
        left = list(running.values()) + [index for index, _ in reversed(queue)]
        yield from ((index, None) for index in left)
    finally:
        _stop(pool)


def _begin(own: Sequence[Path]) -> None:
    """In a worker, which knows the package's operators alone."""
    stop.end_with_parent()
    own_parts.use(own)


def _work(job: Job, options: LaunchOptions) -> Result:
    """In a worker. An executor would catch the exit that SIGTERM asks for, and wait for work."""
    try:
        return _result_of(job, options)
    except SystemExit:
        os._exit(1)


def _result_of(job: Job, options: LaunchOptions) -> Result:
    """One job's result. A fault of ours in one case must not take the others' results along."""
    try:
        return run.run_case(job, options).result
    except MemoryError:
        return run.error_row(job, "not enough memory for this case", options)
    except Exception as error:
        reason = f"{type(error).__name__}: {error}".splitlines()[0]
        return run.error_row(job, f"the harness failed: {reason}", options)


def _stop(pool: ProcessPoolExecutor) -> None:
    processes = list((getattr(pool, "_processes", None) or {}).values())
    pool.shutdown(wait=False, cancel_futures=True)
    for process in processes:
        if process.is_alive():
            process.terminate()
