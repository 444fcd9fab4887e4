"""What each operator is: its tensors in IR order, their dtype and shape rules, its kernel source.

Which dtype combinations a chip supports is not said here: that table is in tiling/ (see plan.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from normgrad.errors import NormgradError
from normgrad.words import allowed

if TYPE_CHECKING:
    from normgrad.cases import Case

Role = Literal["in", "out"]
DtypeRule = Literal["case", "gamma", "stats", "stats or fp32", "fp32"]
ShapeRule = Literal["all", "leading", "normalised"]


class OpError(NormgradError, ValueError):
    """An operator that does not exist; the message is one sentence for the user."""


@dataclass(frozen=True)
class TensorSpec:
    """One argument of an operator."""

    name: str
    role: Role
    dtype: DtypeRule  # "case": the case's dtype; "gamma", "stats": its option of that name
    shape: ShapeRule  # "all": x.shape; "leading", "normalised": its two parts


@dataclass(frozen=True)
class OpDescription:
    """One operator; `tensors` are the kernel's arguments, before workspace and tiling."""

    name: str
    tensors: tuple[TensorSpec, ...]
    kernel_source: str  # below op_kernel/
    golden: str  # function of golden.py
    options: frozenset[str]  # of the case text, those that mean something for this operator

    @property
    def inputs(self) -> tuple[TensorSpec, ...]:
        return tuple(t for t in self.tensors if t.role == "in")

    @property
    def outputs(self) -> tuple[TensorSpec, ...]:
        return tuple(t for t in self.tensors if t.role == "out")

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
            TensorSpec("rstd", "in", "stats or fp32", "leading"),
            TensorSpec("gamma", "in", "gamma", "normalised"),
            TensorSpec("dx", "out", "case", "all"),
            TensorSpec("dgamma", "out", "fp32", "normalised"),
        ),
        kernel_source="rms_norm_grad/rms_norm_grad.cpp",
        golden="rms_norm_grad_rows",
        options=COMMON_OPTIONS | {"stats"},  # anything but fp32 is refused
    ),
)
OPS: dict[str, OpDescription] = {op.name: op for op in _OPS}


def find_op(name: str) -> OpDescription:
    """The description of an operator; OpError names the nearest one."""
    if name in OPS:
        return OPS[name]
    raise OpError(f"unknown operator {name!r}: {allowed(name, OPS)}")


def tensor_dtype(spec: TensorSpec, case: Case) -> str:
    """Name of the dtype that the case gives this tensor."""
    if spec.dtype == "gamma":
        return case.gamma or case.dtype
    if spec.dtype in ("stats", "stats or fp32"):
        return case.stats or (case.dtype if spec.dtype == "stats" else "fp32")
    return "fp32" if spec.dtype == "fp32" else case.dtype


def tensor_shape(spec: TensorSpec, case: Case) -> tuple[int, ...]:
    """Shape that the case gives this tensor."""
    leading = len(case.shape) - case.axes
    if spec.shape == "leading":
        return case.shape[:leading]
    return case.shape[leading:] if spec.shape == "normalised" else case.shape
