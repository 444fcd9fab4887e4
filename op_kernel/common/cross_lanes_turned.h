// What cross_lanes_direct.h does with instructions of fp32 that 1001 has not (BlockReduceSum,
// WholeReduceSum, Brcb, FusedMulAdd, MulAddDst, Select by bits): lanes are halved down to a block,
// and blocks are turned by TransDataTo5HD, so that lanes of a block become blocks and are added as
// such. An fp32 is two 16-bit halves there: each of eight blocks is listed twice, so that the
// halves of lane k come out twice too, side by side, and one masked And puts them together:
//
//   block of row r     l0 h0 l1 h1 ... l7 h7                       low and high halves of 8 lanes
//   turned             lo[k] = lk(row 0) lk(row 0) lk(row 1) ...   hi[k] likewise
//   odd halves of hi   lo[k] = lk hk (row 0) lk hk (row 1) ...     lane k of 8 rows: a block
//
// A block whose eight rows are all listed as one spreads its lanes in the same way.
#ifndef OP_KERNEL_COMMON_CROSS_LANES_TURNED_H_
#define OP_KERNEL_COMMON_CROSS_LANES_TURNED_H_

#include "op_kernel/common/gm_elements.h"
#include "op_kernel/common/grid.h"
#include "tiling/norm_grad.h"

constexpr uint32_t kLeafParts = 8;  // sums that a leaf leaves, of 64 lanes

// dst = src, lanes of a block, `step` blocks apart in dst; -0 becomes +0, as in a sum.
struct CopyLanes {
  AscendC::LocalTensor<float> dst;
  AscendC::LocalTensor<float> src;
  uint32_t step;
  __aicore__ inline void operator()(GridPiece& p) const {
    const bool by_eight = p.row_block != 0;
    const uint8_t block = static_cast<uint8_t>(by_eight ? step : 1);
    const uint8_t repeat = static_cast<uint8_t>(by_eight ? 8 * step : step);
    AscendC::Adds(dst[p.row * step * kBlockElemsFp32], src[p.offset], 0.0f, p.mask, p.repeats,
                  {block, p.data_block, repeat, p.data_repeat});
  }
};

// Calls end with a barrier.
class CrossLanes {
 public:
  __aicore__ inline void Init(const NormGradTiling& plan, AscendC::TPipe* pipe) {
    pipe->InitBuffer(buf_, plan.ub.lanes);
    low_ = buf_.Get<float>();
    high_ = low_[kRowsPerPass * kBlockElemsFp32];
  }

  // parts[i * step * 8] = eight parts of the sum of the 64 lanes at data[i * data_blocks * 8], of
  // which `lanes` count; a part without a lane is left as it is. Destroys data.
  __aicore__ static inline void SumBlocks(const AscendC::LocalTensor<float>& parts, uint32_t step,
                                          const AscendC::LocalTensor<float>& data,
                                          uint32_t data_blocks, uint32_t count, uint32_t lanes) {
    const uint32_t pitch = data_blocks * kBlockElemsFp32;
    for (uint32_t half = kRepeatElemsFp32 / 2; half >= kBlockElemsFp32; half /= 2) {
      if (lanes <= half) continue;
      ForGrid(count, lanes - half, pitch, AddShifted(data, half));
      AscendC::PipeBarrier<PIPE_V>();
      lanes = half;
    }
    const CopyLanes copy = {parts, data, step};
    if (8 * data_blocks <= kMaxStride && 8 * step <= kMaxStride) {
      GoByEight(count, 0, lanes, pitch, copy);
    } else if (data_blocks <= kMaxStride) {
      GoDown(count, 0, lanes, pitch, copy);
    } else {
      for (uint32_t row = 0; row < count; ++row) {
        GoDown(1, 0, lanes, 0,
               CopyLanes{parts[row * step * kBlockElemsFp32], data[row * pitch], 1});
      }
    }
    AscendC::PipeBarrier<PIPE_V>();
  }

