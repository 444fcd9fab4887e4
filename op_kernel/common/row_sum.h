// Sums of rows, in an order that depends on cols alone, so that a row's dx has the same bits
// whatever the tile, the chunk, the core or the strategy:
//   - leaves of 512 columns; a leaf of w columns counts as zero-padded to a power of two, at least
//     64;
//   - a leaf is halved down to 64 lanes, which adjacent pairs add up: 8 blocks of 8 lanes, then the
//     8 sums of the blocks (two instructions of slope 1; WholeReduceSum does the same at 7); on
//     chips without these instructions it is halved down to 8 lanes, which adjacent pairs add up;
//   - leaf sums are added up by the same tree: 0+1, 2+3, ..., an odd last one passes up unchanged.
// Padding is never added: masks end where the columns end.
#ifndef OP_KERNEL_COMMON_ROW_SUM_H_
#define OP_KERNEL_COMMON_ROW_SUM_H_

#include "op_kernel/common/chip.h"
#include "op_kernel/common/grid.h"

constexpr uint32_t kLeafCols = 512;
constexpr uint32_t kLeafBlocks = kLeafCols / kBlockElemsFp32;

// op_at(first element of a leaf) for all of `leaves` full leaves in each of `rows` rows, on the
// first `cols` columns of each, as few instructions as that takes.
template <typename OpAt>
__aicore__ inline void ForLeaves(uint32_t rows, uint32_t pitch, uint32_t leaves, uint32_t cols,
                                 const OpAt& op_at) {
  if (leaves * kLeafCols == pitch) {  // leaves follow each other across rows
    ForGrid(rows * leaves, cols, kLeafCols, op_at(0));
  } else if (rows >= leaves) {
    for (uint32_t leaf = 0; leaf < leaves; ++leaf) {
      ForGrid(rows, cols, pitch, op_at(leaf * kLeafCols));
    }
  } else {
    for (uint32_t row = 0; row < rows; ++row) {
      ForGrid(leaves, cols, kLeafCols, op_at(row * pitch));
    }
  }
}

// One halving level: columns [half, 2 half) of every leaf are added to its columns [0, half).
struct HalveAt {
  AscendC::LocalTensor<float> data;
  uint32_t half;
  __aicore__ inline AddEach operator()(uint32_t at) const { return AddShifted(data[at], half); }
};

// Where whole blocks are copied, the last block of a row may begin with columns that the block
// before it has, too: `overlap` columns from `first_col` on, which must not count twice.
__aicore__ inline void LeaveOutOverlap(const AscendC::LocalTensor<float>& data, uint32_t rows,
                                       uint32_t first_col, uint32_t overlap, uint32_t pitch) {
  if (overlap == 0) return;
  AscendC::PipeBarrier<PIPE_V>();
  ForGrid(rows, overlap, pitch, SetZero{data[first_col]});
}

#endif  // OP_KERNEL_COMMON_ROW_SUM_H_
