// What instructions of fp32 do across the lanes of a vector, and products that are added at once.
// For chips without them there is cross_lanes_turned.h, with the same names.
#ifndef OP_KERNEL_COMMON_CROSS_LANES_DIRECT_H_
#define OP_KERNEL_COMMON_CROSS_LANES_DIRECT_H_

#include "op_kernel/common/grid.h"
#include "tiling/norm_grad.h"

constexpr uint32_t kLeafParts = 8;  // sums that a leaf leaves, of 64 lanes

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

// A barrier belongs behind each call. All trees add up neighbours first.
class CrossLanes {
 public:
  __aicore__ inline void Init(const NormGradTiling&, AscendC::TPipe*) {}

  // parts[i * step] = the sums of the 8 blocks at data[i * data_blocks], of which `lanes` lanes
  // count; a block without a lane leaves its part as it is.
  __aicore__ static inline void SumBlocks(const AscendC::LocalTensor<float>& parts, uint32_t step,
                                          const AscendC::LocalTensor<float>& data,
                                          uint32_t data_blocks, uint32_t count, uint32_t lanes) {
    for (uint32_t done = 0; done < count; done += kMaxRepeats) {
      AscendC::BlockReduceSum(
          parts[done * step * kLeafParts], data[done * data_blocks * kBlockElemsFp32],
          static_cast<int32_t>(Smaller(kMaxRepeats, count - done)), static_cast<int32_t>(lanes),
          static_cast<int32_t>(step), 1, static_cast<int32_t>(data_blocks));
    }
  }

  // sums[i] = the sum of parts[8 * i], ..., parts[8 * i + 7]
  __aicore__ inline void SumParts(const AscendC::LocalTensor<float>& sums,
                                  const AscendC::LocalTensor<float>& parts, uint32_t count) const {
    for (uint32_t done = 0; done < count;) {
      const uint32_t repeats = Smaller(kMaxRepeats, (count - done) / kPerRepeat);
      const uint32_t sums_here = repeats > 0 ? repeats * kPerRepeat : count - done;
      AscendC::BlockReduceSum(
          sums[done], parts[done * kLeafParts], static_cast<int32_t>(repeats > 0 ? repeats : 1),
          static_cast<int32_t>(Smaller(kPerRepeat, sums_here) * kLeafParts), 1, 1, 8);
      done += sums_here;
    }
  }

  // row_sums[row] = sum of the row's `leaves` leaf sums, at most 64 of them; may destroy these.
  __aicore__ inline void SumOfLeaves(const AscendC::LocalTensor<float>& row_sums,
                                     const AscendC::LocalTensor<float>& leaf_sums,
                                     uint32_t leaf_pitch, uint32_t rows, uint32_t leaves) const {
    for (uint32_t row = 0; row < rows; row += kMaxRepeats) {
      AscendC::WholeReduceSum(row_sums[row], leaf_sums[row * leaf_pitch],
                              static_cast<int32_t>(leaves),
                              static_cast<int32_t>(Smaller(kMaxRepeats, rows - row)), 1, 1,
                              static_cast<int32_t>(leaf_pitch / kBlockElemsFp32));
    }
  }

