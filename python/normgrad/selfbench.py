"""How fast the twin itself is on this computer: ratios measured side by side in one run.

Seconds depend on the computer and on who else uses it; ratios of the best of a few runs, taken in
turn, much less so, and least of all in CPU time, which does not run while others do. Those are the
steady figures. docs/twin.md says what the targets are for.
"""

from __future__ import annotations

import importlib
import importlib.util
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from normgrad import build, dtypes, inputs, paths, run
from normgrad.backends import LaunchOptions, Outputs, twin
from normgrad.cases import Case
from normgrad.dtypes import F64, Array
from normgrad.errors import NormgradError
from normgrad.plan import find_soc

CASE = "rms_norm_grad:ascend910b4:bf16:4096x4096:seed1"
TORCH_CASE = "layer_norm_grad_v3:ascend910b4:bf16:4096x4096:seed1"
_KERNEL = "twin/bench/self.cpp"
_INSTRUCTIONS_PER_ROUND = 6  # of that kernel
_CHUNK_ELEMS = 32 << 10  # float64 temporaries of so many elements stay in a 2 MB L2
_THREADS = 2
_TIMES = 3
_LARGE = ((1024, 100_000), (4096, 40_000))  # elements of an instruction, and how many rounds
_SMALL = ((64, 100_000), (60, 100_000))  # whole blocks, and a partial one at the end


_Times = tuple[float, ...]  # seconds by one or more clocks


@dataclass(frozen=True)
class _Clock:
    name: str
    index: int  # in _Times
    steady: bool


_ELAPSED = _Clock("elapsed", 0, False)
_CPU = _Clock("CPU time", 1, True)


@dataclass(frozen=True)
class Figure:
    """One ratio or time, and what it should be."""

    what: str
    value: float | None  # None: `detail` says what is missing
    unit: str  # "x" or "ns"
    target: float
    at_least: bool  # else at most
    detail: str
    steady: bool = True  # holds on a busy computer, too

    @property
    def holds(self) -> bool | None:
        if self.value is None:
            return None
        return self.value >= self.target if self.at_least else self.value <= self.target


def measure(times: int = _TIMES) -> list[Figure]:
    """All figures. Takes some ten seconds."""
    return [*_against_numpy(times), *_against_torch(times), *_of_instructions(times)]


def has_torch() -> bool:
    """Whether the other side of `_against_torch` is installed."""
    return importlib.util.find_spec("torch") is not None


def value_only(dy: F64, x: F64, rstd: F64, gamma: F64) -> tuple[F64, F64]:
    """dx and dgamma in float64, with no thought for budgets: what a quick check would compute."""
    xhat = x * rstd
    term = dy * gamma
    mean = (term * xhat).mean(axis=1, keepdims=True)
    return (term - xhat * mean) * rstd, (dy * xhat).sum(axis=0)


