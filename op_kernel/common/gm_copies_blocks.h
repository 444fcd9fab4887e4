// Copies between GM and UB on chips that copy whole 32 B blocks (DataCopy alone), from and to any
// element of GM. A row that is no whole number of blocks ends with a block that overlaps the one
// before, so that neither a load nor a store touches a byte beside the row:
//
//   GM   |b0      |b1      |b2 |          20 columns of 8 to a block
//   UB   |b0      |b1      |  b2      |   columns 0..7, 8..15, 12..19
//
// All of UB's columns are columns of the row, some of them twice, and so are all results that are
// made column by column. Only a sum over columns has to leave the overlap out (LeaveOutOverlap);
// stores bring the same bits twice. Rows of less than a block go element by element.
#ifndef OP_KERNEL_COMMON_GM_COPIES_BLOCKS_H_
#define OP_KERNEL_COMMON_GM_COPIES_BLOCKS_H_

#include "op_kernel/common/gm_elements.h"

constexpr bool kCopiesWholeBlocks = true;

// The least that a core may store to a place of its own, in elements of T.
template <typename T>
constexpr uint32_t kLeastStore = 32 / static_cast<uint32_t>(sizeof(T));

// Blocks of rows: `first` and `row_cols` in elements of GM, the others in blocks. Rows are a whole
// number of blocks apart in GM only every so often, up to every 16th: one copy takes those.
template <typename T, typename Copy>
__aicore__ inline void ForRowsOfCopies(uint32_t rows, uint32_t blocks, uint32_t pitch_blocks,
                                       uint64_t row_cols, const Copy& copy_rows) {
  constexpr uint32_t kBlockElems = 32 / static_cast<uint32_t>(sizeof(T));
  constexpr uint64_t kMaxGap = 65535;  // between blocks of one copy, in blocks
  uint32_t every = 1;
  while (every * row_cols % kBlockElems != 0) every *= 2;
  if (rows == 1 || every * row_cols / kBlockElems - blocks > kMaxGap) every = rows;
  for (uint32_t row = 0; row < every && row < rows; ++row) {
    const uint32_t count = (rows - row + every - 1) / every;
    AscendC::DataCopyParams copy;
    copy.blockCount = static_cast<uint16_t>(count);
    copy.blockLen = static_cast<uint16_t>(blocks);
    const uint32_t gm_gap =
        count == 1 ? 0 : static_cast<uint32_t>(every * row_cols / kBlockElems) - blocks;
    const uint32_t ub_gap = count == 1 ? 0 : every * pitch_blocks - blocks;
    if (gm_gap == 0 && ub_gap == 0) {  // rows that lie side by side are one burst
      copy.blockCount = 1;
      copy.blockLen = static_cast<uint16_t>(count * blocks);
    }
    copy_rows(row, copy, static_cast<uint16_t>(gm_gap), static_cast<uint16_t>(ub_gap));
  }
}

template <typename T>
struct LoadOfRows {
  AscendC::LocalTensor<T> dst;
  AscendC::GlobalTensor<T> src;
  uint32_t pitch;
  uint64_t row_cols;
  __aicore__ inline void operator()(uint32_t row, AscendC::DataCopyParams& copy, uint16_t gm_gap,
                                    uint16_t ub_gap) const {
    copy.srcGap = gm_gap;
    copy.dstGap = ub_gap;
    AscendC::DataCopy(dst[row * pitch], src[row * row_cols], copy);
  }
};

template <typename T>
struct StoreOfRows {
  AscendC::GlobalTensor<T> dst;
  AscendC::LocalTensor<T> src;
  uint32_t pitch;
  uint64_t row_cols;
  __aicore__ inline void operator()(uint32_t row, AscendC::DataCopyParams& copy, uint16_t gm_gap,
                                    uint16_t ub_gap) const {
    copy.srcGap = ub_gap;
    copy.dstGap = gm_gap;
    AscendC::DataCopy(dst[row * row_cols], src[row * pitch], copy);
  }
};

// The block of GM that ends with the last of `cols` columns. It may begin before the part does,
// within the same row.
template <typename T>
__aicore__ inline AscendC::GlobalTensor<T> LastBlockOf(const AscendC::GlobalTensor<T>& part,
                                                       uint32_t cols, uint32_t block_elems) {
  AscendC::GlobalTensor<T> block;
  block.SetGlobalBuffer(const_cast<__gm__ T*>(part.GetPhyAddr()) + cols - block_elems);
  return block;
}

