// One value per row, as it came and as it is computed: rstd of a group of rows; of the rows of a
// tile minus the mean of dy*gamma*xhat times rstd. Vector functions spread a value over a register
// as they load it.
#ifndef OP_KERNEL_RMS_NORM_GRAD_REGBASE_ROW_VALUES_H_
#define OP_KERNEL_RMS_NORM_GRAD_REGBASE_ROW_VALUES_H_

#include "op_kernel/common/regbase/leaf_lanes.h"

class RowValues {
 public:
  __aicore__ inline void Init(const NormGradTiling& plan, AscendC::TPipe* pipe) {
    cols_ = plan.cols;
    pipe->InitBuffer(rstd_buf_, plan.ub.rstd_block);
    pipe->InitBuffer(mean_buf_, plan.ub.mean_block);
    leaves_.Init(plan, pipe);
  }

  // rstd of the next `rows` rows, as it came.
  __aicore__ inline void SetRstd(const AscendC::LocalTensor<float>& rstd, uint32_t rows) {
    AscendC::DataCopy(rstd_buf_.Get<float>(), rstd, RoundUp(rows, kBlockElemsFp32));
  }

  // What a first pass needs of them: LeafLanes.
  __aicore__ inline void StartAt(uint32_t row) { leaves_.StartAt(row); }
  __aicore__ inline AscendC::LocalTensor<float> LeafSums(uint32_t col) {
    return leaves_.LeafSums(col);
  }
  __aicore__ inline uint32_t LeafPitch() const { return leaves_.LeafPitch(); }

  // After all columns, and all at once: nothing is left to be done beside other work. `first_row`
  // counts from SetRstd's first.
  __aicore__ inline void StartMean(uint32_t first_row, uint32_t rows) {
    MeansFromSums(UbOf(mean_buf_.Get<float>()), leaves_.Totals(rows), UbOf(Rstd(first_row)), rows,
                  cols_);
  }

  // From `first_row` on, counted from SetRstd's first.
  __aicore__ inline AscendC::LocalTensor<float> Rstd(uint32_t first_row) {
    return rstd_buf_.Get<float>()[first_row];
  }
  // From StartMean's first row on.
  __aicore__ inline AscendC::LocalTensor<float> MinusMeanRstd() { return mean_buf_.Get<float>(); }

 private:
  uint32_t cols_;
  LeafLanes leaves_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> rstd_buf_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> mean_buf_;
};

#endif  // OP_KERNEL_RMS_NORM_GRAD_REGBASE_ROW_VALUES_H_
