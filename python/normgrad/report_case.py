"""One case with all there is to see of it: plan, counters, findings, accuracy; report.py prints."""

from __future__ import annotations

import json

from normgrad import findings, timing
from normgrad.plan import Plan
from normgrad.report import say, table
from normgrad.run import Outcome
from normgrad.store import to_json
from normgrad.words import counted


def show_plan(plan: Plan, title: str) -> None:
    """The plan in words, its fields, and its UB budget."""
    say(title)
    say(f"  {plan.strategy} (tiling key {plan.tiling_key}): {plan.reason}")
    if plan.remark:
        say(f"  note: {plan.remark}")
    if plan.tuned:
        say(f"  tuned: {plan.tuned}")
    cores = counted(plan.cores, "core")
    say(
        f"  {cores}, workspace {plan.workspace_bytes:,} bytes, at least "
        f"{plan.minimum_bytes:,} bytes to move, error budget C = {plan.declared_c:g}"
    )
    if plan.fields:
        say("  tiling data")
        fields = [(name, value, plan.units.get(name, "")) for name, value in plan.fields.items()]
        table(("", "", ""), fields, "    ")
    if plan.buffers:
        say("  UB")
        rows: list[tuple[object, ...]] = [
            (buffer.name, buffer.phase, buffer.bytes, buffer.count, buffer.bytes * buffer.count)
            for buffer in plan.buffers
        ]
        table(("buffer", "phase", "bytes", "count", "in all"), rows, "    ")
        used = plan.ub_used_bytes()
        say(
            f"    first phase: {used:,} of {plan.ub_limit_bytes:,} bytes "
            f"({100 * used / max(plan.ub_limit_bytes, 1):.1f} %)"
        )


def _of_registers(counter: str) -> bool:
    return counter == "vector_functions" or counter.startswith("register_")


def show_outcome(outcome: Outcome) -> None:
    """All there is to see of one case."""
    result = outcome.result
    if outcome.plan is not None:
        show_plan(outcome.plan, "plan")
    if result.counters:
        say("counters")
        programs = result.counters.get("vector_functions", 0) != 0
        kept = [(n, v) for n, v in result.counters.items() if programs or not _of_registers(n)]
        table(("", ""), kept, "  ")
        if result.bytes_over_minimum is not None:
            say(f"  bytes over minimum           {result.bytes_over_minimum:.4f}")
        if result.slope_cycles_per_64 is not None:
            say(f"  vector slope cycles per 64   {result.slope_cycles_per_64:.2f}")
        if result.registers_per_64 is not None:
            say(f"  register instructions per 64 {result.registers_per_64:.2f}")
    for line in timing.lines(result.time, result.bandwidth_fraction):
        say(line)
    if result.counters or result.findings:
        for line in findings.lines(result.findings):
            say(line)
    if result.metrics:
        say("accuracy")
        names = list(dict.fromkeys(name for metric in result.metrics.values() for name in metric))
        metrics = result.metrics.values()
        rows = [(name, *(_plain(metric.get(name, "-")) for metric in metrics)) for name in names]
        table(("", *result.metrics), rows, "  ")
    if outcome.verdict is not None and result.worst is not None:
        say("worst element")
        for name, value in result.worst.items():
            say(f"  {name:<12} {_plain(value, 9)}")
    for words in result.compared:
        say(words)
    times = f"{result.seconds:.2f} s"
    if result.launch_seconds:
        times += f", of which the launch took {result.launch_seconds:.2f} s"
    say(f"{result.status}  {result.case}  ({times})")
    if result.reason:
        say(f"  {result.reason}")
    for line in result.explanation:
        say(f"  {line}")
    if result.note:
        say(f"note: {result.note}")
    say(f"again: {result.command}")


def _plain(value: object, digits: int = 6) -> str:
    if isinstance(value, float):
        return f"{value:.{digits}g}"  # 9 digits tell every fp32 number from its neighbours
    return str(value) if not isinstance(value, (list, tuple)) else json.dumps(to_json(value))
