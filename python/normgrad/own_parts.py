"""Operators from outside, as the harness uses them: descriptions read, checked, and asked."""

from __future__ import annotations

import importlib.util
import re
import shutil
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path
from typing import Any, TypeVar, get_args

import numpy as np

from normgrad import cache, dtypes, ops, paths, plan, tools
from normgrad.cases import Case
from normgrad.compare import Block
from normgrad.dtypes import F64, Array
from normgrad.errors import NormgradError
from normgrad.golden import UNDERFLOW, beyond_fp32
from normgrad.ops import DtypeRule, OpDescription, Role, ShapeRule, TensorSpec
from normgrad.own import OwnOp, Planned, Terms
from normgrad.plan import Options, Plan, Problem, Refused, Soc
from normgrad.words import allowed

_WRONG_DTYPE, _NOT_ON_THIS_CHIP = 161002, 561003  # tiling/problem.h
_OPTIONS = frozenset(("axes", "dist", "strategy", "ub", "cores", "chunk", "expect"))
_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
T = TypeVar("T")


class OwnError(NormgradError):
    """A description that cannot be used, or whose code failed; one sentence."""


@dataclass(frozen=True)
class Parts:
    """An operator's own parts: what stands behind OpDescription.own."""

    told: OwnOp
    file: Path  # the description, as it was given

    @property
    def folder(self) -> Path:
        return self.file.resolve().parent

    @property
    def suites(self) -> Path:
        return self.folder / self.told.suites

    @property
    def pairs(self) -> dict[int, list[tuple[str, str]]]:
        """Dtypes and gamma's, by arch."""
        return {
            arch: [(each, each) if isinstance(each, str) else each for each in found]
            for arch, found in self.told.chips.items()
        }

    def sources(self) -> str:
        """Digest of all C++ beside the description: what a kernel and a planner are made from."""
        return cache.digest(self.folder, cache.sources(self.folder))

    def digest(self) -> str:
        """Of all that a result depends on."""
        return cache.digest(self.folder, [self.file.resolve()], self.sources())

    def check(self, case: Case) -> Problem:
        """What a case asks for. Raises Refused."""
        name, pairs, arch = self.told.name, self.pairs, plan.find_soc(case.soc).arch
        if arch not in pairs:
            known = ", ".join(map(str, sorted(pairs)))
            raise Refused(
                _NOT_ON_THIS_CHIP,
                f"{case.soc} is of arch {arch}: {name} is described for {known}; choose another",
            )
        asked = case.dtype, case.gamma or case.dtype
        if asked not in pairs[arch]:
            given, *others = ("/".join(dict.fromkeys(pair)) for pair in (asked, *pairs[arch]))
            words = f"{name} was given {given}: it takes {', '.join(others)} on {case.soc}"
            raise Refused(_WRONG_DTYPE, words)
        return Problem(case.rows, case.cols, *asked, ops.stats_dtype(case))

    def make_plan(self, case: Case, problem: Problem, options: Options) -> Plan:
        """How a problem is cut. Raises Refused."""
        soc, own = plan.find_soc(case.soc), self.told.plan
        if isinstance(own, str):
            library = _planner(self, self.folder / own)
            made = plan.make_own_plan(library, case.op, soc, problem, options)
        else:
            made = _as_plan(case.op, soc, self._call("plan", own, soc, problem, options))
        if made.cores > soc.cores:
            raise OwnError(
                f"plan of {case.op} asks for {made.cores} cores: {soc.name} has {soc.cores}"
            )
        return replace(
            made,
            strategy=made.strategy or "Whole",
            ub_limit_bytes=made.ub_limit_bytes or options.ub_bytes or soc.ub_plan_bytes,
            minimum_bytes=made.minimum_bytes or _minimum_bytes(case),
            declared_c=made.declared_c or 4.0,
        )

    def drawn(self, case: Case, rng: np.random.Generator) -> Mapping[str, Array]:
        """The inputs that the description gives itself."""
        own = self.told.inputs
        return {} if own is None else self._call("inputs", own, case, rng)

    def golden_rows(
        self, case: Case, data: Mapping[str, Array], begin: int, end: int
    ) -> Iterator[tuple[TensorSpec, Block]]:
        """Every output that is asked for, of rows begin..end."""
        given: dict[str, F64] = {}
        for spec in ops.find_op(case.op).inputs:
            values = data[spec.name].reshape(-1)
            if spec.shape != "normalised":
                across = 1 if spec.by_rows else case.cols
                values = values.reshape(case.rows, across)[begin:end]
            given[spec.name] = dtypes.to_float64(values)
        with np.errstate(all="ignore"):
            found = self._call("golden", self.told.golden, **given)
            for spec in ops.wanted(case):
                terms = found.get(spec.name) if isinstance(found, Mapping) else None
                if not isinstance(terms, Terms):
                    raise OwnError(
                        f"golden of {case.op} gives no Terms for {spec.name}: return a dict with "
                        "Terms for each output"
                    )
                across = 1 if spec.by_rows else case.cols
                shape = (case.cols,) if spec.is_sum else (end - begin, across)
                yield spec, _in_full(case.op, spec.name, terms, shape, begin)

    def _call(self, what: str, function: Callable[..., T], *args: Any, **named: Any) -> T:
        """Their code; whatever it raises is said with its place."""
        try:
            return function(*args, **named)
        except (NormgradError, Refused):
            raise
        except (Exception, SystemExit) as error:  # an exit would end with nothing judged, as 0
            raise OwnError(
                f"{what} of {self.told.name} raised {_told(error)}; mend it in {self.file}"
            ) from None


