"""Results of cases: one row each, appended while a run goes on, collected when it ends."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Protocol

from normgrad import bank, cache, ops, paths, tools
from normgrad.errors import NormgradError


@dataclass(frozen=True)
class Result:
    """One row of results.json. None: does not apply to this case, or is not known yet."""

    case: str
    status: str
    expected: bool
    reason: str
    command: str = ""  # shows this case again
    inputs_digest: str = ""  # of the file of a capture
    op: str = ""
    soc: str = ""
    dtype: str = ""
    rows: int = 0
    cols: int = 0
    code: int | None = None  # of a refusal
    plan: str | None = None  # the strategy's name
    plan_reason: str = ""
    tiling_key: int | None = None
    cores: int | None = None
    ub_limit_bytes: int | None = None
    workspace_bytes: int | None = None
    minimum_bytes: int | None = None
    declared_c: float | None = None
    bytes_over_minimum: float | None = None
    modelled_us: float | None = None  # cold, without launch and SyncAll
    modelled_resident_us: float | None = None  # with all tensors in L2
    measured_us: float | None = None  # on a device, where launches were repeated
    bandwidth_fraction: float | None = None  # minimum bytes over modelled time, of the achievable
    slope_cycles_per_64: float | None = None
    registers_per_64: float | None = None  # register instructions, on 3510
    score: float | None = None  # worst |error| / budget; at most 1 passes
    seconds: float = 0.0  # the whole case
    launch_seconds: float = 0.0  # of all orders and batches
    check: str = "all"
    sync: str = "strict"
    deterministic: bool | None = None  # the same bits in all orders of --shuffle-runs
    batch_invariant: bool | None = None  # the same bits of a row in all batches of --invariance
    compared: tuple[str, ...] = ()  # sentences on these two
    findings: tuple[dict[str, Any], ...] = ()
    worst: dict[str, Any] | None = None
    explanation: tuple[str, ...] = ()  # lines: maps of what fails, and what they point to
    metrics: dict[str, Any] = field(default_factory=dict)
    counters: dict[str, int] = field(default_factory=dict)
    time: dict[str, Any] = field(default_factory=dict)  # all that the model says
    budget: dict[str, float | None] = field(default_factory=dict)  # limits of the figures
    buffers: tuple[dict[str, Any], ...] = ()
    fields: dict[str, Any] = field(default_factory=dict)
    note: str = ""

    def row(self) -> dict[str, Any]:
        """The result as JSON knows it: NaN and infinities as text."""
        return {name: to_json(value) for name, value in asdict(self).items()}


def to_json(value: Any) -> Any:
    """`value` with what JSON cannot write (NaN, infinities, tuples, numpy scalars) made plain."""
    if isinstance(value, dict):
        return {str(key): to_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_json(item) for item in value]
    if hasattr(value, "item") and not isinstance(value, (str, bytes)):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def sources_digest() -> str:
    """Names the state of all that decides a result: kernels, planner, twin, harness, compiler."""
    root, cxx = paths.source_root(), tools.compiler()
    files = [
        f for part in ("op_host", "op_kernel", "tiling", "twin") for f in cache.sources(root / part)
    ]
    package = sorted(Path(__file__).parent.rglob("*.py"))
    harness = (file.read_text(encoding="utf-8") for file in package)
    own = (op.own.digest() for op in ops.own_ops() if op.own)
    return cache.digest(root, files, bank.table(root), *harness, *own, cxx, tools.tool_version(cxx))


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Makes the report folder this process's own: two runs would take each other's results away."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = os.open(folder, os.O_RDONLY)  # the system frees it when the process ends, however
    except OSError as error:
        raise _unwritable(folder, error) from None
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise NormgradError(
                f"another run is writing into the report folder {folder}: wait for its end, or "
                "choose another with --report"
            ) from None
        yield
    finally:
        os.close(lock)


def _unwritable(folder: Path, error: OSError) -> NormgradError:
    return NormgradError(
        f"the report folder {folder} cannot be written ({error.strerror}); choose another with "
        "--report"
    )


class HasRow(Protocol):
    """A result of whatever kind."""

    def row(self) -> dict[str, Any]: ...


class Journal:
    """results.jsonl of a running verify: a row is on disk as soon as its case has ended.

    The first line names the sources that the rows are results of, and what was asked. A kill may
    cut off the last row; a full disk may not: what did not fit is taken back.
    """

    def __init__(
        self,
        folder: Path,
        sources: str = "",
        finished: Iterable[HasRow] = (),
        question: Mapping[str, Any] | None = None,
    ) -> None:
        self._path = folder / "results.jsonl"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            fresh = folder / "results.jsonl.new"  # a run that goes on must not lose rows here
            head = {"sources": sources, "question": dict(question or {})}
            lines = [json.dumps(head), *(json.dumps(r.row()) for r in finished)]
            fresh.write_text("\n".join(lines) + "\n", encoding="utf-8")
            fresh.replace(self._path)
            self._file = self._path.open("ab", buffering=0)
        except OSError as error:
            raise _unwritable(folder, error) from None

    def append(self, result: HasRow) -> None:
        line = (json.dumps(result.row()) + "\n").encode()
        before = self._file.tell()
        try:
            if self._file.write(line) != len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as error:
            self._file.truncate(before)
            raise NormgradError(
                f"{self._path} cannot take another row ({error.strerror}); the rows before are in "
                "it: make room and go on with --resume"
            ) from None

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


def read_journal(folder: Path, sources: str) -> list[Result] | None:
    """The whole rows of a run's results.jsonl; None if they come from other sources."""
    head, rows = _journal(folder)
    if head.get("sources") != sources:
        return None
    results = []
    for row in rows:
        with contextlib.suppress(TypeError, ValueError):  # damaged: its case runs again
            results.append(from_row(row))
    return results


