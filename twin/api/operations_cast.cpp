// Cast: every documented pair of types, in every round mode. Which modes a chip has for a pair is
// decided before, by rules/cast_table.h.
#include "twin/api/operations.h"
#include "twin/api/rounding.h"

namespace normgrad::twin {
namespace {

template <RoundMode kMode, typename D, typename S>
NORMGRAD_INLINE void ConvertLoop(void* dst, const void* src, size_t count) {
  auto* d = static_cast<typename D::Storage*>(dst);
  const auto* s = static_cast<const typename S::Storage*>(src);
  NORMGRAD_ELEMENTWISE
  for (size_t i = 0; i < count; ++i) d[i] = Converted<kMode, D, S>(s[i]);
}

// Conversions that round: one loop per mode in each clone.
#define NORMGRAD_ROUNDING(D, S)                                                           \
  NORMGRAD_CLONES void D##From##S(void* d, const void* s, size_t count, RoundMode mode) { \
    switch (mode) {                                                                       \
      case RoundMode::CAST_FLOOR:                                                         \
        return ConvertLoop<RoundMode::CAST_FLOOR, D, S>(d, s, count);                     \
      case RoundMode::CAST_CEIL:                                                          \
        return ConvertLoop<RoundMode::CAST_CEIL, D, S>(d, s, count);                      \
      case RoundMode::CAST_ROUND:                                                         \
        return ConvertLoop<RoundMode::CAST_ROUND, D, S>(d, s, count);                     \
      case RoundMode::CAST_TRUNC:                                                         \
        return ConvertLoop<RoundMode::CAST_TRUNC, D, S>(d, s, count);                     \
      default:                                                                            \
        return ConvertLoop<RoundMode::CAST_RINT, D, S>(d, s, count);                      \
    }                                                                                     \
  }
#define NORMGRAD_EXACT(D, S)                                                         \
  NORMGRAD_CLONES void D##From##S(void* d, const void* s, size_t count, RoundMode) { \
    ConvertLoop<RoundMode::CAST_RINT, D, S>(d, s, count);                            \
  }

NORMGRAD_EXACT(F16, I8)
NORMGRAD_EXACT(F16, U8)
NORMGRAD_EXACT(F32, I16)
NORMGRAD_EXACT(F32, F16)
NORMGRAD_EXACT(F32, Bf16)
NORMGRAD_EXACT(I16, I32)
NORMGRAD_EXACT(I64, I32)
NORMGRAD_EXACT(I32, I64)
NORMGRAD_ROUNDING(F16, I16)
NORMGRAD_ROUNDING(I8, F16)
NORMGRAD_ROUNDING(U8, F16)
NORMGRAD_ROUNDING(I16, F16)
NORMGRAD_ROUNDING(I32, F16)
NORMGRAD_ROUNDING(I32, Bf16)
NORMGRAD_ROUNDING(F32, I32)
NORMGRAD_ROUNDING(F32, I64)
NORMGRAD_ROUNDING(I16, F32)
NORMGRAD_ROUNDING(I32, F32)
NORMGRAD_ROUNDING(I64, F32)
NORMGRAD_ROUNDING(F32, F32)
NORMGRAD_ROUNDING(F16, F32)
NORMGRAD_ROUNDING(F16Saturating, F32)
NORMGRAD_ROUNDING(Bf16, F32)

NORMGRAD_CLONES void OddFromF32(void* d, const void* s, size_t count, RoundMode) {
  ConvertLoop<RoundMode::CAST_ODD, F16, F32>(d, s, count);
}
NORMGRAD_CLONES void OddSaturatingFromF32(void* d, const void* s, size_t count, RoundMode) {
  ConvertLoop<RoundMode::CAST_ODD, F16Saturating, F32>(d, s, count);
}

}  // namespace

#define NORMGRAD_CASE(D, S) \
  if (dst == Dtype::k##D && src == Dtype::k##S) return D##From##S

CastFn CastOperation(Dtype dst, Dtype src, RoundMode mode, bool saturates) {
  if (dst == Dtype::kF16 && src == Dtype::kF32) {
    if (mode == RoundMode::CAST_ODD) return saturates ? OddSaturatingFromF32 : OddFromF32;
    return saturates ? F16SaturatingFromF32 : F16FromF32;
  }
  NORMGRAD_CASE(F32, F16);
  NORMGRAD_CASE(F32, Bf16);
  NORMGRAD_CASE(Bf16, F32);
  NORMGRAD_CASE(F16, I8);
  NORMGRAD_CASE(F16, U8);
  NORMGRAD_CASE(F16, I16);
  NORMGRAD_CASE(F32, I16);
  NORMGRAD_CASE(F32, I32);
  NORMGRAD_CASE(F32, I64);
  NORMGRAD_CASE(F32, F32);
  NORMGRAD_CASE(I8, F16);
  NORMGRAD_CASE(U8, F16);
  NORMGRAD_CASE(I16, F16);
  NORMGRAD_CASE(I32, F16);
  NORMGRAD_CASE(I32, Bf16);
  NORMGRAD_CASE(I16, F32);
  NORMGRAD_CASE(I32, F32);
  NORMGRAD_CASE(I64, F32);
  NORMGRAD_CASE(I16, I32);
  NORMGRAD_CASE(I64, I32);
  NORMGRAD_CASE(I32, I64);
  return nullptr;
}

}  // namespace normgrad::twin
