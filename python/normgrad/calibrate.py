"""The model of time against measured rows: the error of each pipe, and of the whole.

Elementwise operators are other people's kernels; our own kernel for each, twin/bench/calibrate.cpp,
is what the simplest one would be. The package's operators run as they are planned here: a profile
must have been taken with them installed, since CANN's kernels have the same names. Judged is the
vector pipe, whose busy time is the same in every launch to a quarter of a percent. How much of a
tensor was in L2 a profile does not say: of MTE2, MTE3 and the whole, the model's cold and resident
times only enclose what was measured.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from statistics import mean
from typing import Any

from normgrad import build, ops, paths, run
from normgrad.backends import LaunchOptions, Outputs, SparseInput, SparseOutput, blank, twin
from normgrad.cases import Case
from normgrad.errors import NormgradError
from normgrad.plan import Refused, find_soc
from normgrad.profiles import Launch, Profile, Tensor
from normgrad.timing import PIPES

AIM = 0.15  # of the measured vector time
_KERNEL = "twin/bench/calibrate.cpp"
_LEAST_ELEMS = 2_000_000  # below, starting a kernel weighs more than its work
_REPEAT_ELEMS = 64  # of fp32
_TENSOR_BYTES = 64 * 8192 * 4  # a tile for each of up to 64 cores
# Operator and dtypes of a row -> tiling key of the kernel.
_KEYS = {
    ("Mul", "fp32, fp32 to fp32"): 0,
    ("Cast", "fp32 to bf16"): 1,
    ("Cast", "bf16 to fp32"): 2,
    ("Add", "fp32, bf16 to fp32"): 3,
    ("Add", "bf16, bf16 to bf16"): 4,
    ("Muls", "bf16 to bf16"): 5,
    ("ZerosLike", "fp32 to fp32"): 6,
    ("ZerosLike", "bf16 to bf16"): 7,
}
_ELEMENTWISE_ARCH = 2201  # that the kernel is written for
_SAME_IN_L2 = ("vec", "scalar")  # pipes whose busy time does not know where a tensor is
_NAMED = 8  # operators that are left out, by name


@dataclass(frozen=True)
class Known:
    """A row that can be compared, and what stands for it here."""

    launch: Launch
    key: int | None = None  # of the elementwise kernel
    case: Case | None = None  # of an operator of this package

    @property
    def dtypes(self) -> str:
        """In a few words: an operator of ours has more tensors than one wants to read of."""
        if self.case is None:
            return self.launch.dtypes
        return self.case.dtype + (f", gamma {self.case.gamma}" if self.case.gamma else "")

    @property
    def size(self) -> str:
        if self.case is None:
            return f"{self.launch.elems:,}"
        return f"{self.case.rows}x{self.case.cols}"


@dataclass(frozen=True)
class Compared:
    """A row and what the model says of it: microseconds by pipe, and "whole"."""

    known: Known
    cold: Mapping[str, float]
    resident: Mapping[str, float]
    cores: int  # of our launch

    @property
    def measured(self) -> dict[str, float]:
        launch = self.known.launch
        return {**launch.busy_us, "whole": launch.aiv_us}

    def errors(self, pipe: str) -> tuple[float, ...]:
        """Relative: of a pipe that knows no residency one, else cold and resident."""
        measured = self.measured.get(pipe, 0.0)
        if measured <= 0:
            return ()
        sides = (self.resident,) if pipe in _SAME_IN_L2 else (self.cold, self.resident)
        return tuple(side[pipe] / measured - 1 for side in sides)

    @property
    def error(self) -> float:
        """Of the vector time."""
        return self.errors("vec")[0]

    @property
    def is_enclosed(self) -> bool:
        """Whether the whole lies between resident and cold, give or take the aim."""
        measured = self.known.launch.aiv_us
        slack = 1 + AIM
        return self.resident["whole"] / slack <= measured <= self.cold["whole"] * slack

    def as_json(self) -> dict[str, Any]:
        launch = self.known.launch
        return {
            "op": launch.op,
            "dtypes": launch.dtypes,
            "soc": launch.soc,
            "cores": launch.cores,
            "elems": launch.elems,
            "launches": launch.launches,
            "case": None if self.known.case is None else str(self.known.case),
            "vec_step_us": launch.step_us,
            "pipes": {
                pipe: {
                    "measured_us": us,
                    "cold_us": self.cold[pipe],
                    "resident_us": self.resident[pipe],
                    "errors": self.errors(pipe),
                }
                for pipe, us in self.measured.items()
            },
        }


@dataclass(frozen=True)
class Chosen:
    """What of a profile can be compared, and why the rest cannot: launches by reason and name."""

    known: tuple[Known, ...]
    left_out: Mapping[str, Counter[str]]


def choose(profile: Profile) -> Chosen:
    """The rows with a kernel here, on enough cores of a chip that has them, of enough elements."""
    left_out: dict[str, Counter[str]] = {}
    if profile.unread:
        left_out["without busy times of vector cores"] = Counter(profile.unread)
    known = []
    for launch in profile.launches:
        found = _known(launch)
        if isinstance(found, Known):
            known.append(found)
        else:
            left_out.setdefault(found, Counter())[launch.op] += launch.launches
    return Chosen(tuple(known), left_out)


def _known(launch: Launch) -> Known | str:
    soc, by_type = find_soc(launch.soc), {op.type_name: op for op in ops.PACKAGE.values()}
    key = _KEYS.get((launch.op, launch.dtypes))
    if key is None and launch.op not in by_type:
        return "without a kernel here"
    if launch.elems < _LEAST_ELEMS:
        return f"of less than {_LEAST_ELEMS:,} elements"
    if launch.cores > soc.cores:
        return f"on more cores than {soc.name} has"
    if key is not None:
        fits = soc.arch == _ELEMENTWISE_ARCH
        return (
            Known(launch, key) if fits else f"elementwise on {soc.name}, not on {_ELEMENTWISE_ARCH}"
        )
    case = _case(by_type[launch.op], launch)
    if case is None:
        return "with tensors that its operator does not have"
    try:
        run.plan_case(case)
    except Refused:
        return "refused by the planner"
    return Known(launch, case=case)


def _case(op: ops.OpDescription, launch: Launch) -> Case | None:
    """The case that a launch of an operator is one of; None if its tensors say another thing."""
    given = dict(zip((spec.name for spec in op.inputs), launch.inputs, strict=False))
    made = dict(zip((spec.name for spec in op.outputs), launch.outputs, strict=False))
    absent = Tensor("", ())
    x, gamma, rstd = (given.get(name, absent) for name in ("x", "gamma", "rstd"))
    dx = made.get("dx", absent)
    rows = prod(rstd.shape)
    axes = len(gamma.shape)
    while (
        not gamma.is_given and axes < len(x.shape) and prod(x.shape[: len(x.shape) - axes]) > rows
    ):
        axes += 1  # of a gamma that is not given
    options: dict[str, Any] = {}
    if op.is_quantised:
        options["dst"] = dx.dtype
        options["scale"] = given.get("scales_x", absent).dtype
        options["offset"] = "1" if given.get("offset_x", absent).is_given else None
    if op.stats is None:
        options["stats"] = rstd.dtype
    if any(spec.name == "gamma" and spec.is_optional for spec in op.inputs):
        asked = [made.get(spec.name, absent).is_given for spec in op.outputs]
        options["mask"] = None if all(asked) else "".join(str(int(each)) for each in asked)
    try:
        kind = gamma.dtype if gamma.is_given else "none"
        case = Case(op.name, launch.soc, x.dtype, x.shape, gamma=kind, axes=axes, **options)
    except NormgradError:
        return None
    return case if case.rows == rows else None


def measure(rows: Iterable[Known]) -> list[Compared]:
    """Runs the kernels."""
    return [_compare(row) for row in rows]


def _compare(row: Known) -> Compared:
    options = LaunchOptions(check="off", threads=2)
    if row.case is None:
        done, cores = _run_elements(row, options), row.launch.cores
    else:
        plan = run.plan_case(row.case)
        done, cores = blank.launch(row.case, plan, options), plan.cores
    if done.error is not None or not done.time:
        said = done.error or "it was cut short"
        raise NormgradError(f"{row.launch.op} {row.size} cannot be modelled: {said}")
    cold, resident = (_by_pipe(done.time, name) for name in ("cold", "resident"))
    return Compared(row, cold, resident, cores)


def _by_pipe(time: Mapping[str, Any], name: str) -> dict[str, float]:
    """As a profiler counts: means of the cores, and SyncAll is in the whole."""
    part = time[name]
    found = {pipe: float(part[f"aiv_{pipe}_time_us"]) for pipe in PIPES}
    return {**found, "whole": float(part["aiv_time_us"]) + float(time["sync_all_us"])}


def _run_elements(row: Known, options: LaunchOptions) -> Outputs:
    soc, launch = find_soc(row.launch.soc), row.launch
    elems_per_core = -(-launch.elems // launch.cores // _REPEAT_ELEMS) * _REPEAT_ELEMS
    assert row.key is not None
    what = twin.RawLaunch(
        unit=build.kernel_library(paths.source_root() / _KERNEL, soc.arch),
        soc=soc.name,
        cores=launch.cores,
        ub_bytes=soc.ub_plan_bytes,
        tiling_key=row.key,
        tiling=struct.pack("<Q", elems_per_core),
        workspace_bytes=0,
        kernel=f"the calibration kernel {launch.op}",
    )
    inputs = {name: SparseInput(_TENSOR_BYTES) for name in ("in", "other")}
    outputs = {"out": SparseOutput(_TENSOR_BYTES)}
    return twin.launch(what, ("in", "other", "out"), inputs, outputs, options)


# ---- what is printed ----


def table(rows: Sequence[Compared]) -> tuple[Sequence[str], list[tuple[object, ...]]]:
    """Header and rows: vector time and the whole."""
    header = ("op", "dtypes", "size", "launches", "cores", "vec us", "+-", "modelled", "error",
              "cycles/64", "modelled", "whole us", "cold us", "error", "resident us",
              "error")  # fmt: skip
    cells: list[tuple[object, ...]] = []
    for each in rows:
        launch = each.known.launch
        cycles = find_soc(launch.soc).clock_mhz * launch.cores * _REPEAT_ELEMS / launch.elems
        vec, whole = launch.busy_us["vec"], each.errors("whole")
        cells.append((
            launch.op, each.known.dtypes, each.known.size,
            launch.launches, _cores(each), f"{vec:.2f}", f"{launch.step_us:.2f}",
            f"{each.resident['vec']:.2f}", f"{each.error:+.1%}", f"{vec * cycles:.2f}",
            f"{each.resident['vec'] * cycles:.2f}", f"{launch.aiv_us:.1f}",
            f"{each.cold['whole']:.1f}", f"{whole[0]:+.1%}", f"{each.resident['whole']:.1f}",
            f"{whole[1]:+.1%}",
        ))  # fmt: skip
    return header, cells


def _cores(each: Compared) -> str:
    theirs = each.known.launch.cores
    return f"{theirs}" if theirs == each.cores else f"{theirs}, here {each.cores}"


def by_operator(rows: Sequence[Compared]) -> tuple[Sequence[str], list[tuple[object, ...]]]:
    """Header and rows: the least and the largest error of each pipe, and of the whole."""
    header = ("op", "dtypes", "rows", "vec", "scalar", "mte2 cold", "mte2 L2", "mte3 cold",
              "mte3 L2", "whole cold", "whole L2")  # fmt: skip
    groups: dict[tuple[str, str], list[Compared]] = {}
    for each in rows:
        groups.setdefault((each.known.launch.op, each.known.dtypes), []).append(each)
    cells: list[tuple[object, ...]] = []
    for (op, kinds), mine in groups.items():
        spans = [
            _span([errors[side] for each in mine if side < len(errors := each.errors(pipe))])
            for pipe in (*PIPES, "whole")
            for side in range(1 if pipe in _SAME_IN_L2 else 2)
        ]
        cells.append((op, kinds, len(mine), *spans))
    return header, cells


def _span(errors: Sequence[float]) -> str:
    if not errors:
        return "-"
    low, high = (f"{100 * pick(errors):+.0f}" for pick in (min, max))
    return f"{low} %" if low == high else f"{low} to {high} %"


def summary(rows: Sequence[Compared], left_out: Mapping[str, Counter[str]]) -> list[str]:
    """The errors together, and what has not been compared."""
    said = []
    theirs = [each for each in rows if each.known.case is None]
    for name, part in (("elementwise", theirs), ("own", [e for e in rows if e not in theirs])):
        if not part:
            continue
        errors = [abs(each.error) for each in part]
        within = sum(1 for error in errors if error <= AIM)
        worst = max(part, key=lambda each: abs(each.error))
        enclosed = sum(1 for each in part if each.is_enclosed)
        said += [
            f"{name} operators: vector time of {within} of {len(part)} rows within {AIM:.0%}, mean "
            f"error {mean(errors):.1%}, worst {worst.error:+.1%} ({worst.known.launch.op} "
            f"{worst.known.dtypes}, {worst.known.size})",
            f"  the whole of {enclosed} of {len(part)} rows lies between resident and cold, give "
            f"or take {AIM:.0%}",
        ]
        if name == "own":
            said.append(
                "  (if the profile was taken with this package installed: CANN's kernels have the "
                "same names, and then the errors say how the two kernels differ)"
            )
    return said + said_of(left_out)


def known_operators() -> list[str]:
    """The operators with a kernel here, under a profiler's names."""
    return sorted({op for op, _ in _KEYS} | {op.type_name for op in ops.PACKAGE.values()})


def said_of(left_out: Mapping[str, Counter[str]]) -> list[str]:
    """What has not been compared, and why."""
    said = []
    for why, names in left_out.items():
        listed = [f"{op} {count}" for op, count in names.most_common(_NAMED)]
        more = len(names) - _NAMED
        listed += [f"{more} operators more"] if more > 0 else []
        said.append(f"left out, {why}: {sum(names.values())} launches ({', '.join(listed)})")
    return said
