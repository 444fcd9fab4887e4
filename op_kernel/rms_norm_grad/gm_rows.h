// Moves whole rows between GM and UB. In UB a row starts on a 32 B block; what lies between its
// last column and the next row is zero after a load, and never stored.
#ifndef OP_KERNEL_RMS_NORM_GRAD_GM_ROWS_H_
#define OP_KERNEL_RMS_NORM_GRAD_GM_ROWS_H_

#include "kernel_operator.h"

constexpr uint32_t kBlockElemsFp32 = 8;    // fp32 in a 32 B block
constexpr uint32_t kRepeatElemsFp32 = 64;  // fp32 in a 256 B repeat
constexpr uint32_t kMaxRepeats = 255;      // that one vector instruction takes

__aicore__ inline uint32_t RoundUp(uint32_t value, uint32_t step) {
  return (value + step - 1) / step * step;
}

__aicore__ inline uint32_t Smaller(uint32_t a, uint32_t b) { return a < b ? a : b; }

// rows x cols from consecutive rows of GM. Rows without padding are one burst.
template <typename T>
__aicore__ inline void LoadRows(const AscendC::LocalTensor<T>& dst,
                                const AscendC::GlobalTensor<T>& src, uint32_t rows, uint32_t cols,
                                uint32_t pitch) {
  AscendC::DataCopyExtParams copy;
  const bool dense = cols == pitch;
  copy.blockCount = static_cast<uint16_t>(dense ? 1 : rows);
  copy.blockLen = (dense ? rows * cols : cols) * static_cast<uint32_t>(sizeof(T));
  copy.srcStride = 0;
  copy.dstStride = 0;
  copy.rsv = 0;
  AscendC::DataCopyPadExtParams<T> pad;
  pad.isPad = true;
  pad.leftPadding = 0;
  pad.rightPadding = static_cast<uint8_t>(pitch - cols);
  pad.paddingValue = static_cast<T>(0.0f);
  AscendC::DataCopyPad(dst, src, copy, pad);
}

template <typename T>
__aicore__ inline void StoreRows(const AscendC::GlobalTensor<T>& dst,
                                 const AscendC::LocalTensor<T>& src, uint32_t rows, uint32_t cols,
                                 uint32_t pitch) {
  AscendC::DataCopyExtParams copy;
  const bool dense = cols == pitch;
  copy.blockCount = static_cast<uint16_t>(dense ? 1 : rows);
  copy.blockLen = (dense ? rows * cols : cols) * static_cast<uint32_t>(sizeof(T));
  copy.srcStride = 0;
  copy.dstStride = 0;
  copy.rsv = 0;
  AscendC::DataCopyPad(dst, src, copy);
}

// One row, there when the vector unit goes on.
template <typename T>
__aicore__ inline void LoadRowNow(const AscendC::LocalTensor<T>& dst,
                                  const AscendC::GlobalTensor<T>& src, uint32_t cols,
                                  uint32_t pitch, AscendC::TPipe* pipe) {
  LoadRows(dst, src, 1, cols, pitch);
  const AscendC::TEventID event = pipe->FetchEventID(AscendC::HardEvent::MTE2_V);
  AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(event);
  AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(event);
}

#endif  // OP_KERNEL_RMS_NORM_GRAD_GM_ROWS_H_