// rows x cols, of rows that are `row_cols` long in GM.
template <typename T>
__aicore__ inline void LoadPart(const AscendC::LocalTensor<T>& dst,
                                const AscendC::GlobalTensor<T>& src, uint32_t rows, uint32_t cols,
                                uint32_t pitch, uint32_t row_cols) {
  constexpr uint32_t kBlockElems = 32 / static_cast<uint32_t>(sizeof(T));
  if (row_cols < kBlockElems) {
    LoadElements(dst, src, rows, cols, pitch, row_cols);
    return;
  }
  const uint32_t blocks = cols / kBlockElems;
  const uint32_t pitch_blocks = pitch / kBlockElems;
  if (blocks > 0) {
    ForRowsOfCopies<T>(rows, blocks, pitch_blocks, row_cols,
                       LoadOfRows<T>{dst, src, pitch, row_cols});
  }
  if (cols % kBlockElems == 0) return;
  const AscendC::GlobalTensor<T> last = LastBlockOf(src, cols, kBlockElems);
  ForRowsOfCopies<T>(rows, 1, pitch_blocks, row_cols,
                     LoadOfRows<T>{dst[blocks * kBlockElems], last, pitch, row_cols});
}

// The overlapping blocks wait for the others, and what is stored next waits for them: it may be the
// part of these rows that they overlap.
template <typename T>
__aicore__ inline void StorePart(const AscendC::GlobalTensor<T>& dst,
                                 const AscendC::LocalTensor<T>& src, uint32_t rows, uint32_t cols,
                                 uint32_t pitch, uint32_t row_cols) {
  constexpr uint32_t kBlockElems = 32 / static_cast<uint32_t>(sizeof(T));
  if (row_cols < kBlockElems) {
    StoreElements(dst, src, rows, cols, pitch, row_cols);
    return;
  }
  const uint32_t blocks = cols / kBlockElems;
  const uint32_t pitch_blocks = pitch / kBlockElems;
  if (blocks > 0) {
    ForRowsOfCopies<T>(rows, blocks, pitch_blocks, row_cols,
                       StoreOfRows<T>{dst, src, pitch, row_cols});
  }
  if (cols % kBlockElems == 0) return;
  AscendC::PipeBarrier<PIPE_MTE3>();
  const AscendC::GlobalTensor<T> last = LastBlockOf(dst, cols, kBlockElems);
  ForRowsOfCopies<T>(rows, 1, pitch_blocks, row_cols,
                     StoreOfRows<T>{last, src[blocks * kBlockElems], pitch, row_cols});
  if (blocks == 0) AscendC::PipeBarrier<PIPE_MTE3>();
}

// Columns of something that has one value per column (gamma, sums over rows), of a dtype of its
// own, as a row lies in UB whose blocks have `copy_cols` columns. 1: such a row is less than a
// block.
template <typename T>
__aicore__ inline void LoadColumns(const AscendC::LocalTensor<T>& dst,
                                   const AscendC::GlobalTensor<T>& src, uint32_t rows,
                                   uint32_t cols, uint32_t pitch, uint32_t row_cols,
                                   uint32_t copy_cols) {
  constexpr uint32_t kBlockElems = 32 / static_cast<uint32_t>(sizeof(T));
  const uint32_t whole = cols / copy_cols * copy_cols;
  if (copy_cols < kBlockElems && cols % kBlockElems != 0) {
    LoadElements(dst, src, rows, cols, pitch, row_cols);
    return;
  }
  if (whole > 0) LoadPart(dst, src, rows, whole, pitch, row_cols);
  if (whole == cols) return;
  LoadPart(dst[whole], LastBlockOf(src, cols, copy_cols), rows, copy_cols, pitch, row_cols);
}

// Sums over rows of `cols` columns, which lie in UB in the same way.
__aicore__ inline void StoreSums(const AscendC::GlobalTensor<float>& dst,
                                 const AscendC::LocalTensor<float>& src, uint32_t cols,
                                 uint32_t copy_cols) {
  const uint32_t whole = cols / copy_cols * copy_cols;
  if (copy_cols < kBlockElemsFp32 && cols % kBlockElemsFp32 != 0) {
    StoreElements(dst, src, 1, cols, cols, cols);
    return;
  }
  if (whole > 0) StorePart(dst, src, 1, whole, whole, whole);
  if (whole == cols) return;
  AscendC::PipeBarrier<PIPE_MTE3>();
  StorePart(LastBlockOf(dst, cols, copy_cols), src[whole], 1, copy_cols, copy_cols, copy_cols);
  if (whole == 0) AscendC::PipeBarrier<PIPE_MTE3>();
}

// A value per row for `count` rows, whole blocks of them: what follows in GM comes along, up to the
// last of `left` values; those of the last, short block come one by one.
template <typename S>
__aicore__ inline void LoadValues(const AscendC::LocalTensor<S>& dst,
                                  const AscendC::GlobalTensor<S>& src, uint32_t count,
                                  uint64_t left) {
  constexpr uint32_t kBlockElems = 32 / static_cast<uint32_t>(sizeof(S));
  const uint32_t padded = RoundUp(count, kBlockElems);
  if (padded <= left) {
    AscendC::DataCopy(dst, src, padded);
    return;
  }
  const uint32_t whole = padded - kBlockElems;
  if (whole > 0) AscendC::DataCopy(dst, src, whole);
  LoadElements(dst[whole], src[whole], 1, count - whole, kBlockElems, kBlockElems);
}

#endif  // OP_KERNEL_COMMON_GM_COPIES_BLOCKS_H_
