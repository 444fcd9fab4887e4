// The tree of a sum, and comparisons that yield bits.
#include <algorithm>
#include <cstring>

#include "twin/api/formats.h"
#include "twin/api/operations.h"

namespace normgrad::twin {
namespace {

// Halves an array by adding neighbours: the gather of even and odd elements vectorises. An element
// is written once both that made it have been read, and is read by none that comes later.
template <typename F>
NORMGRAD_INLINE void TreeLoop(void* values, size_t lanes, size_t sums) {
  auto* v = static_cast<typename F::Storage*>(values);
  for (size_t half = lanes / 2; half >= sums; half /= 2) {
    NORMGRAD_ELEMENTWISE
    for (size_t i = 0; i < half; ++i) v[i] = F::Store(F::Load(v[2 * i]) + F::Load(v[2 * i + 1]));
  }
}

NORMGRAD_CLONES void TreeF32(void* v, size_t lanes, size_t sums) { TreeLoop<F32>(v, lanes, sums); }
NORMGRAD_CLONES void TreeF16(void* v, size_t lanes, size_t sums) { TreeLoop<F16>(v, lanes, sums); }
NORMGRAD_CLONES void TreeF16Saturating(void* v, size_t lanes, size_t sums) {
  TreeLoop<F16Saturating>(v, lanes, sums);
}

template <AscendC::CMPMODE kMode, typename V>
NORMGRAD_INLINE bool Holds(V a, V b) {
  using AscendC::CMPMODE;
  if constexpr (kMode == CMPMODE::LT) return a < b;
  if constexpr (kMode == CMPMODE::GT) return a > b;
  if constexpr (kMode == CMPMODE::EQ) return a == b;
  if constexpr (kMode == CMPMODE::LE) return a <= b;
  if constexpr (kMode == CMPMODE::GE) return a >= b;
  if constexpr (kMode == CMPMODE::NE) return a != b;
}

// First a byte per element, which vectorises; then the multiplication moves the lowest bits of
// eight bytes side by side.
template <typename F, AscendC::CMPMODE kMode, bool kScalar>
NORMGRAD_INLINE void CompareLoop(uint8_t* dst, const void* lhs, const void* rhs, size_t count) {
  const auto* a = static_cast<const typename F::Storage*>(lhs);
  const auto* b = static_cast<const typename F::Storage*>(rhs);
  constexpr size_t kStep = 128;
  for (size_t at = 0; at < count; at += kStep) {
    const size_t n = std::min(kStep, count - at);
    uint8_t holds[kStep];
    for (size_t i = 0; i < n; ++i) {
      holds[i] = Holds<kMode>(F::Load(a[at + i]), F::Load(b[kScalar ? 0 : at + i])) ? 1 : 0;
    }
    for (size_t i = 0; i < n; i += 8) {
      uint8_t bits = 0;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
      uint64_t eight;
      std::memcpy(&eight, holds + i, sizeof eight);
      bits = static_cast<uint8_t>(eight * 0x0102040810204080u >> 56);
#else
      for (size_t bit = 0; bit < 8; ++bit) bits |= static_cast<uint8_t>(holds[i + bit] << bit);
#endif
      dst[(at + i) / 8] = bits;
    }
  }
}

template <typename F, bool kScalar>
NORMGRAD_INLINE void CompareAs(AscendC::CMPMODE mode, uint8_t* dst, const void* a, const void* b,
                               size_t count) {
  using AscendC::CMPMODE;
  switch (mode) {
    case CMPMODE::LT:
      return CompareLoop<F, CMPMODE::LT, kScalar>(dst, a, b, count);
    case CMPMODE::GT:
      return CompareLoop<F, CMPMODE::GT, kScalar>(dst, a, b, count);
    case CMPMODE::EQ:
      return CompareLoop<F, CMPMODE::EQ, kScalar>(dst, a, b, count);
    case CMPMODE::LE:
      return CompareLoop<F, CMPMODE::LE, kScalar>(dst, a, b, count);
    case CMPMODE::GE:
      return CompareLoop<F, CMPMODE::GE, kScalar>(dst, a, b, count);
    case CMPMODE::NE:
      return CompareLoop<F, CMPMODE::NE, kScalar>(dst, a, b, count);
  }
}

#define NORMGRAD_COMPARE(F)                                                           \
  NORMGRAD_CLONES void Compare##F(AscendC::CMPMODE mode, uint8_t* dst, const void* a, \
                                  const void* b, bool scalar, size_t count) {         \
    return scalar ? CompareAs<F, true>(mode, dst, a, b, count)                        \
                  : CompareAs<F, false>(mode, dst, a, b, count);                      \
  }
NORMGRAD_COMPARE(F32)
NORMGRAD_COMPARE(I32)
NORMGRAD_COMPARE(F16)

template <typename T, bool kScalar>
NORMGRAD_INLINE void SelectLoop(void* dst, const void* lhs, const void* rhs, const uint8_t* bits,
                                size_t count) {
  auto* d = static_cast<T*>(dst);
  const auto* a = static_cast<const T*>(lhs);
  const auto* b = static_cast<const T*>(rhs);
  NORMGRAD_ELEMENTWISE
  for (size_t i = 0; i < count; ++i) {
    const bool first = (bits[i / 8] >> (i % 8) & 1) != 0;
    const T other = b[kScalar ? 0 : i];
    d[i] = first ? a[i] : other;
  }
}

#define NORMGRAD_SELECT(name, T)                                                \
  NORMGRAD_CLONES void name(void* d, const void* a, const void* b, bool scalar, \
                            const uint8_t* bits, size_t count) {                \
    return scalar ? SelectLoop<T, true>(d, a, b, bits, count)                   \
                  : SelectLoop<T, false>(d, a, b, bits, count);                 \
  }
NORMGRAD_SELECT(Select16, uint16_t)
NORMGRAD_SELECT(Select32, uint32_t)

}  // namespace

TreeFn SumTree(Dtype dtype, bool saturates) {
  return ChooseFloat(dtype, saturates, TreeF32, TreeF16, TreeF16Saturating);
}

void CompareElements(Dtype dtype, AscendC::CMPMODE mode, uint8_t* dst, const void* a, const void* b,
                     bool scalar, size_t count) {
  if (dtype == Dtype::kF32) return CompareF32(mode, dst, a, b, scalar, count);
  if (dtype == Dtype::kI32) return CompareI32(mode, dst, a, b, scalar, count);
  CompareF16(mode, dst, a, b, scalar, count);
}

void SelectElements(uint32_t element_bytes, void* dst, const void* a, const void* b, bool scalar,
                    const uint8_t* bits, size_t count) {
  if (element_bytes == sizeof(uint16_t)) return Select16(dst, a, b, scalar, bits, count);
  Select32(dst, a, b, scalar, bits, count);
}

}  // namespace normgrad::twin