def use(files: Sequence[Path | str]) -> None:
    """Makes the operators of these descriptions known, and no others from outside."""
    found: dict[str, OpDescription] = {}
    for file in dict.fromkeys(map(Path, files)):
        for told in _read(file):
            found[told.name] = _described(told, file, [*ops.PACKAGE, *found])
    ops.set_own(found.values())


def files_in_use() -> list[Path]:
    return list(dict.fromkeys(op.own.file for op in ops.own_ops() if op.own))


def dtype_combinations(op: str, arch: int) -> list[tuple[str, str]]:
    """Pairs (dtype, gamma's) that an operator, from wherever, takes on an arch."""
    own = ops.find_op(op).own
    return own.pairs.get(arch, []) if own else plan.dtype_combinations(op, arch)


def _in_full(op: str, name: str, terms: Terms, shape: tuple[int, ...], begin: int) -> Block:
    """S as it is told or |value|, and U with what the smallest fp32 hides."""
    s = np.abs(terms.value) if terms.s is None else terms.s
    parts = (terms.value, s, terms.u + UNDERFLOW)
    try:
        full = [np.array(np.broadcast_to(np.asarray(part, np.float64), shape)) for part in parts]
    except (TypeError, ValueError):
        got = ", ".join(str(np.shape(part)) for part in parts)
        raise OwnError(
            f"golden of {op} gives {name} with value, s and u of shapes {got}: each must be "
            f"{shape}, or broadcast to it"
        ) from None
    value, s, u = full
    told = np.isfinite(value)
    if not all((np.isfinite(part) & (part >= 0))[told].all() for part in (s, u)):
        raise OwnError(
            f"golden of {op} gives {name} an s or u that is no budget: both must be finite and not "
            "negative wherever the value is finite"
        )
    undefined = beyond_fp32(s)
    return Block(begin, value, s, u, undefined if undefined.any() else None)


def _minimum_bytes(case: Case) -> int:
    """Each input read once, each output written once."""
    specs = [spec for spec in ops.find_op(case.op).tensors if ops.is_given(spec, case)]
    return sum(
        prod(ops.tensor_shape(spec, case)) * dtypes.size_bytes(ops.tensor_dtype(spec, case))
        for spec in specs
    )


def _as_plan(op: str, soc: Soc, planned: Planned) -> Plan:
    if not isinstance(planned, Planned):
        raise OwnError(
            f"plan of {op} returned a {type(planned).__name__}: return Planned, or raise Refused"
        )
    return Plan(
        op=op,
        soc=soc,
        strategy=planned.strategy,
        reason=planned.reason,
        tiling_key=planned.tiling_key,
        cores=planned.cores,
        ub_limit_bytes=0,
        workspace_bytes=planned.workspace_bytes,
        minimum_bytes=0,
        tiling=planned.tiling,
        buffers=tuple(planned.buffers),
        fields=dict(planned.fields),
        units={},
        declared_c=planned.declared_c,
    )


