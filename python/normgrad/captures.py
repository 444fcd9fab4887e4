"""Real tensors from an .npz file: an operator's inputs; bf16 as uint16 with `<name>_dtype`."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from normgrad import dtypes, ops
from normgrad.cases import Case
from normgrad.dtypes import Array
from normgrad.errors import NormgradError
from normgrad.inputs import forward_mean_and_rstd, forward_rstd

# Bytes that one stored byte can become, by compression: deflate's limit is 1032.
_GROWTH = {zipfile.ZIP_STORED: 1, zipfile.ZIP_DEFLATED: 1032}
_HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}

# rstd further from what x gives is another tensor's: 16-bit x may be rounded, and the epsilon of
# the forward pass, which nobody knows here, weighs where x is small.
_ODD_SHARE = 0.02
_LARGE_RSTD = 30.0


class CaptureError(NormgradError, ValueError):
    """A file that does not hold the tensors of an operator; the message is one sentence."""


@dataclass(frozen=True)
class Capture:
    """The tensors of a file, and what a case text would say about them."""

    inputs: dict[str, Array] = field(repr=False)
    dtypes: dict[str, str]
    shape: tuple[int, ...]  # of x
    axes: int  # trailing axes that are normalised
    unused: tuple[str, ...] = ()  # arrays of the file that the operator does not take

    def remark(self) -> str:
        """What looks like a slip, though it can be computed; empty if nothing does."""
        unused = f"not used: {', '.join(self.unused)}" if self.unused else ""
        return "; ".join(filter(None, (unused, _odd_statistics(self.inputs))))

    def case(self, op: str, soc: str, **options: Any) -> Case:
        """A case with this capture's dtypes and shape; its seed means nothing."""
        stats = None if ops.find_op(op).stats else self.dtypes["rstd"]
        if "scales_x" in self.inputs:
            value = float(dtypes.to_float64(self.inputs["scales_x"])[0])
            options["scale"] = f"{value!r}@{self.dtypes['scales_x']}"
        if "offset_x" in self.inputs:
            options["offset"] = str(int(self.inputs["offset_x"][0]))
        return Case(
            op, soc, self.dtypes["x"], self.shape, gamma=self.dtypes["gamma"], stats=stats,
            axes=self.axes, **options,
        )  # fmt: skip


def load_npz(path: Path, op: str = "rms_norm_grad") -> Capture:
    """The inputs of an operator from an .npz file."""
    specs = ops.find_op(op).inputs
    names = [spec.name for spec in specs if spec.shape != "one value"]
    known = [spec.name for spec in specs]
    stored, unused = _stored(path, [*known, *(f"{name}_dtype" for name in known)])
    if missing := [name for name in names if name not in stored]:
        raise CaptureError(
            f"{path} lacks {', '.join(missing)}: {op} needs arrays named {', '.join(names)}"
        )
    inputs = {name: _read(path, name, stored) for name in names}
    axes = _check_shapes(path, inputs, ops.find_op(op))
    inputs |= {
        spec.name: _one_value(path, spec, stored)
        for spec in specs
        if spec.shape == "one value" and spec.name in stored
    }
    kinds = {name: dtypes.dtype_name(values.dtype) for name, values in inputs.items()}
    return Capture(inputs, kinds, inputs["x"].shape, axes, unused)


def _stored(path: Path, names: Sequence[str]) -> tuple[dict[str, Array], tuple[str, ...]]:
    """Those of the arrays that the file holds, and the names of its others, which may be misspelt.
    What it says of itself is not believed.
    """
    try:
        if not path.is_file():
            what = "is not a file" if path.exists() else "does not exist"
            raise CaptureError(f"{path} {what}: give the path of an .npz file")
        with path.open("rb") as file, zipfile.ZipFile(file) as archive:
            members = {info.filename: info for info in archive.infolist()}
            found = {
                name: _member(archive, members[f"{name}.npy"])
                for name in names
                if f"{name}.npy" in members
            }
            others = [name for file in members if (name := Path(file).stem) not in names]
            return found, tuple(ascii(name)[1:-1] for name in others)
    except CaptureError:
        raise
    except PermissionError as error:
        raise CaptureError(f"{path} cannot be read: {error.strerror}") from None
    except Exception as error:  # zipfile, zlib and numpy each have their own, for any broken byte
        why = f" ({error})" if isinstance(error, _MemberError) else ""
        raise CaptureError(
            f"{path} is not an .npz file of plain arrays{why}: write it with numpy.savez"
        ) from None


