"""What a Python file says of kernels of another repository: `--ops-from FILE.py` reads its OPS.

docs/your-own-op.md walks through examples/rms_norm.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from normgrad.cases import Case
from normgrad.dtypes import F64
from normgrad.ops import TensorSpec as Tensor
from normgrad.plan import Buffer, Options, Problem, Refused, Soc

__all__ = [
    "Buffer", "Case", "Options", "OwnOp", "Planned", "Problem", "Refused", "Soc", "Tensor", "Terms",
]  # fmt: skip


@dataclass(frozen=True)
class Terms:
    """What an output should be: its value, the sum of the magnitudes of its terms, and underflow.

    An element may be off by half a step of its dtype, plus C 2^-24 s, plus u. s of None: |value|.
    """

    value: F64
    s: F64 | None = None
    u: F64 | float = 0.0


@dataclass(frozen=True)
class Planned:
    """What a plan function written in Python answers."""

    cores: int  # 0: nothing to launch, where there are no elements
    tiling: bytes  # the struct that the kernel reads
    strategy: str = "Whole"
    reason: str = "its plan function says so"
    tiling_key: int = 1
    workspace_bytes: int = 0
    buffers: Sequence[Buffer] = ()
    fields: Mapping[str, float] = field(
        default_factory=dict
    )  # rows_per_core lets a verdict name one
    declared_c: float = 4.0


@dataclass(frozen=True)
class OwnOp:
    """An operator of another repository. Its files are named from the folder of the description.

    `golden` takes the inputs by name, in float64, some rows at once: rows x cols, a column with one
    value per row, or cols; then the attributes by name. It returns every output in such a shape,
    and of a sum over rows what these rows add to it.
    """

    name: str  # of the kernel function, too
    tensors: Sequence[Tensor]  # the kernel's arguments, before workspace and tiling
    kernel: str  # a .cpp file
    plan: str | Callable[[Soc, Problem, Options], Planned]  # or a .cpp file over tiling/own_plan.h
    golden: Callable[..., Mapping[str, Terms]]
    chips: Mapping[int, Sequence[str | tuple[str, str]]]  # arch -> dtypes, or (dtype, gamma's)
    suites: str = "cases"  # a folder of NAME.txt
    # Values of inputs that win over those which the case's distribution draws.
    inputs: Callable[[Case, np.random.Generator], Mapping[str, npt.NDArray[np.float32]]] | None = (
        None
    )
    # Numbers that a call gives beside its tensors, with their defaults: a case says NAME=VALUE, a
    # plan reads problem.attributes, `inputs` case.attributes.
    attributes: Mapping[str, float] = field(default_factory=dict)
