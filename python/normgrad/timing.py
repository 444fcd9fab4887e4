"""What the twin's model of time says of a launch: the figures of a row, and the lines of a page.

A modelled time leaves out launch and SyncAll: both stand beside it. docs/twin.md says what the
model can claim and what not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from normgrad.store import Result

PIPES = ("vec", "scalar", "mte2", "mte3")


def figures(time: Mapping[str, Any], minimum_bytes: int) -> dict[str, Any]:
    """The fields of a result that come from the model; none if it did not run."""
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
        "time": dict(time),
    }


def label(time: Mapping[str, Any]) -> str:
    """What every print of a modelled time says of it."""
    return "modelled" if time.get("calibrated") else "modelled, uncalibrated"


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
        "case", "status", "plan", "bytes/min", "<=", "slope/64", "<=", "cold us", "<=",
        "resident us", "fraction", ">=", "launch us", "SyncAll us", "SyncAll/core",
        "barriers/core", "scalar reads", "UB bytes",
    )  # fmt: skip
    spare = (
        "scalar reads", "SyncAll/core", "UB bytes", "barriers/core", "launch us", "SyncAll us",
        "status", "plan",
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


def footnotes(results: Sequence[Result]) -> list[str]:
    """What the columns of modelled times mean on each chip."""
    said = [
        f"{result.soc}: {label(result.time)} time, without launch and SyncAll; cold at "
        f"{result.time['gm_pool_gb_per_s']:,.0f} GB/s, of which `fraction` is the share used, "
        f"resident in L2 at {result.time['l2_pool_gb_per_s']:,.0f} GB/s"
        for result in results
        if result.time
    ]
    return list(dict.fromkeys(said))


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
