// How operations load and store elements: each format converts its storage to the type that the
// arithmetic runs in, and rounds once on the way back. For the .cpp files of operations only.
#ifndef NORMGRAD_TWIN_API_FORMATS_H_
#define NORMGRAD_TWIN_API_FORMATS_H_

#include <cstddef>
#include <cstdint>

#include "twin/api/hif8.h"
#include "twin/machine/clones.h"
#include "twin/machine/dtype.h"

// What a clone calls must become part of it.
#define NORMGRAD_INLINE inline __attribute__((always_inline))

// dst may be exactly one of the sources; no element depends on another one.
#if defined(__clang__)
#define NORMGRAD_ELEMENTWISE _Pragma("clang loop vectorize(assume_safety)")
#else
#define NORMGRAD_ELEMENTWISE _Pragma("GCC ivdep")
#endif

namespace normgrad::twin {

struct F32 {
  using Storage = float;
  using Value = float;
  static NORMGRAD_INLINE float Load(float value) { return value; }
  static NORMGRAD_INLINE float Store(float value) { return value; }
};

// Two fp16 operands fit fp32 with room to spare (24 >= 2 x 11 + 2 bits), so computing in fp32 and
// rounding once more equals a single rounding for + - x / and the square root.
struct F16 {
  using Storage = uint16_t;
  using Value = float;
  static NORMGRAD_INLINE float Load(uint16_t bits) { return FloatFromHalf(bits); }
  static NORMGRAD_INLINE uint16_t Store(float value) { return HalfFromFloat(value); }
};

// fp16 on a chip that saturates: an infinite result becomes the largest finite value, NaN 0.
NORMGRAD_INLINE uint16_t SaturatedHalf(uint16_t bits) {
  const uint16_t magnitude = bits & 0x7FFFu;
  const uint16_t largest = static_cast<uint16_t>(0x7BFFu | (bits & 0x8000u));
  const uint16_t finite = magnitude >= 0x7C00u ? largest : bits;
  return magnitude > 0x7C00u ? uint16_t{0} : finite;
}

NORMGRAD_INLINE uint16_t SaturatedBf16(uint16_t bits) {
  const uint16_t magnitude = bits & 0x7FFFu;
  const uint16_t largest = static_cast<uint16_t>(0x7F7Fu | (bits & 0x8000u));
  const uint16_t finite = magnitude >= 0x7F80u ? largest : bits;
  return magnitude > 0x7F80u ? uint16_t{0} : finite;
}

struct F16Saturating {
  using Storage = uint16_t;
  using Value = float;
  static NORMGRAD_INLINE float Load(uint16_t bits) { return FloatFromHalf(bits); }
  static NORMGRAD_INLINE uint16_t Store(float value) { return SaturatedHalf(HalfFromFloat(value)); }
};

struct Bf16 {
  using Storage = uint16_t;
  using Value = float;
  static NORMGRAD_INLINE float Load(uint16_t bits) { return FloatFromBf16(bits); }
  static NORMGRAD_INLINE uint16_t Store(float value) { return Bf16FromFloat(value); }
};

struct Bf16Saturating {
  using Storage = uint16_t;
  using Value = float;
};

struct Hif8 {
  using Storage = uint8_t;
  using Value = float;
  static NORMGRAD_INLINE float Load(uint8_t code) { return FloatFromHif8(code); }
};
struct Hif8Saturating : Hif8 {};

template <typename T>
struct Integer {
  using Storage = T;
  using Value = T;
  static NORMGRAD_INLINE T Load(T value) { return value; }
  static NORMGRAD_INLINE T Store(T value) { return value; }
};
// A destination of conversions that keeps the low bits of what is out of range.
template <typename T>
struct LowBits : Integer<T> {};

using I8 = Integer<int8_t>;
using U8 = Integer<uint8_t>;
using I16 = Integer<int16_t>;
using U16 = Integer<uint16_t>;
using I32 = Integer<int32_t>;
using U32 = Integer<uint32_t>;
using I64 = Integer<int64_t>;

// Integer overflow wraps: the pages of Add, Sub and Mul say nothing about it.
template <typename T>
NORMGRAD_INLINE T AddOf(T a, T b) {
  return static_cast<T>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
}
template <typename T>
NORMGRAD_INLINE T SubOf(T a, T b) {
  return static_cast<T>(static_cast<uint32_t>(a) - static_cast<uint32_t>(b));
}
template <typename T>
NORMGRAD_INLINE T MulOf(T a, T b) {
  return static_cast<T>(static_cast<uint32_t>(a) * static_cast<uint32_t>(b));
}
NORMGRAD_INLINE float AddOf(float a, float b) { return a + b; }
NORMGRAD_INLINE float SubOf(float a, float b) { return a - b; }
NORMGRAD_INLINE float MulOf(float a, float b) { return a * b; }

// A NaN operand gives NaN: the pages are silent, and hiding one would be a convenience.
template <typename T>
NORMGRAD_INLINE T MaxOf(T a, T b) {
  return a > b || a != a ? a : b;
}
template <typename T>
NORMGRAD_INLINE T MinOf(T a, T b) {
  return a < b || a != a ? a : b;
}

// Which of an operation's loops works on this type.
template <typename Fn>
Fn ChooseFloat(Dtype dtype, bool saturates, Fn f32, Fn f16, Fn f16_saturating) {
  if (dtype == Dtype::kF32) return f32;
  if (dtype == Dtype::kF16) return saturates ? f16_saturating : f16;
  return nullptr;
}

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_API_FORMATS_H_
