"""The programs that a build needs: which, which version, and what they complain about."""

from __future__ import annotations

import contextlib
import errno
import functools
import os
import re
import shutil
import signal
import subprocess
import sysconfig
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from normgrad import stop
from normgrad.errors import NormgradError

_COMPILERS = ("g++", "clang++")
FULL_DISK = (
    "the disk is full: make room, or set NORMGRAD_CACHE (builds) and TMPDIR (the compiler's files) "
    "to folders on another one"
)
_ERROR = re.compile("error:|undefined reference|undefined symbol", re.IGNORECASE)


def compiler() -> str:
    """The C++ compiler: CXX if set, else the first of g++ and clang++ on the path."""
    chosen = os.environ.get("CXX")
    if chosen:
        if shutil.which(chosen) is None:
            raise NormgradError(
                f"CXX names the compiler {chosen}, which is not on the path; "
                "unset CXX or install it"
            )
        if not tool_version(chosen):
            raise NormgradError(
                f"CXX names {chosen}, which does not tell its version as a compiler does; set CXX "
                "to g++ or clang++, or unset it"
            )
        return chosen
    for name in _COMPILERS:
        if shutil.which(name):
            return name
    raise NormgradError(
        "no C++ compiler on the path (looked for g++ and clang++); install g++ 11 or later, or "
        "clang 14 or later"
    )


@functools.lru_cache(maxsize=8)
def tool_version(tool: str) -> str:
    """The first line of `tool --version`, or an empty string if it does not run."""
    try:
        done = subprocess.run(
            [tool, "--version"], capture_output=True, text=True, timeout=20, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.splitlines()[0].strip() if done.returncode == 0 and done.stdout else ""


_running: set[subprocess.Popen[bytes]] = set()


def run(command: Sequence[str], log: TextIO) -> int:
    """Exit code of a compiler or a build; whatever ends us ends it, with all its children."""
    process: subprocess.Popen[bytes] | None = None
    try:
        with stop.held():
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            _running.add(process)
        return process.wait()
    except BaseException:
        if process is not None:
            _end(process)
        raise
    finally:
        if process is not None:
            _running.discard(process)


def end_all() -> None:
    """Ends what other threads run."""
    for process in list(_running):
        _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def ninja() -> str | None:
    """The ninja of this environment, even where its scripts are not on the path.

    g++ and cmake of Debian come without make.
    """
    places = [sysconfig.get_path("scripts"), os.environ.get("PATH", "")]
    return shutil.which("ninja", path=os.pathsep.join(places))


def first_error(title: str, log: Path) -> str:
    """`title`, the first error of a log, and where the log is."""
    lines = log.read_text(errors="replace").splitlines()
    if any(os.strerror(errno.ENOSPC) in line for line in lines):
        return f"{title}; {FULL_DISK} (log: {log})"
    first = next((line.strip() for line in lines if _ERROR.search(line)), "")
    if not first and lines:
        first = lines[-1].strip()
    return f"{title}: {first[:300]} (log: {log})"
