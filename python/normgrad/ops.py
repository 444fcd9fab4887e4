"""What each operator is: its tensors in IR order, their dtype and shape rules, its kernel source.

Which dtype combinations a chip supports is not said here: that table is in tiling/ (see plan.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, Literal

from normgrad.errors import NormgradError
from normgrad.words import allowed

if TYPE_CHECKING:
    from normgrad.cases import Case
    from normgrad.own_parts import Parts

Role = Literal["in", "out"]
DtypeRule = Literal["case", "gamma", "stats", "fp32", "scale", "dst", "int32"]
ShapeRule = Literal["all", "leading", "leading and ones", "normalised", "one value"]


class OpError(NormgradError, ValueError):
    """An operator that does not exist; the message is one sentence for the user."""


@dataclass(frozen=True)
class TensorSpec:
    """One argument of an operator."""

    name: str
    role: Role
    dtype: DtypeRule  # "case": the case's dtype; "gamma", "stats", ...: its option of that name
    shape: ShapeRule  # "all": x.shape; "leading", "normalised": its two parts
    is_optional: bool = False
    cann_name: str = ""  # where CANN calls it otherwise

    @property
    def ir_name(self) -> str:
        """Its name in CANN's description of the operator."""
        return self.cann_name or self.name

    @property
    def by_rows(self) -> bool:
        """Whether there is one value per row."""
        return self.shape in ("leading", "leading and ones")

    @property
    def is_sum(self) -> bool:
        """Whether it is an output that sums over rows."""
        return self.role == "out" and self.shape == "normalised"


@dataclass(frozen=True)
class AttributeSpec:
    """One attribute of an operator, as CANN describes it."""

    name: str
    kind: Literal["list_bool", "list_int", "str", "bool", "int"]
    default: str
    is_optional: bool = True

    @property
    def cann_kind(self) -> str:
        """ "listBool": how lists of operators write it."""
        first, *others = self.kind.split("_")
        return first + "".join(word.capitalize() for word in others)


@dataclass(frozen=True)
class OpDescription:
    """One operator; `tensors` are the kernel's arguments, before workspace and tiling."""

    name: str
    tensors: tuple[TensorSpec, ...]
    kernel_source: str  # below op_kernel/
    options: frozenset[str]  # of the case text, those that mean something for this operator
    stats: str | None  # dtype of the statistics unless a case says otherwise; None: the case's
    captures: str  # what names of captured tensors begin with
    attributes: tuple[AttributeSpec, ...] = ()  # in IR order
    own: Parts | None = None  # of an operator from outside: what the package has in its modules
    # Numbers beside the tensors that a case sets by name, with their defaults: outside ones alone.
    scalars: Mapping[str, float] = field(default_factory=dict)
    capture_soc: str = "ascend910b4"  # where the suite of captures runs them

    @property
    def inputs(self) -> tuple[TensorSpec, ...]:
        return tuple(t for t in self.tensors if t.role == "in")

    @property
    def outputs(self) -> tuple[TensorSpec, ...]:
        return tuple(t for t in self.tensors if t.role == "out")

    @property
    def has_mean(self) -> bool:
        """Whether the mean of a row is subtracted."""
        return any(t.name == "mean" for t in self.tensors)

    @property
    def is_quantised(self) -> bool:
        """Whether dx is."""
        return any(t.dtype == "dst" for t in self.tensors)

    @property
    def free_dtypes(self) -> tuple[DtypeRule, ...]:
        """What a kernel of it is compiled for; everything else is fp32."""
        stats: tuple[DtypeRule, ...] = () if self.stats else ("stats",)
        rules: tuple[DtypeRule, ...] = ("case", "gamma", *stats, "scale", "dst")
        return tuple(rule for rule in rules if any(t.dtype == rule for t in self.tensors))

    @property
    def type_name(self) -> str:
        """CANN's name of the operator: "RmsNormGrad"."""
        return "".join(word.capitalize() for word in self.name.split("_"))

    def tensor(self, name: str) -> TensorSpec:
        return next(t for t in self.tensors if t.name == name)


# Options that every operator takes: what steers the plan, the data or the expectation.
COMMON_OPTIONS = frozenset(
    ("gamma", "axes", "dist", "noncontig", "null", "det", "strategy", "ub", "cores", "chunk",
     "expect")
)  # fmt: skip

