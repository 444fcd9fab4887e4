// Conversions between element types.
#ifndef NORMGRAD_TWIN_API_CAST_H_
#define NORMGRAD_TWIN_API_CAST_H_

#include <cstdint>

#include "twin/api/vector_calls.h"
#include "twin/rules/dtypes.h"

namespace AscendC {

template <typename T, typename U>
inline void Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& mode,
                 const uint32_t count, NORMGRAD_SITE) {
  NORMGRAD_CAST_RULE(T, U);
  namespace twin = normgrad::twin;
  twin::VectorCast(twin::kDtypeOf<T>, twin::kDtypeOf<U>, dst.Operand(), src.Operand(), mode,
                   twin::LaneSpec::FirstN(static_cast<int32_t>(count)), {}, site);
}

// The mask is about the wider of the two types.
template <typename T, typename U, bool is_set_mask = true>
inline void Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& mode,
                 const uint64_t mask, const uint8_t repeats, const UnaryRepeatParams& strides,
                 NORMGRAD_SITE) {
  NORMGRAD_CAST_RULE(T, U);
  namespace twin = normgrad::twin;
  twin::VectorCast(twin::kDtypeOf<T>, twin::kDtypeOf<U>, dst.Operand(), src.Operand(), mode,
                   twin::LaneSpec::Count(mask, repeats, is_set_mask), strides, site);
}

template <typename T, typename U, bool is_set_mask = true>
inline void Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& mode,
                 const uint64_t mask[], const uint8_t repeats, const UnaryRepeatParams& strides,
                 NORMGRAD_SITE) {
  NORMGRAD_CAST_RULE(T, U);
  namespace twin = normgrad::twin;
  constexpr bool kTwoWords = sizeof(T) < 4 && sizeof(U) < 4;
  twin::VectorCast(twin::kDtypeOf<T>, twin::kDtypeOf<U>, dst.Operand(), src.Operand(), mode,
                   twin::LaneSpec::Bits(mask, repeats, is_set_mask, kTwoWords), strides, site);
}

}  // namespace AscendC

#endif  // NORMGRAD_TWIN_API_CAST_H_
