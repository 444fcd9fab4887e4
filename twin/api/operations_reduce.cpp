// The tree of a sum, and comparisons that yield bits.
#include "twin/api/formats.h"
#include "twin/api/operations.h"

namespace normgrad::twin {
namespace {

// Halves an array by adding neighbours: the gather of even and odd elements vectorises.
template <typename F>
NORMGRAD_INLINE void TreeLoop(void* values, size_t lanes) {
  auto* v = static_cast<typename F::Storage*>(values);
  for (size_t half = lanes / 2; half > 0; half /= 2) {
    for (size_t i = 0; i < half; ++i) v[i] = F::Store(F::Load(v[2 * i]) + F::Load(v[2 * i + 1]));
  }
}

NORMGRAD_CLONES void TreeF32(void* v, size_t lanes) { TreeLoop<F32>(v, lanes); }
NORMGRAD_CLONES void TreeF16(void* v, size_t lanes) { TreeLoop<F16>(v, lanes); }
NORMGRAD_CLONES void TreeF16Saturating(void* v, size_t lanes) { TreeLoop<F16Saturating>(v, lanes); }

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

template <typename F, AscendC::CMPMODE kMode>
void CompareLoop(uint8_t* dst, const void* lhs, const void* rhs, size_t step, size_t count) {
  const auto* a = static_cast<const typename F::Storage*>(lhs);
  const auto* b = static_cast<const typename F::Storage*>(rhs);
  for (size_t i = 0; i < count; i += 8) {
    unsigned bits = 0;
    for (size_t bit = 0; bit < 8; ++bit) {
      const bool holds = Holds<kMode>(F::Load(a[i + bit]), F::Load(b[(i + bit) * step]));
      bits |= static_cast<unsigned>(holds) << bit;
    }
    dst[i / 8] = static_cast<uint8_t>(bits);
  }
}

template <typename F>
void CompareAs(AscendC::CMPMODE mode, uint8_t* dst, const void* a, const void* b, size_t step,
               size_t count) {
  using AscendC::CMPMODE;
  switch (mode) {
    case CMPMODE::LT:
      return CompareLoop<F, CMPMODE::LT>(dst, a, b, step, count);
    case CMPMODE::GT:
      return CompareLoop<F, CMPMODE::GT>(dst, a, b, step, count);
    case CMPMODE::EQ:
      return CompareLoop<F, CMPMODE::EQ>(dst, a, b, step, count);
    case CMPMODE::LE:
      return CompareLoop<F, CMPMODE::LE>(dst, a, b, step, count);
    case CMPMODE::GE:
      return CompareLoop<F, CMPMODE::GE>(dst, a, b, step, count);
    case CMPMODE::NE:
      return CompareLoop<F, CMPMODE::NE>(dst, a, b, step, count);
  }
}

}  // namespace

TreeFn SumTree(Dtype dtype, bool saturates) {
  return ChooseFloat(dtype, saturates, TreeF32, TreeF16, TreeF16Saturating);
}

void CompareElements(Dtype dtype, AscendC::CMPMODE mode, uint8_t* dst, const void* a, const void* b,
                     bool scalar, size_t count) {
  const size_t step = scalar ? 0 : 1;
  if (dtype == Dtype::kF32) return CompareAs<F32>(mode, dst, a, b, step, count);
  if (dtype == Dtype::kI32) return CompareAs<I32>(mode, dst, a, b, step, count);
  CompareAs<F16>(mode, dst, a, b, step, count);
}

}  // namespace normgrad::twin
