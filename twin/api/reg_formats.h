// Pieces of arithmetic that only register instructions have. For the .cpp files of operations only.
#ifndef NORMGRAD_TWIN_API_REG_FORMATS_H_
#define NORMGRAD_TWIN_API_REG_FORMATS_H_

#include <cmath>
#include <type_traits>

#include "twin/api/formats.h"

// A fused multiply-add is one instruction on any computer of the last ten years.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
#define NORMGRAD_FUSED_CLONES __attribute__((target_clones("avx512f", "fma", "default")))
#else
#define NORMGRAD_FUSED_CLONES
#endif

// The functions of one operation for ChooseOf: in the order of Dtype, fp16 that saturates last.
#define NORMGRAD_FLOAT_ONLY(name)                   \
  {name##F32, name##F16, nullptr, nullptr, nullptr, \
   nullptr,   nullptr,   nullptr, nullptr, name##F16Saturating}
#define NORMGRAD_ALL(name, bytes, words, longs)                \
  {name##F32,   name##F16, name##Bf16,  name##bytes, name##U8, \
   name##words, name##U16, name##longs, name##U32,   name##F16Saturating}

namespace normgrad::twin {

using U32 = Integer<uint32_t>;

// The larger one; of zeros +0, which the page of Max states. A NaN operand gives NaN.
NORMGRAD_INLINE float RegMaxOf(float a, float b) {
  const float equal = FloatFromBits(BitsFromFloat(a) & BitsFromFloat(b));
  return a == b ? equal : MaxOf(a, b);
}
NORMGRAD_INLINE float RegMinOf(float a, float b) {
  const float equal = FloatFromBits(BitsFromFloat(a) | BitsFromFloat(b));
  return a == b ? equal : MinOf(a, b);
}
template <typename T>
NORMGRAD_INLINE T RegMaxOf(T a, T b) {
  return a > b ? a : b;
}
template <typename T>
NORMGRAD_INLINE T RegMinOf(T a, T b) {
  return a < b ? a : b;
}

// a x b + c, rounded once (pages of MulAddDst and MulDstAdd) into a format of at most 24 bits. In
// fp64 the product is exact; a sum that is not gets an odd last bit, which keeps the second
// rounding from falling on a tie that is none.
template <int kLast = 11>
NORMGRAD_INLINE float FusedOf(double a, double b, double c) {
  const double product = a * b;
  const double sum = product + c;
  const double part = sum - product;
  const double error = (product - (sum - part)) + (c - part);
  int64_t bits;
  std::memcpy(&bits, &sum, sizeof bits);
  const bool inexact = error != 0.0 && std::fabs(sum) <= std::numeric_limits<double>::max();
  bits -= inexact && (error < 0.0) != (sum < 0.0) ? 1 : 0;
  bits |= inexact ? 1 : 0;
  double odd;
  std::memcpy(&odd, &bits, sizeof odd);
  // fp32 is not the end for a format of 16 bits: its last bit is made odd in the same way.
  const float near = static_cast<float>(odd);
  const double rest = odd - static_cast<double>(near);
  const bool cut = kLast < 24 && rest != 0.0 && std::fabs(rest) <= std::fabs(odd);
  uint32_t short_bits = BitsFromFloat(near);
  short_bits -= cut && (rest < 0.0) != (near < 0.0f) ? 1u : 0u;
  return FloatFromBits(short_bits | (cut ? 1u : 0u));
}

// A subnormal number of the format counts as 0.
template <typename F>
NORMGRAD_INLINE float Flushed(float value) {
  constexpr float kLeast = std::is_same_v<F, F32> ? 0x1p-126f : 0x1p-14f;
  return std::fabs(value) < kLeast ? std::copysign(0.0f, value) : value;
}

// Integer shifts (pages of ShiftLefts and ShiftRights): beyond the width all bits are gone; the
// sign bit of a signed number stays where it is. Below 0 is undefined; here it counts as beyond.
template <typename T>
NORMGRAD_INLINE T ShiftedLeft(T value, int by) {
  using Bits = std::make_unsigned_t<T>;
  constexpr int kWidth = static_cast<int>(sizeof(T) * 8);
  if (by < 0 || by >= kWidth) return T{0};
  const Bits moved = static_cast<Bits>(static_cast<uint64_t>(static_cast<Bits>(value)) << by);
  if constexpr (std::is_unsigned_v<T>) return moved;
  constexpr Bits kSign = static_cast<Bits>(Bits{1} << (kWidth - 1));
  return static_cast<T>(static_cast<Bits>((moved & ~kSign) | (static_cast<Bits>(value) & kSign)));
}
template <typename T>
NORMGRAD_INLINE T ShiftedRight(T value, int by) {
  constexpr int kWidth = static_cast<int>(sizeof(T) * 8);
  if (by < 0 || by >= kWidth) return value < T{0} ? static_cast<T>(-1) : T{0};
  return static_cast<T>(value >> by);
}

// Which of an operation's loops works on this type; `of` in the order of Dtype, fp16 that saturates
// last.
template <typename Fn>
Fn ChooseOf(Dtype dtype, bool saturates, const Fn (&of)[10]) {
  return of[saturates && dtype == Dtype::kF16 ? 9 : static_cast<int>(dtype)];
}

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_API_REG_FORMATS_H_
