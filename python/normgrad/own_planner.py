"""A planner from outside, one C++ file over tiling/own_plan.h: compiled, and asked in a process of
its own. Whatever it does there (a fault, an exception, an exit, a loop), the harness can say so.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import math
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from normgrad import cache, includes, paths, stop, tools
from normgrad.own_check import OwnError
from normgrad.plan import (
    Options,
    Plan,
    Problem,
    Refused,
    Soc,
    raw_options,
    raw_problem,
    raw_soc,
    read_plan,
    text_of,
)
from normgrad.planner_process import CANNOT, Call, Reply
from normgrad.tiling_abi import MAX_BUFFERS, MAX_FIELDS, MAX_TILING_BYTES, PlanStruct

_LIMIT_S = 20.0  # a plan takes microseconds


def plan(source: Path, folder: Path, op: str, soc: Soc, problem: Problem, options: Options) -> Plan:
    """How the problem is cut. Raises Refused, or OwnError for whatever is no plan."""
    who = f"{source.name} of {op}"
    reply = _process_of(library(source, folder, op), who).ask(_call(soc, problem, options))
    code, sentence = reply.answer.code, text_of(reply.answer.sentence)
    if reply.returned != code:
        raise OwnError(
            f"{who} returned {reply.returned}, and its answer has code {code}: end it with return "
            "normgrad::kSuccess, or with return normgrad::RefuseOwn(sentence, answer)"
        )
    if code != 0 and (code < 0 or not sentence):
        raise OwnError(
            f"{who} refused with code {code} and the sentence {sentence!r}: use "
            "normgrad::RefuseOwn(sentence, answer)"
        )
    if code != 0:
        raise Refused(code, sentence)
    if wrong := next(_faults(reply.plan), ""):
        raise OwnError(f"{who} has made a plan with {wrong}")
    return read_plan(op, soc, reply.plan)


def _faults(made: PlanStruct) -> Iterator[str]:
    sizes = {
        "tiling_bytes": MAX_TILING_BYTES, "buffer_count": MAX_BUFFERS, "field_count": MAX_FIELDS,
    }  # fmt: skip
    for name, most in sizes.items():
        if getattr(made, name) > most:
            yield (
                f"{name} = {getattr(made, name):,}: at most {most:,}; use normgrad::SetTiling, "
                "AddBuffer and AddField"
            )
    for index in range(made.buffer_count):
        if made.buffers[index].phase not in (1, 2):
            yield f"a buffer of phase {made.buffers[index].phase}: write 1 or 2"
    for index in range(made.field_count):
        if not math.isfinite(made.fields[index].value):
            yield f"a field of {made.fields[index].value}: write a finite number"
    if not math.isfinite(made.declared_c) or made.declared_c < 0:
        yield f"declared_c = {made.declared_c}: write a positive number, or leave it at 0"


def _call(soc: Soc, problem: Problem, options: Options) -> Call:
    call = Call(raw_soc(soc.name), raw_problem(problem), raw_options(options))
    call.options.strategy = None  # a pointer means nothing in another process
    call.has_strategy = options.strategy is not None
    call.strategy = (options.strategy or "").encode(errors="replace")[:255]
    call.attributes.count = len(problem.attributes)
    for item, (name, value) in zip(call.attributes.items, problem.attributes.items(), strict=False):
        item.name, item.value = name.encode(), value
    return call


class _Process:
    """One planner's process; it is started anew after it has died."""

    def __init__(self, library: Path, who: str) -> None:
        self.library, self._who = library, who
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - as long as the process
        root = Path(__file__).resolve().parents[1]
        code = (
            f"import sys; sys.path.insert(0, {str(root)!r}); "
            f"from normgrad.planner_process import serve; serve({str(library)!r})"
        )
        with stop.held():
            self._process = subprocess.Popen(
                [sys.executable, "-c", code],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._said,
                start_new_session=True,
                bufsize=0,
            )

    def ask(self, call: Call) -> Reply:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        raw: bytes | None = b""
        try:
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.write(bytes(call))
                raw = self._read(self._process.stdout.fileno(), ctypes.sizeof(Reply))
        except BaseException:
            self.close()
            raise
        if raw is not None and len(raw) == ctypes.sizeof(Reply):
            return Reply.from_buffer_copy(raw)
        raise OwnError(self._end(raw is None))

    def _read(self, pipe: int, size: int) -> bytes | None:
        """As many bytes, or fewer: it has ended. None: it takes too long."""
        found, until = b"", time.monotonic() + _LIMIT_S
        while len(found) < size:
            ready, _, _ = select.select([pipe], [], [], max(0.0, until - time.monotonic()))
            if not ready:
                return None
            part = os.read(pipe, size - len(found))
            if not part:
                break
            found += part
        return found

    def _end(self, hangs: bool) -> str:
        """Why there is no plan."""
        if hangs:
            self.close()
            return (
                f"{self._who} made no plan within {_LIMIT_S:.0f} s: look for a loop without an end"
            )
        code = self._process.wait()
        self._said.seek(0)
        lines = self._said.read()[-4000:].decode(errors="replace").split("\n")
        last = " ".join(line.strip() for line in lines[-4:] if line.strip())[-300:]
        self.close()
        if code == CANNOT:
            return f"{self._who} {last}"
        how = f"was ended by {signal.Signals(-code).name}" if code < 0 else f"left by exit({code})"
        said = f" (it said: {last})" if last else ""
        return f"{self._who} {how} instead of returning: mend it{said}"

    def close(self) -> None:
        if _processes.get(self._who) is self:
            del _processes[self._who]
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout, self._said):
            if pipe:
                pipe.close()


