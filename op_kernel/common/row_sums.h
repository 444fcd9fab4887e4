// The sum of each of some rows in the order of row_sum.h, for rows that are all in UB: columns come
// in one piece or in chunks, each summed stage by stage beside other work.
#ifndef OP_KERNEL_COMMON_ROW_SUMS_H_
#define OP_KERNEL_COMMON_ROW_SUMS_H_

#include "op_kernel/common/leaf_sum.h"
#include "tiling/norm_grad.h"

class RowSums {
 public:
  // `sums` takes one fp32 per row of a step, rounded up to 8.
  __aicore__ inline void Init(const NormGradTiling& plan, const AscendC::LocalTensor<float>& sums,
                              const CrossLanes& lanes, AscendC::TPipe* pipe) {
    lanes_ = lanes;
    cols_ = plan.ub_cols;
    leaves_ = (plan.cols + kLeafCols - 1) / kLeafCols;
    leaf_pitch_ = plan.leaf_pitch;
    sums_ = sums;
    is_due_ = false;
    split_.Init(plan, pipe);
    pipe->InitBuffer(parts_buf_, plan.ub.leaf_parts);
    if (leaves_ > 1) pipe->InitBuffer(leaf_sums_buf_, plan.ub.leaf_sums);
    // Instructions on whole blocks read past the last row and the last leaf: there must be zeros.
    AscendC::Duplicate(Parts(), 0.0f, plan.ub.leaf_parts / static_cast<uint32_t>(sizeof(float)));
  }

  // The sum of columns [first_col, first_col + cols) of every row; first_col is a multiple of 512.
  // Goes on with each Step; destroys data.
  __aicore__ inline void StartSum(const AscendC::LocalTensor<float>& data, uint32_t rows,
                                  uint32_t first_col, uint32_t cols, uint32_t pitch) {
    columns_ = {data, rows, first_col, cols, pitch};
    leaf_sum_.Start(data, AscendC::LocalTensor<float>(), rows, cols, pitch);
    is_due_ = true;
  }

  // The next instructions of the sum, none of which needs another's result; false: it was done
  // already. A barrier belongs between two calls, and other work, too.
  __aicore__ inline bool StepSum() {
    if (!is_due_) return false;
    const Columns& c = columns_;
    if (cols_ < kRepeatElemsFp32) {
      lanes_.SumNarrowRows(sums_, Parts(), c.data, c.rows, c.cols, c.pitch);
      is_due_ = false;
    } else {
      is_due_ =
          leaf_sum_.Step(split_, {Parts()[c.first_col / kLeafCols * kLeafParts], 0, leaf_pitch_});
      return is_due_;
    }
    return true;
  }

  static constexpr uint32_t kTotalStages = 2;

  // After all columns, with a barrier after each stage: the sums of the rows are in `sums`.
  __aicore__ inline void StepTotal(uint32_t stage, uint32_t rows) {
    if (cols_ < kRepeatElemsFp32) return;
    if (leaves_ == 1) {
      if (stage == 0) lanes_.SumParts(sums_, Parts(), rows);
      return;
    }
    const AscendC::LocalTensor<float> leaf_sums = leaf_sums_buf_.Get<float>();
    if (stage == 0) {
      lanes_.SumParts(leaf_sums, Parts(), rows * leaf_pitch_);
    } else {
      lanes_.SumOfLeaves(sums_, leaf_sums, leaf_pitch_, rows, leaves_);
    }
  }

 private:
  // What is being summed.
  struct Columns {
    AscendC::LocalTensor<float> data;
    uint32_t rows;
    uint32_t first_col;
    uint32_t cols;
    uint32_t pitch;
  };

  __aicore__ inline AscendC::LocalTensor<float> Parts() { return parts_buf_.Get<float>(); }

  Columns columns_;
  CrossLanes lanes_;
  bool is_due_;  // the sum of columns_
  SplitSum split_;
  LeafSum leaf_sum_;
  uint32_t cols_;
  uint32_t leaves_;
  uint32_t leaf_pitch_;
  AscendC::LocalTensor<float> sums_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> parts_buf_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> leaf_sums_buf_;
};

#endif  // OP_KERNEL_COMMON_ROW_SUMS_H_
