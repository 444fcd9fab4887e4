"""Many tasks side by side, each in a worker process, so that one that dies takes no other along.

`executor` gives what spreads them: processes of this computer (Local), or those of a cluster
(cluster.py). Whoever has tasks knows neither.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from normgrad import own_parts, stop

T = TypeVar("T")
R = TypeVar("R")
EXECUTORS = ("local", "ray")


@dataclass(frozen=True)
class Work(Generic[T, R]):
    """What is done with every task. Tasks, results and `call` travel to other processes."""

    call: Callable[[T], R]  # in a worker: a function of a module, or a partial of one
    lost: Callable[[T, str], R]  # here: the result of a task that has none, and why


class Executor(Protocol):
    """What spreads tasks. Each has one result, whatever happens to the process that it is in."""

    @property
    def threads(self) -> int:
        """Of each launch, so that all together fill the computers."""

    @property
    def remarks(self) -> Sequence[str]:
        """What a user should know of the run, once it has ended."""

    def run(self, work: Work[T, R], tasks: Sequence[T]) -> Iterator[tuple[int, R]]:
        """Results with the index of their task, in the order in which they end."""


def executor(
    name: str,
    count: int,
    wanted: int | None = None,
    needs_device: bool = False,
    fresh: bool = False,
) -> AbstractContextManager[Executor]:
    """One for `count` tasks, `wanted` of them at once, on NPUs if it needs some and there are.

    `fresh`: each task is in a process that has run nothing before.
    """
    if name == "ray":
        from normgrad import cluster  # Ray is an extra

        return cluster.connected(count, wanted, needs_device, fresh)
    return nullcontext(Local(*workers_for(count, wanted), fresh=fresh))


def workers_for(count: int, wanted: int | None) -> tuple[int, int]:
    """Processes, and threads of each launch, for `count` tasks: together they fill the computer."""
    cores = os.cpu_count() or 1
    workers = max(1, min(wanted or cores, count))
    return workers, max(1, cores // workers)


@dataclass(frozen=True)
class Local:
    """Processes of this computer; no process of its own for one task at a time, unless fresh."""

    workers: int
    threads: int = 1
    fresh: bool = False  # then one task at a time
    remarks: tuple[str, ...] = ()

    def run(self, work: Work[T, R], tasks: Sequence[T]) -> Iterator[tuple[int, R]]:
        if self.fresh:
            for index, task in enumerate(tasks):
                yield from self._alone(work, index, task)
            return
        if self.workers == 1:
            for index, task in enumerate(tasks):
                yield index, work.call(task)
            return
        waiting = list(enumerate(tasks))
        while waiting:
            lost: list[tuple[int, T]] = []
            for index, ended in _pooled(work, waiting, self.workers):
                if ended is None:
                    lost.append((index, tasks[index]))
                else:
                    yield index, ended.result
            for index, task in lost[: self.workers]:
                # One of these took the worker down: alone, each of them shows whether it was it.
                yield from self._alone(work, index, task)
            waiting = lost[self.workers :]

    def _alone(self, work: Work[T, R], index: int, task: T) -> Iterator[tuple[int, R]]:
        for _, ended in _pooled(work, [(index, task)], 1):
            died = "its worker process died (out of memory?)"
            yield index, ended.result if ended else work.lost(task, died)


@dataclass(frozen=True)
class _Ended(Generic[R]):
    result: R


def _pooled(
    work: Work[T, R], tasks: Sequence[tuple[int, T]], workers: int
) -> Iterator[tuple[int, _Ended[R] | None]]:
    """None: the pool broke before this task ended. The tasks that ran then come first."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["normgrad.pool", "normgrad.run"])
    pool = ProcessPoolExecutor(
        workers, mp_context=context, initializer=_begin, initargs=(own_parts.files_in_use(),)
    )
    queue = list(reversed(tasks))
    running: dict[Future[R], int] = {}
    try:
        while queue or running:
            while queue and len(running) < workers:
                index, task = queue[-1]
                running[pool.submit(_call, work.call, task)] = index
                queue.pop()
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                result = future.result()  # before the pop: a task that broke the pool is not lost
                yield running.pop(future), _Ended(result)
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


def _call(call: Callable[[T], R], task: T) -> R:
    """In a worker. An executor would catch the exit that SIGTERM asks for, and wait for work."""
    try:
        return call(task)
    except SystemExit:
        os._exit(1)


def _stop(pool: ProcessPoolExecutor) -> None:
    processes = list((getattr(pool, "_processes", None) or {}).values())
    pool.shutdown(wait=False, cancel_futures=True)
    for process in processes:
        if process.is_alive():
            process.terminate()