def read_rows(folder: Path, sources: str) -> list[dict[str, Any]] | None:
    """The whole rows of a journal as they stand there; None if they come from other sources."""
    head, rows = _journal(folder)
    return rows if head.get("sources") == sources else None


def read_question(folder: Path) -> dict[str, Any]:
    """What the run of a folder was asked; nothing if nobody knows."""
    asked = _journal(folder)[0].get("question")
    return asked if isinstance(asked, dict) else {}


def _journal(folder: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    try:
        lines = (folder / "results.jsonl").read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError):
        return {}, []
    rows = []
    for line in lines[:-1]:  # the text behind the last line break is a row that was cut off
        with contextlib.suppress(ValueError):
            rows.append(json.loads(line))
    rows = [row for row in rows if isinstance(row, dict)]
    return (rows[0], rows[1:]) if rows else ({}, [])


def from_row(row: dict[str, Any]) -> Result:
    """The result that a row was written from; numbers that JSON lacks stay text, but for score.

    ValueError, TypeError: it was not written from one.
    """
    known = {field.name: row[field.name] for field in fields(Result) if field.name in row}
    for name, value in known.items():
        if isinstance(value, list):
            known[name] = tuple(value)
    if known.get("score") is not None:
        known["score"] = float(known["score"])
    return Result(**known)


def dump_rows(rows: Iterable[dict[str, Any]]) -> str:
    return json.dumps({"rows": list(rows)}, indent=1) + "\n"


def clear_pages(folder: Path) -> None:
    """Takes away what an earlier run says in files: whoever reads them must not take it for this
    run's word when this one does not come to its end. results.jsonl stays.
    """
    for name in ("results.json", "report.html", "junit.xml"):
        with contextlib.suppress(OSError):
            (folder / name).unlink(missing_ok=True)


def write_results(folder: Path, results: Sequence[Result]) -> Path:
    """results.json, in the order given."""
    return write_rows(folder, [result.row() for result in results])


def write_rows(folder: Path, rows: Sequence[dict[str, Any]]) -> Path:
    """The same of rows of whatever kind."""
    target = folder / "results.json"
    fresh = folder / "results.json.new"
    try:
        fresh.write_text(dump_rows(rows), encoding="utf-8")
        fresh.replace(target)
    except OSError as error:
        fresh.unlink(missing_ok=True)
        raise NormgradError(
            f"{target} cannot be written ({error.strerror}); results.jsonl beside it has the rows"
        ) from None
    return target
