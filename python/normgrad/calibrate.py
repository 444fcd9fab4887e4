"""The model of time against measured rows of other people's kernels.

Each row is a launch of an elementwise operator in a profile. Our own kernel for it, twin/bench/
calibrate.cpp, runs on the twin; the vector pipe's busy time is what is compared, since in profiles
it is the same in every launch to a quarter of a percent. Totals stand beside it: how much of a
tensor was in L2 a profile does not say, so that the model's cold and resident time only enclose it.
"""

from __future__ import annotations

import csv
import struct
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import prod
from pathlib import Path
from statistics import mean
from typing import Any

from normgrad import build, paths
from normgrad.backends import LaunchOptions, SparseInput, SparseOutput, twin
from normgrad.errors import NormgradError
from normgrad.plan import find_soc

COLUMNS = ("op", "soc", "block_dim", "input_dtypes", "output_shapes", "output_dtypes",
           "aiv_time_us", "vec_ratio")  # fmt: skip
AIM = 0.15  # of the measured vector time
_KERNEL = "twin/bench/calibrate.cpp"
_LEAST_ELEMS = 2_000_000  # below, starting a kernel weighs more than its work
_RATIO_STEP = 0.001  # ratios have three digits
_REPEAT_ELEMS = 64  # of fp32
_TENSOR_BYTES = 64 * 8192 * 4  # a tile for each of up to 64 cores
# Operator and dtypes of a row -> tiling key of the kernel.
_KEYS = {
    ("Mul", "FLOAT;FLOAT", "FLOAT"): 0,
    ("Cast", "FLOAT", "DT_BF16"): 1,
    ("Cast", "DT_BF16", "FLOAT"): 2,
    ("Add", "FLOAT;DT_BF16", "FLOAT"): 3,
    ("Add", "DT_BF16;DT_BF16", "DT_BF16"): 4,
    ("Muls", "DT_BF16", "DT_BF16"): 5,
    ("ZerosLike", "FLOAT", "FLOAT"): 6,
    ("ZerosLike", "DT_BF16", "DT_BF16"): 7,
}
# How a profile's chip is written -> ours; a row of another chip is left out.
_SOCS = {"910B4": "ascend910b4"}


@dataclass(frozen=True)
class Measured:
    """One row that can be judged."""

    op: str
    dtypes: str
    key: int
    soc: str
    cores: int
    elems: int
    aiv_us: float
    vec_us: float
    vec_step_us: float  # half a unit of the ratio's last digit


@dataclass(frozen=True)
class Compared:
    """A row and what the model says of it."""

    row: Measured
    vec_us: float
    cold_us: float
    resident_us: float

    @property
    def error(self) -> float:
        """Of the vector time, relative."""
        return self.vec_us / self.row.vec_us - 1

    def as_json(self) -> dict[str, Any]:
        measured = {name: value for name, value in asdict(self.row).items() if name != "key"}
        return {
            **measured,
            "modelled_vec_us": self.vec_us,
            "vec_error": self.error,
            "modelled_us": self.cold_us,
            "modelled_resident_us": self.resident_us,
            "error": self.cold_us / self.row.aiv_us - 1,
            "resident_error": self.resident_us / self.row.aiv_us - 1,
        }


