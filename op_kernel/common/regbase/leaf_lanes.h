// Sums of whole rows that are in UB together, from their leaf sums: what RowSums of row_sums.h is
// to memory-based arithmetic. A first pass stores a leaf's sum itself.
#ifndef OP_KERNEL_COMMON_REGBASE_LEAF_LANES_H_
#define OP_KERNEL_COMMON_REGBASE_LEAF_LANES_H_

#include "op_kernel/common/regbase/row_means.h"
#include "op_kernel/common/row_sum.h"
#include "tiling/norm_grad.h"

class LeafLanes {
 public:
  __aicore__ inline void Init(const NormGradTiling& plan, AscendC::TPipe* pipe) {
    leaves_ = (plan.cols + kLeafCols - 1) / kLeafCols;
    leaf_pitch_ = plan.leaf_pitch;
    first_row_ = 0;
    if (leaves_ > 1) pipe->InitBuffer(leaf_sums_buf_, plan.ub.leaf_sums);
    pipe->InitBuffer(row_sums_buf_, plan.ub.row_sums);  // whole registers: the last to be loaded
  }

  // The tile's row with which LeafSums begin.
  __aicore__ inline void StartAt(uint32_t row) { first_row_ = row; }

  // Of the leaf that begins with column `col`; the next row's lie LeafPitch() further.
  __aicore__ inline AscendC::LocalTensor<float> LeafSums(uint32_t col) {
    if (leaves_ == 1) return row_sums_buf_.Get<float>()[first_row_];
    return leaf_sums_buf_.Get<float>()[first_row_ * leaf_pitch_ + col / kLeafCols];
  }
  __aicore__ inline uint32_t LeafPitch() const { return leaf_pitch_; }

  // After all columns: one fp32 for each of the tile's rows.
  __aicore__ inline __ubuf__ float* Totals(uint32_t rows) {
    __ubuf__ float* const sums = UbOf(row_sums_buf_.Get<float>());
    if (leaves_ > 1) {
      SumLeaves(sums, UbOf(leaf_sums_buf_.Get<float>()), leaf_pitch_, rows, leaves_);
    }
    return sums;
  }

 private:
  uint32_t leaves_;
  uint32_t leaf_pitch_;
  uint32_t first_row_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> row_sums_buf_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> leaf_sums_buf_;
};

#endif  // OP_KERNEL_COMMON_REGBASE_LEAF_LANES_H_
