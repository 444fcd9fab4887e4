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

// Columns of rows that are `row_cols` apart in GM. A single row needs no distance, which 32 bits
// may not hold.
template <typename T>
__aicore__ inline AscendC::DataCopyExtParams CopyOfPart(uint32_t rows, uint32_t cols,
                                                        uint32_t pitch, uint32_t row_cols) {
  constexpr uint32_t kElemBytes = static_cast<uint32_t>(sizeof(T));
  AscendC::DataCopyExtParams copy;
  const bool dense = cols == pitch && cols == row_cols;  // rows without padding are one burst
  copy.blockCount = static_cast<uint16_t>(dense ? 1 : rows);
  copy.blockLen = (dense ? rows * cols : cols) * kElemBytes;
  copy.srcStride = 0;
  copy.dstStride = 0;
  copy.rsv = 0;
  return copy;
}

// rows x cols, of rows that are `row_cols` long in GM.
template <typename T>
__aicore__ inline void LoadPart(const AscendC::LocalTensor<T>& dst,
                                const AscendC::GlobalTensor<T>& src, uint32_t rows, uint32_t cols,
                                uint32_t pitch, uint32_t row_cols) {
  AscendC::DataCopyExtParams copy = CopyOfPart<T>(rows, cols, pitch, row_cols);
  if (rows > 1) copy.srcStride = (row_cols - cols) * static_cast<uint32_t>(sizeof(T));
  AscendC::DataCopyPadExtParams<T> pad;
  pad.isPad = true;
  pad.leftPadding = 0;
  pad.rightPadding = static_cast<uint8_t>(pitch - cols);
  pad.paddingValue = static_cast<T>(0.0f);
  AscendC::DataCopyPad(dst, src, copy, pad);
}

template <typename T>
__aicore__ inline void StorePart(const AscendC::GlobalTensor<T>& dst,
                                 const AscendC::LocalTensor<T>& src, uint32_t rows, uint32_t cols,
                                 uint32_t pitch, uint32_t row_cols) {
  AscendC::DataCopyExtParams copy = CopyOfPart<T>(rows, cols, pitch, row_cols);
  if (rows > 1) copy.dstStride = (row_cols - cols) * static_cast<uint32_t>(sizeof(T));
  AscendC::DataCopyPad(dst, src, copy);
}

// Whole rows, one after another in GM.
template <typename T>
__aicore__ inline void LoadRows(const AscendC::LocalTensor<T>& dst,
                                const AscendC::GlobalTensor<T>& src, uint32_t rows, uint32_t cols,
                                uint32_t pitch) {
  LoadPart(dst, src, rows, cols, pitch, cols);
}

template <typename T>
__aicore__ inline void StoreRows(const AscendC::GlobalTensor<T>& dst,
                                 const AscendC::LocalTensor<T>& src, uint32_t rows, uint32_t cols,
                                 uint32_t pitch) {
  StorePart(dst, src, rows, cols, pitch, cols);
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
