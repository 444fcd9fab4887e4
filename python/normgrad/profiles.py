"""Rows of a profiler: launches of operators with the busy time of each pipe.

Read are kernel_details.csv (torch_npu), op_summary_*.csv (msprof), and tables such as
tests/data/measured/elementwise.csv, which name the chip and have one row for many launches.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from statistics import median

from normgrad import plan
from normgrad.dtypes import PROFILER_NAMES
from normgrad.errors import NormgradError
from normgrad.timing import PIPES

# What we need of a row, and how it is called in tables and by profilers of several versions.
_NAMES = {
    "op": ("op", "Type", "OP Type"),
    "cores": ("block_dim", "Block Dim", "Block Num"),
    "input_shapes": ("input_shapes", "Input Shapes"),
    "input_dtypes": ("input_dtypes", "Input Data Types"),
    "output_shapes": ("output_shapes", "Output Shapes"),
    "output_dtypes": ("output_dtypes", "Output Data Types"),
    "aiv_us": ("aiv_time_us", "aiv_time(us)"),
}
_SOC, _LAUNCHES = "soc", "n_rows"  # of tables alone
_PIPE_US = "aiv_{}_time(us)"
_PIPE_RATIOS = ("{}_ratio", "aiv_{}_ratio")  # of the core's time
_RATIO_STEP = 0.001  # ratios have three digits
_DTYPES = {name.removeprefix("DT_"): ours for ours, name in PROFILER_NAMES.items()}


@dataclass(frozen=True)
class Tensor:
    """As a launch has it; `dtype` in a profiler's words where we have none."""

    dtype: str
    shape: tuple[int, ...]

    @property
    def is_given(self) -> bool:
        return bool(self.dtype and self.shape)


@dataclass(frozen=True)
class Launch:
    """One operator on tensors of one form: medians of its launches."""

    op: str
    soc: str
    cores: int
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    launches: int
    aiv_us: float
    busy_us: Mapping[str, float]  # by pipe; those that the profile has
    step_us: float  # half a unit of what busy times were given in

    @property
    def elems(self) -> int:
        """Of the first output."""
        return prod(self.outputs[0].shape)

    @property
    def dtypes(self) -> str:
        words = (", ".join(t.dtype or "-" for t in part) for part in (self.inputs, self.outputs))
        return " to ".join(words)


@dataclass(frozen=True)
class Profile:
    launches: tuple[Launch, ...]
    unread: Mapping[str, int]  # rows that could not be read, by operator


def read(path: Path, soc: str | None) -> Profile:
    """The launches of a file. `soc`: the chip of one that does not name it."""
    rows = _rows(path)
    columns = list(rows[0]) if rows else []
    names = {what: _one_of(what, columns, path) for what in _NAMES}
    if "vec" not in _pipes_of(columns):
        raise NormgradError(
            f"--calibrate {path} has no busy time of a pipe: it needs "
            f"{_PIPE_US.format('vec')} or vec_ratio; profile with the metrics PipeUtilization"
        )
    if soc is None and _SOC not in columns:
        raise NormgradError(
            f"--calibrate {path} does not say on which chip it was taken: give it with --soc, "
            "for example --soc ascend910b4"
        )
    if soc is not None and _SOC in columns:
        raise NormgradError(
            f"--calibrate {path} names its chips in its column {_SOC}: leave --soc away"
        )
    chip = plan.find_soc(soc).name if soc else None
    unread: dict[str, int] = {}
    groups: dict[tuple[object, ...], list[Launch]] = {}
    for row in rows:
        launch = _launch(row, names, chip)
        if launch is None:
            op = row[names["op"]] or "no name"
            unread[op] = unread.get(op, 0) + _count(row)
        else:
            key = (launch.op, launch.soc, launch.cores, launch.inputs, launch.outputs)
            groups.setdefault(key, []).append(launch)
    return Profile(tuple(map(_together, groups.values())), unread)


