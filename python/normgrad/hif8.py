"""HiFloat8: one sign bit, an exponent of prefix-coded length, 3 to 1 bits of fraction.

Codes are not in the order of their values (1.0 is 0x08, 0.9375 is 0x1F): compare by rank. There is
one zero, 0x00, and one NaN, 0x80; +-Inf are 0x6F and 0xEF.
"""

from __future__ import annotations

import functools

import numpy as np
import numpy.typing as npt

from normgrad import dtypes
from normgrad.dtypes import F64, Array

Codes = npt.NDArray[np.uint8]

NAN, INF, MAX, ZERO = 0x80, 0x6F, 0x6E, 0x00
_SIGN = 0x80
MAX_FINITE = 32768.0
OVERFLOW_BOUND = 40960.0  # rounds to Inf from here on: half-way to the next step, 1.25 * 2^15
# A rank that no value is near to, so that NaN differs from everything by more than one.
NAN_RANK = -(1 << 14)

# Where the prefix ends, first match wins: its value, its bits, exponent bits, fraction bits.
_DOTS = ((0b11, 2, 4, 1), (0b10, 2, 3, 2), (0b01, 2, 2, 3), (0b001, 3, 1, 3), (0b0001, 4, 0, 3))
_BLOCK = 1 << 16  # elements worked on at once, so that temporaries stay in the caches


def _magnitude(code: int) -> float:
    """Value of a code without sign bit, by the definition."""
    if code == INF:
        return float("inf")
    for prefix, prefix_bits, exponent_bits, fraction_bits in _DOTS:
        if code >> (7 - prefix_bits) == prefix:
            fraction = code & ((1 << fraction_bits) - 1)
            exponent = 0
            if exponent_bits:  # a sign, then a magnitude whose leading one is not stored
                stored = (code >> fraction_bits) & ((1 << exponent_bits) - 1)
                top = 1 << (exponent_bits - 1)
                exponent = (stored & (top - 1)) | top
                exponent = -exponent if stored & top else exponent
            return float((1.0 + fraction / (1 << fraction_bits)) * 2.0**exponent)
    return float(2.0 ** (code - 23)) if code else 0.0


@functools.lru_cache(maxsize=1)
def _decode_table() -> npt.NDArray[np.float32]:
    positive = [_magnitude(code) for code in range(_SIGN)]
    negative = [float("nan"), *(-value for value in positive[1:])]
    return np.array([*positive, *negative], np.float32)


@functools.lru_cache(maxsize=1)
def _ascending() -> Codes:
    """Codes of zero and all positive finite values in the order of their values."""
    codes = [code for code in range(_SIGN) if code != INF]
    return np.array(sorted(codes, key=_magnitude), np.uint8)


@functools.lru_cache(maxsize=1)
def _rank_table() -> npt.NDArray[np.int16]:
    ranks = np.full(256, NAN_RANK, np.int16)
    ascending = np.append(_ascending(), np.uint8(INF))
    for rank, code in enumerate(ascending):
        if rank:
            ranks[code | _SIGN] = -rank
        ranks[code] = rank
    return ranks


@functools.lru_cache(maxsize=1)
def bounds() -> F64:
    """Magnitude from which on each rank above zero is rounded to; the last one is that of Inf."""
    values = _decode_table().astype(np.float64)[_ascending()]
    return np.append((values[1:] + values[:-1]) / 2.0, OVERFLOW_BOUND)


@functools.lru_cache(maxsize=2)
def _encode_table(saturate: bool) -> Codes:
    """Code for the upper 16 bits of each fp32.

    They decide: every bound has at most 4 bits of fraction, so a value is beyond a bound exactly
    if the value without its lower 16 bits is. Only NaN may look like Inf there.
    """
    upper = np.arange(1 << 16, dtype=np.uint32) << np.uint32(16)
    with np.errstate(invalid="ignore"):  # signalling NaN
        values = upper.view(np.float32).astype(np.float64)
    ranks = np.searchsorted(bounds(), np.abs(values), side="right")
    codes: Codes = np.append(_ascending(), np.uint8(MAX if saturate else INF))[ranks]
    codes[(values < 0) & (codes != ZERO)] |= np.uint8(_SIGN)
    codes[np.isnan(values)] = ZERO if saturate else NAN
    return codes


def encode(values: Array, saturate: bool = True) -> Codes:
    """Nearest code of float values, ties away from zero.

    Saturating, what is too large becomes +-32768 and NaN becomes zero; otherwise Inf and NaN.
    """
    flat = _towards_zero(values).reshape(-1)
    table = _encode_table(saturate)
    codes = np.empty(flat.shape, np.uint8)
    for at in range(0, flat.size, _BLOCK):
        block = flat[at : at + _BLOCK]
        table.take(block.view(np.uint32) >> np.uint32(16), out=codes[at : at + _BLOCK], mode="wrap")
        missing = np.isnan(block)
        if missing.any():
            codes[at : at + _BLOCK][missing] = ZERO if saturate else NAN
    return codes.reshape(np.shape(values))


def _towards_zero(values: Array) -> npt.NDArray[np.float32]:
    """As contiguous fp32; float64 without its lower bits, which decide nothing beside a bound."""
    if values.dtype != np.float64:
        return np.ascontiguousarray(dtypes.to_float32(values))
    with np.errstate(all="ignore"):
        nearest = np.ascontiguousarray(values, np.float32)
        too_large = np.abs(nearest.astype(np.float64)) > np.abs(values)
        return np.where(too_large, np.nextafter(nearest, np.float32(0.0)), nearest)


def decode(codes: Codes) -> npt.NDArray[np.float32]:
    """Values of codes, all exact in fp32."""
    return _decode_table()[codes]


def rank(codes: Codes) -> npt.NDArray[np.int16]:
    """Place of each code in the order of values: 0 for zero, +-127 for Inf, NAN_RANK for NaN."""
    return _rank_table()[codes]
