// What the scalar unit computes from numbers alone: counts of bits, rounded divisions, the limits
// of each element type. No memory, no pipe but its own.
#ifndef NORMGRAD_TWIN_API_SCALAR_VALUES_H_
#define NORMGRAD_TWIN_API_SCALAR_VALUES_H_

#include <cstdint>
#include <limits>
#include <type_traits>

#include "twin/api/fill.h"
#include "twin/machine/dtype.h"

namespace AscendC {

#if __NPU_ARCH__ != 1001
// How many bits of `value` are `bit`.
template <int bit>
inline int64_t GetBitCount(uint64_t value) {
  static_assert(bit == 0 || bit == 1, "AscendC::GetBitCount counts bits that are 0 or 1");
  return __builtin_popcountll(bit == 1 ? value : ~value);
}

// Zeros above the highest bit that is set; 64 if there is none.
inline int64_t CountLeadingZero(uint64_t value) { return value == 0 ? 64 : __builtin_clzll(value); }

// Place of the lowest bit that is `bit`, or -1.
template <int bit>
inline int64_t GetSFFValue(uint64_t value) {
  static_assert(bit == 0 || bit == 1, "AscendC::GetSFFValue looks for bits that are 0 or 1");
  const uint64_t found = bit == 1 ? value : ~value;
  return found == 0 ? -1 : __builtin_ctzll(found);
}

// Older names of the same.
template <int bit>
inline int64_t ScalarGetCountOfValue(uint64_t value) {
  return GetBitCount<bit>(value);
}
inline int64_t ScalarCountLeadingZero(uint64_t value) { return CountLeadingZero(value); }
template <int bit>
inline int64_t ScalarGetSFFValue(uint64_t value) {
  return GetSFFValue<bit>(value);
}
#endif

constexpr uint32_t DivCeil(uint32_t dividend, uint32_t divisor) {
  return (dividend + divisor - 1) / divisor;
}
constexpr uint32_t AlignUp(uint32_t value, uint32_t step) { return DivCeil(value, step) * step; }

#if __NPU_ARCH__ == 3510
// 0 if the divisor is.
constexpr int32_t CeilDivision(int32_t dividend, int32_t divisor) {
  return divisor == 0 ? 0 : (dividend + divisor - 1) / divisor;
}

}  // namespace AscendC

namespace normgrad::twin {

// Bits of each limit; of fp32 and integers std::numeric_limits knows them.
template <typename T>
struct LimitBits;
template <>
struct LimitBits<half> {
  static constexpr uint16_t kMax = 0x7BFF, kMin = 0x0400, kInfinity = 0x7C00, kQuiet = 0x7E00,
                            kSignalling = 0x7D00;
};
template <>
struct LimitBits<bfloat16_t> {
  static constexpr uint16_t kMax = 0x7F7F, kMin = 0x0080, kInfinity = 0x7F80, kQuiet = 0x7FC0,
                            kSignalling = 0x7FA0;
};

template <typename T>
inline T OfBits(uint32_t bits) {
  T value;
  value.bits = static_cast<uint16_t>(bits);
  return value;
}

}  // namespace normgrad::twin

namespace AscendC {

// Each limit as a value, or in the first `count` elements of a tensor.
template <typename T>
class NumericLimits {
  using Std = std::numeric_limits<T>;
  static constexpr bool kBuiltIn = Std::is_specialized;

 public:
#define NORMGRAD_LIMIT(name, built_in, other)                                  \
  static constexpr T name() {                                                  \
    if constexpr (kBuiltIn) {                                                  \
      return built_in;                                                         \
    } else {                                                                   \
      using Bits [[maybe_unused]] = normgrad::twin::LimitBits<T>;              \
      return normgrad::twin::OfBits<T>(other);                                 \
    }                                                                          \
  }                                                                            \
  static void name(const LocalTensor<T>& dst, uint32_t count, NORMGRAD_SITE) { \
    Duplicate(dst, name(), static_cast<int32_t>(count), site);                 \
  }
  NORMGRAD_LIMIT(Max, Std::max(), Bits::kMax)
  NORMGRAD_LIMIT(Min, Std::min(), Bits::kMin)  // of floats: the smallest normal number
  NORMGRAD_LIMIT(Lowest, Std::lowest(), Bits::kMax | 0x8000u)
#define NORMGRAD_FLOAT_LIMIT(name, built_in, other) \
  NORMGRAD_LIMIT(name, (static_cast<void>(FloatsOnly()), built_in), other)
  NORMGRAD_FLOAT_LIMIT(Infinity, Std::infinity(), Bits::kInfinity)
  NORMGRAD_FLOAT_LIMIT(NegativeInfinity, -Std::infinity(), Bits::kInfinity | 0x8000u)
  NORMGRAD_FLOAT_LIMIT(QuietNaN, Std::quiet_NaN(), Bits::kQuiet)
  NORMGRAD_FLOAT_LIMIT(SignalingNaN, Std::signaling_NaN(), Bits::kSignalling)
  NORMGRAD_FLOAT_LIMIT(DeNormMin, Std::denorm_min(), 1)
#undef NORMGRAD_FLOAT_LIMIT
#undef NORMGRAD_LIMIT

 private:
  static constexpr bool FloatsOnly() {
    static_assert(!std::is_integral_v<T>, "AscendC::NumericLimits: integers have no such limit");
    return true;
  }
};
#endif

}  // namespace AscendC

#endif  // NORMGRAD_TWIN_API_SCALAR_VALUES_H_
