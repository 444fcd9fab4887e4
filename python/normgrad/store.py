"""Results of cases: one row each, appended while a run goes on, collected when it ends."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TextIO

from normgrad.errors import NormgradError


@dataclass(frozen=True)
class Result:
    """One row of results.json. None: does not apply to this case, or is not known yet."""

    case: str
    status: str
    expected: bool
    reason: str
    command: str = ""  # shows this case again
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
    modelled_us: float | None = None
    bandwidth_fraction: float | None = None
    slope_cycles_per_64: float | None = None
    score: float | None = None  # worst |error| / budget; at most 1 passes
    seconds: float = 0.0  # the whole case
    launch_seconds: float = 0.0  # of all orders
    check: str = "all"
    sync: str = "strict"
    deterministic: str | None = None  # how outputs compare over the orders of --shuffle-runs
    findings: tuple[dict[str, Any], ...] = ()
    worst: dict[str, Any] | None = None
    explanation: tuple[str, ...] = ()  # lines: maps of what fails, and what they point to
    metrics: dict[str, Any] = field(default_factory=dict)
    counters: dict[str, int] = field(default_factory=dict)
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


class Journal:
    """results.jsonl of a running verify: a row is on disk as soon as its case has ended."""

    def __init__(self, folder: Path) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file: TextIO = (folder / "results.jsonl").open("w", encoding="utf-8")
        except OSError as error:
            raise NormgradError(
                f"the report folder {folder} cannot be written ({error.strerror}); choose another "
                "with --report"
            ) from None

    def append(self, result: Result) -> None:
        self._file.write(json.dumps(result.row()) + "\n")
        self._file.flush()

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


def dump_rows(rows: Iterable[dict[str, Any]]) -> str:
    return json.dumps({"rows": list(rows)}, indent=1) + "\n"


def write_results(folder: Path, results: Sequence[Result]) -> Path:
    """results.json, in the order given."""
    target = folder / "results.json"
    fresh = folder / "results.json.new"
    fresh.write_text(dump_rows(result.row() for result in results), encoding="utf-8")
    fresh.replace(target)
    return target