  // sums[i] = the sum of parts[8 * i], ..., parts[8 * i + 7]; sums may lie where parts do.
  __aicore__ inline void SumParts(const AscendC::LocalTensor<float>& sums,
                                  const AscendC::LocalTensor<float>& parts, uint32_t count) const {
    for (uint32_t done = 0; done < count; done += kRowsPerPass) {
      const uint32_t rows = Smaller(kRowsPerPass, count - done);
      const uint8_t groups = static_cast<uint8_t>((rows + kPerGroup - 1) / kPerGroup);
      TurnRows(parts[done * kBlockElemsFp32], rows);
      // Lane k of a group is its block k.
      AddBlocks(low_, 1, 4 * kBlockElemsFp32, 2, groups);
      AddBlocks(low_, 2, 2 * kBlockElemsFp32, 4, groups);
      uint64_t mask[2] = {FirstLanes(rows), 0};
      AscendC::Add(sums[done], low_, low_[4 * kBlockElemsFp32], mask, 1, {1, 8, 8, 0, 0, 0});
      AscendC::PipeBarrier<PIPE_V>();
    }
  }

  // row_sums[row] = sum of the row's leaf sums, 8 or 64 with zeros where there is none; destroys
  // these.
  __aicore__ inline void SumOfLeaves(const AscendC::LocalTensor<float>& row_sums,
                                     const AscendC::LocalTensor<float>& leaf_sums,
                                     uint32_t leaf_pitch, uint32_t rows, uint32_t) const {
    if (leaf_pitch > kLeafParts) SumParts(leaf_sums, leaf_sums, rows * kLeafParts);
    SumParts(row_sums, leaf_sums, rows);
  }

  // Rows of fewer than 64 columns. `blocks` holds eight fp32 a row, zeros behind the columns of
  // rows of fewer than eight.
  __aicore__ inline void SumNarrowRows(const AscendC::LocalTensor<float>& sums,
                                       const AscendC::LocalTensor<float>& blocks,
                                       const AscendC::LocalTensor<float>& data, uint32_t rows,
                                       uint32_t cols, uint32_t pitch) const {
    SumBlocks(blocks, 1, data, pitch / kBlockElemsFp32, rows, cols);
    SumParts(sums, blocks, rows);
  }

  // Of up to eight rows the sum of `count` values each, at most 64, `pitch` apart; `spare` holds 64
  // fp32.
  __aicore__ inline void SumFewValues(const AscendC::LocalTensor<float>& sums,
                                      const AscendC::LocalTensor<float>& values, uint32_t rows,
                                      uint32_t count, uint32_t pitch,
                                      const AscendC::LocalTensor<float>& spare) const {
    AscendC::Duplicate(spare, 0.0f, static_cast<int32_t>(kRepeatElemsFp32));
    AscendC::PipeBarrier<PIPE_V>();
    for (uint32_t row = 0; row < rows; ++row) {
      SumByEight(spare[row * kBlockElemsFp32], values[row * pitch], count);
    }
    SumParts(sums, spare, rows);
  }

  // sums[at] of `count` values, at most 4,096, which it destroys. Where a sum has no place of its
  // own in whole blocks the scalar unit puts it there: of wide rows, of which a core has few.
  __aicore__ inline void SumManyValues(const AscendC::LocalTensor<float>& sums, uint32_t at,
                                       const AscendC::LocalTensor<float>& values, uint32_t count,
                                       const AscendC::LocalTensor<float>&) const {
    while (count > 1) {
      SumByEight(values, values, count);
      count = (count + kPerGroup - 1) / kPerGroup;
    }
    ScalarWaitsForVector();
    sums.SetValue(at, values.GetValue(0));
    VectorWaitsForScalar();
  }

  // blocks[8 i], ..., blocks[8 i + 7] = values[i]; rows are rounded up to 8.
  __aicore__ inline void Spread(const AscendC::LocalTensor<float>& blocks,
                                const AscendC::LocalTensor<float>& values, uint32_t rows) const {
    for (uint32_t done = 0; done < rows; done += kRowsPerPass) {
      const uint32_t groups = (Smaller(kRowsPerPass, rows - done) + kPerGroup - 1) / kPerGroup;
      const AscendC::LocalTensor<float> low = blocks[done * kBlockElemsFp32];
      Halves from[kListed];
      for (uint32_t i = 0; i < kListed; ++i) from[i] = HalvesOf(values[done]);
      Turn(low, high_, from, groups, 1);
      PutTogether(low, high_, groups);
    }
  }

