// Copies between GM and UB, and inside UB.
#ifndef NORMGRAD_TWIN_API_DATA_COPY_H_
#define NORMGRAD_TWIN_API_DATA_COPY_H_

#include <cstdint>
#include <cstring>

#include "twin/api/tensor.h"
#include "twin/rules/api_table.h"
#include "twin/rules/dtypes.h"

namespace AscendC {

// For DataCopy lengths and gaps in 32 B blocks; for DataCopyPad the units of DataCopyExtParams. A
// gap has two names.
struct DataCopyParams {
  DataCopyParams() = default;
  DataCopyParams(uint16_t count, uint16_t length, uint16_t src, uint16_t dst)
      : blockCount(count), blockLen(length), srcStride(src), dstStride(dst) {}
  uint16_t blockCount = 1;
  uint16_t blockLen = 0;
  union {
    uint16_t srcGap = 0;
    uint16_t srcStride;
  };
  union {
    uint16_t dstGap = 0;
    uint16_t dstStride;
  };
};

// blockLen and GM strides in bytes, UB strides in 32 B blocks; a stride is the gap between the end
// of one block and the start of the next. On 3510 it may be negative, down to the same block again.
struct DataCopyExtParams {
#if __NPU_ARCH__ == 3510
  using Stride = int64_t;
#else
  using Stride = uint32_t;
#endif
  DataCopyExtParams() = default;
  DataCopyExtParams(uint16_t count, uint32_t length, Stride src, Stride dst, uint32_t reserved)
      : blockCount(count), blockLen(length), srcStride(src), dstStride(dst), rsv(reserved) {}
  uint16_t blockCount = 1;
  uint32_t blockLen = 0;
  Stride srcStride = 0;
  Stride dstStride = 0;
  uint32_t rsv = 0;
};

// Compact: the blocks lie in UB without gaps, and only the last one is filled up. 3510 alone.
enum class PaddingMode : uint8_t { Normal = 0, Compact };
#if __NPU_ARCH__ == 3510
constexpr PaddingMode kLastPaddingMode = PaddingMode::Compact;
#else
constexpr PaddingMode kLastPaddingMode = PaddingMode::Normal;
#endif

template <typename T>
struct DataCopyPadExtParams {
  DataCopyPadExtParams() = default;
  DataCopyPadExtParams(bool pad, uint8_t left, uint8_t right, T value)
      : isPad(pad), leftPadding(left), rightPadding(right), paddingValue(value) {}
  bool isPad = false;
  uint8_t leftPadding = 0;   // elements
  uint8_t rightPadding = 0;  // elements
  T paddingValue{};
};

// The older form: the value's bits, whatever the element type.
struct DataCopyPadParams {
  DataCopyPadParams() = default;
  DataCopyPadParams(bool pad, uint8_t left, uint8_t right, uint64_t value)
      : isPad(pad), leftPadding(left), rightPadding(right), paddingValue(value) {}
  bool isPad = false;
  uint8_t leftPadding = 0;
  uint8_t rightPadding = 0;
  uint64_t paddingValue = 0;
};

}  // namespace AscendC

namespace normgrad::twin {

// A negative gap, which 3510 has, is one modulo 2^64.
struct BlockCopy {
  uint32_t count;
  uint32_t length_bytes;
  uint64_t src_gap_bytes;
  uint64_t dst_gap_bytes;
  bool compact = false;
};

struct Padding {
  bool is_pad;
  uint32_t left_elems;
  uint32_t right_elems;
  uint32_t element_bytes;
  uint8_t value[8];
};

void CopyGmToUb(UbOperand dst, const uint8_t* src, const BlockCopy& copy, Site site);
void CopyUbToGm(uint8_t* dst, UbOperand src, const BlockCopy& copy, Dtype dtype, Site site);
void CopyUbToUb(UbOperand dst, UbOperand src, const BlockCopy& copy, Site site);
void CopyPadGmToUb(UbOperand dst, const uint8_t* src, const BlockCopy& copy, const Padding& padding,
                   Site site);
void CopyPadUbToGm(uint8_t* dst, UbOperand src, const BlockCopy& copy, uint32_t element_bytes,
                   Dtype dtype, Site site, Api api = Api::kDataCopyPadUbToGm);

constexpr uint64_t kCopyBlockBytes = 32;

inline BlockCopy BlocksOf(const AscendC::DataCopyParams& p) {
  return {p.blockCount, p.blockLen * 32u, p.srcGap * kCopyBlockBytes, p.dstGap * kCopyBlockBytes};
}

}  // namespace normgrad::twin

