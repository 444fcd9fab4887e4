"""Real tensors from an .npz file: dy, x, rstd, gamma; bf16 as uint16 with `<name>_dtype`."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from normgrad import dtypes, ops
from normgrad.cases import Case
from normgrad.dtypes import Array
from normgrad.errors import NormgradError


class CaptureError(NormgradError, ValueError):
    """A file that does not hold the tensors of an operator; the message is one sentence."""


@dataclass(frozen=True)
class Capture:
    """The tensors of a file, and what a case text would say about them."""

    inputs: dict[str, Array] = field(repr=False)
    dtypes: dict[str, str]
    shape: tuple[int, ...]  # of x
    axes: int  # trailing axes that are normalised

    def case(self, op: str, soc: str, **options: Any) -> Case:
        """A case with this capture's dtypes and shape; its seed means nothing."""
        return Case(
            op, soc, self.dtypes["x"], self.shape, gamma=self.dtypes["gamma"], axes=self.axes,
            **options,
        )  # fmt: skip


def load_npz(path: Path, op: str = "rms_norm_grad") -> Capture:
    """The inputs of an operator from an .npz file."""
    names = [spec.name for spec in ops.find_op(op).inputs]
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            stored = {name: archive[name] for name in archive.files}
    except FileNotFoundError:
        raise CaptureError(f"{path} does not exist: give the path of an .npz file") from None
    except (OSError, ValueError, EOFError, AttributeError, TypeError, zipfile.BadZipFile):
        raise CaptureError(
            f"{path} is not an .npz file of plain arrays: write it with numpy.savez"
        ) from None
    if missing := [name for name in names if name not in stored]:
        raise CaptureError(
            f"{path} lacks {', '.join(missing)}: {op} needs arrays named {', '.join(names)}"
        )
    inputs = {name: _read(path, name, stored) for name in names}
    axes = _check_shapes(path, inputs)
    kinds = {name: dtypes.dtype_name(values.dtype) for name, values in inputs.items()}
    return Capture(inputs, kinds, inputs["x"].shape, axes)


def _read(path: Path, name: str, stored: dict[str, Array]) -> Array:
    values = stored[name]
    tag = str(stored[f"{name}_dtype"]) if f"{name}_dtype" in stored else str(values.dtype)
    kind = dtypes.ALIASES.get(tag, tag)
    if kind == "bf16" and values.dtype == np.uint16:
        return np.ascontiguousarray(values).view(dtypes.numpy_dtype("bf16"))
    if kind in dtypes.FLOAT_NAMES and values.dtype == dtypes.numpy_dtype(kind):
        return np.ascontiguousarray(values)
    raise CaptureError(
        f"{path}: {name} is stored as {values.dtype} and marked {tag}: store float32 or float16, "
        f"or bfloat16 as uint16 with {name}_dtype = 'bfloat16'"
    )


def _check_shapes(path: Path, inputs: dict[str, Array]) -> int:
    """The number of normalised axes."""
    x, gamma = inputs["x"], inputs["gamma"]
    if inputs["dy"].shape != x.shape or inputs["dy"].dtype != x.dtype:
        raise CaptureError(
            f"{path}: dy is {inputs['dy'].dtype} {inputs['dy'].shape} and x is {x.dtype} "
            f"{x.shape}: they must have one dtype and one shape"
        )
    axes = gamma.ndim
    if not 1 <= axes <= x.ndim or x.shape[x.ndim - axes :] != gamma.shape:
        raise CaptureError(
            f"{path}: gamma has shape {gamma.shape}: it must be the trailing axes of x, {x.shape}"
        )
    rows = prod(x.shape[: x.ndim - axes])
    if inputs["rstd"].size != rows:
        raise CaptureError(
            f"{path}: rstd has {inputs['rstd'].size} elements: it must have one per row, {rows}"
        )
    return axes
