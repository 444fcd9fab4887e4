// Sums of rows, in an order that depends on cols alone, so that a row's dx has the same bits
// whatever the tile, the chunk, the core or the strategy:
//   - leaves of 512 columns; a leaf of w columns counts as zero-padded to a power of two, at least
//     64;
//   - a leaf is halved down to 64 lanes, which adjacent pairs add up: 8 blocks of 8 lanes, then the
//     8 sums of the blocks (two instructions of slope 1; WholeReduceSum does the same at 7);
//   - leaf sums are added up by the same tree: 0+1, 2+3, ..., an odd last one passes up unchanged.
// Padding is never added: masks end where the columns end.
#ifndef OP_KERNEL_COMMON_ROW_SUM_H_
#define OP_KERNEL_COMMON_ROW_SUM_H_

#include "op_kernel/common/grid.h"

constexpr uint32_t kLeafCols = 512;
constexpr uint32_t kLeafBlocks = kLeafCols / kBlockElemsFp32;
constexpr uint32_t kLeafParts = 8;  // sums of blocks that a leaf leaves: 64 lanes, 8 to a block

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

// parts[i * step] = the sums of the 8 blocks at data[i * data_blocks], of which `lanes` lanes
// count; a block without a lane leaves its part as it is.
__aicore__ inline void SumBlocks(const AscendC::LocalTensor<float>& parts, uint32_t step,
                                 const AscendC::LocalTensor<float>& data, uint32_t data_blocks,
                                 uint32_t count, uint32_t lanes) {
  for (uint32_t done = 0; done < count; done += kMaxRepeats) {
    AscendC::BlockReduceSum(
        parts[done * step * kLeafParts], data[done * data_blocks * kBlockElemsFp32],
        static_cast<int32_t>(Smaller(kMaxRepeats, count - done)), static_cast<int32_t>(lanes),
        static_cast<int32_t>(step), 1, static_cast<int32_t>(data_blocks));
  }
}

// Where whole blocks are copied, the last block of a row may begin with columns that the block
// before it has, too: `overlap` columns from `first_col` on, which must not count twice.
__aicore__ inline void LeaveOutOverlap(const AscendC::LocalTensor<float>& data, uint32_t rows,
                                       uint32_t first_col, uint32_t overlap, uint32_t pitch) {
  if (overlap == 0) return;
  AscendC::PipeBarrier<PIPE_V>();
  ForGrid(rows, overlap, pitch, SetZero{data[first_col]});
}

// sums[i] = the sum of parts[8 * i], ..., parts[8 * i + 7]
__aicore__ inline void SumParts(const AscendC::LocalTensor<float>& sums,
                                const AscendC::LocalTensor<float>& parts, uint32_t count) {
  constexpr uint32_t kPerRepeat = 8;
  for (uint32_t done = 0; done < count;) {
    const uint32_t repeats = Smaller(kMaxRepeats, (count - done) / kPerRepeat);
    const uint32_t sums_here = repeats > 0 ? repeats * kPerRepeat : count - done;
    AscendC::BlockReduceSum(
        sums[done], parts[done * kLeafParts], static_cast<int32_t>(repeats > 0 ? repeats : 1),
        static_cast<int32_t>(Smaller(kPerRepeat, sums_here) * kLeafParts), 1, 1, 8);
    done += sums_here;
  }
}

// row_sums[row] = sum of the row's `leaves` leaf sums, at most 64 of them.
__aicore__ inline void SumOfLeaves(const AscendC::LocalTensor<float>& row_sums,
                                   const AscendC::LocalTensor<float>& leaf_sums,
                                   uint32_t leaf_pitch, uint32_t rows, uint32_t leaves) {
  for (uint32_t row = 0; row < rows; row += kMaxRepeats) {
    AscendC::WholeReduceSum(row_sums[row], leaf_sums[row * leaf_pitch],
                            static_cast<int32_t>(leaves),
                            static_cast<int32_t>(Smaller(kMaxRepeats, rows - row)), 1, 1,
                            static_cast<int32_t>(leaf_pitch / kBlockElemsFp32));
  }
}

// blocks[(first_col / 8) * rows_up + row] = the sum of a block of columns of each row
struct SumBlockOfEight {
  AscendC::LocalTensor<float> blocks;
  AscendC::LocalTensor<float> data;
  uint32_t rows_up;
  __aicore__ inline void operator()(GridPiece& p) const {
    AscendC::BlockReduceSum(blocks[p.col / kBlockElemsFp32 * rows_up + p.row], data[p.offset],
                            p.repeats, p.mask, 1, p.data_block, p.data_repeat);
  }
};

// Rows of fewer than 64 columns, eight rows at a time: the same tree, its last three levels as
// additions of whole vectors of rows. `blocks` holds ceil(cols / 8) x rows_up fp32 that were
// written before; sums takes rows_up.
__aicore__ inline void SumNarrowRows(const AscendC::LocalTensor<float>& sums,
                                     const AscendC::LocalTensor<float>& blocks,
                                     const AscendC::LocalTensor<float>& data, uint32_t rows,
                                     uint32_t cols, uint32_t pitch) {
  const uint32_t rows_up = RoundUp(rows, kBlockElemsFp32);
  const uint32_t count = (cols + kBlockElemsFp32 - 1) / kBlockElemsFp32;
  if (count == 1) {
    GoByEight(rows, 0, cols, pitch, SumBlockOfEight{sums, data, rows_up});
    AscendC::PipeBarrier<PIPE_V>();
    return;
  }
  GoByEight(rows, 0, cols, pitch, SumBlockOfEight{blocks, data, rows_up});
  AscendC::PipeBarrier<PIPE_V>();
  for (uint32_t step = 1; step < count; step *= 2) {
    for (uint32_t block = 0; block + step < count; block += 2 * step) {
      AscendC::Add(blocks[block * rows_up], blocks[block * rows_up],
                   blocks[(block + step) * rows_up], rows_up);
    }
    AscendC::PipeBarrier<PIPE_V>();
  }
  AscendC::DataCopy(sums, blocks, rows_up);
  AscendC::PipeBarrier<PIPE_V>();
}

#endif  // OP_KERNEL_COMMON_ROW_SUM_H_
