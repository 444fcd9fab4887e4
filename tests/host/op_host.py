"""CANN's host side of the operators through ctypes: twin/host/op_host.cpp has the other half."""

from __future__ import annotations

import ctypes
import functools
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from normgrad import build, ops
from normgrad.plan import Attributes, TensorDesc

_MAX_RANK, _MAX_WORKSPACES, _TILING_CAPACITY = 25, 4, 2048
_UNKNOWN_OP = -1

# Values of ge::DataType, as graph/types.h has them.
CODES = {"fp32": 0, "fp16": 1, "int8": 2, "int32": 3, "bf16": 27, "hif8": 34}
NAMES = {code: name for name, code in CODES.items()}
NOTHING_SAID = Attributes()
_KINDS = ("list_int", "list_bool", "int", "bool", "str")


class _Tensor(ctypes.Structure):
    _fields_ = (
        ("present", ctypes.c_int32),
        ("dtype", ctypes.c_int32),
        ("rank", ctypes.c_int32),
        ("shape", ctypes.c_int64 * _MAX_RANK),
    )


class _Attribute(ctypes.Structure):
    _fields_ = (
        ("present", ctypes.c_int32),
        ("kind", ctypes.c_int32),
        ("count", ctypes.c_int64),
        ("values", ctypes.POINTER(ctypes.c_int64)),
    )


class _Device(ctypes.Structure):
    _fields_ = (
        ("arch", ctypes.c_uint32),
        ("cores", ctypes.c_uint32),
        ("ub_bytes", ctypes.c_uint64),
        ("deterministic_level", ctypes.c_int32),
    )


class _Tiling(ctypes.Structure):
    _fields_ = (
        ("tiling_key", ctypes.c_uint64),
        ("blocks", ctypes.c_uint32),
        ("schedule_mode", ctypes.c_uint32),
        ("workspace_count", ctypes.c_uint32),
        ("workspaces", ctypes.c_uint64 * _MAX_WORKSPACES),
        ("tiling_bytes", ctypes.c_uint32),
        ("tiling", ctypes.c_uint8 * _TILING_CAPACITY),
    )


@dataclass(frozen=True)
class Device:
    """What the platform says of a device; arch 0 is a context without a platform."""

    arch: int
    cores: int
    ub_bytes: int
    deterministic_level: int = 0


@dataclass(frozen=True)
class Tiling:
    """What a tiling function has put into its context."""

    status: int
    tiling_key: int
    blocks: int
    schedule_mode: int
    workspaces: tuple[int, ...]
    tiling: bytes


@functools.lru_cache(maxsize=2)
def load(file: Path | None = None) -> ctypes.CDLL:
    library = ctypes.CDLL(str(file or build.host_library()))
    for name in ("describe", "tiling", "infer"):
        getattr(library, f"normgrad_host_{name}").restype = ctypes.c_int64
    return library


def describe(op_type: str, file: Path | None = None) -> dict[str, Any]:
    """The operator's description: inputs, outputs, and the same per compute unit."""
    text = ctypes.create_string_buffer(1 << 16)
    size = load(file).normgrad_host_describe(op_type.encode(), text, ctypes.c_int64(len(text)))
    assert 0 < size < len(text), f"{op_type} is not described in op_host"
    described: dict[str, Any] = json.loads(text.value)
    return described


def tiling(
    op_type: str,
    device: Device,
    inputs: Sequence[TensorDesc],
    outputs: Sequence[TensorDesc],
    attributes: Attributes = NOTHING_SAID,
) -> Tiling:
    raw = _Device(device.arch, device.cores, device.ub_bytes, device.deterministic_level)
    made = _Tiling()
    status = load().normgrad_host_tiling(
        op_type.encode(),
        ctypes.byref(raw),
        _written(inputs),
        len(inputs),
        _written(outputs),
        len(outputs),
        *_attributes(op_type, attributes),
        ctypes.byref(made),
    )
    assert status != _UNKNOWN_OP, f"{op_type} has no tiling function"
    return Tiling(
        status,
        made.tiling_key,
        made.blocks,
        made.schedule_mode,
        tuple(made.workspaces[: made.workspace_count]),
        bytes(made.tiling[: made.tiling_bytes]),
    )


def infer(
    op_type: str,
    inputs: Sequence[TensorDesc],
    output_count: int,
    attributes: Attributes = NOTHING_SAID,
) -> list[tuple[str, tuple[int, ...]]] | None:
    """Dtype and shape of each output; None if a function said no."""
    outputs = (_Tensor * output_count)()
    status = load().normgrad_host_infer(
        op_type.encode(),
        _written(inputs),
        len(inputs),
        *_attributes(op_type, attributes),
        outputs,
        output_count,
    )
    assert status != _UNKNOWN_OP, f"{op_type} infers nothing"
    if status != 0:
        return None
    return [(NAMES[out.dtype], tuple(out.shape[: out.rank])) for out in outputs]


def _written(tensors: Sequence[TensorDesc]) -> Any:
    raw = (_Tensor * len(tensors))()
    for tensor, to in zip(tensors, raw, strict=True):
        to.present, to.dtype, to.rank = tensor.present, CODES[tensor.dtype], len(tensor.shape)
        to.shape[: to.rank] = tensor.shape
    return raw


def _attributes(op_type: str, said: Attributes) -> tuple[Any, int]:
    """In the order of the description; None is an attribute that the context has not."""
    specs = next(op for op in ops.OPS.values() if op.type_name == op_type).attributes
    raw = (_Attribute * len(specs))()
    for spec, to in zip(specs, raw, strict=True):
        value = getattr(said, spec.name)
        values = _numbers(spec.name, value)
        to.present, to.kind = value is not None, _KINDS.index(spec.kind)
        to.count = len(values)
        to.values = (ctypes.c_int64 * to.count)(*values)
    return raw, len(specs)


def _numbers(name: str, value: object) -> list[int]:
    """A list, one number, or the letters of a text; dst_type is a dtype's number."""
    if isinstance(value, str):
        return [CODES[value]] if name == "dst_type" else list(value.encode())
    if value is None or isinstance(value, bool):
        return [] if value is None else [int(value)]
    assert isinstance(value, tuple)
    return list(map(int, value))
