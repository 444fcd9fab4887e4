// Arithmetic with one or two sources, element by element. Templates here only translate; the work
// is done in the prebuilt library.
#ifndef NORMGRAD_TWIN_API_ARITHMETIC_H_
#define NORMGRAD_TWIN_API_ARITHMETIC_H_

#include <cstdint>
#include <type_traits>

#include "twin/api/vector_calls.h"
#include "twin/rules/dtypes.h"

namespace AscendC {

// Every API comes in three forms: the first n elements; repeats with a mask that counts lanes;
// repeats with a mask of one bit per lane.
#define NORMGRAD_BINARY_FORM(name, form, lane_spec, strides)                                 \
  template <typename T, bool is_set_mask = true>                                             \
  inline void name(const LocalTensor<T>& dst, const LocalTensor<T>& src0,                    \
                   const LocalTensor<T>& src1, form, NORMGRAD_SITE) {                        \
    NORMGRAD_DTYPE_RULE(name, T);                                                            \
    namespace twin = normgrad::twin;                                                         \
    twin::VectorBinary(twin::Api::k##name, twin::kDtypeOf<T>, dst.Operand(), src0.Operand(), \
                       src1.Operand(), lane_spec, strides, site);                            \
  }
#define NORMGRAD_COMMA ,
#define NORMGRAD_COUNT_FORM const int32_t& count
#define NORMGRAD_COUNT_SPEC twin::LaneSpec::FirstN(count, is_set_mask)
#define NORMGRAD_MASK_FORM(params) \
  uint64_t mask NORMGRAD_COMMA const uint8_t repeats NORMGRAD_COMMA const params& strides
#define NORMGRAD_MASK_SPEC twin::LaneSpec::Count(mask, repeats, is_set_mask)
#define NORMGRAD_BITS_FORM(params) \
  uint64_t mask[] NORMGRAD_COMMA const uint8_t repeats NORMGRAD_COMMA const params& strides
#define NORMGRAD_BITS_SPEC twin::LaneSpec::Bits(mask, repeats, is_set_mask, sizeof(T) < 4)

#define NORMGRAD_BINARY_API(name)                                                                 \
  NORMGRAD_BINARY_FORM(name, NORMGRAD_COUNT_FORM, NORMGRAD_COUNT_SPEC, BinaryRepeatParams())      \
  NORMGRAD_BINARY_FORM(name, NORMGRAD_MASK_FORM(BinaryRepeatParams), NORMGRAD_MASK_SPEC, strides) \
  NORMGRAD_BINARY_FORM(name, NORMGRAD_BITS_FORM(BinaryRepeatParams), NORMGRAD_BITS_SPEC, strides)
NORMGRAD_BINARY_API(Add)
NORMGRAD_BINARY_API(Sub)
NORMGRAD_BINARY_API(Mul)
NORMGRAD_BINARY_API(Div)
NORMGRAD_BINARY_API(Max)
NORMGRAD_BINARY_API(Min)
NORMGRAD_BINARY_API(And)
NORMGRAD_BINARY_API(Or)
NORMGRAD_BINARY_API(FusedMulAdd)
#undef NORMGRAD_BINARY_API

// Kernels pass these as function pointers, which have no room for the call's place. A call prefers
// the forms above: they are more specialised.
#define NORMGRAD_POINTER_API(name)                                                               \
  template <typename Tensor, bool is_set_mask = true>                                            \
  inline void name(const Tensor& dst, const Tensor& src0, const Tensor& src1, uint64_t mask,     \
                   const uint8_t repeats, const BinaryRepeatParams& strides) {                   \
    using T = typename Tensor::PrimType;                                                         \
    name<T, is_set_mask>(dst, src0, src1, mask, repeats, strides, normgrad::twin::Site::Here()); \
  }
NORMGRAD_POINTER_API(Add)
NORMGRAD_POINTER_API(Sub)
NORMGRAD_POINTER_API(Mul)
#undef NORMGRAD_POINTER_API
#undef NORMGRAD_BINARY_FORM

#define NORMGRAD_UNARY_FORM(name, form, lane_spec, strides)                                     \
  template <typename T, bool is_set_mask = true>                                                \
  inline void name(const LocalTensor<T>& dst, const LocalTensor<T>& src, form, NORMGRAD_SITE) { \
    NORMGRAD_DTYPE_RULE(name, T);                                                               \
    namespace twin = normgrad::twin;                                                            \
    twin::VectorUnary(twin::Api::k##name, twin::kDtypeOf<T>, dst.Operand(), src.Operand(),      \
                      lane_spec, strides, site);                                                \
  }
#define NORMGRAD_UNARY_API(name)                                                                \
  NORMGRAD_UNARY_FORM(name, NORMGRAD_COUNT_FORM, NORMGRAD_COUNT_SPEC, UnaryRepeatParams())      \
  NORMGRAD_UNARY_FORM(name, NORMGRAD_MASK_FORM(UnaryRepeatParams), NORMGRAD_MASK_SPEC, strides) \
  NORMGRAD_UNARY_FORM(name, NORMGRAD_BITS_FORM(UnaryRepeatParams), NORMGRAD_BITS_SPEC, strides)
NORMGRAD_UNARY_API(Abs)
NORMGRAD_UNARY_API(Exp)
NORMGRAD_UNARY_API(Ln)
NORMGRAD_UNARY_API(Sqrt)
NORMGRAD_UNARY_API(Rsqrt)
NORMGRAD_UNARY_API(Reciprocal)
NORMGRAD_UNARY_API(Relu)
NORMGRAD_UNARY_API(Not)
#undef NORMGRAD_UNARY_API
#undef NORMGRAD_UNARY_FORM

#define NORMGRAD_SCALAR_FORM(name, form, lane_spec, strides)                                    \
  template <typename T, bool is_set_mask = true>                                                \
  inline void name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalar, form, \
                   NORMGRAD_SITE) {                                                             \
    NORMGRAD_DTYPE_RULE(name, T);                                                               \
    namespace twin = normgrad::twin;                                                            \
    twin::VectorScalar(twin::Api::k##name, twin::kDtypeOf<T>, dst.Operand(), src.Operand(),     \
                       &scalar, lane_spec, strides, site);                                      \
  }
