// Vector arithmetic of the memory-based API: binary, with a scalar, casts, fills, broadcasts,
// reductions. Templates here only translate; the work is done in the prebuilt library.
#ifndef NORMGRAD_TWIN_API_VECTOR_H_
#define NORMGRAD_TWIN_API_VECTOR_H_

#include <cstdint>

#include "twin/api/vector_calls.h"
#include "twin/rules/dtypes.h"

namespace AscendC {

#define NORMGRAD_BINARY_API(name)                                                                 \
  template <typename T>                                                                           \
  inline void name(const LocalTensor<T>& dst, const LocalTensor<T>& src0,                         \
                   const LocalTensor<T>& src1, const int32_t& count, NORMGRAD_SITE) {             \
    NORMGRAD_DTYPE_RULE(name, T);                                                                 \
    namespace twin = normgrad::twin;                                                              \
    twin::VectorBinary(twin::Api::k##name, twin::kDtypeOf<T>, dst.Operand(), src0.Operand(),      \
                       src1.Operand(), twin::Lanes::FirstN(count, sizeof(T)), {}, site);          \
  }                                                                                               \
  template <typename T, bool is_set_mask = true>                                                  \
  inline void name(const LocalTensor<T>& dst, const LocalTensor<T>& src0,                         \
                   const LocalTensor<T>& src1, uint64_t mask, const uint8_t repeat_time,          \
                   const BinaryRepeatParams& repeat_params, NORMGRAD_SITE) {                      \
    NORMGRAD_DTYPE_RULE(name, T);                                                                 \
    namespace twin = normgrad::twin;                                                              \
    twin::VectorBinary(twin::Api::k##name, twin::kDtypeOf<T>, dst.Operand(), src0.Operand(),      \
                       src1.Operand(), twin::Lanes::Masked(mask, repeat_time, sizeof(T)),         \
                       repeat_params, site);                                                      \
  }                                                                                               \
  template <typename T, bool is_set_mask = true>                                                  \
  inline void name(const LocalTensor<T>& dst, const LocalTensor<T>& src0,                         \
                   const LocalTensor<T>& src1, uint64_t mask[], const uint8_t repeat_time,        \
                   const BinaryRepeatParams& repeat_params, NORMGRAD_SITE) {                      \
    NORMGRAD_DTYPE_RULE(name, T);                                                                 \
    namespace twin = normgrad::twin;                                                              \
    twin::VectorBinary(twin::Api::k##name, twin::kDtypeOf<T>, dst.Operand(), src0.Operand(),      \
                       src1.Operand(), twin::Lanes::Bits(mask, repeat_time, sizeof(T)),           \
                       repeat_params, site);                                                      \
  }
NORMGRAD_BINARY_API(Add)
NORMGRAD_BINARY_API(Sub)
NORMGRAD_BINARY_API(Mul)
NORMGRAD_BINARY_API(MulAddDst)
#undef NORMGRAD_BINARY_API

#define NORMGRAD_SCALAR_API(name)                                                                 \
  template <typename T, bool is_set_mask = true>                                                  \
  inline void name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalar,         \
                   const int32_t& count, NORMGRAD_SITE) {                                         \
    NORMGRAD_DTYPE_RULE(name, T);                                                                 \
    namespace twin = normgrad::twin;                                                              \
    twin::VectorScalar(twin::Api::k##name, twin::kDtypeOf<T>, dst.Operand(), src.Operand(),       \
                       static_cast<float>(scalar), twin::Lanes::FirstN(count, sizeof(T)), {},     \
                       site);                                                                     \
  }                                                                                               \
  template <typename T, bool is_set_mask = true>                                                  \
  inline void name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalar,         \
                   uint64_t mask, const uint8_t repeat_time,                                      \
                   const UnaryRepeatParams& repeat_params, NORMGRAD_SITE) {                       \
    NORMGRAD_DTYPE_RULE(name, T);                                                                 \
    namespace twin = normgrad::twin;                                                              \
    twin::VectorScalar(twin::Api::k##name, twin::kDtypeOf<T>, dst.Operand(), src.Operand(),       \
                       static_cast<float>(scalar),                                                \
                       twin::Lanes::Masked(mask, repeat_time, sizeof(T)), repeat_params, site);   \
  }