_processes: dict[str, _Process] = {}


def _process_of(library: Path, who: str) -> _Process:
    known = _processes.get(who)
    if known is not None and known.library != library:  # its source has changed
        known.close()
        known = None
    if known is None:
        known = _processes[who] = _Process(library, who)
    return known


@atexit.register
def close_all() -> None:
    for process in list(_processes.values()):
        process.close()


def sources(source: Path, folder: Path) -> list[Path]:
    """What a planner is made from, beside the headers of tiling/."""
    root = paths.source_root()
    return includes.reached(source, (folder, root), _known(root))


def library(source: Path, folder: Path, op: str) -> Path:
    """The planner as a library of the cache."""
    root, cxx = paths.source_root(), tools.compiler()
    headers = [file for file in cache.sources(root / "tiling") if file.suffix == ".h"]
    theirs = includes.digest(sources(source, folder), folder)
    named = os.path.relpath(source, folder)
    key = cache.digest(root, headers, theirs, named, cxx, tools.tool_version(cxx))
    done = paths.cache_root() / f"planner-{op}-{key}"
    if not done.is_dir():
        with cache.locked(done):
            if not done.is_dir():
                _compile(source, folder, root, cxx, done)
    return done / "planner.so"


def _known(root: Path) -> tuple[Path, ...]:
    return ((root / "tiling").resolve(),)


def _compile(source: Path, folder: Path, root: Path, cxx: str, done: Path) -> None:
    work = done.with_name(f"{done.name}.work")
    work.mkdir(exist_ok=True)
    log, made, read = work / "planner.log", work / "planner.so", work / "planner.d"
    command = [cxx, "-std=c++17", "-O2", "-fPIC", "-shared", "-Wall", "-Wextra"]
    command += ["-Werror=return-type"]  # what runs on behind the end may never come back
    command += [f"-I{folder}", f"-I{root}", "-MMD", "-MF", str(read)]
    command += [str(source), "-o", str(made), "-Wl,--no-undefined"]
    with log.open("w") as out:
        code = tools.run(command, out)
    if code != 0:
        raise OwnError(tools.first_error(f"compiling {source.name} in {folder} failed", log))
    refuse_unseen(source, read, sources(source, folder), _known(root))
    cache.publish([made, log], done)
    shutil.rmtree(work, ignore_errors=True)


def refuse_unseen(
    source: Path, dependencies: Path, seen: list[Path], known: tuple[Path, ...]
) -> None:
    """A file that the compiler has read behind our back would change unnoticed."""
    if files := includes.unseen(dependencies, seen, known):
        raise OwnError(
            f"{source.name} includes {files[0]} in a way that is not seen when it changes: name it "
            'in a line #include "...", by a path from there or from the folder of the description'
        )