#define NORMGRAD_SCALAR_API(name)                                                                \
  NORMGRAD_SCALAR_FORM(name, NORMGRAD_COUNT_FORM, NORMGRAD_COUNT_SPEC, UnaryRepeatParams())      \
  NORMGRAD_SCALAR_FORM(name, NORMGRAD_MASK_FORM(UnaryRepeatParams), NORMGRAD_MASK_SPEC, strides) \
  NORMGRAD_SCALAR_FORM(name, NORMGRAD_BITS_FORM(UnaryRepeatParams), NORMGRAD_BITS_SPEC, strides)
NORMGRAD_SCALAR_API(Adds)
NORMGRAD_SCALAR_API(Muls)
NORMGRAD_SCALAR_API(Maxs)
NORMGRAD_SCALAR_API(Mins)
#undef NORMGRAD_SCALAR_API
#undef NORMGRAD_SCALAR_FORM

// dst += src0 x src1: all of one type, or half factors with a float sum.
#define NORMGRAD_MUL_ADD_FORM(form, lane_spec, strides)                                           \
  template <typename T, typename U, bool is_set_mask = true>                                      \
  inline void MulAddDst(const LocalTensor<T>& dst, const LocalTensor<U>& src0,                    \
                        const LocalTensor<U>& src1, form, NORMGRAD_SITE) {                        \
    NORMGRAD_DTYPE_RULE(MulAddDst, T);                                                            \
    namespace twin = normgrad::twin;                                                              \
    if constexpr (std::is_same_v<T, U>) {                                                         \
      twin::VectorBinary(twin::Api::kMulAddDst, twin::kDtypeOf<T>, dst.Operand(), src0.Operand(), \
                         src1.Operand(), lane_spec, strides, site);                               \
    } else {                                                                                      \
      static_assert(std::is_same_v<T, float> && std::is_same_v<U, half>,                          \
                    "AscendC::MulAddDst mixes half factors with a float sum only");               \
      twin::VectorMixedMulAddDst(dst.Operand(), src0.Operand(), src1.Operand(), lane_spec,        \
                                 strides, site);                                                  \
    }                                                                                             \
  }
NORMGRAD_MUL_ADD_FORM(NORMGRAD_COUNT_FORM, NORMGRAD_COUNT_SPEC, BinaryRepeatParams())
NORMGRAD_MUL_ADD_FORM(NORMGRAD_MASK_FORM(BinaryRepeatParams), NORMGRAD_MASK_SPEC, strides)
NORMGRAD_MUL_ADD_FORM(NORMGRAD_BITS_FORM(BinaryRepeatParams), NORMGRAD_BITS_SPEC, strides)
#undef NORMGRAD_MUL_ADD_FORM

// dst += src x scalar: all of one type, or a half product with a float sum.
#define NORMGRAD_AXPY_FORM(form, lane_spec, strides)                                            \
  template <typename T, typename U, bool is_set_mask = true>                                    \
  inline void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const U& scalar, form, \
                   NORMGRAD_SITE) {                                                             \
    NORMGRAD_DTYPE_RULE(Axpy, T);                                                               \
    namespace twin = normgrad::twin;                                                            \
    if constexpr (std::is_same_v<T, U>) {                                                       \
      twin::VectorScalar(twin::Api::kAxpy, twin::kDtypeOf<T>, dst.Operand(), src.Operand(),     \
                         &scalar, lane_spec, strides, site);                                    \
    } else {                                                                                    \
      static_assert(std::is_same_v<T, float> && std::is_same_v<U, half>,                        \
                    "AscendC::Axpy mixes a half product with a float sum only");                \
      twin::VectorMixedAxpy(dst.Operand(), src.Operand(), &scalar, lane_spec, strides, site);   \
    }                                                                                           \
  }
NORMGRAD_AXPY_FORM(NORMGRAD_COUNT_FORM, NORMGRAD_COUNT_SPEC, UnaryRepeatParams())
NORMGRAD_AXPY_FORM(NORMGRAD_MASK_FORM(UnaryRepeatParams), NORMGRAD_MASK_SPEC, strides)
NORMGRAD_AXPY_FORM(NORMGRAD_BITS_FORM(UnaryRepeatParams), NORMGRAD_BITS_SPEC, strides)
#undef NORMGRAD_AXPY_FORM
#undef NORMGRAD_COMMA
#undef NORMGRAD_COUNT_FORM
#undef NORMGRAD_COUNT_SPEC
#undef NORMGRAD_MASK_FORM
#undef NORMGRAD_MASK_SPEC
#undef NORMGRAD_BITS_FORM
#undef NORMGRAD_BITS_SPEC

}  // namespace AscendC

#endif  // NORMGRAD_TWIN_API_ARITHMETIC_H_
