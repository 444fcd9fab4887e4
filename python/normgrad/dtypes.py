"""Names of dtypes, their numpy types, and their spacing: what rounding to them may cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
F64 = npt.NDArray[np.float64]

_EXPONENT_BITS = np.int64(0x7FF0000000000000)  # of float64


@dataclass(frozen=True)
class FloatFormat:
    """A binary floating-point format with subnormals."""

    name: str
    fraction_bits: int
    min_exponent: int  # of the smallest normal number
    max_exponent: int

    @property
    def max_finite(self) -> float:
        return float((2.0 - 2.0**-self.fraction_bits) * 2.0**self.max_exponent)

    @property
    def overflow_bound(self) -> float:
        """Rounding to nearest gives Inf from here on."""
        return float((2.0 - 2.0 ** -(self.fraction_bits + 1)) * 2.0**self.max_exponent)

    @property
    def min_subnormal(self) -> float:
        return float(2.0 ** (self.min_exponent - self.fraction_bits))


FORMATS = {
    "fp16": FloatFormat("fp16", 10, -14, 15),
    "bf16": FloatFormat("bf16", 7, -126, 127),
    "fp32": FloatFormat("fp32", 23, -126, 127),
}

_NUMPY: dict[str, np.dtype[Any]] = {
    "fp32": np.dtype(np.float32),
    "fp16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "int8": np.dtype(np.int8),
    "int32": np.dtype(np.int32),
    "hif8": np.dtype(np.uint8),  # its codes: hif8.py
}
NAMES = tuple(_NUMPY)
FLOAT_NAMES = tuple(FORMATS)

# How other programs name these types (an .npz tag, an attribute of a case file).
ALIASES = {
    "float32": "fp32", "float16": "fp16", "half": "fp16", "bfloat16": "bf16", "float": "fp32",
}  # fmt: skip
# Those of profilers; a tensor that is not given has none. The newer types have DT_ in front.
PROFILER_NAMES = {
    "fp32": "FLOAT", "fp16": "FLOAT16", "bf16": "DT_BF16", "int8": "INT8", "int32": "INT32",
    "hif8": "DT_HIFLOAT8", "": "DT_UNDEFINED",
}  # fmt: skip


def numpy_dtype(name: str) -> np.dtype[Any]:
    """The numpy type that holds values of the named dtype; KeyError for an unknown name."""
    return _NUMPY[name]


def dtype_name(dtype: npt.DTypeLike) -> str:
    """Our name of a numpy type; ValueError for one that no operator uses."""
    wanted = np.dtype(dtype)
    for name, known in _NUMPY.items():
        if known == wanted:
            return name
    raise ValueError(f"dtype {wanted} is not one of {', '.join(NAMES)}")


def size_bytes(name: str) -> int:
    """Bytes of one element."""
    return _NUMPY[name].itemsize


def to_float64(values: Array) -> F64:
    """Exact conversion; bf16 by its bits, 4 x faster than a cast by ml_dtypes."""
    with np.errstate(invalid="ignore"):  # signalling NaN
        return to_float32(values).astype(np.float64)


def to_float32(values: Array) -> npt.NDArray[np.float32]:
    """Exact conversion of fp16, bf16 and fp32 (which is returned as it is)."""
    if values.dtype == _NUMPY["bf16"]:
        wide = values.view(np.uint16).astype(np.uint32)
        wide <<= np.uint32(16)
        return wide.view(np.float32)
    return values.astype(np.float32, copy=False)


def ulp(values: F64, fmt: FloatFormat) -> F64:
    """Spacing of `fmt` at each value: 2^(exponent - fraction bits), at least the subnormal step.

    Inf where the value is Inf or NaN.
    """
    power: F64 = np.bitwise_and(values.view(np.int64), _EXPONENT_BITS).view(np.float64)
    np.maximum(power, 2.0**fmt.min_exponent, out=power)
    power *= 2.0**-fmt.fraction_bits
    return power


def round_to(values: npt.ArrayLike, name: str) -> Array:
    """Round float64 values once, to nearest even, overflow to Inf.

    A cast of float64 by ml_dtypes goes through fp32 and so rounds twice.
    """
    fmt = FORMATS[name]
    exact = np.ascontiguousarray(values, np.float64)
    step = ulp(exact, fmt)
    with np.errstate(all="ignore"):
        rounded = np.rint(exact / step) * step
        rounded = np.where(np.isfinite(exact), rounded, exact)
        rounded = np.where(np.abs(rounded) > fmt.max_finite, np.copysign(np.inf, exact), rounded)
        rounded = rounded.reshape(np.shape(values))
        return rounded.astype(np.float32).astype(numpy_dtype(name))


def from_float32(values: npt.NDArray[np.float32], name: str) -> Array:
    """Round fp32 values to nearest even, overflow to Inf."""
    with np.errstate(over="ignore"):
        return values.astype(numpy_dtype(name), copy=False)
