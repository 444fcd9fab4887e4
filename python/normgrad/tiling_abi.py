"""The structs of tiling/capi.h and tiling/problem.h for ctypes, and the library they belong to."""

from __future__ import annotations

import ctypes
import functools
from pathlib import Path

from normgrad.errors import NormgradError

MAX_RANK = 8
MAX_TILING_BYTES = 1024
MAX_BUFFERS = 25
MAX_FIELDS = 64


class SocStruct(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char * 32),
        ("family", ctypes.c_char * 32),
        ("arch", ctypes.c_uint32),
        ("cores", ctypes.c_uint32),
        ("clock_mhz", ctypes.c_uint32),
        ("ub_bytes", ctypes.c_uint32),
        ("ub_plan_bytes", ctypes.c_uint32),
        ("event_ids", ctypes.c_uint32),
        ("has_bf16", ctypes.c_uint32),
        ("saturates", ctypes.c_uint32),
        ("l2_bytes", ctypes.c_uint64),
        ("hbm_gb_per_s", ctypes.c_double),
        ("achievable_gb_per_s", ctypes.c_double),
        ("gm_pool_gb_per_s", ctypes.c_double),
        ("l2_pool_gb_per_s", ctypes.c_double),
    )


class BufferStruct(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char * 32),
        ("bytes", ctypes.c_uint32),
        ("count", ctypes.c_uint32),
        ("phase", ctypes.c_uint32),
    )


class FieldStruct(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char * 32),
        ("value", ctypes.c_double),
        ("unit", ctypes.c_char * 16),
    )


class AnswerStruct(ctypes.Structure):
    _fields_ = (("code", ctypes.c_int32), ("sentence", ctypes.c_char * 512))


class PlanStruct(ctypes.Structure):
    _fields_ = (
        ("strategy", ctypes.c_char * 32),
        ("reason", ctypes.c_char * 512),
        ("tiling_key", ctypes.c_uint64),
        ("cores", ctypes.c_uint32),
        ("ub_limit_bytes", ctypes.c_uint32),
        ("workspace_bytes", ctypes.c_uint64),
        ("minimum_bytes", ctypes.c_uint64),
        ("tiling_bytes", ctypes.c_uint32),
        ("buffer_count", ctypes.c_uint32),
        ("field_count", ctypes.c_uint32),
        ("declared_c", ctypes.c_double),
        ("tuned", ctypes.c_char * 256),
        ("tiling", ctypes.c_uint8 * MAX_TILING_BYTES),
        ("buffers", BufferStruct * MAX_BUFFERS),
        ("fields", FieldStruct * MAX_FIELDS),
    )


class TensorStruct(ctypes.Structure):
    _fields_ = (
        ("present", ctypes.c_int32),
        ("dtype", ctypes.c_int32),
        ("rank", ctypes.c_int32),
        ("shape", ctypes.c_int64 * MAX_RANK),
        ("strides", ctypes.c_int64 * MAX_RANK),
    )


class AttributesStruct(ctypes.Structure):
    _fields_ = (
        ("has_normalized_shape", ctypes.c_int32),
        ("normalized_rank", ctypes.c_int32),
        ("normalized_shape", ctypes.c_int64 * MAX_RANK),
        ("has_output_mask", ctypes.c_int32),
        ("mask_length", ctypes.c_int32),
        ("output_mask", ctypes.c_int32 * 3),
        ("has_quant_mode", ctypes.c_int32),
        ("quant_mode", ctypes.c_char * 16),
        ("div_mode", ctypes.c_int32),
        ("dst_type", ctypes.c_int32),
    )


class ProblemStruct(ctypes.Structure):
    _fields_ = (
        ("rows", ctypes.c_uint64),
        ("cols", ctypes.c_uint64),
        ("dtype", ctypes.c_int32),
        ("gamma_dtype", ctypes.c_int32),
        ("stats_dtype", ctypes.c_int32),
        ("sums_dtype", ctypes.c_int32),
        ("outputs", ctypes.c_uint32),
        ("has_mean", ctypes.c_uint32),
        ("is_quantised", ctypes.c_uint32),
        ("dx_dtype", ctypes.c_int32),
        ("scale_dtype", ctypes.c_int32),
        ("divides", ctypes.c_uint32),
        ("has_offset", ctypes.c_uint32),
        ("copy_cols", ctypes.c_uint32),  # this and what follows: the planner's own
        ("by_element", ctypes.c_uint32),
        ("meeting_bytes", ctypes.c_uint32),
        ("in_registers", ctypes.c_uint32),
        ("lanes_bytes", ctypes.c_uint32),
        ("event_ids", ctypes.c_uint32),
    )


class OptionsStruct(ctypes.Structure):
    _fields_ = (
        ("ub_bytes", ctypes.c_uint32),
        ("cores", ctypes.c_uint32),
        ("chunk_cols", ctypes.c_uint32),
        ("rows_per_tile", ctypes.c_uint32),
        ("det_strong", ctypes.c_uint32),
        ("strategy", ctypes.c_char_p),
        ("buffers", ctypes.c_uint32),
        ("tuned", ctypes.c_uint32),
        ("tile_for_rows", ctypes.c_uint64),
    )


class RangeStruct(ctypes.Structure):
    _fields_ = (
        ("least", ctypes.c_uint32),
        ("most", ctypes.c_uint32),
        ("step", ctypes.c_uint32),
    )


class KnobsStruct(ctypes.Structure):
    _fields_ = (
        ("strategy", ctypes.c_char * 32),
        ("rows_per_tile", RangeStruct),
        ("chunk_cols", RangeStruct),
        ("buffers", RangeStruct),
        ("cores", RangeStruct),
    )


MIRRORS: dict[str, type[ctypes.Structure]] = {
    "NormgradSoc": SocStruct,
    "NormgradBuffer": BufferStruct,
    "NormgradField": FieldStruct,
    "NormgradAnswer": AnswerStruct,
    "NormgradPlan": PlanStruct,
    "TensorDesc": TensorStruct,
    "Attributes": AttributesStruct,
    "Problem": ProblemStruct,
    "PlanOptions": OptionsStruct,
    "NormgradKnobs": KnobsStruct,
}


def _load(file: Path) -> ctypes.CDLL:
    """A library of the cache. One that a full disk or a bad copy has cut off is built anew."""
    try:
        return ctypes.CDLL(str(file))
    except OSError as error:
        reason = str(error).replace(f"{file}: ", "")
        raise NormgradError(
            f"the planner {file} cannot be loaded ({reason}): remove the folder {file.parent}, "
            "it is built again"
        ) from None


@functools.lru_cache(maxsize=1)
def library() -> ctypes.CDLL:
    """The planner, built if the cache does not hold it."""
    from normgrad import build  # reading a plan's types must not need a compiler

    loaded = _load(build.tiling_library())
    for name, mirror in MIRRORS.items():
        theirs = loaded.normgrad_struct_bytes(name.encode())
        assert theirs == ctypes.sizeof(mirror), f"tiling_abi.py mirrors {name} of tiling/ wrongly"
    return loaded
