// Comparisons that yield one bit per element, and the choice by such bits.
#ifndef NORMGRAD_TWIN_API_COMPARE_H_
#define NORMGRAD_TWIN_API_COMPARE_H_

#include <cstdint>

#include "twin/api/vector_calls.h"
#include "twin/rules/dtypes.h"

namespace AscendC {

// `count` elements must fill whole 256 B repeats.
template <typename T, typename U>
inline void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0,
                    const LocalTensor<T>& src1, CMPMODE mode, uint32_t count, NORMGRAD_SITE) {
  NORMGRAD_DTYPE_RULE(Compare, T);
  static_assert(sizeof(U) == 1, "AscendC::Compare writes its bits to int8_t or uint8_t");
  namespace twin = normgrad::twin;
  twin::VectorCompare(twin::kDtypeOf<T>, dst.Operand(), src0.Operand(), src1.Operand(), mode,
                      twin::LaneSpec::FirstN(static_cast<int32_t>(count)), {}, site);
}

template <typename T, typename U, bool is_set_mask = true>
inline void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0,
                    const LocalTensor<T>& src1, CMPMODE mode, const uint64_t mask, uint8_t repeats,
                    const BinaryRepeatParams& strides, NORMGRAD_SITE) {
  NORMGRAD_DTYPE_RULE(Compare, T);
  static_assert(sizeof(U) == 1, "AscendC::Compare writes its bits to int8_t or uint8_t");
  namespace twin = normgrad::twin;
  twin::VectorCompare(twin::kDtypeOf<T>, dst.Operand(), src0.Operand(), src1.Operand(), mode,
                      twin::LaneSpec::Count(mask, repeats, is_set_mask), strides, site);
}

// Into the compare register, for Select<T, SELMODE::VSEL_CMPMASK_SPR>.
template <typename T, bool is_set_mask = true>
inline void Compare(const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE mode,
                    const uint64_t mask, const BinaryRepeatParams& strides, NORMGRAD_SITE) {
  NORMGRAD_DTYPE_RULE(Compare, T);
  namespace twin = normgrad::twin;
  twin::VectorCompareToRegister(twin::kDtypeOf<T>, src0.Operand(), src1.Operand(), mode,
                                twin::LaneSpec::Count(mask, 1, is_set_mask), strides, site);
}

template <typename T>
inline void SetCmpMask(const LocalTensor<T>& src, NORMGRAD_SITE) {
  NORMGRAD_API_RULE(CompareScalar, T);
  normgrad::twin::SetCompareRegister(src.Operand(), site);
}
template <typename T>
inline void GetCmpMask(const LocalTensor<T>& dst, NORMGRAD_SITE) {
  NORMGRAD_API_RULE(CompareScalar, T);
  normgrad::twin::GetCompareRegister(dst.Operand(), site);
}

#define NORMGRAD_COMPARE_SCALAR_API(name)                                                        \
  template <typename T, typename U>                                                              \
  inline void name(const LocalTensor<U>& dst, const LocalTensor<T>& src, const T scalar,         \
                   CMPMODE mode, uint32_t count, NORMGRAD_SITE) {                                \
    NORMGRAD_DTYPE_RULE(CompareScalar, T);                                                       \
    namespace twin = normgrad::twin;                                                             \
    twin::VectorCompareScalar(twin::kDtypeOf<T>, dst.Operand(), src.Operand(), &scalar, mode,    \
                              twin::LaneSpec::FirstN(static_cast<int32_t>(count)), {}, site);    \
  }                                                                                              \
  template <typename T, typename U, bool is_set_mask = true>                                     \
  inline void name(const LocalTensor<U>& dst, const LocalTensor<T>& src, const T scalar,         \
                   CMPMODE mode, const uint64_t mask, uint8_t repeats,                           \
                   const UnaryRepeatParams& strides, NORMGRAD_SITE) {                            \
    NORMGRAD_DTYPE_RULE(CompareScalar, T);                                                       \
    namespace twin = normgrad::twin;                                                             \
    twin::VectorCompareScalar(twin::kDtypeOf<T>, dst.Operand(), src.Operand(), &scalar, mode,    \
                              twin::LaneSpec::Count(mask, repeats, is_set_mask), strides, site); \
  }
NORMGRAD_COMPARE_SCALAR_API(CompareScalar)
NORMGRAD_COMPARE_SCALAR_API(Compares)  // its newer name
#undef NORMGRAD_COMPARE_SCALAR_API

#define NORMGRAD_SELECT_FORM(form, lane_spec, strides)                                           \
  template <typename T, typename U, bool is_set_mask = true>                                     \
  inline void Select(const LocalTensor<T>& dst, const LocalTensor<U>& mask_bits,                 \
                     const LocalTensor<T>& src0, const LocalTensor<T>& src1, SELMODE mode, form, \
                     NORMGRAD_SITE) {                                                            \
    NORMGRAD_DTYPE_RULE(Select, T);                                                              \
    namespace twin = normgrad::twin;                                                             \
    twin::VectorSelect(twin::kDtypeOf<T>, dst.Operand(), mask_bits.Operand(), src0.Operand(),    \
                       src1.Operand(), mode, lane_spec, strides, site);                          \
  }                                                                                              \
  template <typename T, typename U, bool is_set_mask = true>                                     \
  inline void Select(const LocalTensor<T>& dst, const LocalTensor<U>& mask_bits,                 \
                     const LocalTensor<T>& src0, T src1, SELMODE mode, form, NORMGRAD_SITE) {    \
    NORMGRAD_DTYPE_RULE(Select, T);                                                              \
    namespace twin = normgrad::twin;                                                             \
    twin::VectorSelectScalar(twin::kDtypeOf<T>, dst.Operand(), mask_bits.Operand(),              \
                             src0.Operand(), &src1, mode, lane_spec, strides, site);             \
  }
#define NORMGRAD_COMMA ,
NORMGRAD_SELECT_FORM(uint32_t count, twin::LaneSpec::FirstN(static_cast<int32_t>(count)),
                     BinaryRepeatParams())
NORMGRAD_SELECT_FORM(uint64_t mask NORMGRAD_COMMA uint8_t repeats
                         NORMGRAD_COMMA const BinaryRepeatParams& strides,
                     twin::LaneSpec::Count(mask, repeats, is_set_mask), strides)
NORMGRAD_SELECT_FORM(uint64_t mask[] NORMGRAD_COMMA uint8_t repeats
                         NORMGRAD_COMMA const BinaryRepeatParams& strides,
                     twin::LaneSpec::Bits(mask, repeats, is_set_mask, sizeof(T) < 4), strides)
#undef NORMGRAD_COMMA
#undef NORMGRAD_SELECT_FORM

// By the compare register, under the mask register.
template <typename T, SELMODE mode>
inline void Select(const LocalTensor<T>& dst, const LocalTensor<T>& src0,
                   const LocalTensor<T>& src1, uint8_t repeats, const BinaryRepeatParams& strides,
                   NORMGRAD_SITE) {
  NORMGRAD_DTYPE_RULE(Select, T);
  static_assert(mode == SELMODE::VSEL_CMPMASK_SPR,
                "AscendC::Select without a mask tensor takes VSEL_CMPMASK_SPR here");
  namespace twin = normgrad::twin;
  twin::VectorSelectByRegister(twin::kDtypeOf<T>, dst.Operand(), src0.Operand(), src1.Operand(),
                               repeats, strides, site);
}

}  // namespace AscendC

#endif  // NORMGRAD_TWIN_API_COMPARE_H_
