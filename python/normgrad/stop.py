"""Ctrl-C, SIGTERM and SIGHUP: the first one ends a command in order, later ones change nothing."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def in_main_thread() -> bool:
    """Only there are signals caught."""
    return threading.current_thread() is threading.main_thread()


class Asked(SystemExit):
    """SIGTERM has asked a worker to end: no exit of code that it runs."""


@contextlib.contextmanager
def as_interrupt() -> Iterator[None]:
    """Any of the signals becomes one KeyboardInterrupt: launches are killed, files removed, and
    what has ended is reported. A signal that our caller ignores (nohup) stays ignored."""
    if not in_main_thread():
        yield
        return
    caught = [number for number in SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]

    def once(_number: int, _frame: FrameType | None) -> None:
        for number in caught:
            signal.signal(number, signal.SIG_IGN)
        _end_by(KeyboardInterrupt())

    before = {number: signal.signal(number, once) for number in caught}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


_holders = 0
_held_back: BaseException | None = None


@contextlib.contextmanager
def held() -> Iterator[None]:
    """Keeps a signal waiting while a process starts or files are removed: half of it cannot be
    undone. Only the main thread is interrupted by signals, so only it holds them."""
    global _holders, _held_back
    if not in_main_thread():
        yield
        return
    _holders += 1
    try:
        yield
    finally:
        _holders -= 1
        waiting = _held_back
        if waiting is not None and _holders == 0:
            _held_back = None
            raise waiting


def _end_by(error: BaseException) -> None:
    global _held_back
    if _holders == 0:
        raise error
    _held_back = error


def end_with_parent() -> None:
    """For a worker: its parent decides about Ctrl-C, and its end is the worker's end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _leave)
    threading.Thread(target=_watch_parent, daemon=True).start()


def _watch_parent() -> None:
    """Nobody tells the workers of a process that is killed: its call queue just stays silent."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)


def _leave(_number: int, _frame: FrameType | None) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a pool that breaks sends it once more
    _end_by(Asked(1))  # as an exception, so that the launch is killed and its files removed