def _rows(path: Path) -> list[dict[str, str]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a text file"
        raise NormgradError(
            f"--calibrate {path} cannot be read ({reason}); give the path of a .csv file"
        ) from None
    lines = (line for line in text.splitlines() if not line.startswith("#"))
    try:
        found = list(csv.DictReader(lines, restval=""))
    except csv.Error as error:
        raise NormgradError(f"--calibrate {path} is no table: {error}") from None
    if not found:
        raise NormgradError(f"--calibrate {path} has no row; give a profiler's kernel_details.csv")
    return [{str(k).strip(): str(v).strip() for k, v in row.items() if k} for row in found]


def _one_of(what: str, columns: Sequence[str], path: Path) -> str:
    known = _NAMES[what]
    name = next((name for name in known if name in columns), None)
    if name is None:
        choices = " or ".join(map(repr, known))
        raise NormgradError(
            f"--calibrate {path} has no column {choices}: give a profiler's kernel_details.csv or "
            "op_summary_*.csv, or a table like tests/data/measured/elementwise.csv"
        )
    return name


def _pipes_of(columns: Sequence[str]) -> dict[str, tuple[str, bool]]:
    """Where the busy time of each pipe stands: a column, and whether it is a share of the time."""
    found = {}
    for pipe in PIPES:
        names = [(name.format(pipe), True) for name in _PIPE_RATIOS]
        for column, is_share in (*names, (_PIPE_US.format(pipe), False)):
            if column in columns:  # a time is more exact than a share
                found[pipe] = column, is_share
    return found


def _launch(row: Mapping[str, str], names: Mapping[str, str], soc: str | None) -> Launch | None:
    """None: not a launch on vector cores with busy times, or of a chip that nobody knows."""
    try:
        aiv_us = float(row[names["aiv_us"]])
        busy = {
            pipe: float(row[column]) * (aiv_us if is_share else 1.0)
            for pipe, (column, is_share) in _pipes_of(list(row)).items()
        }
        inputs = _tensors(row[names["input_shapes"]], row[names["input_dtypes"]])
        outputs = _tensors(row[names["output_shapes"]], row[names["output_dtypes"]])
        cores = int(row[names["cores"]])
    except (ValueError, KeyError):
        return None
    chip = soc or _soc_in(row[_SOC])
    if not (chip and outputs and aiv_us > 0 and busy.get("vec", 0.0) > 0 and cores > 0):
        return None
    step = _RATIO_STEP / 2 * aiv_us if _pipes_of(list(row))["vec"][1] else 0.0
    return Launch(row[names["op"]], chip, cores, inputs, outputs, _count(row), aiv_us, busy, step)


def _tensors(shapes: str, dtypes: str) -> tuple[Tensor, ...]:
    """ "4096,1024;1024" and "DT_BF16;FLOAT"; profilers put shapes in quotes of their own."""
    given = [part.strip("[] ") for part in shapes.replace('"', "").split(";")]
    words = [word.strip().removeprefix("DT_") for word in dtypes.split(";")]
    kinds = [_DTYPES.get(word, word) for word in words]
    given += [""] * (len(kinds) - len(given))
    return tuple(
        Tensor(kind, tuple(map(int, shape.split(","))) if shape else ())
        for shape, kind in zip(given, kinds, strict=True)
    )


def _soc_in(text: str) -> str | None:
    """The chip that a table's words name: 910B4, ascend910b4, 910B4-class."""
    words = text.lower()
    short = ((soc.name.removeprefix("ascend"), soc.name) for soc in plan.socs())
    return next((name for part, name in sorted(short, reverse=True) if part in words), None)


def _count(row: Mapping[str, str]) -> int:
    text = row.get(_LAUNCHES, "")
    return int(text) if text.isascii() and text.isdigit() else 1


def _together(same: Sequence[Launch]) -> Launch:
    first = same[0]
    return Launch(
        first.op, first.soc, first.cores, first.inputs, first.outputs,
        sum(each.launches for each in same),
        median(each.aiv_us for each in same),
        {pipe: median(each.busy_us[pipe] for each in same) for pipe in first.busy_us},
        median(each.step_us for each in same),
    )  # fmt: skip
