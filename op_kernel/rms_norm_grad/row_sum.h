// Sums of rows, in an order that depends on cols alone, so that a row's dx has the same bits
// whatever the tile, the chunk, the core or the strategy:
//   - leaves of 512 columns; a leaf of w columns counts as zero-padded to a power of two, at least
//   64;
//   - a leaf is halved down to 64 lanes, which one repeat adds up by its adjacent-pair tree;
//   - leaf sums are added up by the same tree: 0+1, 2+3, ..., an odd last one passes up unchanged.
// Padding is never added: masks end where the columns end.
#ifndef OP_KERNEL_RMS_NORM_GRAD_ROW_SUM_H_
#define OP_KERNEL_RMS_NORM_GRAD_ROW_SUM_H_

#include "op_kernel/rms_norm_grad/grid.h"

constexpr uint32_t kLeafCols = 512;

// One halving level of `leaves` leaves in each of `rows` rows: columns [half, half + cols) of every
// leaf are added to its columns [0, cols).
__aicore__ inline void HalveLeaves(const AscendC::LocalTensor<float>& data, uint32_t rows,
                                   uint32_t pitch, uint32_t leaves, uint32_t half, uint32_t cols) {
  if (leaves * kLeafCols == pitch) {  // leaves follow each other across rows
    ForGrid(rows * leaves, cols, kLeafCols, AddShifted{data, half});
  } else if (rows >= leaves) {
    for (uint32_t leaf = 0; leaf < leaves; ++leaf) {
      ForGrid(rows, cols, pitch, AddShifted{data[leaf * kLeafCols], half});
    }
  } else {
    for (uint32_t row = 0; row < rows; ++row) {
      ForGrid(leaves, cols, kLeafCols, AddShifted{data[row * pitch], half});
    }
  }
  AscendC::PipeBarrier<PIPE_V>();
}

// sums[row * sums_pitch + leaf] = the 64 lanes left of each leaf.
__aicore__ inline void SumLanes(const AscendC::LocalTensor<float>& sums, uint32_t sums_pitch,
                                const AscendC::LocalTensor<float>& data, uint32_t rows,
                                uint32_t pitch, uint32_t leaves, uint32_t lanes) {
  if (rows >= leaves) {
    for (uint32_t leaf = 0; leaf < leaves; ++leaf) {
      for (uint32_t row = 0; row < rows; row += kMaxRepeats) {
        AscendC::WholeReduceSum(sums[row * sums_pitch + leaf], data[row * pitch + leaf * kLeafCols],
                                lanes, Smaller(kMaxRepeats, rows - row), sums_pitch, 1,
                                pitch / kBlockElemsFp32);
      }
    }
    return;
  }
  for (uint32_t row = 0; row < rows; ++row) {
    AscendC::WholeReduceSum(sums[row * sums_pitch], data[row * pitch], lanes, leaves, 1, 1,
                            kLeafCols / kBlockElemsFp32);
  }
}

// Leaf sums of `cols` columns of each row; destroys data.
__aicore__ inline void SumLeaves(const AscendC::LocalTensor<float>& sums, uint32_t sums_pitch,
                                 const AscendC::LocalTensor<float>& data, uint32_t rows,
                                 uint32_t cols, uint32_t pitch) {
  const uint32_t leaves = cols / kLeafCols;
  if (leaves > 0) {
    for (uint32_t half = kLeafCols / 2; half >= kRepeatElemsFp32; half /= 2) {
      HalveLeaves(data, rows, pitch, leaves, half, half);
    }
    SumLanes(sums, sums_pitch, data, rows, pitch, leaves, kRepeatElemsFp32);
  }
  const uint32_t tail = cols % kLeafCols;
  if (tail > 0) {
    const AscendC::LocalTensor<float> last = data[leaves * kLeafCols];
    uint32_t width = tail;
    for (uint32_t half = kLeafCols / 2; half >= kRepeatElemsFp32; half /= 2) {
      if (width <= half) continue;
      ForGrid(rows, width - half, pitch, AddShifted{last, half});
      AscendC::PipeBarrier<PIPE_V>();
      width = half;
    }
    SumLanes(sums[leaves], sums_pitch, last, rows, pitch, 1, width);
  }
  AscendC::PipeBarrier<PIPE_V>();
}

// row_sums[row] = sum of the row's `leaves` leaf sums, at most 64 of them.
__aicore__ inline void SumOfLeaves(const AscendC::LocalTensor<float>& row_sums,
                                   const AscendC::LocalTensor<float>& leaf_sums,
                                   uint32_t leaf_pitch, uint32_t rows, uint32_t leaves) {
  for (uint32_t row = 0; row < rows; row += kMaxRepeats) {
    AscendC::WholeReduceSum(row_sums[row], leaf_sums[row * leaf_pitch], leaves,
                            Smaller(kMaxRepeats, rows - row), 1, 1, leaf_pitch / kBlockElemsFp32);
  }
  AscendC::PipeBarrier<PIPE_V>();
}

#endif  // OP_KERNEL_RMS_NORM_GRAD_ROW_SUM_H_
