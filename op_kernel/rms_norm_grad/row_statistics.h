// One value per row, kept in vectors: rstd as it came, and minus the mean of dy*gamma*xhat times
// rstd. Each is spread over a 32 B block, which a multiplication then repeats along its row.
//
// The mean is a division, not a product with 1 / cols: that quotient's own rounding would shift all
// rows the same way (fp32 2000x321, uniform in [0, 1]: worst error 1.03 of its budget, now 0.96).
#ifndef OP_KERNEL_RMS_NORM_GRAD_ROW_STATISTICS_H_
#define OP_KERNEL_RMS_NORM_GRAD_ROW_STATISTICS_H_

#include "op_kernel/common/row_sum.h"
#include "tiling/norm_grad.h"

class RowStatistics {
 public:
  __aicore__ inline void Init(const NormGradTiling& plan, AscendC::TPipe* pipe) {
    cols_ = plan.ub_cols;
    leaves_ = (plan.cols + kLeafCols - 1) / kLeafCols;
    leaf_pitch_ = plan.leaf_pitch;
    pipe->InitBuffer(rstd_buf_, plan.ub.rstd_block);
    pipe->InitBuffer(mean_buf_, plan.ub.mean_block);
    pipe->InitBuffer(row_sums_buf_, plan.ub.row_sums);
    pipe->InitBuffer(parts_buf_, plan.ub.leaf_parts);
    if (leaves_ > 1) pipe->InitBuffer(leaf_sums_buf_, plan.ub.leaf_sums);
    // Instructions on whole blocks read past the last row and the last leaf: there must be zeros.
    divisor_at_ = plan.ub.row_sums / 2 / static_cast<uint32_t>(sizeof(float));
    AscendC::Duplicate(RowSums(), 0.0f, divisor_at_);
    AscendC::Duplicate(RowSums()[divisor_at_], -static_cast<float>(plan.cols), divisor_at_);
    AscendC::Duplicate(Parts(), 0.0f, plan.ub.leaf_parts / static_cast<uint32_t>(sizeof(float)));
    AscendC::PipeBarrier<PIPE_V>();
  }

  // rstd of the next `rows` rows, one value per row as it came.
  __aicore__ inline void SetRstd(const AscendC::LocalTensor<float>& rstd, uint32_t rows) {
    Spread(rstd_buf_.Get<float>(), rstd, rows);
  }

  // The sum of columns [first_col, first_col + cols) of every row; first_col is a multiple of 512.
  // Goes on with each Step; destroys data.
  __aicore__ inline void StartSum(const AscendC::LocalTensor<float>& data, uint32_t rows,
                                  uint32_t first_col, uint32_t cols, uint32_t pitch) {
    sum_ = {data, rows, first_col, cols, pitch};
    stage_ = cols_ < kRepeatElemsFp32 ? kLeafStages - 1 : 0;
  }

  // The next instructions of the sum, none of which needs another's result; false: it was done
  // already. A barrier belongs between two calls, and other work, too.
  __aicore__ inline bool StepSum() {
    if (stage_ >= kLeafStages) return false;
    if (cols_ < kRepeatElemsFp32) {
      SumNarrowRows(RowSums(), Parts(), sum_.data, sum_.rows, sum_.cols, sum_.pitch);
    } else {
      SumLeavesStage(stage_, Parts()[sum_.first_col / kLeafCols * kLeafParts], leaf_pitch_,
                     sum_.data, sum_.rows, sum_.cols, sum_.pitch);
    }
    ++stage_;
    return true;
  }

  // After all columns: the sums become means times rstd. `first_row` counts from SetRstd's first.
  __aicore__ inline void FinishMean(uint32_t first_row, uint32_t rows) {
    const AscendC::LocalTensor<float> sums = RowSums();
    const AscendC::LocalTensor<float> mean = mean_buf_.Get<float>();
    if (leaves_ > 1) {
      const AscendC::LocalTensor<float> leaf_sums = leaf_sums_buf_.Get<float>();
      SumParts(leaf_sums, Parts(), rows * leaf_pitch_);
      AscendC::PipeBarrier<PIPE_V>();
      SumOfLeaves(sums, leaf_sums, leaf_pitch_, rows, leaves_);
      AscendC::PipeBarrier<PIPE_V>();
    } else if (cols_ >= kRepeatElemsFp32) {
      SumParts(sums, Parts(), rows);
      AscendC::PipeBarrier<PIPE_V>();
    }
    AscendC::Div(sums, sums, sums[divisor_at_], RoundUp(rows, kBlockElemsFp32));
    AscendC::PipeBarrier<PIPE_V>();
    Spread(mean, sums, rows);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Mul(mean, mean, Rstd(first_row), rows * kBlockElemsFp32);
    AscendC::PipeBarrier<PIPE_V>();
  }

  // One block per row from `first_row` on, counted from SetRstd's first.
  __aicore__ inline AscendC::LocalTensor<float> Rstd(uint32_t first_row) {
    return rstd_buf_.Get<float>()[first_row * kBlockElemsFp32];
  }
  // One block per row from FinishMean's first on.
  __aicore__ inline AscendC::LocalTensor<float> MinusMeanRstd() { return mean_buf_.Get<float>(); }

 private:
  // What is being summed.
  struct Columns {
    AscendC::LocalTensor<float> data;
    uint32_t rows;
    uint32_t first_col;
    uint32_t cols;
    uint32_t pitch;
  };

  __aicore__ inline AscendC::LocalTensor<float> RowSums() { return row_sums_buf_.Get<float>(); }
  __aicore__ inline AscendC::LocalTensor<float> Parts() { return parts_buf_.Get<float>(); }

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

  Columns sum_;
  uint32_t stage_;  // of sum_
  uint32_t cols_;
  uint32_t leaves_;
  uint32_t leaf_pitch_;
  uint32_t divisor_at_;  // in row_sums: minus cols, as often as there are rows together
  AscendC::TBuf<AscendC::TPosition::VECCALC> rstd_buf_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> mean_buf_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> row_sums_buf_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> parts_buf_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> leaf_sums_buf_;
};

#endif  // OP_KERNEL_RMS_NORM_GRAD_ROW_STATISTICS_H_