NORMGRAD_SCALAR_API(Adds)
NORMGRAD_SCALAR_API(Muls)
#undef NORMGRAD_SCALAR_API

template <typename T1, typename T2>
inline void Cast(const LocalTensor<T1>& dst, const LocalTensor<T2>& src, const RoundMode& mode,
                 const uint32_t count, NORMGRAD_SITE) {
  NORMGRAD_CAST_RULE(T1, T2);
  namespace twin = normgrad::twin;
  constexpr uint32_t kWide = sizeof(T1) > sizeof(T2) ? sizeof(T1) : sizeof(T2);
  twin::VectorCast(twin::kDtypeOf<T1>, twin::kDtypeOf<T2>, dst.Operand(), src.Operand(), mode,
                   twin::Lanes::FirstN(static_cast<int32_t>(count), kWide), {}, site);
}

template <typename T1, typename T2, bool is_set_mask = true>
inline void Cast(const LocalTensor<T1>& dst, const LocalTensor<T2>& src, const RoundMode& mode,
                 const uint64_t mask, const uint8_t repeat_time,
                 const UnaryRepeatParams& repeat_params, NORMGRAD_SITE) {
  NORMGRAD_CAST_RULE(T1, T2);
  namespace twin = normgrad::twin;
  constexpr uint32_t kWide = sizeof(T1) > sizeof(T2) ? sizeof(T1) : sizeof(T2);
  twin::VectorCast(twin::kDtypeOf<T1>, twin::kDtypeOf<T2>, dst.Operand(), src.Operand(), mode,
                   twin::Lanes::Masked(mask, repeat_time, kWide), repeat_params, site);
}

template <typename T>
inline void Duplicate(const LocalTensor<T>& dst, const T& value, const int32_t& count,
                      NORMGRAD_SITE) {
  NORMGRAD_DTYPE_RULE(Duplicate, T);
  namespace twin = normgrad::twin;
  twin::VectorDuplicate(dst.Operand(), &value, twin::Lanes::FirstN(count, sizeof(T)), {1, 8}, site);
}

template <typename T, bool is_set_mask = true>
inline void Duplicate(const LocalTensor<T>& dst, const T& value, uint64_t mask,
                      const uint8_t repeat_time, const uint16_t dst_block_stride,
                      const uint8_t dst_repeat_stride, NORMGRAD_SITE) {
  NORMGRAD_DTYPE_RULE(Duplicate, T);
  namespace twin = normgrad::twin;
  twin::VectorDuplicate(dst.Operand(), &value, twin::Lanes::Masked(mask, repeat_time, sizeof(T)),
                        {dst_block_stride, dst_repeat_stride}, site);
}

template <typename T>
inline void Brcb(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint8_t repeat_time,
                 const BrcbRepeatParams& repeat_params, NORMGRAD_SITE) {
  NORMGRAD_DTYPE_RULE(Brcb, T);
  normgrad::twin::VectorBrcb(dst.Operand(), src.Operand(), sizeof(T), repeat_time, repeat_params,
                             site);
}

template <typename T, bool is_set_mask = true>
inline void WholeReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t mask,
                           const int32_t repeat_time, const int32_t dst_rep_stride,
                           const int32_t src_blk_stride, const int32_t src_rep_stride,
                           NORMGRAD_SITE) {
  NORMGRAD_DTYPE_RULE(WholeReduceSum, T);
  namespace twin = normgrad::twin;
  twin::VectorWholeReduceSum(
      twin::kDtypeOf<T>, dst.Operand(), src.Operand(),
      twin::Lanes::Masked(static_cast<uint64_t>(mask), static_cast<uint32_t>(repeat_time),
                          sizeof(T)),
      static_cast<uint32_t>(dst_rep_stride),
      {static_cast<uint32_t>(src_blk_stride), static_cast<uint32_t>(src_rep_stride)}, site);
}

}  // namespace AscendC

#endif  // NORMGRAD_TWIN_API_VECTOR_H_