  // Rows of fewer than 64 columns, eight rows at a time: the tree's last three levels are additions
  // of whole vectors of rows. `blocks` holds ceil(cols / 8) x rows_up fp32 that were written
  // before; sums takes rows_up.
  __aicore__ inline void SumNarrowRows(const AscendC::LocalTensor<float>& sums,
                                       const AscendC::LocalTensor<float>& blocks,
                                       const AscendC::LocalTensor<float>& data, uint32_t rows,
                                       uint32_t cols, uint32_t pitch) const {
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

  // Of up to eight rows the sum of `count` values each, at most 64, `pitch` apart; `spare` holds 64
  // fp32. Two sums of blocks: a third of what WholeReduceSum takes.
  __aicore__ inline void SumFewValues(const AscendC::LocalTensor<float>& sums,
                                      const AscendC::LocalTensor<float>& values, uint32_t rows,
                                      uint32_t count, uint32_t pitch,
                                      const AscendC::LocalTensor<float>& spare) const {
    AscendC::Duplicate(spare, 0.0f, kRepeatElemsFp32);  // where a row has no value
    AscendC::PipeBarrier<PIPE_V>();
    SumBlocks(spare, 1, values, pitch / kBlockElemsFp32, rows, count);
    AscendC::PipeBarrier<PIPE_V>();
    SumParts(sums, spare, rows);
    AscendC::PipeBarrier<PIPE_V>();
  }

  // sums[at] of `count` values, at most 4,096, which it may destroy; an odd last one goes on as it
  // is. `spare` holds 64 fp32.
  __aicore__ inline void SumManyValues(const AscendC::LocalTensor<float>& sums, uint32_t at,
                                       const AscendC::LocalTensor<float>& values, uint32_t count,
                                       const AscendC::LocalTensor<float>& spare) const {
    if (count <= kRepeatElemsFp32) {
      AscendC::WholeReduceSum(sums[at], values, static_cast<int32_t>(count), 1, 1, 1, 8);
      return;
    }
    const uint32_t full = count / kRepeatElemsFp32;
    const uint32_t rest = count % kRepeatElemsFp32;
    AscendC::WholeReduceSum(spare, values, static_cast<int32_t>(kRepeatElemsFp32),
                            static_cast<int32_t>(full), 1, 1, 8);
    if (rest > 0) {
      AscendC::WholeReduceSum(spare[full], values[full * kRepeatElemsFp32],
                              static_cast<int32_t>(rest), 1, 1, 1, 8);
    }
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::WholeReduceSum(sums[at], spare, static_cast<int32_t>(full + (rest > 0 ? 1 : 0)), 1, 1,
                            1, 8);
    AscendC::PipeBarrier<PIPE_V>();
  }

  // blocks[8 i], ..., blocks[8 i + 7] = values[i]; rows are rounded up to 8.
  __aicore__ inline void Spread(const AscendC::LocalTensor<float>& blocks,
                                const AscendC::LocalTensor<float>& values, uint32_t rows) const {
    const uint32_t repeats = (rows + kPerRepeat - 1) / kPerRepeat;
    for (uint32_t done = 0; done < repeats; done += kMaxRepeats) {
      AscendC::Brcb(blocks[done * kPerRepeat * kBlockElemsFp32], values[done * kPerRepeat],
                    static_cast<uint8_t>(Smaller(kMaxRepeats, repeats - done)),
                    AscendC::BrcbRepeatParams(1, 8));
    }
  }

 private:
  static constexpr uint32_t kPerRepeat = 8;
};

// ---- products that are added at once ----

// dst = dst * (one value of the row) + (another one)
struct ScaleAndAddByRow {
  AscendC::LocalTensor<float> dst;
  AscendC::LocalTensor<float> factor_blocks;
  AscendC::LocalTensor<float> term_blocks;
  __aicore__ inline void operator()(GridPiece& p) const {
    const uint32_t row = p.row * kBlockElemsFp32;
    AscendC::FusedMulAdd(
        dst[p.offset], factor_blocks[row], term_blocks[row], p.mask, p.repeats,
        {p.data_block, p.row_block, p.row_block, p.data_repeat, p.row_repeat, p.row_repeat});
  }
};

// dst += src * (the row's value)
struct AddScaledByRow {
  AscendC::LocalTensor<float> dst;
  AscendC::LocalTensor<float> src;
  AscendC::LocalTensor<float> row_blocks;
  __aicore__ inline void operator()(GridPiece& p) const {
    AscendC::MulAddDst(dst[p.offset], src[p.offset], row_blocks[p.row * kBlockElemsFp32], p.mask,
                       p.repeats, RowSteps(p));
  }
};

// dst += src * (the column's value)
struct AddScaledByColumn {
  AscendC::LocalTensor<float> dst;
  AscendC::LocalTensor<float> src;
  AscendC::LocalTensor<float> columns;
  __aicore__ inline void operator()(GridPiece& p) const {
    AscendC::MulAddDst(dst[p.offset], src[p.offset], columns[p.col], p.mask, p.repeats,
                       ColumnSteps(p));
  }
};

__aicore__ inline void ScaleAndAddRows(const AscendC::LocalTensor<float>& data,
                                       const AscendC::LocalTensor<float>& factor_blocks,
                                       const AscendC::LocalTensor<float>& term_blocks,
                                       uint32_t rows, uint32_t cols, uint32_t pitch) {
  ForGrid(rows, cols, pitch, ScaleAndAddByRow{data, factor_blocks, term_blocks});
}

// data += src * (the column's value); may destroy src, or `spare` in its place.
__aicore__ inline void AddScaledColumns(const AscendC::LocalTensor<float>& data,
                                        const AscendC::LocalTensor<float>& src,
                                        const AscendC::LocalTensor<float>& columns,
                                        const AscendC::LocalTensor<float>&, uint32_t rows,
                                        uint32_t cols, uint32_t pitch) {
  ForGrid(rows, cols, pitch, AddScaledByColumn{data, src, columns});
}

// dst += a * b; may destroy a.
__aicore__ inline void AddProduct(const AscendC::LocalTensor<float>& dst,
                                  const AscendC::LocalTensor<float>& a,
                                  const AscendC::LocalTensor<float>& b, uint32_t count) {
  AscendC::MulAddDst(dst, a, b, static_cast<int32_t>(count));
}

// ---- what is no number ----

constexpr uint32_t kKeepNumberStages = 2;

// values = 0 where they are NaN, whole blocks of them, with a barrier between two stages. `bits`
// holds one for each of them, `spare` as many fp32.
__aicore__ inline void KeepNumbers(uint32_t stage, const AscendC::LocalTensor<float>& values,
                                   const AscendC::LocalTensor<uint8_t>& bits,
                                   const AscendC::LocalTensor<float>&, uint32_t count) {
  const uint32_t whole_repeats = RoundUp(count, kRepeatElemsFp32);  // what Compare takes
  if (stage == 0) {
    AscendC::Compare(bits, values, values, AscendC::CMPMODE::EQ, whole_repeats);
  } else {
    AscendC::Select(values, bits, values, 0.0f, AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE,
                    whole_repeats);
  }
}

#endif  // OP_KERNEL_COMMON_CROSS_LANES_DIRECT_H_
