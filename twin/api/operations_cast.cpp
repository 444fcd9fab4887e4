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
#define NORMGRAD_ROUNDING_AS(clones, D, S)                                       \
  clones void D##From##S(void* d, const void* s, size_t count, RoundMode mode) { \
    switch (mode) {                                                              \
      case RoundMode::CAST_FLOOR:                                                \
        return ConvertLoop<RoundMode::CAST_FLOOR, D, S>(d, s, count);            \
      case RoundMode::CAST_CEIL:                                                 \
        return ConvertLoop<RoundMode::CAST_CEIL, D, S>(d, s, count);             \
      case RoundMode::CAST_ROUND:                                                \
        return ConvertLoop<RoundMode::CAST_ROUND, D, S>(d, s, count);            \
      case RoundMode::CAST_TRUNC:                                                \
        return ConvertLoop<RoundMode::CAST_TRUNC, D, S>(d, s, count);            \
      default:                                                                   \
        return ConvertLoop<RoundMode::CAST_RINT, D, S>(d, s, count);             \
    }                                                                            \
  }
#define NORMGRAD_EXACT_AS(clones, D, S)                                     \
  clones void D##From##S(void* d, const void* s, size_t count, RoundMode) { \
    ConvertLoop<RoundMode::CAST_RINT, D, S>(d, s, count);                   \
  }
#define NORMGRAD_ROUNDING(D, S) NORMGRAD_ROUNDING_AS(NORMGRAD_CLONES, D, S)
#define NORMGRAD_EXACT(D, S) NORMGRAD_EXACT_AS(NORMGRAD_CLONES, D, S)
// Those that few kernels use need no clones.
#define NORMGRAD_RARE_ROUNDING(D, S) NORMGRAD_ROUNDING_AS(, D, S)
#define NORMGRAD_RARE(D, S) NORMGRAD_EXACT_AS(, D, S)

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

// What came with 3510.
NORMGRAD_RARE(F16, Hif8)
NORMGRAD_RARE(F32, Hif8)
NORMGRAD_RARE(I16, I8)
NORMGRAD_RARE(I32, I8)
NORMGRAD_RARE(U16, U8)
NORMGRAD_RARE(U32, U8)
NORMGRAD_RARE(I32, I16)
NORMGRAD_RARE(U32, I16)
NORMGRAD_RARE(U32, U16)
NORMGRAD_RARE(U8, I16)
NORMGRAD_RARE(U8, U16)
NORMGRAD_RARE(U8, I32)
NORMGRAD_RARE(U16, I32)
NORMGRAD_RARE(U8, U32)
NORMGRAD_RARE(I16, U32)
NORMGRAD_RARE(U16, U32)
NORMGRAD_RARE_ROUNDING(F16, Bf16)
NORMGRAD_RARE_ROUNDING(Bf16, F16)

// Saturating.
NORMGRAD_RARE_ROUNDING(F16Saturating, Bf16)
NORMGRAD_RARE_ROUNDING(Bf16Saturating, F16)
NORMGRAD_RARE_ROUNDING(Bf16Saturating, F32)

// Integers of which the low bits stay.
using LowI8 = LowBits<int8_t>;
using LowU8 = LowBits<uint8_t>;
using LowI16 = LowBits<int16_t>;
using LowU16 = LowBits<uint16_t>;
using LowI32 = LowBits<int32_t>;
using LowI64 = LowBits<int64_t>;
NORMGRAD_RARE_ROUNDING(LowI8, F16)
NORMGRAD_RARE_ROUNDING(LowU8, F16)
NORMGRAD_RARE_ROUNDING(LowI16, F16)
NORMGRAD_RARE_ROUNDING(LowI32, Bf16)
NORMGRAD_RARE_ROUNDING(LowI16, F32)
NORMGRAD_RARE_ROUNDING(LowI32, F32)
NORMGRAD_RARE_ROUNDING(LowI64, F32)
NORMGRAD_RARE(LowU8, I16)
NORMGRAD_RARE(LowU8, U16)
NORMGRAD_RARE(LowU8, I32)
NORMGRAD_RARE(LowI16, I32)
NORMGRAD_RARE(LowU16, I32)
NORMGRAD_RARE(LowU8, U32)
NORMGRAD_RARE(LowI16, U32)
NORMGRAD_RARE(LowU16, U32)
NORMGRAD_RARE(LowI32, I64)

NORMGRAD_CLONES void OddFromF32(void* d, const void* s, size_t count, RoundMode) {
  ConvertLoop<RoundMode::CAST_ODD, F16, F32>(d, s, count);
}
NORMGRAD_CLONES void OddSaturatingFromF32(void* d, const void* s, size_t count, RoundMode) {
  ConvertLoop<RoundMode::CAST_ODD, F16Saturating, F32>(d, s, count);
}

