// Element types of the machine and the two 16-bit formats that C++ does not have.
#ifndef NORMGRAD_TWIN_MACHINE_DTYPE_H_
#define NORMGRAD_TWIN_MACHINE_DTYPE_H_

#include <cstdint>
#include <cstring>

// IEEE binary16 and bfloat16 as storage: arithmetic happens in the twin's operations, which convert
// to fp32, compute and round to nearest even. Global names, as in the vendor's compiler.
struct half {
  uint16_t bits;
  half() = default;
  half(float value);  // also what `half h = 0` does
  explicit operator float() const;
};

struct bfloat16_t {
  uint16_t bits;
  bfloat16_t() = default;
  bfloat16_t(float value);
  explicit operator float() const;
};

// HiFloat8, of 3510: storage alone, which conversions make and read (api/hif8.h).
struct hifloat8_t {
  uint8_t bits;
};

namespace normgrad::twin {

enum class Dtype : uint8_t {
  kF32,
  kF16,
  kBf16,
  kI8,
  kU8,
  kI16,
  kU16,
  kI32,
  kU32,
  kI64,
  kU64,
  kHif8,
};
constexpr int kDtypes = 12;

inline const char* NameOf(Dtype dtype) {
  static const char* const kNames[] = {"float",    "half",    "bfloat16_t", "int8_t",
                                       "uint8_t",  "int16_t", "uint16_t",   "int32_t",
                                       "uint32_t", "int64_t", "uint64_t",   "hifloat8_t"};
  return kNames[static_cast<int>(dtype)];
}

template <typename T>
struct DtypeOfImpl;
#define NORMGRAD_DTYPE(type, value)               \
  template <>                                     \
  struct DtypeOfImpl<type> {                      \
    static constexpr Dtype kValue = Dtype::value; \
  }
NORMGRAD_DTYPE(float, kF32);
NORMGRAD_DTYPE(half, kF16);
NORMGRAD_DTYPE(bfloat16_t, kBf16);
NORMGRAD_DTYPE(int8_t, kI8);
NORMGRAD_DTYPE(uint8_t, kU8);
NORMGRAD_DTYPE(int16_t, kI16);
NORMGRAD_DTYPE(uint16_t, kU16);
NORMGRAD_DTYPE(int32_t, kI32);
NORMGRAD_DTYPE(uint32_t, kU32);
NORMGRAD_DTYPE(int64_t, kI64);
NORMGRAD_DTYPE(uint64_t, kU64);
NORMGRAD_DTYPE(hifloat8_t, kHif8);
#undef NORMGRAD_DTYPE

template <typename T>
constexpr Dtype kDtypeOf = DtypeOfImpl<T>::kValue;

inline float FloatFromBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

inline uint32_t BitsFromFloat(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

// Round to nearest, ties to even; a NaN stays a (quiet) NaN; overflow gives Inf.
inline uint16_t Bf16FromFloat(float value) {
  const uint32_t bits = BitsFromFloat(value);
  const uint32_t rounded = (bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16;
  const uint32_t quiet_nan = (bits >> 16) | 0x40u;
  return static_cast<uint16_t>((bits & 0x7FFFFFFFu) > 0x7F800000u ? quiet_nan : rounded);
}

inline float FloatFromBf16(uint16_t bits) {
  return FloatFromBits(static_cast<uint32_t>(bits) << 16);
}

// Branch-free, so that loops over it vectorise. 2^112 moves the exponent's bias from 15 to 127 and
// normalises subnormals on the way; values whose exponent field was 31 are lifted to Inf or NaN.
inline float FloatFromHalf(uint16_t bits) {
  const uint32_t magnitude = static_cast<uint32_t>(bits & 0x7FFFu) << 13;
  const float scaled = FloatFromBits(magnitude) * FloatFromBits(0x77800000u);
  const uint32_t special = magnitude >= 0x0F800000u ? 0x7F800000u : 0u;
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
  return FloatFromBits(BitsFromFloat(scaled) | special | sign);
}

// Round to nearest, ties to even, also into subnormals; from 65520 up Inf; NaN stays NaN.
inline uint16_t HalfFromFloat(float value) {
  const uint32_t bits = BitsFromFloat(value);
  const uint32_t sign = (bits >> 16) & 0x8000u;
  const uint32_t magnitude = bits & 0x7FFFFFFFu;
  // Normal results: rebias by subtraction after adding half an ulp (0xFFF plus the kept bit).
  const uint32_t normal = (magnitude - 0x38000000u + 0xFFFu + ((magnitude >> 13) & 1u)) >> 13;
  // Subnormal results: adding 0.5 puts the unit of 2^-24 at the last mantissa bit and rounds there.
  const uint32_t subnormal = BitsFromFloat(FloatFromBits(magnitude) + 0.5f) - 0x3F000000u;
  uint32_t result = magnitude < 0x38800000u ? subnormal : normal;
  result = magnitude >= 0x477FF000u ? 0x7C00u : result;
  result = magnitude > 0x7F800000u ? 0x7E00u | ((magnitude >> 13) & 0x3FFu) : result;
  return static_cast<uint16_t>(result | sign);
}

}  // namespace normgrad::twin

inline half::half(float value) : bits(normgrad::twin::HalfFromFloat(value)) {}
inline half::operator float() const { return normgrad::twin::FloatFromHalf(bits); }
inline bfloat16_t::bfloat16_t(float value) : bits(normgrad::twin::Bf16FromFloat(value)) {}
inline bfloat16_t::operator float() const { return normgrad::twin::FloatFromBf16(bits); }

#endif  // NORMGRAD_TWIN_MACHINE_DTYPE_H_