def read(path: Path) -> list[Measured]:
    """The rows of a file that have a kernel here, a chip that we know, and elements enough."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a text file"
        raise NormgradError(
            f"--calibrate {path} cannot be read ({reason}); give the path of a .csv file"
        ) from None
    rows = list(csv.DictReader(line for line in text.splitlines() if not line.startswith("#")))
    missing = [name for name in COLUMNS if not rows or name not in rows[0]]
    if missing:
        raise NormgradError(
            f"--calibrate {path} has no column {missing[0]}; it needs {', '.join(COLUMNS)}"
        )
    judged = [measured for row in rows if (measured := _measured(row)) is not None]
    if not judged:
        raise NormgradError(
            f"--calibrate {path} has no row to judge: operators with a kernel here are "
            + ", ".join(sorted({op for op, _, _ in _KEYS}))
            + f", of {_LEAST_ELEMS:,} elements or more"
        )
    return judged


def _measured(row: Mapping[str, str]) -> Measured | None:
    key = _KEYS.get((row["op"], row["input_dtypes"], row["output_dtypes"]))
    soc = next((ours for theirs, ours in _SOCS.items() if theirs in row["soc"]), None)
    try:
        elems = prod(int(length) for length in row["output_shapes"].split(","))
        cores, aiv_us = int(row["block_dim"]), float(row["aiv_time_us"])
        ratio = float(row["vec_ratio"])
    except ValueError:
        return None
    if key is None or soc is None or elems < _LEAST_ELEMS or ratio <= 0 or aiv_us <= 0:
        return None
    if not 1 <= cores <= find_soc(soc).cores:
        return None
    dtypes = f"{row['input_dtypes']} to {row['output_dtypes']}"
    step = _RATIO_STEP / 2 * aiv_us
    return Measured(row["op"], dtypes, key, soc, cores, elems, aiv_us, ratio * aiv_us, step)


def measure(rows: Sequence[Measured]) -> list[Compared]:
    """Runs the kernels."""
    return [_compare(row) for row in rows]


def _compare(row: Measured) -> Compared:
    soc = find_soc(row.soc)
    elems_per_core = -(-row.elems // row.cores // _REPEAT_ELEMS) * _REPEAT_ELEMS
    what = twin.RawLaunch(
        unit=build.kernel_library(paths.source_root() / _KERNEL, soc.arch),
        soc=soc.name,
        cores=row.cores,
        ub_bytes=soc.ub_plan_bytes,
        tiling_key=row.key,
        tiling=struct.pack("<Q", elems_per_core),
        workspace_bytes=0,
        kernel=f"the calibration kernel {row.op}",
    )
    inputs = {name: SparseInput(_TENSOR_BYTES) for name in ("in", "other")}
    outputs = {"out": SparseOutput(_TENSOR_BYTES)}
    options = LaunchOptions(check="off", threads=2)
    done = twin.launch(what, ("in", "other", "out"), inputs, outputs, options)
    if done.error is not None or not done.time:
        raise NormgradError(f"{row.op} cannot be modelled: {done.error or 'it was cut short'}")
    cold, resident = done.time["cold"], done.time["resident"]
    return Compared(row, cold["aiv_vec_time_us"], cold["us"], resident["us"])


def table(rows: Sequence[Compared]) -> tuple[Sequence[str], list[tuple[object, ...]]]:
    """Header and rows; cycles are those of the vector pipe per 64 elements and core."""
    header = ("op", "dtypes", "elements", "vec us", "+-", "modelled", "error", "cycles",
              "modelled", "aiv us", "cold us", "error", "resident us", "error")  # fmt: skip
    cells: list[tuple[object, ...]] = []
    for each in rows:
        row = each.row
        cycles = find_soc(row.soc).clock_mhz * row.cores * _REPEAT_ELEMS / row.elems
        cells.append((
            row.op, row.dtypes, row.elems, f"{row.vec_us:.2f}", f"{row.vec_step_us:.2f}",
            f"{each.vec_us:.2f}", f"{each.error:+.1%}", f"{row.vec_us * cycles:.2f}",
            f"{each.vec_us * cycles:.2f}", f"{row.aiv_us:.1f}", f"{each.cold_us:.1f}",
            f"{each.cold_us / row.aiv_us - 1:+.1%}", f"{each.resident_us:.1f}",
            f"{each.resident_us / row.aiv_us - 1:+.1%}",
        ))  # fmt: skip
    return header, cells


def summary(rows: Sequence[Compared]) -> list[str]:
    """The errors together; totals are enclosed or not."""
    errors = [abs(each.error) for each in rows]
    within = sum(1 for error in errors if error <= AIM)
    worst = max(rows, key=lambda each: abs(each.error))
    said = [
        f"vector time: {within} of {len(rows)} rows within {AIM:.0%}, mean error "
        f"{mean(errors):.1%}, worst {worst.error:+.1%} ({worst.row.op} {worst.row.dtypes}, "
        f"{worst.row.elems:,} elements)"
    ]
    for op, dtypes in dict.fromkeys((each.row.op, each.row.dtypes) for each in rows):
        mine = [e.error for e in rows if (e.row.op, e.row.dtypes) == (op, dtypes)]
        rows_ = "1 row" if len(mine) == 1 else f"{len(mine)} rows"
        said.append(f"  {op} {dtypes}: {min(mine):+.1%} to {max(mine):+.1%} ({rows_})")
    slack = 1 + AIM
    enclosed = sum(
        1 for each in rows if each.resident_us / slack <= each.row.aiv_us <= each.cold_us * slack
    )
    said.append(
        f"total time: {enclosed} of {len(rows)} rows between resident and cold, give or take "
        f"{AIM:.0%}; no judgement, since the pools were measured on such rows"
    )
    return said