template <typename D, typename S>
void ToHif8(void* d, const void* s, size_t count, RoundMode mode) {
  if (mode == RoundMode::CAST_HYBRID) {
    ConvertLoop<RoundMode::CAST_HYBRID, D, S>(d, s, count);
  } else {
    ConvertLoop<RoundMode::CAST_ROUND, D, S>(d, s, count);
  }
}

// `limited` saturates where floats are made, and keeps low bits where integers are.
struct Conversion {
  CastFn plain;
  CastFn limited;
};

class Conversions {
 public:
  Conversions() {
#define NORMGRAD_ONE(D, S) At(Dtype::k##D, Dtype::k##S) = {D##From##S, D##From##S}
#define NORMGRAD_TWO(D, S, Limited) At(Dtype::k##D, Dtype::k##S) = {D##From##S, Limited##From##S}
    NORMGRAD_ONE(F32, F16);
    NORMGRAD_ONE(F32, Bf16);
    NORMGRAD_ONE(F32, I16);
    NORMGRAD_ONE(F32, I32);
    NORMGRAD_ONE(F32, I64);
    NORMGRAD_ONE(F32, F32);
    NORMGRAD_ONE(F32, Hif8);
    NORMGRAD_ONE(F16, Hif8);
    NORMGRAD_ONE(F16, I8);
    NORMGRAD_ONE(F16, U8);
    NORMGRAD_ONE(F16, I16);
    NORMGRAD_ONE(I32, F16);
    NORMGRAD_ONE(I16, I8);
    NORMGRAD_ONE(I32, I8);
    NORMGRAD_ONE(U16, U8);
    NORMGRAD_ONE(U32, U8);
    NORMGRAD_ONE(I32, I16);
    NORMGRAD_ONE(U32, I16);
    NORMGRAD_ONE(U32, U16);
    NORMGRAD_ONE(I64, I32);
    NORMGRAD_TWO(F16, F32, F16Saturating);
    NORMGRAD_TWO(F16, Bf16, F16Saturating);
    NORMGRAD_TWO(Bf16, F32, Bf16Saturating);
    NORMGRAD_TWO(Bf16, F16, Bf16Saturating);
    NORMGRAD_TWO(I8, F16, LowI8);
    NORMGRAD_TWO(U8, F16, LowU8);
    NORMGRAD_TWO(I16, F16, LowI16);
    NORMGRAD_TWO(I32, Bf16, LowI32);
    NORMGRAD_TWO(I16, F32, LowI16);
    NORMGRAD_TWO(I32, F32, LowI32);
    NORMGRAD_TWO(I64, F32, LowI64);
    NORMGRAD_TWO(U8, I16, LowU8);
    NORMGRAD_TWO(U8, U16, LowU8);
    NORMGRAD_TWO(U8, I32, LowU8);
    NORMGRAD_TWO(I16, I32, LowI16);
    NORMGRAD_TWO(U16, I32, LowU16);
    NORMGRAD_TWO(U8, U32, LowU8);
    NORMGRAD_TWO(I16, U32, LowI16);
    NORMGRAD_TWO(U16, U32, LowU16);
    NORMGRAD_TWO(I32, I64, LowI32);
#undef NORMGRAD_ONE
#undef NORMGRAD_TWO
    At(Dtype::kHif8, Dtype::kF32) = {ToHif8<Hif8, F32>, ToHif8<Hif8Saturating, F32>};
    At(Dtype::kHif8, Dtype::kF16) = {ToHif8<Hif8, F16>, ToHif8<Hif8Saturating, F16>};
  }

  const Conversion& Of(Dtype dst, Dtype src) const {
    return conversions_[static_cast<int>(dst)][static_cast<int>(src)];
  }

 private:
  Conversion& At(Dtype dst, Dtype src) {
    return conversions_[static_cast<int>(dst)][static_cast<int>(src)];
  }

  Conversion conversions_[kDtypes][kDtypes] = {};
};

}  // namespace

CastFn CastOperation(Dtype dst, Dtype src, RoundMode mode, CastLimits limits) {
  static const Conversions conversions;
  const bool to_float =
      dst == Dtype::kF32 || dst == Dtype::kF16 || dst == Dtype::kBf16 || dst == Dtype::kHif8;
  const bool limited = to_float ? limits.floats_saturate : limits.integers_truncate;
  if (mode == RoundMode::CAST_ODD && dst == Dtype::kF16 && src == Dtype::kF32) {
    return limited ? OddSaturatingFromF32 : OddFromF32;
  }
  const Conversion& found = conversions.Of(dst, src);
  return limited ? found.limited : found.plain;
}

}  // namespace normgrad::twin