class _MemberError(ValueError):
    pass


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Array:
    """One array, after its sizes have been compared: a lie must not fill the memory."""
    if info.flag_bits & 1:
        raise _MemberError(f"{info.filename} is encrypted")
    if info.compress_type not in _GROWTH:
        raise _MemberError(f"{info.filename} is compressed in a way that numpy does not write")
    if info.file_size > _GROWTH[info.compress_type] * info.compress_size + 64:
        raise _MemberError(f"{info.filename} claims {info.file_size} bytes that are not there")
    with archive.open(info) as file:
        version = np.lib.format.read_magic(file)
        if version not in _HEADERS:
            raise _MemberError(f"{info.filename} has format version {version}")
        shape, by_columns, dtype = _HEADERS[version](file)
        if dtype.hasobject:
            raise _MemberError(f"{info.filename} holds Python objects")
        size = prod(shape) * dtype.itemsize
        if min(shape, default=0) < 0 or size != info.file_size - file.tell():
            raise _MemberError(f"{info.filename} does not hold the {shape} of its header")
        values: Array = np.ndarray(shape, dtype, file.read(), order="F" if by_columns else "C")
        return values


def _read(path: Path, name: str, stored: dict[str, Array]) -> Array:
    values = stored[name]
    tag = str(stored[f"{name}_dtype"]) if f"{name}_dtype" in stored else str(values.dtype)
    kind = dtypes.ALIASES.get(tag, tag)
    if kind == "bf16" and values.dtype == np.uint16:
        return np.ascontiguousarray(values).view(dtypes.numpy_dtype("bf16"))
    if kind in dtypes.FLOAT_NAMES and values.dtype == dtypes.numpy_dtype(kind):
        return np.ascontiguousarray(values)
    marked = f"and marked {tag[:40]}" if f"{name}_dtype" in stored else f"without {name}_dtype"
    raise CaptureError(
        f"{path}: {name} is stored as {values.dtype} {marked}: store float32 or float16, "
        f"or bfloat16 as uint16 with {name}_dtype = 'bfloat16'"
    )


def _one_value(path: Path, spec: ops.TensorSpec, stored: dict[str, Array]) -> Array:
    """A scale or an offset: a file may leave either out."""
    values = stored[spec.name]
    if values.size != 1:
        raise CaptureError(
            f"{path}: {spec.name} has shape {values.shape}: it is one value, store it as (1,)"
        )
    if spec.dtype != "int32":
        return _read(path, spec.name, stored).reshape(1)
    if values.dtype != np.int32:
        raise CaptureError(f"{path}: {spec.name} is stored as {values.dtype}: store it as int32")
    one: Array = values.reshape(1).copy()
    return one


def _odd_statistics(inputs: Mapping[str, Array]) -> str:
    """rstd and mean are taken as they are; those of another tensor are a common slip."""
    x = inputs["x"].reshape(inputs["rstd"].size, -1)
    if not x.size:
        return ""
    if "mean" in inputs:
        rstd, formula = forward_mean_and_rstd(x)[1], "1 / sqrt(mean((x - mean)^2) + 1e-6)"
    else:
        rstd, formula = forward_rstd(x), "1 / sqrt(mean(x^2) + 1e-6)"
    plain = np.isfinite(rstd) & (rstd < _LARGE_RSTD) & np.isfinite(inputs["rstd"].reshape(-1))
    given = dtypes.to_float64(inputs["rstd"]).reshape(-1)
    off = plain & (np.abs(given - rstd) > _ODD_SHARE * rstd)
    if off.any():
        row = int(np.flatnonzero(off)[0])
        return (
            f"rstd of {np.count_nonzero(off)} of {len(x)} rows is not {formula} of x (row {row}: "
            f"{given[row]:.6g} and {rstd[row]:.6g}); it was used as given"
        )
    return ""


def _check_shapes(path: Path, inputs: dict[str, Array], op: ops.OpDescription) -> int:
    """The number of normalised axes."""
    x, gamma = inputs["x"], inputs["gamma"]
    if inputs["dy"].shape != x.shape or inputs["dy"].dtype != x.dtype:
        raise CaptureError(
            f"{path}: dy is {inputs['dy'].dtype} {inputs['dy'].shape} and x is {x.dtype} "
            f"{x.shape}: they must have one dtype and one shape"
        )
    kinds = {np.dtype(np.float32)} if op.stats else {np.dtype(np.float32), x.dtype}
    by_rows = [spec.name for spec in op.inputs if spec.by_rows]
    for name in by_rows:
        if inputs[name].dtype not in kinds or inputs[name].dtype != inputs["rstd"].dtype:
            raise CaptureError(
                f"{path}: {name} is {inputs[name].dtype}: the operator takes "
                f"{' or '.join(sorted(map(str, kinds)))}"
                f"{'' if name == 'rstd' else ', the same as rstd'}; convert it"
            )
    axes = gamma.ndim
    if not 1 <= axes <= x.ndim or x.shape[x.ndim - axes :] != gamma.shape:
        raise CaptureError(
            f"{path}: gamma has shape {gamma.shape}: it must be the trailing axes of x, {x.shape}"
        )
    rows = prod(x.shape[: x.ndim - axes])
    for name in by_rows:
        if inputs[name].size != rows:
            raise CaptureError(
                f"{path}: {name} has {inputs[name].size} elements: it must have one per row, {rows}"
            )
    return axes
