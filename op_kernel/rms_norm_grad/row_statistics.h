// One value per row, kept in vectors: rstd as it came, and minus the mean of dy*gamma*xhat times
// rstd. Each is spread over a 32 B block, which a multiplication then repeats along its row.
//
// The mean is a division, not a product with 1 / cols: that quotient's own rounding would shift all
// rows the same way (fp32 2000x321, uniform in [0, 1]: worst error 1.03 of its budget, now 0.96).
#ifndef OP_KERNEL_RMS_NORM_GRAD_ROW_STATISTICS_H_
#define OP_KERNEL_RMS_NORM_GRAD_ROW_STATISTICS_H_

#include "op_kernel/rms_norm_grad/row_sum.h"
#include "tiling/rms_norm_grad.h"

class RowStatistics {
 public:
  __aicore__ inline void Init(const RmsNormGradTiling& plan, AscendC::TPipe* pipe) {
    leaves_ = (plan.cols + kLeafCols - 1) / kLeafCols;
    leaf_pitch_ = plan.leaf_pitch;
    pipe->InitBuffer(rstd_buf_, plan.ub.rstd_block);
    pipe->InitBuffer(mean_buf_, plan.ub.mean_block);
    pipe->InitBuffer(row_sums_buf_, plan.ub.row_sums);
    if (plan.ub.leaf_sums > 0) pipe->InitBuffer(leaf_sums_buf_, plan.ub.leaf_sums);
    has_leaf_sums_ = plan.ub.leaf_sums > 0;
    // Brcb reads eight rows at a time; the ones past the last row must hold something.
    divisor_at_ = plan.ub.row_sums / 2 / static_cast<uint32_t>(sizeof(float));
    AscendC::Duplicate(RowSums(), 0.0f, divisor_at_);
    AscendC::Duplicate(RowSums()[divisor_at_], -static_cast<float>(plan.cols), divisor_at_);
    AscendC::PipeBarrier<PIPE_V>();
  }

  __aicore__ inline void SetRstd(const AscendC::LocalTensor<float>& rstd, uint32_t rows) {
    Spread(Rstd(), rstd, rows);
  }

  // Sums columns [first_col, first_col + cols) of every row; first_col is a multiple of 512.
  // Destroys data.
  __aicore__ inline void SumColumns(const AscendC::LocalTensor<float>& data, uint32_t rows,
                                    uint32_t first_col, uint32_t cols, uint32_t pitch) {
    SumLeaves(LeafSums()[first_col / kLeafCols], leaf_pitch_, data, rows, cols, pitch);
  }

  // After all columns: the sums become means times rstd. `rstd` is as it came, one value per row.
  __aicore__ inline void FinishMean(uint32_t rows, const AscendC::LocalTensor<float>& rstd) {
    const AscendC::LocalTensor<float> sums = RowSums();
    const uint32_t count = RoundUp(rows, kBlockElemsFp32);
    if (has_leaf_sums_) SumOfLeaves(sums, LeafSums(), leaf_pitch_, rows, leaves_);
    AscendC::Div(sums, sums, sums[divisor_at_], count);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Mul(sums, sums, rstd, count);
    AscendC::PipeBarrier<PIPE_V>();
    Spread(MinusMeanRstd(), sums, rows);
    AscendC::PipeBarrier<PIPE_V>();
  }

  __aicore__ inline AscendC::LocalTensor<float> Rstd() { return rstd_buf_.Get<float>(); }
  __aicore__ inline AscendC::LocalTensor<float> MinusMeanRstd() { return mean_buf_.Get<float>(); }
  // 256 bytes or more for whoever needs a mask when no row is being worked on.
  __aicore__ inline AscendC::LocalTensor<uint8_t> Mask() { return mean_buf_.Get<uint8_t>(); }

 private:
  __aicore__ inline AscendC::LocalTensor<float> RowSums() { return row_sums_buf_.Get<float>(); }
  // A row of one leaf needs no second step: its leaf sum is its sum.
  __aicore__ inline AscendC::LocalTensor<float> LeafSums() {
    return has_leaf_sums_ ? leaf_sums_buf_.Get<float>() : row_sums_buf_.Get<float>();
  }

  __aicore__ inline void Spread(const AscendC::LocalTensor<float>& blocks,
                                const AscendC::LocalTensor<float>& values, uint32_t rows) {
    constexpr uint32_t kRowsPerRepeat = 8;
    const uint32_t repeats = (rows + kRowsPerRepeat - 1) / kRowsPerRepeat;
    for (uint32_t done = 0; done < repeats; done += kMaxRepeats) {
      AscendC::Brcb(blocks[done * kRowsPerRepeat * kBlockElemsFp32], values[done * kRowsPerRepeat],
                    static_cast<uint8_t>(Smaller(kMaxRepeats, repeats - done)),
                    AscendC::BrcbRepeatParams(1, 8));
    }
  }

  uint32_t leaves_;
  uint32_t leaf_pitch_;
  uint32_t divisor_at_;  // in row_sums: minus cols, as often as a tile has rows
  bool has_leaf_sums_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> rstd_buf_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> mean_buf_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> row_sums_buf_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> leaf_sums_buf_;
};

#endif  // OP_KERNEL_RMS_NORM_GRAD_ROW_STATISTICS_H_