_OPS = (
    OpDescription(
        name="rms_norm_grad",
        tensors=(
            TensorSpec("dy", "in", "case", "all"),
            TensorSpec("x", "in", "case", "all"),
            TensorSpec("rstd", "in", "stats", "leading"),
            TensorSpec("gamma", "in", "gamma", "normalised"),
            TensorSpec("dx", "out", "case", "all"),
            TensorSpec("dgamma", "out", "fp32", "normalised"),
        ),
        kernel_source="rms_norm_grad/rms_norm_grad.cpp",
        options=COMMON_OPTIONS | {"stats"},  # anything but fp32 is refused
        stats="fp32",
        captures="rms_",
    ),
    OpDescription(
        name="rms_norm_grad_quant",
        tensors=(
            TensorSpec("dy", "in", "case", "all"),
            TensorSpec("x", "in", "case", "all"),
            TensorSpec("rstd", "in", "stats", "leading"),
            TensorSpec("gamma", "in", "gamma", "normalised"),
            TensorSpec("scales_x", "in", "scale", "one value"),
            TensorSpec("offset_x", "in", "int32", "one value", is_optional=True),
            TensorSpec("dx", "out", "dst", "all"),
            TensorSpec("dgamma", "out", "fp32", "normalised"),
        ),
        kernel_source="rms_norm_grad_quant/rms_norm_grad_quant.cpp",
        options=COMMON_OPTIONS | {"stats", "dst", "div", "offset", "scale"},
        stats="fp32",
        captures="rms_",
        attributes=(
            AttributeSpec("quant_mode", "str", "static", is_optional=False),
            AttributeSpec("div_mode", "bool", "true", is_optional=False),
            AttributeSpec("dst_type", "int", "2"),
        ),
        capture_soc="ascend950pr_9599",
    ),
    OpDescription(
        name="layer_norm_grad_v3",
        tensors=(
            TensorSpec("dy", "in", "case", "all"),
            TensorSpec("x", "in", "case", "all"),
            TensorSpec("rstd", "in", "stats", "leading and ones"),
            TensorSpec("mean", "in", "stats", "leading and ones"),
            TensorSpec("gamma", "in", "gamma", "normalised", is_optional=True),
            TensorSpec("dx", "out", "case", "all", cann_name="pd_x"),
            TensorSpec("dgamma", "out", "gamma", "normalised", cann_name="pd_gamma"),
            TensorSpec("dbeta", "out", "gamma", "normalised", cann_name="pd_beta"),
        ),
        kernel_source="layer_norm_grad_v3/layer_norm_grad_v3.cpp",
        options=COMMON_OPTIONS | {"stats", "mask"},
        stats=None,
        captures="ln_",
        attributes=(
            AttributeSpec("output_mask", "list_bool", "[true,true,true]"),
            AttributeSpec("normalized_shape", "list_int", "[]"),
        ),
    ),
)
PACKAGE: dict[str, OpDescription] = {op.name: op for op in _OPS}
OPS = dict(PACKAGE)  # and those from outside: see own_parts.py


def find_op(name: str) -> OpDescription:
    """The description of an operator; OpError names the nearest one."""
    if name in OPS:
        return OPS[name]
    raise OpError(
        f"unknown operator {name!r}: {allowed(name, OPS)} (one of your own comes with --ops-from)"
    )


def tensor_dtype(spec: TensorSpec, case: Case) -> str:
    """Name of the dtype that the case gives this tensor."""
    if spec.dtype == "gamma":
        return case.dtype if case.gamma in (None, "none") else str(case.gamma)
    if spec.dtype == "stats":
        return stats_dtype(case)
    if spec.dtype == "scale":
        return case.scale_dtype
    if spec.dtype == "dst":
        return case.dst or "int8"
    return case.dtype if spec.dtype == "case" else spec.dtype


def stats_dtype(case: Case) -> str:
    """Name of the dtype of rstd, and of mean where there is one."""
    return case.stats or find_op(case.op).stats or case.dtype


def is_given(spec: TensorSpec, case: Case) -> bool:
    """Whether a case hands the tensor over: a gamma of none is not there, nor is what is masked."""
    if spec.name in case.null or (spec.name == "gamma" and case.gamma == "none"):
        return False
    if spec.dtype == "int32" and case.offset is None:
        return False
    return spec.role == "in" or spec in wanted(case)


def wanted(case: Case) -> tuple[TensorSpec, ...]:
    """The outputs that a case asks for."""
    outputs = find_op(case.op).outputs
    mask = case.mask or "1" * len(outputs)
    return tuple(spec for spec, bit in zip(outputs, mask, strict=True) if bit == "1")


def stats_choices(op: str, dtype: str) -> tuple[str, ...]:
    """Dtypes of the statistics for which a kernel is compiled beside this dtype of dy."""
    fixed = find_op(op).stats
    return (fixed,) if fixed else tuple(dict.fromkeys((dtype, "fp32")))


def unit_choices(op: str, dy: str, gamma: str) -> list[tuple[str, ...]]:
    """What a kernel is compiled for beside a pair of dtypes, each time as unit_dtypes has it."""
    as_dy_or_fp32 = tuple(dict.fromkeys((dy, "fp32")))
    choices: dict[DtypeRule, tuple[str, ...]] = {
        "case": (dy,), "gamma": (gamma,), "stats": stats_choices(op, dy), "scale": as_dy_or_fp32,
        "dst": ("int8", "hif8"),
    }  # fmt: skip
    return list(product(*(choices[rule] for rule in find_op(op).free_dtypes)))


def own_ops() -> list[OpDescription]:
    """Those of OPS that have come from outside."""
    return [op for op in OPS.values() if op.own]


def set_own(own: Iterable[OpDescription]) -> None:
    """Makes these, and no others from outside, known beside the package's."""
    OPS.clear()
    OPS.update(PACKAGE)
    OPS.update((op.name, op) for op in own)


def unit_dtypes(case: Case) -> tuple[str, ...]:
    """What a kernel is compiled for: dtypes of dy, of gamma and of whatever else is free."""
    op = find_op(case.op)
    first = {tensor.dtype: tensor for tensor in reversed(op.tensors)}
    return tuple(tensor_dtype(first[rule], case) for rule in op.free_dtypes)


def tensor_shape(spec: TensorSpec, case: Case) -> tuple[int, ...]:
    """Shape that the case gives this tensor."""
    leading = len(case.shape) - case.axes
    if spec.shape == "one value":
        return (1,)
    if spec.shape == "leading":
        return case.shape[:leading]
    if spec.shape == "leading and ones":
        return case.shape[:leading] + (1,) * case.axes
    return case.shape[leading:] if spec.shape == "normalised" else case.shape