namespace AscendC {

template <typename T>
inline void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src,
                     const DataCopyParams& params, NORMGRAD_SITE) {
  normgrad::twin::CopyGmToUb(dst.Operand(), src.Bytes(), normgrad::twin::BlocksOf(params), site);
}

template <typename T>
inline void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const uint32_t count,
                     NORMGRAD_SITE) {
  normgrad::twin::CopyGmToUb(dst.Operand(), src.Bytes(),
                             {1, count * static_cast<uint32_t>(sizeof(T)), 0, 0}, site);
}

template <typename T>
inline void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src,
                     const DataCopyParams& params, NORMGRAD_SITE) {
  normgrad::twin::CopyUbToGm(dst.Bytes(), src.Operand(), normgrad::twin::BlocksOf(params),
                             normgrad::twin::kDtypeOf<T>, site);
}

template <typename T>
inline void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t count,
                     NORMGRAD_SITE) {
  normgrad::twin::CopyUbToGm(dst.Bytes(), src.Operand(),
                             {1, count * static_cast<uint32_t>(sizeof(T)), 0, 0},
                             normgrad::twin::kDtypeOf<T>, site);
}

template <typename T>
inline void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                     const DataCopyParams& params, NORMGRAD_SITE) {
  normgrad::twin::CopyUbToUb(dst.Operand(), src.Operand(), normgrad::twin::BlocksOf(params), site);
}

template <typename T>
inline void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t count,
                     NORMGRAD_SITE) {
  normgrad::twin::CopyUbToUb(dst.Operand(), src.Operand(),
                             {1, count * static_cast<uint32_t>(sizeof(T)), 0, 0}, site);
}

#define NORMGRAD_PADDING_MODE(mode)                                                                \
  static_assert((mode) <= kLastPaddingMode,                                                        \
                "AscendC::DataCopyPad has no PaddingMode::Compact on __NPU_ARCH__ " NORMGRAD_TEXT( \
                    __NPU_ARCH__))

template <typename T, PaddingMode mode = PaddingMode::Normal>
inline void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src,
                        const DataCopyExtParams& params, const DataCopyPadExtParams<T>& pad,
                        NORMGRAD_SITE) {
  NORMGRAD_DTYPE_RULE(DataCopyPad, T);
  NORMGRAD_PADDING_MODE(mode);
  normgrad::twin::Padding padding{pad.isPad, pad.leftPadding, pad.rightPadding, sizeof(T), {}};
  std::memcpy(padding.value, &pad.paddingValue, sizeof(T));
  normgrad::twin::CopyPadGmToUb(
      dst.Operand(), src.Bytes(),
      {params.blockCount, params.blockLen, static_cast<uint64_t>(params.srcStride),
       params.dstStride * normgrad::twin::kCopyBlockBytes, mode == PaddingMode::Compact},
      padding, site);
}

template <typename T, PaddingMode mode = PaddingMode::Normal>
inline void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src,
                        const DataCopyExtParams& params, NORMGRAD_SITE) {
  NORMGRAD_DTYPE_RULE(DataCopyPad, T);
  NORMGRAD_PADDING_MODE(mode);
  normgrad::twin::CopyPadUbToGm(
      dst.Bytes(), src.Operand(),
      {params.blockCount, params.blockLen, params.srcStride * normgrad::twin::kCopyBlockBytes,
       static_cast<uint64_t>(params.dstStride), mode == PaddingMode::Compact},
      sizeof(T), normgrad::twin::kDtypeOf<T>, site);
}
#undef NORMGRAD_PADDING_MODE

// The older forms, with 16-bit lengths and gaps.
template <typename T>
inline void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src,
                        const DataCopyParams& params, const DataCopyPadParams& pad, NORMGRAD_SITE) {
  T value;
  std::memcpy(&value, &pad.paddingValue, sizeof(T));
  DataCopyPad(
      dst, src,
      DataCopyExtParams(params.blockCount, params.blockLen, params.srcStride, params.dstStride, 0),
      DataCopyPadExtParams<T>(pad.isPad, pad.leftPadding, pad.rightPadding, value), site);
}

template <typename T>
inline void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src,
                        const DataCopyParams& params, NORMGRAD_SITE) {
  DataCopyPad(
      dst, src,
      DataCopyExtParams(params.blockCount, params.blockLen, params.srcStride, params.dstStride, 0),
      site);
}

}  // namespace AscendC

#endif  // NORMGRAD_TWIN_API_DATA_COPY_H_
