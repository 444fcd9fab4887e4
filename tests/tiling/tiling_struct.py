"""The tiling data as its header declares it: tests read what kernels read."""

from __future__ import annotations

import ctypes
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HEADER = (ROOT / "tiling" / "norm_grad.h").read_text()

_TYPES: dict[str, type] = {
    "uint32_t": ctypes.c_uint32,
    "uint64_t": ctypes.c_uint64,
    "float": ctypes.c_float,
}


def _members(struct: str) -> list[tuple[str, str]]:
    """(type, name) of each member of a struct of the header."""
    body = re.search(rf"struct {struct} {{(.*?)\n}};", HEADER, re.DOTALL)
    assert body is not None
    return re.findall(r"^\s*(\w+) (\w+);", body[1], re.MULTILINE)


UB_FIELDS = [name for _, name in _members("NormGradUbBytes")]
FIELDS = [name for kind, name in _members("NormGradTiling") if kind in _TYPES]


class UbBytes(ctypes.Structure):
    _fields_ = tuple((name, _TYPES[kind]) for kind, name in _members("NormGradUbBytes"))


class Tiling(ctypes.Structure):
    _fields_ = tuple((name, _TYPES.get(kind, UbBytes)) for kind, name in _members("NormGradTiling"))
