// One value per row, as it came and as it is computed: rstd of a group of rows; of the rows of a
// tile the leaf sums, their sums, and minus the mean of dy*gamma*xhat times rstd. Vector functions
// spread a value over a register as they load it.
#ifndef OP_KERNEL_RMS_NORM_GRAD_REGBASE_ROW_VALUES_H_
#define OP_KERNEL_RMS_NORM_GRAD_REGBASE_ROW_VALUES_H_

#include "op_kernel/common/row_sum.h"
#include "op_kernel/rms_norm_grad/regbase/row_means.h"
#include "tiling/norm_grad.h"

class RowValues {
 public:
  __aicore__ inline void Init(const NormGradTiling& plan, AscendC::TPipe* pipe) {
    cols_ = plan.cols;
    leaves_ = (plan.cols + kLeafCols - 1) / kLeafCols;
    leaf_pitch_ = plan.leaf_pitch;
    first_row_ = 0;
    pipe->InitBuffer(rstd_buf_, plan.ub.rstd_block);
    pipe->InitBuffer(mean_buf_, plan.ub.mean_block);
    if (leaves_ > 1) pipe->InitBuffer(leaf_sums_buf_, plan.ub.leaf_sums);
    pipe->InitBuffer(row_sums_buf_, plan.ub.row_sums);  // whole registers: the last to be loaded
  }

  // rstd of the next `rows` rows, as it came.
  __aicore__ inline void SetRstd(const AscendC::LocalTensor<float>& rstd, uint32_t rows) {
    AscendC::DataCopy(rstd_buf_.Get<float>(), rstd, RoundUp(rows, kBlockElemsFp32));
  }

  // The tile's row with which LeafSums begin.
  __aicore__ inline void StartAt(uint32_t row) { first_row_ = row; }

  // Of the leaf that begins with column `col`; the next row's lie LeafPitch() further.
  __aicore__ inline AscendC::LocalTensor<float> LeafSums(uint32_t col) {
    if (leaves_ == 1) return row_sums_buf_.Get<float>()[first_row_];
    return leaf_sums_buf_.Get<float>()[first_row_ * leaf_pitch_ + col / kLeafCols];
  }
  __aicore__ inline uint32_t LeafPitch() const { return leaf_pitch_; }

  // After all columns. `first_row` counts from SetRstd's first.
  __aicore__ inline void FinishMean(uint32_t first_row, uint32_t rows) {
    __ubuf__ float* const sums = UbOf(row_sums_buf_.Get<float>());
    if (leaves_ > 1) {
      SumLeaves(sums, UbOf(leaf_sums_buf_.Get<float>()), leaf_pitch_, rows, leaves_);
    }
    MeansFromSums(UbOf(mean_buf_.Get<float>()), sums, UbOf(Rstd(first_row)), rows, cols_);
  }

  // From `first_row` on, counted from SetRstd's first.
  __aicore__ inline AscendC::LocalTensor<float> Rstd(uint32_t first_row) {
    return rstd_buf_.Get<float>()[first_row];
  }
  // From FinishMean's first row on.
  __aicore__ inline AscendC::LocalTensor<float> MinusMeanRstd() { return mean_buf_.Get<float>(); }

 private:
  uint32_t cols_;
  uint32_t leaves_;
  uint32_t leaf_pitch_;
  uint32_t first_row_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> rstd_buf_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> mean_buf_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> row_sums_buf_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> leaf_sums_buf_;
};

#endif  // OP_KERNEL_RMS_NORM_GRAD_REGBASE_ROW_VALUES_H_