def _planner(own: Parts, source: Path) -> Path:
    """The planner, one C++ file over tiling/capi.h, as a library of the cache."""
    root, cxx = paths.source_root(), tools.compiler()
    headers = [file for file in cache.sources(root / "tiling") if file.suffix == ".h"]
    key = cache.digest(root, headers, own.sources(), source.name, cxx, tools.tool_version(cxx))
    done = paths.cache_root() / f"planner-{own.told.name}-{key}"
    if not done.is_dir():
        with cache.locked(done):
            if not done.is_dir():
                _compile_planner(own, source, root, cxx, done)
    return done / "planner.so"


def _compile_planner(own: Parts, source: Path, root: Path, cxx: str, done: Path) -> None:
    work = done.with_name(f"{done.name}.work")
    work.mkdir(exist_ok=True)
    log, made = work / "planner.log", work / "planner.so"
    command = [cxx, "-std=c++17", "-O2", "-fPIC", "-shared", "-Wall", "-Wextra"]
    command += ["-Werror=return-type"]  # what runs on behind the end may never come back
    command += [f"-I{own.folder}", f"-I{root}", str(source), "-o", str(made), "-Wl,--no-undefined"]
    with log.open("w") as out:
        code = tools.run(command, out)
    if code != 0:
        raise OwnError(tools.first_error(f"compiling {source.name} of {own.file} failed", log))
    cache.publish([made, log], done)
    shutil.rmtree(work, ignore_errors=True)


def _read(file: Path) -> Sequence[OwnOp]:
    if not file.is_file():
        raise OwnError(
            f"--ops-from {file}: there is no such file; give the Python file that describes your "
            "operators"
        )
    spec = importlib.util.spec_from_file_location(f"normgrad_own_{file.stem}", file)
    if file.suffix != ".py" or spec is None or spec.loader is None:
        raise OwnError(f"--ops-from {file}: a description is Python, name it {file.stem}.py")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise OwnError(f"--ops-from {file} raised {_told(error)}; mend it there") from None
    found = getattr(module, "OPS", None)
    if not isinstance(found, (list, tuple)) or not all(isinstance(told, OwnOp) for told in found):
        found = None
    if not found:
        raise OwnError(
            f"--ops-from {file} has no list OPS of normgrad.own.OwnOp: write OPS = [OwnOp(...)]"
        )
    return list(found)


def _told(error: Exception | SystemExit) -> str:
    """An exception with the line that it comes from, in one sentence."""
    last = traceback.extract_tb(error.__traceback__)[-1:]
    where = f" at {Path(last[0].filename).name}:{last[0].lineno}" if last else ""
    if isinstance(error, SyntaxError):
        where = f" at line {error.lineno}"
    words = " ".join(str(error).split())[:200]
    return f"{type(error).__name__}{f' ({words})' if words else ''}{where}"


def _described(told: OwnOp, file: Path, known: Sequence[str]) -> OpDescription:
    own = Parts(told, file)
    if wrong := _wrong(told, own, known):
        raise OwnError(f"--ops-from {file}: {wrong}")
    rules = {spec.dtype for spec in told.tensors}
    return OpDescription(
        name=told.name,
        tensors=tuple(told.tensors),
        kernel_source=told.kernel,
        options=_OPTIONS | ({"gamma", "stats"} & rules),
        stats=None if "stats" in rules else "fp32",
        captures="",
        own=own,
    )


def _wrong(told: OwnOp, own: Parts, known: Sequence[str]) -> str:
    """The first fault of a description; empty if there is none."""
    if not _NAME.fullmatch(told.name):
        return f"{told.name!r} is no name: write small letters, such as rms_norm"
    if told.name in known:
        return f"there is an operator {told.name} already: choose another name"
    for spec in told.tensors:
        rules = (("role", spec.role, Role), ("dtype", spec.dtype, DtypeRule))
        for what, value, choices in (*rules, ("shape", spec.shape, ShapeRule)):
            if value not in get_args(choices):
                return f"{spec.name} has {what} {value!r}: {allowed(str(value), get_args(choices))}"
    for role in get_args(Role):
        if not any(spec.role == role for spec in told.tensors):
            return f"{told.name} has no tensor with role {role!r}: add one"
    for name in (told.kernel, *([told.plan] if isinstance(told.plan, str) else [])):
        if not (own.folder / name).is_file():
            return f"there is no {name} in {own.folder}: write its path from there"
    for arch, pairs in own.pairs.items():
        for name in (name for pair in pairs for name in pair):
            if name not in dtypes.FLOAT_NAMES:
                return f"dtype {name!r} on arch {arch}: {allowed(name, dtypes.FLOAT_NAMES)}"
    return ""
