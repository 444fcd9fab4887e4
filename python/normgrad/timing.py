"""What the twin's model of time says of a launch: the figures of a row, and the lines of a page.

A modelled time leaves out launch and SyncAll: both stand beside it. docs/twin.md says what the
model can claim and what not.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from normgrad import dtypes, ops
from normgrad.cases import Case
from normgrad.errors import NormgradError
from normgrad.store import Result

PIPES = ("vec", "scalar", "mte2", "mte3")


def figures(
    time: Mapping[str, Any], minimum_bytes: int, pool_measured: bool = True
) -> dict[str, Any]:
    """The fields of a result that come from the model; none if it did not run.

    `pool_measured`: somebody has measured what streaming kernels reach on this very chip.
    """
    if not time:
        return {}
    cold, resident = float(time["cold"]["us"]), float(time["resident"]["us"])
    fraction = None
    if cold > 0 and minimum_bytes:
        fraction = minimum_bytes / cold / 1e3 / float(time["gm_pool_gb_per_s"])
    return {
        "modelled_us": cold,
        "modelled_resident_us": resident,
        "bandwidth_fraction": fraction,
        "time": {**time, "pool_measured": pool_measured},
    }


def label(time: Mapping[str, Any]) -> str:
    """What every print of a modelled time says of it."""
    if not time.get("calibrated"):
        return "modelled, uncalibrated"
    return "modelled" if time.get("pool_measured", True) else "modelled, memory rate inferred"


def lines(time: Mapping[str, Any], fraction: float | None) -> list[str]:
    """The page of one launch."""
    if not time:
        return []
    said = [
        f"time ({label(time)}; without launch, {time['launch_us']:g} us, and SyncAll, "
        f"{time['sync_all_us']:g} us)"
    ]
    for name, pool in (("cold", "gm_pool_gb_per_s"), ("resident", "l2_pool_gb_per_s")):
        part = time[name]
        pipes = ", ".join(f"{pipe} {part[f'aiv_{pipe}_time_us']:.1f}" for pipe in PIPES)
        said.append(
            f"  {name:<9} {part['us']:8.1f} us at {time[pool]:,.0f} GB/s; busy (mean of the "
            f"cores): {pipes}"
        )
    if fraction is not None:
        said.append(
            f"  {fraction:.1%} of the {time['gm_pool_gb_per_s']:,.0f} GB/s that streaming kernels "
            "reach, cold, counting each byte once"
        )
    return said


def bench_columns(
    results: Sequence[Result],
) -> tuple[Sequence[str], Sequence[Sequence[object]], Sequence[str]]:
    """Header and rows of `bench`; which columns a narrow terminal may do without."""
    header = (
        "case", "status", "plan", "bytes/min", "<=", "slope/64", "<=", "reg/64", "cold us", "<=",
        "resident us", "fraction", ">=", "launch us", "SyncAll us", "SyncAll/core",
        "barriers/core", "scalar reads", "UB bytes",
    )  # fmt: skip
    spare = (
        "scalar reads", "SyncAll/core", "UB bytes", "barriers/core", "reg/64", "launch us",
        "SyncAll us", "status", "plan",
    )  # fmt: skip
    return header, [_bench_row(result) for result in results], spare


def _bench_row(result: Result) -> Sequence[object]:
    def limit(name: str, form: str) -> str:
        return _number(result.budget.get(name), form)

    return (
        result.case,
        result.status,
        result.plan,
        _number(result.bytes_over_minimum, ".4f"),
        limit("bytes_over_minimum", ".4f"),
        _number(result.slope_cycles_per_64, ".2f"),
        limit("slope_cycles_per_64", "g"),
        _number(result.registers_per_64, ".2f"),
        _number(result.modelled_us, ",.1f"),
        limit("modelled_us", "g"),
        _number(result.modelled_resident_us, ",.1f"),
        _number(result.bandwidth_fraction, ".3f"),
        limit("bandwidth_fraction", "g"),
        _number(result.time.get("launch_us"), "g"),
        _number(result.time.get("sync_all_us"), "g"),
        _number(_per_core(result, "sync_all"), "g"),
        _number(_per_core(result, "barriers"), ",.1f"),
        _sum(result, "scalar_ub_reads", "scalar_gm_reads"),
        result.counters.get("ub_high_water_bytes"),
    )


def beyond_budget(result: Result) -> list[str]:
    """The figures of a case that miss their limits, in words."""
    missed = []
    for name, limit in result.budget.items():
        value = getattr(result, name)
        if value is None or limit is None:
            continue
        least = name == "bandwidth_fraction"
        if value < limit if least else value > limit:
            word = "at least" if least else "at most"
            missed.append(f"{name.replace('_', ' ')} is {value:.4g}, {word} {limit:.4g}")
    return missed


def footnotes(results: Sequence[Result]) -> list[str]:
    """What misses its limit, and what the columns of modelled times mean on each chip."""
    missed = [
        f"beyond its budget: {result.case}: {', '.join(words)}"
        for result in results
        if (words := beyond_budget(result))
    ]
    said = [
        f"{result.soc}: {label(result.time)} time, without launch and SyncAll; cold at "
        f"{result.time['gm_pool_gb_per_s']:,.0f} GB/s, of which `fraction` is the share used, "
        f"resident in L2 at {result.time['l2_pool_gb_per_s']:,.0f} GB/s"
        for result in results
        if result.time
    ]
    return [*missed, *dict.fromkeys(said)]


def _number(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)


def _per_core(result: Result, name: str) -> float | None:
    """Counters are of the whole launch; each core takes part in a SyncAll."""
    if name not in result.counters or not result.cores:
        return None
    return result.counters[name] / result.cores


def _sum(result: Result, *names: str) -> int | None:
    found = [result.counters[name] for name in names if name in result.counters]
    return sum(found) if found else None


def profiler_row(case: Case, result: Result) -> dict[str, object]:
    """The launch, cold, under the column names of a profiler's kernel_details.csv.

    There `aiv_time` is the mean of the cores, and a duration holds launch and SyncAll.
    """
    time, part = result.time, result.time["cold"]
    given = {spec for spec in ops.find_op(case.op).tensors if ops.is_given(spec, case)}

    def tensors(role: str) -> tuple[str, str]:
        mine = [spec for spec in ops.find_op(case.op).tensors if spec.role == role]
        shapes = (ops.tensor_shape(spec, case) if spec in given else () for spec in mine)
        kinds = (ops.tensor_dtype(spec, case) if spec in given else "" for spec in mine)
        return (
            ";".join(",".join(map(str, shape)) for shape in shapes),
            ";".join(dtypes.PROFILER_NAMES[kind] for kind in kinds),
        )

    inputs, outputs = tensors("in"), tensors("out")
    aiv_us = part["aiv_time_us"] + time["sync_all_us"]
    row: dict[str, object] = {
        "Name": result.case,
        "Type": "".join(word.capitalize() for word in case.op.split("_")),
        "Accelerator Core": "AI_VECTOR_CORE",
        "Duration(us)": round(part["us"] + time["launch_us"] + time["sync_all_us"], 3),
        "Block Dim": result.cores,
        "Input Shapes": inputs[0],
        "Input Data Types": inputs[1],
        "Output Shapes": outputs[0],
        "Output Data Types": outputs[1],
        "aiv_time(us)": round(aiv_us, 3),
        "aiv_total_cycles": round(aiv_us * time["clock_mhz"] * (result.cores or 0)),
    }
    for pipe in PIPES:
        busy = part[f"aiv_{pipe}_time_us"]
        row[f"aiv_{pipe}_time(us)"] = round(busy, 3)
        row[f"aiv_{pipe}_ratio"] = round(busy / aiv_us, 3) if aiv_us else 0.0
    return row


def write_profile(path: Path, row: Mapping[str, object]) -> None:
    """One header, one row."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(row))
        writer.writeheader()
        writer.writerow(row)


def clear_trace(path: Path) -> None:
    """What an earlier run has left goes, and a place that cannot be written is said at once."""
    if path.suffix == ".csv":
        raise NormgradError(
            f"--trace {path}: a .csv with the profiler's columns is written beside the timeline; "
            "name this one .json"
        )
    try:
        path.write_text("", encoding="utf-8")
        path.unlink()
    except OSError as error:
        raise NormgradError(
            f"--trace {path} cannot be written ({error.strerror}); choose another file"
        ) from None


def write_beside(path: Path, case: Case, result: Result) -> str:
    """The profiler's row beside a trace; says what has been written."""
    if not path.exists() or not result.time:
        return f"no trace: {result.reason or 'the launch has no modelled time'}"
    table = path.with_suffix(".csv")
    write_profile(table, profiler_row(case, result))
    return f"trace: {path} (chrome://tracing, ui.perfetto.dev) and {table}"
