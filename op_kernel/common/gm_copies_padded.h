// Copies between GM and UB on chips that copy any number of bytes (DataCopyPad). In UB a row starts
// on a 32 B block; what lies between its last column and the next row is zero after a load, and
// never stored.
#ifndef OP_KERNEL_COMMON_GM_COPIES_PADDED_H_
#define OP_KERNEL_COMMON_GM_COPIES_PADDED_H_

#include "op_kernel/common/units.h"

constexpr bool kCopiesWholeBlocks = false;

// The least that a core may store to a place of its own, in elements of T.
template <typename T>
constexpr uint32_t kLeastStore = 1;

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

// Columns of something that has one value per column.
template <typename T>
__aicore__ inline void LoadColumns(const AscendC::LocalTensor<T>& dst,
                                   const AscendC::GlobalTensor<T>& src, uint32_t rows,
                                   uint32_t cols, uint32_t pitch, uint32_t row_cols, uint32_t) {
  LoadPart(dst, src, rows, cols, pitch, row_cols);
}

// Sums over rows of `cols` columns, as such a row lies in UB.
__aicore__ inline void StoreSums(const AscendC::GlobalTensor<float>& dst,
                                 const AscendC::LocalTensor<float>& src, uint32_t cols, uint32_t) {
  StorePart(dst, src, 1, cols, cols, cols);
}

// A value per row for `count` rows, whole blocks of them.
template <typename S>
__aicore__ inline void LoadValues(const AscendC::LocalTensor<S>& dst,
                                  const AscendC::GlobalTensor<S>& src, uint32_t count, uint64_t) {
  LoadPart(dst, src, 1, count, RoundUp(count, 32 / static_cast<uint32_t>(sizeof(S))), count);
}

#endif  // OP_KERNEL_COMMON_GM_COPIES_PADDED_H_
