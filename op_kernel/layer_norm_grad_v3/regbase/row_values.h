// Values of a row: rstd and mean of a group of rows in fp32, whatever dtype they came in; and of
// the rows of a tile the two means over its columns that dx needs,
//
//   c1 = mean(dy * gamma)      c2 = mean(dy * gamma * xhat)      xhat = (x - mean) * rstd
//
// as -c1 and -c2 * rstd. Vector functions spread a value over a register as they load it.
#ifndef OP_KERNEL_LAYER_NORM_GRAD_V3_REGBASE_ROW_VALUES_H_
#define OP_KERNEL_LAYER_NORM_GRAD_V3_REGBASE_ROW_VALUES_H_

#include "op_kernel/common/regbase/leaf_lanes.h"

class RowValues {
 public:
  __aicore__ inline void Init(const NormGradTiling& plan, AscendC::TPipe* pipe) {
    cols_ = plan.cols;
    pipe->InitBuffer(rstd_buf_, plan.ub.rstd_block);
    pipe->InitBuffer(mean_buf_, plan.ub.rstd_block);
    pipe->InitBuffer(c1_buf_, plan.ub.mean_block);
    pipe->InitBuffer(c2_buf_, plan.ub.mean_block);
    terms_.Init(plan, pipe);
    products_.Init(plan, pipe);
  }

  // rstd of the next rows as they came, and behind it, from half on, the means.
  template <typename S>
  __aicore__ inline void SetStats(const AscendC::LocalTensor<S>& stats, uint32_t half,
                                  uint32_t rows) {
    WidenValues(UbOf(rstd_buf_.Get<float>()), UbOf(stats), rows);
    WidenValues(UbOf(mean_buf_.Get<float>()), UbOf(stats[half]), rows);
  }

  // The tile's row with which the leaf sums begin.
  __aicore__ inline void StartAt(uint32_t row) {
    terms_.StartAt(row);
    products_.StartAt(row);
  }

  // Sums of dy * gamma, and of dy * gamma * xhat.
  __aicore__ inline LeafLanes& Terms() { return terms_; }
  __aicore__ inline LeafLanes& Products() { return products_; }

  // After all columns, and all at once: nothing is left to be done beside other work. `first_row`
  // counts from SetStats' first.
  __aicore__ inline void StartMeans(uint32_t first_row, uint32_t rows) {
    MinusMeansFromSums(UbOf(c1_buf_.Get<float>()), terms_.Totals(rows), rows, cols_);
    MeansFromSums(UbOf(c2_buf_.Get<float>()), products_.Totals(rows), UbOf(Rstd(first_row)), rows,
                  cols_);
  }

  // From `first_row` on, counted from SetStats' first.
  __aicore__ inline AscendC::LocalTensor<float> Rstd(uint32_t first_row) {
    return rstd_buf_.Get<float>()[first_row];
  }
  __aicore__ inline AscendC::LocalTensor<float> Mean(uint32_t first_row) {
    return mean_buf_.Get<float>()[first_row];
  }
  // From StartMeans' first on.
  __aicore__ inline AscendC::LocalTensor<float> MinusC1() { return c1_buf_.Get<float>(); }
  __aicore__ inline AscendC::LocalTensor<float> MinusC2Rstd() { return c2_buf_.Get<float>(); }

 private:
  uint32_t cols_;
  LeafLanes terms_;
  LeafLanes products_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> rstd_buf_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> mean_buf_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> c1_buf_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> c2_buf_;
};

#endif  // OP_KERNEL_LAYER_NORM_GRAD_V3_REGBASE_ROW_VALUES_H_
