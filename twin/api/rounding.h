// Conversions between element types in every round mode. Each function is one element; the loops
// over them are in operations_cast.cpp.
#ifndef NORMGRAD_TWIN_API_ROUNDING_H_
#define NORMGRAD_TWIN_API_ROUNDING_H_

#include <cmath>
#include <limits>
#include <type_traits>

#include "twin/api/formats.h"
#include "twin/rules/cast_table.h"

namespace normgrad::twin {

using AscendC::RoundMode;

// Should a magnitude, cut down to the integer `kept`, grow by one? `rest` was cut off, `half` is
// half a unit of `kept`.
template <RoundMode kMode>
NORMGRAD_INLINE uint32_t RoundUp(uint64_t kept, uint64_t rest, uint64_t half, bool negative) {
  if constexpr (kMode == RoundMode::CAST_FLOOR) return negative && rest != 0;
  if constexpr (kMode == RoundMode::CAST_CEIL) return !negative && rest != 0;
  if constexpr (kMode == RoundMode::CAST_ROUND) return rest >= half;
  if constexpr (kMode == RoundMode::CAST_TRUNC) return 0;
  if constexpr (kMode == RoundMode::CAST_ODD) return rest != 0 && (kept & 1u) == 0;
  return rest > half || (rest == half && (kept & 1u) != 0);
}

// Inf from 2^16 on, and where rounding leads beyond the largest finite value. NaN stays NaN.
template <RoundMode kMode>
NORMGRAD_INLINE uint16_t HalfRounded(float value) {
  if constexpr (kMode == RoundMode::CAST_RINT) return HalfFromFloat(value);
  const uint32_t bits = BitsFromFloat(value);
  const uint32_t magnitude = bits & 0x7FFFFFFFu;
  const bool negative = bits >> 31 != 0;
  const uint32_t exponent = magnitude >> 23;
  const bool normal = exponent >= 113;  // of 2^-14 or more
  // A subnormal result counts units of 2^-24: the more of the mantissa falls off the smaller it is.
  const uint32_t mantissa = (magnitude & 0x7FFFFFu) | (exponent != 0 ? 0x800000u : 0u);
  const uint32_t source = normal ? magnitude - 0x38000000u : mantissa;
  const uint32_t deep = exponent < 96 ? 31u : 126u - exponent;
  const uint32_t shift = normal ? 13u : deep;
  const uint32_t kept = source >> shift;
  const uint32_t rest = source & ((1u << shift) - 1u);
  uint32_t result = kept + RoundUp<kMode>(kept, rest, 1u << (shift - 1u), negative);
  result = result >= 0x7C00u || exponent >= 143 ? 0x7C00u : result;
  result = magnitude > 0x7F800000u ? 0x7E00u | ((magnitude >> 13) & 0x3FFu) : result;
  return static_cast<uint16_t>(result | (negative ? 0x8000u : 0u));
}

template <RoundMode kMode>
NORMGRAD_INLINE uint16_t Bf16Rounded(float value) {
  if constexpr (kMode == RoundMode::CAST_RINT) return Bf16FromFloat(value);
  const uint32_t bits = BitsFromFloat(value);
  const uint32_t magnitude = bits & 0x7FFFFFFFu;
  const uint32_t kept = magnitude >> 16;
  uint32_t result = kept + RoundUp<kMode>(kept, magnitude & 0xFFFFu, 0x8000u, bits >> 31 != 0);
  result = magnitude == 0x7F800000u ? kept : result;
  result = magnitude > 0x7F800000u ? kept | 0x40u : result;
  return static_cast<uint16_t>(result | (bits >> 16 & 0x8000u));
}

template <RoundMode kMode>
NORMGRAD_INLINE float RoundedToInteger(float value) {
  if constexpr (kMode == RoundMode::CAST_FLOOR) return std::floor(value);
  if constexpr (kMode == RoundMode::CAST_CEIL) return std::ceil(value);
  if constexpr (kMode == RoundMode::CAST_TRUNC) return std::trunc(value);
  if constexpr (kMode == RoundMode::CAST_ROUND) {
    const float whole = std::trunc(value);
    const float step = std::fabs(value - whole) >= 0.5f ? 1.0f : 0.0f;
    return whole + std::copysign(step, value);
  }
  return std::rint(value);  // the host rounds to nearest, ties to even
}

// Out of range: the nearest value that T has; NaN: 0.
template <typename T>
NORMGRAD_INLINE T SaturatedInteger(float whole) {
  constexpr float kLow = static_cast<float>(std::numeric_limits<T>::min());
  // One more than the largest T: a power of two, so exact in fp32.
  constexpr float kEnd = 2.0f * static_cast<float>(std::numeric_limits<T>::max() / 2 + 1);
  const bool inside = whole >= kLow && whole < kEnd;
  const T converted = static_cast<T>(inside ? whole : 0.0f);
  const T above = whole >= kEnd ? std::numeric_limits<T>::max() : converted;
  return whole < kLow ? std::numeric_limits<T>::min() : above;
}

// Out of range: the low bits; Inf: the extreme that T has; NaN: 0.
template <typename T>
NORMGRAD_INLINE T LowBitsOf(float whole) {
  const uint32_t bits = BitsFromFloat(whole);
  const uint32_t exponent = (bits >> 23) & 0xFFu;
  const bool negative = bits >> 31 != 0;
  if (exponent == 255) {
    if ((bits & 0x7FFFFFu) != 0) return 0;
    return negative ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
  }
  const int shift = static_cast<int>(exponent) - 150;  // of a mantissa of 24 bits
  if (shift > 63 || shift < -23) return 0;
  const uint64_t mantissa = (bits & 0x7FFFFFu) | 0x800000u;
  const uint64_t magnitude = shift < 0 ? mantissa >> -shift : mantissa << shift;
  return static_cast<T>(negative ? 0u - magnitude : magnitude);
}

// An integer as fp32 with at most `kBits` significant bits.
template <RoundMode kMode, int kBits>
NORMGRAD_INLINE float FloatFromInteger(int64_t value) {
  if constexpr (kMode == RoundMode::CAST_RINT && kBits == 24) return static_cast<float>(value);
  const bool negative = value < 0;
  const uint64_t magnitude =
      negative ? 0u - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  const int width = magnitude == 0 ? 0 : 64 - __builtin_clzll(magnitude);
  const int shift = width > kBits ? width - kBits : 0;
  uint64_t kept = magnitude >> shift;
  if (shift > 0) {
    const uint64_t rest = magnitude & ((uint64_t{1} << shift) - 1u);
    kept += RoundUp<kMode>(kept, rest, uint64_t{1} << (shift - 1), negative);
  }
  const float result = std::ldexp(static_cast<float>(kept), shift);
  return negative ? -result : result;
}

template <typename T>
constexpr bool kKeepsLowBits = std::is_same_v<T, LowBits<typename T::Storage>>;
template <typename T>
constexpr bool kIsFloat = std::is_same_v<typename T::Value, float>;

// One element from format S to format D.
template <RoundMode kMode, typename D, typename S>
NORMGRAD_INLINE typename D::Storage Converted(typename S::Storage stored) {
  using To = typename D::Storage;
  if constexpr (kIsFloat<S>) {
    const float value = S::Load(stored);
    if constexpr (std::is_same_v<D, F32>) {
      if constexpr (std::is_same_v<S, F32>) return RoundedToInteger<kMode>(value);
      return value;
    } else if constexpr (std::is_same_v<D, F16>) {
      return HalfRounded<kMode>(value);
    } else if constexpr (std::is_same_v<D, F16Saturating>) {
      return SaturatedHalf(HalfRounded<kMode>(value));
    } else if constexpr (std::is_same_v<D, Bf16>) {
      return Bf16Rounded<kMode>(value);
    } else if constexpr (std::is_same_v<D, Bf16Saturating>) {
      return SaturatedBf16(Bf16Rounded<kMode>(value));
    } else if constexpr (std::is_same_v<To, uint8_t> && kIsFloat<D>) {
      constexpr bool kHybrid = kMode == RoundMode::CAST_HYBRID;
      uint8_t code;
      if constexpr (std::is_same_v<S, F16>) {
        code = Hif8FromHalf(stored, kHybrid);
      } else {
        code = Hif8FromFloat(value, kHybrid);
      }
      return std::is_same_v<D, Hif8Saturating> ? Hif8Saturated(code) : code;
    } else if constexpr (kKeepsLowBits<D>) {
      return LowBitsOf<To>(RoundedToInteger<kMode>(value));
    } else {
      return SaturatedInteger<To>(RoundedToInteger<kMode>(value));
    }
  } else if constexpr (std::is_same_v<D, F32>) {
    return FloatFromInteger<kMode, 24>(stored);
  } else if constexpr (kIsFloat<D>) {
    return HalfFromFloat(FloatFromInteger<kMode, 11>(stored));
  } else if constexpr (kKeepsLowBits<D>) {
    return static_cast<To>(stored);
  } else {
    const int64_t low = std::numeric_limits<To>::min();
    const int64_t high = std::numeric_limits<To>::max();
    const int64_t value = stored;
    return static_cast<To>(value < low ? low : value > high ? high : value);
  }
}

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_API_ROUNDING_H_