def value_only_by_rows(dy: F64, x: F64, rstd: F64, gamma: F64) -> tuple[F64, F64]:
    """The same, in blocks of rows that stay in the cache."""
    rows, cols = x.shape
    dx, dgamma = np.empty_like(x), np.zeros(cols)
    step = max(1, _CHUNK_ELEMS // cols)
    for begin in range(0, rows, step):
        some = slice(begin, begin + step)
        dx[some], part = value_only(dy[some], x[some], rstd[some], gamma)
        dgamma += part
    return dx, dgamma


def _against_numpy(times: int) -> list[Figure]:
    case = Case.parse(CASE)
    plan = run.plan_case(case)
    data = inputs.make_inputs(case)
    wide = {name: dtypes.to_float64(array) for name, array in data.items()}
    dy, x, gamma = wide["dy"], wide["x"], wide["gamma"]
    rstd = wide["rstd"].reshape(-1, 1)

    def launch(check: str) -> _Times:
        done = _ended(twin.run(case, data, plan, LaunchOptions(check, threads=_THREADS)))
        # Both threads do half of the work; what they wait for each other is in the elapsed time.
        return done.wall_s, done.cpu_s / _THREADS

    best = _best_of(
        times,
        {
            "all": lambda: launch("all"),
            "off": lambda: launch("off"),
            "whole": lambda: _seconds(lambda: value_only(dy, x, rstd, gamma)),
            "rows": lambda: _seconds(lambda: value_only_by_rows(dy, x, rstd, gamma)),
        },
    )

    def ratio(what: str, over: str, under: str, target: float, clock: _Clock) -> Figure:
        seconds = {name: taken[clock.index] for name, taken in best.items()}
        rate = {name: case.rows * case.cols / taken / 1e6 for name, taken in seconds.items()}
        least = over != "all"
        first, second = (under, over) if least else (over, under)
        detail = f"{rate[first]:.0f} against {rate[second]:.0f} M elements/s"
        value = seconds[over] / seconds[under]
        return Figure(f"{what}, {clock.name}", value, "x", target, least, detail, clock.steady)

    return [
        ratio(what, over, under, target, clock)
        for what, over, under, target in (
            ("all checks against float64 NumPy, whole arrays", "whole", "all", 5.0),
            ("all checks against float64 NumPy, by rows", "rows", "all", 2.0),
            ("all checks over none, RmsNormGrad", "all", "off", 3.0),
        )
        for clock in (_ELAPSED, _CPU)
    ]


def torch_backward(data: dict[str, Array]) -> Callable[[], Any]:
    """A call of torch's native_layer_norm_backward on the CPU, all three outputs in bf16."""
    torch: Any = importlib.import_module("torch")

    def tensor(array: Array) -> Any:
        return torch.from_numpy(np.ascontiguousarray(array).view(np.int16)).view(torch.bfloat16)

    dy, x, gamma = (tensor(data[name]) for name in ("dy", "x", "gamma"))
    per_row = (x.shape[0], *(1 for _ in gamma.shape))
    mean, rstd = (tensor(data[name]).reshape(per_row) for name in ("mean", "rstd"))
    backward = torch.ops.aten.native_layer_norm_backward
    mask = [True, True, True]
    return lambda: backward(dy, x, list(gamma.shape), mean, rstd, gamma, gamma, mask)


def _against_torch(times: int) -> list[Figure]:
    """The same operator on both sides, on as many threads; torch has its own."""
    what = "all checks against torch's native_layer_norm_backward"
    target = 1.0
    if not has_torch():
        missing = "torch is not installed: pip install 'normgrad[torch]'"
        return [Figure(what, None, "x", target, True, missing, steady=False)]
    case = Case.parse(TORCH_CASE)
    plan = run.plan_case(case)
    data = inputs.make_inputs(case)
    torch: Any = importlib.import_module("torch")
    threads = torch.get_num_threads()
    torch.set_num_threads(_THREADS)
    backward = torch_backward(data)

    def launch() -> _Times:
        done = _ended(twin.run(case, data, plan, LaunchOptions("all", threads=_THREADS)))
        return done.wall_s, done.cpu_s

    best = _best_of(times, {"twin": launch, "torch": lambda: _seconds(backward)})
    torch.set_num_threads(threads)
    figures = []
    for clock in (_ELAPSED, _CPU):
        ours, theirs = best["twin"][clock.index], best["torch"][clock.index]
        rates = [case.rows * case.cols / seconds / 1e6 for seconds in (ours, theirs)]
        detail = f"{rates[0]:.0f} against {rates[1]:.0f} M elements/s"
        name = f"{what}, {clock.name}"
        # Not steady: how fast torch is depends on its build and on the memory of the computer.
        figures.append(Figure(name, theirs / ours, "x", target, True, detail, steady=False))
    return figures


def _of_instructions(times: int) -> list[Figure]:
    figures = []
    for elems, rounds in _LARGE:
        checked, free = _instruction_ns(elems, rounds, times)
        figures.append(
            Figure(
                f"all checks over none, {elems} elements", checked / free, "x", 3.0, False,
                f"{checked:.0f} and {free:.0f} ns an instruction",
            )
        )  # fmt: skip
    for elems, rounds in _SMALL:
        checked, free = _instruction_ns(elems, rounds, times)
        figures.append(
            Figure(
                f"all checks on top, {elems} elements", checked - free, "ns", 150.0, False,
                f"{checked:.0f} and {free:.0f} ns an instruction",
            )
        )  # fmt: skip
    return figures


def _instruction_ns(elems: int, rounds: int, times: int) -> tuple[float, float]:
    """Nanoseconds of CPU time of one instruction with all checks and with none."""
    soc = find_soc("ascend910b4")
    what = twin.RawLaunch(
        unit=build.kernel_library(paths.source_root() / _KERNEL, soc.arch),
        soc=soc.name,
        cores=1,
        ub_bytes=soc.ub_plan_bytes,
        tiling_key=0,
        tiling=struct.pack("<2I", elems, rounds),
        workspace_bytes=0,
    )

    def launch(check: str) -> _Times:
        return (_ended(twin.launch(what, (), {}, {}, LaunchOptions(check))).cpu_s,)

    best = _best_of(times, {"all": lambda: launch("all"), "off": lambda: launch("off")})
    count = rounds * _INSTRUCTIONS_PER_ROUND
    return best["all"][0] / count * 1e9, best["off"][0] / count * 1e9


def _ended(outputs: Outputs) -> Outputs:
    if outputs.error is not None:
        raise NormgradError(f"the twin's speed cannot be measured: {outputs.error}")
    if outputs.findings:
        raise NormgradError(
            f"the twin's speed cannot be measured: a finding, {outputs.findings[0].message}"
        )
    return outputs


def _best_of(times: int, runs: dict[str, Callable[[], _Times]]) -> dict[str, _Times]:
    """The shortest of a few by every clock, in turn: what disturbs one disturbs the others, too."""
    taken: dict[str, list[_Times]] = {name: [] for name in runs}
    for _ in range(times):
        for name, measured in runs.items():
            taken[name].append(measured())
    return {name: _shortest(seconds) for name, seconds in taken.items()}


def _shortest(taken: list[_Times]) -> _Times:
    return tuple(min(by_clock) for by_clock in zip(*taken, strict=True))


def _seconds(call: Callable[[], object]) -> _Times:
    """Elapsed, and of this process."""
    began, busy = time.perf_counter(), time.process_time()
    call()
    return time.perf_counter() - began, time.process_time() - busy