 private:
  static constexpr uint32_t kPerGroup = 8;      // blocks that are turned together
  static constexpr uint32_t kRowsPerPass = 64;  // that `low_` and `high_` hold
  static constexpr uint32_t kListed = 16;       // blocks that TransDataTo5HD takes

  using Halves = AscendC::LocalTensor<uint16_t>;
  __aicore__ static inline Halves HalvesOf(const AscendC::LocalTensor<float>& values) {
    return values.ReinterpretCast<uint16_t>();
  }

  // The blocks of up to 64 rows: lane k of each eight of them goes to block k of `low_`. Of a last,
  // short group the last row is listed in place of those that there are not.
  __aicore__ inline void TurnRows(const AscendC::LocalTensor<float>& rows, uint32_t count) const {
    const uint32_t full = count / kPerGroup;
    const uint32_t rest = count % kPerGroup;
    if (full > 0) TurnGroup(low_, high_, rows, kPerGroup, full);
    if (rest > 0) {
      const uint32_t at = full * kPerGroup * kBlockElemsFp32;
      TurnGroup(low_[at], high_[at], rows[at], rest, 1);
    }
    PutTogether(low_, high_, full + (rest > 0 ? 1 : 0));
  }

  __aicore__ static inline void TurnGroup(const AscendC::LocalTensor<float>& low,
                                          const AscendC::LocalTensor<float>& high,
                                          const AscendC::LocalTensor<float>& rows, uint32_t count,
                                          uint32_t groups) {
    Halves from[kListed];
    for (uint32_t i = 0; i < kListed; ++i) {
      from[i] = HalvesOf(rows[Smaller(i / 2, count - 1) * kBlockElemsFp32]);
    }
    Turn(low, high, from, groups, kPerGroup);
  }

  __aicore__ static inline void Turn(const AscendC::LocalTensor<float>& low,
                                     const AscendC::LocalTensor<float>& high,
                                     const Halves (&from)[kListed], uint32_t groups,
                                     uint32_t step) {
    Halves to[kListed];
    for (uint32_t i = 0; i < kListed; ++i) {
      to[i] = HalvesOf((i % 2 == 0 ? low : high)[i / 2 * kBlockElemsFp32]);
    }
    AscendC::TransDataTo5HDParams params;
    params.repeatTimes = static_cast<uint8_t>(groups);
    // One repeat alone would begin a stride behind the list.
    params.dstRepStride = static_cast<uint16_t>(groups > 1 ? kPerGroup : 0);
    params.srcRepStride = static_cast<uint16_t>(groups > 1 ? step : 0);
    AscendC::TransDataTo5HD<uint16_t>(to, from, params);
    AscendC::PipeBarrier<PIPE_V>();
  }

  // The odd halves of `low` are those of `high`.
  __aicore__ static inline void PutTogether(const AscendC::LocalTensor<float>& low,
                                            const AscendC::LocalTensor<float>& high,
                                            uint32_t groups) {
    constexpr uint64_t kOdd = 0xAAAAAAAAAAAAAAAA;
    uint64_t mask[2] = {kOdd, kOdd};
    AscendC::And(HalvesOf(low), HalvesOf(high), HalvesOf(high), mask, static_cast<uint8_t>(groups),
                 {1, 1, 1, 8, 8, 8});
    AscendC::PipeBarrier<PIPE_V>();
  }

  // In each of `groups` groups of eight blocks: block i += block i + `by`, for the first lanes / 8
  // of the blocks that are `step` apart.
  __aicore__ static inline void AddBlocks(const AscendC::LocalTensor<float>& data, uint32_t by,
                                          uint32_t lanes, uint8_t step, uint8_t groups) {
    uint64_t mask[2] = {FirstLanes(lanes), 0};
    AscendC::Add(data, data, data[by * kBlockElemsFp32], mask, groups, {step, step, step, 8, 8, 8});
    AscendC::PipeBarrier<PIPE_V>();
  }

