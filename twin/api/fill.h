// Fills, broadcasts, masked copies inside UB, transpositions, and the mask register.
#ifndef NORMGRAD_TWIN_API_FILL_H_
#define NORMGRAD_TWIN_API_FILL_H_

#include <cstdint>

#include "twin/api/vector_calls.h"
#include "twin/rules/dtypes.h"

namespace AscendC {

template <typename T>
inline void Duplicate(const LocalTensor<T>& dst, const T& value, const int32_t& count,
                      NORMGRAD_SITE) {
  NORMGRAD_DTYPE_RULE(Duplicate, T);
  namespace twin = normgrad::twin;
  twin::VectorDuplicate(twin::kDtypeOf<T>, dst.Operand(), &value, twin::LaneSpec::FirstN(count), 1,
                        8, site);
}

template <typename T, bool is_set_mask = true>
inline void Duplicate(const LocalTensor<T>& dst, const T& value, uint64_t mask,
                      const uint8_t repeats, const uint16_t dst_block_stride,
                      const uint8_t dst_repeat_stride, NORMGRAD_SITE) {
  NORMGRAD_DTYPE_RULE(Duplicate, T);
  namespace twin = normgrad::twin;
  twin::VectorDuplicate(twin::kDtypeOf<T>, dst.Operand(), &value,
                        twin::LaneSpec::Count(mask, repeats, is_set_mask), dst_block_stride,
                        dst_repeat_stride, site);
}

template <typename T, bool is_set_mask = true>
inline void Duplicate(const LocalTensor<T>& dst, const T& value, uint64_t mask[],
                      const uint8_t repeats, const uint16_t dst_block_stride,
                      const uint8_t dst_repeat_stride, NORMGRAD_SITE) {
  NORMGRAD_DTYPE_RULE(Duplicate, T);
  namespace twin = normgrad::twin;
  twin::VectorDuplicate(twin::kDtypeOf<T>, dst.Operand(), &value,
                        twin::LaneSpec::Bits(mask, repeats, is_set_mask, sizeof(T) < 4),
                        dst_block_stride, dst_repeat_stride, site);
}

template <typename T>
inline void Brcb(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint8_t repeats,
                 const BrcbRepeatParams& strides, NORMGRAD_SITE) {
  NORMGRAD_DTYPE_RULE(Brcb, T);
  namespace twin = normgrad::twin;
  twin::VectorBrcb(twin::kDtypeOf<T>, dst.Operand(), src.Operand(), repeats, strides, site);
}

template <typename T, bool is_set_mask = true>
inline void Copy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint64_t mask,
                 const uint8_t repeats, const CopyRepeatParams& strides, NORMGRAD_SITE) {
  NORMGRAD_DTYPE_RULE(Copy, T);
  namespace twin = normgrad::twin;
  twin::VectorCopy(twin::kDtypeOf<T>, dst.Operand(), src.Operand(),
                   twin::LaneSpec::Count(mask, repeats, is_set_mask), strides, site);
}

template <typename T, bool is_set_mask = true>
inline void Copy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint64_t mask[],
                 const uint8_t repeats, const CopyRepeatParams& strides, NORMGRAD_SITE) {
  NORMGRAD_DTYPE_RULE(Copy, T);
  namespace twin = normgrad::twin;
  twin::VectorCopy(twin::kDtypeOf<T>, dst.Operand(), src.Operand(),
                   twin::LaneSpec::Bits(mask, repeats, is_set_mask, sizeof(T) < 4), strides, site);
}

template <typename T>
inline void TransDataTo5HD(const LocalTensor<T> (&dst)[NCHW_CONV_ADDR_LIST_SIZE],
                           const LocalTensor<T> (&src)[NCHW_CONV_ADDR_LIST_SIZE],
                           const TransDataTo5HDParams& params, NORMGRAD_SITE) {
  NORMGRAD_DTYPE_RULE(TransDataTo5HD, T);
  namespace twin = normgrad::twin;
  twin::UbOperand to[NCHW_CONV_ADDR_LIST_SIZE];
  twin::UbOperand from[NCHW_CONV_ADDR_LIST_SIZE];
  for (int i = 0; i < NCHW_CONV_ADDR_LIST_SIZE; ++i) {
    to[i] = dst[i].Operand();
    from[i] = src[i].Operand();
  }
  twin::VectorTranspose(twin::kDtypeOf<T>, to, from, params, site);
}

// By addresses that GetPhyAddr gave.
template <typename T>
inline void TransDataTo5HD(uint64_t dst[NCHW_CONV_ADDR_LIST_SIZE],
                           uint64_t src[NCHW_CONV_ADDR_LIST_SIZE],
                           const TransDataTo5HDParams& params, NORMGRAD_SITE) {
  NORMGRAD_DTYPE_RULE(TransDataTo5HD, T);
  normgrad::twin::VectorTransposeAt(normgrad::twin::kDtypeOf<T>, dst, src, params, site);
}

// The vendor's inner function, which published kernels call.
template <typename T>
inline void TransDataTo5HDImpl(T* dst[NCHW_CONV_ADDR_LIST_SIZE], T* src[NCHW_CONV_ADDR_LIST_SIZE],
                               const TransDataTo5HDParams& params, NORMGRAD_SITE) {
  uint64_t to[NCHW_CONV_ADDR_LIST_SIZE];
  uint64_t from[NCHW_CONV_ADDR_LIST_SIZE];
  for (int i = 0; i < NCHW_CONV_ADDR_LIST_SIZE; ++i) {
    to[i] = reinterpret_cast<uint64_t>(dst[i]);
    from[i] = reinterpret_cast<uint64_t>(src[i]);
  }
  TransDataTo5HD<T>(to, from, params, site);
}

enum class MaskMode : uint8_t { NORMAL = 0, COUNTER };

template <typename T = float>
inline void SetMaskCount([[maybe_unused]] NORMGRAD_SITE) {
  NORMGRAD_API_RULE(SetMaskCount, T);
  normgrad::twin::SetMaskMode(true);
}
inline void SetMaskNorm() { normgrad::twin::SetMaskMode(false); }
inline void ResetMask() { normgrad::twin::SetMaskRegister(~uint64_t{0}, ~uint64_t{0}); }

template <typename T, MaskMode mode = MaskMode::NORMAL>
inline void SetVectorMask(const uint64_t high, const uint64_t low) {
  normgrad::twin::SetMaskRegister(high, low);
}
template <typename T, MaskMode mode = MaskMode::NORMAL>
inline void SetVectorMask(int32_t count) {
  normgrad::twin::SetMaskLanes(static_cast<uint64_t>(count), sizeof(T));
}

// The vendor's inner class, which published kernels call.
struct AscendCUtils {
  template <typename T>
  static void SetMask(int32_t count) {
    normgrad::twin::SetMaskLanes(static_cast<uint64_t>(count), sizeof(T));
  }
  template <typename T>
  static void SetMask(const uint64_t& high, const uint64_t& low) {
    normgrad::twin::SetMaskRegister(high, low);
  }
};

}  // namespace AscendC

#endif  // NORMGRAD_TWIN_API_FILL_H_
