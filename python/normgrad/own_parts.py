"""Operators from outside, as the harness uses them: described, planned, drawn, and judged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path

import numpy as np

from normgrad import dtypes, includes, ops, own_check, own_code, own_planner, paths, plan
from normgrad.cases import Case
from normgrad.compare import Block
from normgrad.dtypes import F64, Array
from normgrad.golden import UNDERFLOW, beyond_fp32
from normgrad.ops import OpDescription, TensorSpec
from normgrad.own import OwnOp, Terms
from normgrad.own_check import OwnError
from normgrad.plan import Options, Plan, Problem, Refused, Soc

_WRONG_DTYPE, _NOT_ON_THIS_CHIP = 161002, 561003  # tiling/problem.h
_OPTIONS = frozenset(("axes", "dist", "strategy", "ub", "cores", "chunk", "expect"))


@dataclass(frozen=True)
class Parts:
    """An operator's own parts: what stands behind OpDescription.own."""

    told: OwnOp
    file: Path  # the description, as it was given
    modules: Sequence[Path]  # Python files that it is made from, itself among them

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

    def kernel_sources(self) -> list[Path]:
        """What the kernel is made from, beside the package's own headers."""
        return includes.reached(
            self.folder / self.told.kernel,
            (self.folder, paths.source_root() / "twin" / "include", paths.source_root()),
            self._package(),
        )

    def sources(self) -> str:
        """Digest of what the kernel is made from."""
        return includes.digest(self.kernel_sources(), self.folder)

    def refuse_unseen(self, dependencies: Path) -> None:
        """Compares what the compiler has read with what `sources` knows of. Raises OwnError."""
        kernel = self.folder / self.told.kernel
        own_planner.refuse_unseen(
            kernel,
            dependencies,
            self.kernel_sources(),
            (*self._package(), dependencies.resolve().parent),
        )

    def digest(self) -> str:
        """Of all that a result depends on."""
        files = {*self.modules, *self.kernel_sources()}
        if isinstance(self.told.plan, str):
            files.update(own_planner.sources(self.folder / self.told.plan, self.folder))
        return includes.digest(sorted(files), self.folder)

    @staticmethod
    def _package() -> tuple[Path, ...]:
        return tuple((paths.source_root() / name).resolve() for name in ("twin", "tiling"))

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
        plan.refuse_beyond("the number of rows or cols", plan.MAX_LENGTH, (case.rows, case.cols))
        stats = ops.stats_dtype(case)
        return Problem(case.rows, case.cols, *asked, stats, attributes=case.attributes)

    def make_plan(self, case: Case, problem: Problem, options: Options) -> Plan:
        """How a problem is cut. Raises Refused."""
        soc = plan.find_soc(case.soc)
        made = self._planned(soc, problem, options)
        self._hold(case, made, options)
        return replace(
            made,
            ub_limit_bytes=made.ub_limit_bytes or options.ub_bytes or soc.ub_plan_bytes,
            minimum_bytes=made.minimum_bytes or _minimum_bytes(case),
            declared_c=made.declared_c or 4.0,
            remark=self._ignored(made, soc, problem, options),
        )

    def _planned(self, soc: Soc, problem: Problem, options: Options) -> Plan:
        name, own = self.told.name, self.told.plan
        if isinstance(own, str):
            source = self.folder / own
            made = own_planner.plan(source, self.folder, name, soc, problem, options)
            reason = made.reason or f"{source.name} says so"
            return replace(made, strategy=made.strategy or "Whole", reason=reason)
        told = own_code.call("plan", name, self.file, own, soc, problem, options)
        planned = own_check.planned(name, told)
        return Plan(
            op=name,
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

    def _hold(self, case: Case, made: Plan, options: Options) -> None:
        """A plan that cannot be launched, or that is not what the case asks for, proves nothing."""
        most, why = made.soc.cores, f"{made.soc.name} has {made.soc.cores}"
        if options.cores is not None and options.cores < most:
            most, why = options.cores, f"the case says cores={options.cores}: heed options.cores"
        name = self.told.name
        if made.cores > most:
            raise OwnError(f"plan of {name} asks for {made.cores} cores: {why}")
        if made.cores == 0 and not case.is_empty:
            raise OwnError(
                f"plan of {name} asks for 0 cores for {case.rows} rows of {case.cols}: 1 to "
                f"{most}; 0 is for no elements"
            )
        if made.workspace_bytes > own_check.MOST_WORKSPACE:
            raise OwnError(
                f"plan of {name} asks for {made.workspace_bytes:,} bytes of workspace: at most "
                f"{own_check.MOST_WORKSPACE:,}"
            )
        if options.strategy is not None and options.strategy != made.strategy:
            raise OwnError(
                f"plan of {name} made {made.strategy}, and the case says strategy="
                f"{options.strategy}: heed options.strategy, or raise Refused"
            )

    def _ignored(self, made: Plan, soc: Soc, problem: Problem, options: Options) -> str:
        """What of the wishes changes nothing of the plan."""
        said = []
        wishes = {
            "chunk_cols": ("chunk", replace(options, chunk_cols=None)),
            "rows_per_tile": ("rows_per_tile", replace(options, rows_per_tile=None)),
            "buffers": ("buffers", replace(options, buffers=None)),
        }
        for name, (word, others) in wishes.items():
            if (value := getattr(options, name)) is None:
                continue
            try:
                without = self._planned(soc, problem, others)
            except Refused:
                continue
            if replace(without, reason=made.reason) == made:
                said.append(
                    f"{word}={value} changes nothing: the plan does not look at options.{name}, or "
                    "would have chosen it"
                )
        return "; ".join(said)

    def drawn(self, case: Case, rng: np.random.Generator) -> dict[str, Array]:
        """The inputs that the description gives itself, in float64 and in their shapes."""
        name, own, specs = self.told.name, self.told.inputs, ops.find_op(case.op).inputs
        if own is None:
            return {}
        given = own_code.call("inputs", name, self.file, own, case, rng)
        if not isinstance(given, Mapping):
            raise OwnError(
                f"inputs of {name} returned {own_check.shown(given)}: return a dict of arrays by "
                "the names of inputs"
            )
        known = {spec.name: spec for spec in specs}
        if unknown := [word for word in given if word not in known]:
            raise OwnError(
                f"inputs of {name} gives {own_check.shown(unknown[0])}: its inputs are "
                f"{', '.join(known)}"
            )
        return {
            word: _shaped(f"inputs of {name} gives {word}, which", value, known[word], case)
            for word, value in given.items()
        }

    def golden_rows(
        self, case: Case, data: Mapping[str, Array], begin: int, end: int
    ) -> Iterator[tuple[TensorSpec, Block]]:
        """Every output that is asked for, of rows begin..end."""
        name, given = self.told.name, dict[str, F64]()
        for spec in ops.find_op(case.op).inputs:
            values = data[spec.name].reshape(-1)
            if spec.shape != "normalised":
                across = 1 if spec.by_rows else case.cols
                values = values.reshape(case.rows, across)[begin:end]
            given[spec.name] = dtypes.to_float64(values)
        with np.errstate(all="ignore"):
            golden = self.told.golden
            found = own_code.call("golden", name, self.file, golden, **given, **case.attributes)
            for spec in ops.wanted(case):
                terms = found.get(spec.name) if isinstance(found, Mapping) else None
                if not isinstance(terms, Terms):
                    raise OwnError(
                        f"golden of {name} gives no Terms for {spec.name}: return a dict with "
                        "Terms for each output"
                    )
                across = 1 if spec.by_rows else case.cols
                shape = (case.cols,) if spec.is_sum else (end - begin, across)
                yield spec, _in_full(f"golden of {name} gives {spec.name}", terms, shape, begin)


def use(files: Sequence[Path | str]) -> None:
    """Makes the operators of these descriptions known, and no others from outside."""
    found: dict[str, OpDescription] = {}
    for file in dict.fromkeys(map(Path, files)):
        told_here, modules = own_code.read(file)
        for told in told_here:
            found[told.name] = _described(Parts(told, file, modules), [*ops.PACKAGE, *found])
    ops.set_own(found.values())


def files_in_use() -> list[Path]:
    return list(dict.fromkeys(op.own.file for op in ops.own_ops() if op.own))


def dtype_combinations(op: str, arch: int) -> list[tuple[str, str]]:
    """Pairs (dtype, gamma's) that an operator, from wherever, takes on an arch."""
    own = ops.find_op(op).own
    return own.pairs.get(arch, []) if own else plan.dtype_combinations(op, arch)


def _described(own: Parts, known: Sequence[str]) -> OpDescription:
    told = own.told
    if wrong := own_check.description(told, own.folder, known):
        raise OwnError(f"--ops-from {own.file}: {wrong}")
    rules = {spec.dtype for spec in told.tensors}
    return OpDescription(
        name=told.name,
        tensors=tuple(told.tensors),
        kernel_source=told.kernel,
        options=_OPTIONS | ({"gamma", "stats"} & rules),
        stats=None if "stats" in rules else "fp32",
        captures="",
        own=own,
        scalars=dict(told.attributes),
    )


def _shaped(what: str, value: object, spec: TensorSpec, case: Case) -> Array:
    """An input in its tensor's shape: it may come in it, flat, or as rows and cols."""
    array = own_check.numbers(what, value)
    shape = ops.tensor_shape(spec, case)
    flat = (prod(shape),)
    if spec.shape == "normalised":
        taken = {shape, flat}
    else:
        taken = {shape, flat, (case.rows, 1 if spec.by_rows else case.cols)}
    if array.shape not in taken:
        known = " or ".join(map(str, sorted(taken, key=len)))
        raise OwnError(f"{what} has shape {array.shape}: it must be {known}")
    return array.reshape(shape)


def _in_full(what: str, terms: Terms, shape: tuple[int, ...], begin: int) -> Block:
    """S as it is told or |value|, and U with what the smallest fp32 hides."""
    value = own_check.numbers(f"{what} a value that", terms.value)
    s = np.abs(value) if terms.s is None else own_check.numbers(f"{what} an s that", terms.s)
    u = own_check.numbers(f"{what} a u that", terms.u) + UNDERFLOW
    try:
        value, s, u = (np.array(np.broadcast_to(part, shape)) for part in (value, s, u))
    except ValueError:
        got = ", ".join(str(part.shape) for part in (value, s, u))
        raise OwnError(
            f"{what} with value, s and u of shapes {got}: each must be {shape}, or broadcast to it"
        ) from None
    told = np.isfinite(value)
    if not all((np.isfinite(part) & (part >= 0))[told].all() for part in (s, u)):
        raise OwnError(
            f"{what} an s or u that is no budget: both must be finite and not "
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