  // sums[i] = the sum of values[8 i] ...; there is none behind the last. Destroys what lies there.
  __aicore__ inline void SumByEight(const AscendC::LocalTensor<float>& sums,
                                    const AscendC::LocalTensor<float>& values,
                                    uint32_t count) const {
    const uint32_t last = count / kPerGroup * kPerGroup;
    if (last < count) {
      uint64_t mask[2] = {FirstLanes(kPerGroup) & ~FirstLanes(count - last), 0};
      AscendC::Duplicate(values[last], 0.0f, mask, 1, 1, 8);
      AscendC::PipeBarrier<PIPE_V>();
    }
    SumParts(sums, values, (count + kPerGroup - 1) / kPerGroup);
  }

  AscendC::LocalTensor<float> low_;
  AscendC::LocalTensor<float> high_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> buf_;
};

// ---- products that are added ----

struct AddByRow {
  AscendC::LocalTensor<float> dst;
  AscendC::LocalTensor<float> row_blocks;
  __aicore__ inline void operator()(GridPiece& p) const {
    AscendC::Add(dst[p.offset], dst[p.offset], row_blocks[p.row * kBlockElemsFp32], p.mask,
                 p.repeats, RowSteps(p));
  }
};

// data = data * (one value of the row) + (another one)
__aicore__ inline void ScaleAndAddRows(const AscendC::LocalTensor<float>& data,
                                       const AscendC::LocalTensor<float>& factor_blocks,
                                       const AscendC::LocalTensor<float>& term_blocks,
                                       uint32_t rows, uint32_t cols, uint32_t pitch) {
  ForGrid(rows, cols, pitch, MulByRow{data, data, factor_blocks});
  AscendC::PipeBarrier<PIPE_V>();
  ForGrid(rows, cols, pitch, AddByRow{data, term_blocks});
}

// data += src * (the column's value); the product takes the place of `spare`, which src may be.
__aicore__ inline void AddScaledColumns(const AscendC::LocalTensor<float>& data,
                                        const AscendC::LocalTensor<float>& src,
                                        const AscendC::LocalTensor<float>& columns,
                                        const AscendC::LocalTensor<float>& spare, uint32_t rows,
                                        uint32_t cols, uint32_t pitch) {
  ForGrid(rows, cols, pitch, MulByColumn{spare, src, columns});
  AscendC::PipeBarrier<PIPE_V>();
  ForGrid(rows, cols, pitch, AddEach{data, data, spare});
}

// dst += a * b; destroys a.
__aicore__ inline void AddProduct(const AscendC::LocalTensor<float>& dst,
                                  const AscendC::LocalTensor<float>& a,
                                  const AscendC::LocalTensor<float>& b, uint32_t count) {
  AscendC::Mul(a, a, b, static_cast<int32_t>(count));
  AscendC::PipeBarrier<PIPE_V>();
  AscendC::Add(dst, dst, a, static_cast<int32_t>(count));
}

// ---- what is no number ----

constexpr uint32_t kKeepNumberStages = 4;

// values = 0, or next to it, where they are NaN, whole blocks of them, with a barrier between two
// stages. A number less itself is 0, of which no bit is left out; NaN less itself has all bits of
// an exponent. `spare` holds as many fp32; the first stage leaves it alone.
__aicore__ inline void KeepNumbers(uint32_t stage, const AscendC::LocalTensor<float>& values,
                                   const AscendC::LocalTensor<uint8_t>&,
                                   const AscendC::LocalTensor<float>& spare, uint32_t count) {
  const int32_t halves = static_cast<int32_t>(2 * count);
  const AscendC::LocalTensor<uint16_t> bits = spare.ReinterpretCast<uint16_t>();
  const AscendC::LocalTensor<uint16_t> value_bits = values.ReinterpretCast<uint16_t>();
  if (stage == 1) {
    AscendC::Sub(spare, values, values, static_cast<int32_t>(count));
  } else if (stage == 2) {
    AscendC::Not(bits, bits, halves);
  } else if (stage == 3) {
    AscendC::And(value_bits, value_bits, bits, halves);
  }
}

#endif  // OP_KERNEL_COMMON_CROSS_LANES_TURNED_H_
