// HiFloat8: a sign, a prefix that says how long the exponent is, 3 to 1 bits of fraction. Codes are
// not in the order of their values (1.0 is 0x08, 0.9375 is 0x1F). There is one zero, 0x00, one NaN,
// 0x80; +-Inf are 0x6F and 0xEF. Rounding follows the tables "float to hifloat8_t" and "half to
// hifloat8_t" of the register Cast page. For .cpp files of the library only.
#ifndef NORMGRAD_TWIN_API_HIF8_H_
#define NORMGRAD_TWIN_API_HIF8_H_

#include <array>
#include <cstdint>

#include "twin/machine/dtype.h"

namespace normgrad::twin {

constexpr uint8_t kHif8Nan = 0x80;
constexpr uint8_t kHif8Inf = 0x6F;
constexpr uint8_t kHif8Largest = 0x6E;  // 32768

// Exponents of the codes: 2^-22 is the smallest value, 2^15 the largest.
constexpr int kHif8Lowest = -22;
constexpr int kHif8Normal = -15;  // below, a code is a power of two
constexpr int kHif8Highest = 15;

// Bits of fraction that a code keeps at an exponent.
constexpr int Hif8FractionBits(int exponent) {
  const int size = exponent < 0 ? -exponent : exponent;
  return size <= 3 ? 3 : size <= 7 ? 2 : size <= 15 ? 1 : 0;
}

// The code of a positive value: 2^exponent x (1 + fraction / 8), which must have one.
constexpr uint8_t Hif8Code(int exponent, int fraction) {
  if (exponent < kHif8Normal) return static_cast<uint8_t>(exponent + 23);
  const int size = exponent < 0 ? -exponent : exponent;
  const int kept = fraction >> (3 - Hif8FractionBits(exponent));
  // Stored exponents are a sign and a magnitude without its leading one.
  const auto code = [&](int prefix, int top, int fraction_bits) {
    const int stored = (exponent < 0 ? top : 0) | (size & (top - 1));
    return static_cast<uint8_t>(prefix | stored << fraction_bits | kept);
  };
  if (size == 0) return static_cast<uint8_t>(0x08 | kept);
  if (size == 1) return code(0x10, 1, 3);
  if (size <= 3) return code(0x20, 2, 3);
  if (size <= 7) return code(0x40, 4, 2);
  return code(0x60, 8, 1);
}

// All of them, by (exponent - kHif8Lowest) x 8 + fraction.
constexpr int kHif8Codes = (kHif8Highest - kHif8Lowest + 1) * 8;
inline constexpr std::array<uint8_t, kHif8Codes> kHif8CodeOf = [] {
  std::array<uint8_t, kHif8Codes> codes{};
  for (int i = 0; i < kHif8Codes; ++i) {
    codes[static_cast<size_t>(i)] = Hif8Code(i / 8 + kHif8Lowest, i % 8);
  }
  return codes;
}();

// Bits of the fp32 value of each code.
inline constexpr std::array<uint32_t, 256> kHif8Values = [] {
  std::array<uint32_t, 256> values{};
  for (int exponent = kHif8Lowest; exponent <= kHif8Highest; ++exponent) {
    const int bits = Hif8FractionBits(exponent);
    for (int fraction = 0; fraction < 8; fraction += 8 >> bits) {
      const size_t code = Hif8Code(exponent, fraction);
      const uint32_t value =
          static_cast<uint32_t>(exponent + 127) << 23 | static_cast<uint32_t>(fraction) << 20;
      values[code] = value;
      values[code | 0x80] = value | 0x80000000u;
    }
  }
  values[kHif8Nan] = 0x7FC00000u;
  values[kHif8Inf] = 0x7F800000u;
  values[kHif8Inf | 0x80] = 0xFF800000u;
  return values;
}();

inline float FloatFromHif8(uint8_t code) { return FloatFromBits(kHif8Values[code]); }

// Rounds the magnitude `bits` of an fp32 number. Halves go away from zero; in hybrid mode, for
// exponents beyond +-3, the bits that fall off are compared with `threshold`, both of
// `threshold_bits` bits. Inf and NaN stay what they are.
inline uint8_t Hif8FromMagnitude(uint32_t bits, bool hybrid, uint32_t threshold,
                                 int threshold_bits) {
  if (bits > 0x7F800000u) return kHif8Nan;
  const int exponent = static_cast<int>(bits >> 23) - 127;
  if (exponent > kHif8Highest) return kHif8Inf;
  if (exponent < kHif8Lowest - 1) return 0;
  const int fraction_bits = Hif8FractionBits(exponent);
  const int dropped = 23 - fraction_bits;
  const bool below = exponent == kHif8Lowest - 1;  // half of the smallest value or more
  if (hybrid && (exponent < -3 || exponent > 3)) {
    // Below the smallest value the leading one counts as a bit that falls off.
    const uint32_t source = below ? (bits & 0x7FFFFFu) >> 1 | 0x400000u : bits << fraction_bits;
    const uint32_t rest = (source & 0x7FFFFFu) >> (23 - threshold_bits);
    const bool up = rest >= threshold;
    if (below) return up ? 1 : 0;
    bits += up ? 1u << dropped : 0u;
  } else {
    if (below) return 1;
    bits += 1u << (dropped - 1);
  }
  const uint32_t kept = bits >> dropped << dropped;
  const int index = static_cast<int>(kept >> 20) - (kHif8Lowest + 127) * 8;
  return index < kHif8Codes ? kHif8CodeOf[static_cast<size_t>(index)] : kHif8Inf;
}

// There is no negative zero, and one NaN.
inline uint8_t Hif8Signed(uint8_t code, bool negative) {
  return negative && code != 0 ? static_cast<uint8_t>(code | 0x80u) : code;
}

inline uint8_t Hif8FromFloat(float value, bool hybrid) {
  const uint32_t bits = BitsFromFloat(value);
  return Hif8Signed(Hif8FromMagnitude(bits & 0x7FFFFFFFu, hybrid, bits & 0x3FFFu, 14), bits >> 31);
}

inline uint8_t Hif8FromHalf(uint16_t half_bits, bool hybrid) {
  const uint32_t bits = BitsFromFloat(FloatFromHalf(half_bits));
  const uint32_t threshold = (half_bits & 1u) << 1 | 1u;
  return Hif8Signed(Hif8FromMagnitude(bits & 0x7FFFFFFFu, hybrid, threshold, 2), bits >> 31);
}

// Saturating: no Inf, and NaN becomes 0.
inline uint8_t Hif8Saturated(uint8_t code) {
  if (code == kHif8Nan) return 0;
  return (code & 0x7Fu) == kHif8Inf ? static_cast<uint8_t>(code - 1) : code;
}

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_API_HIF8_H_
