// One value per row, kept in vectors: rstd as it came, and minus the mean of dy*gamma*xhat times
// rstd. Each is spread over a 32 B block, which a multiplication then repeats along its row.
//
// The mean of a plain sum is a division, not a product with 1 / cols: that quotient's own rounding
// would shift all rows the same way.
#ifndef OP_KERNEL_RMS_NORM_GRAD_ROW_STATISTICS_H_
#define OP_KERNEL_RMS_NORM_GRAD_ROW_STATISTICS_H_

#include "op_kernel/common/leaf_sum.h"
#include "tiling/norm_grad.h"

class RowStatistics {
 public:
  __aicore__ inline void Init(const NormGradTiling& plan, AscendC::TPipe* pipe) {
    cols_ = plan.ub_cols;
    leaves_ = (plan.cols + kLeafCols - 1) / kLeafCols;
    leaf_pitch_ = plan.leaf_pitch;
    lanes_.Init(plan, pipe);
    pipe->InitBuffer(rstd_buf_, plan.ub.rstd_block);
    has_values_ = plan.ub.rstd_values > 0;
    if (has_values_) pipe->InitBuffer(values_buf_, plan.ub.rstd_values);
    pipe->InitBuffer(mean_buf_, plan.ub.mean_block);
    pipe->InitBuffer(row_sums_buf_, plan.ub.row_sums);
    pipe->InitBuffer(parts_buf_, plan.ub.leaf_parts);
    if (leaves_ > 1) pipe->InitBuffer(leaf_sums_buf_, plan.ub.leaf_sums);
    split_.Init(plan, pipe);
    // Instructions on whole blocks read past the last row and the last leaf: there must be zeros.
    // Rows of fewer than 64 columns use a value per row and block of them, of one block none.
    second_at_ = plan.ub.row_sums / 2 / static_cast<uint32_t>(sizeof(float));
    const float second = split_.IsSplit() ? 0.0f : -static_cast<float>(plan.cols);
    AscendC::Duplicate(RowSums(), 0.0f, second_at_);
    AscendC::Duplicate(RowSums()[second_at_], second, second_at_);
    const uint32_t blocks = (cols_ + kBlockElemsFp32 - 1) / kBlockElemsFp32;
    const uint32_t read = cols_ >= kRepeatElemsFp32
                              ? plan.ub.leaf_parts / static_cast<uint32_t>(sizeof(float))
                              : blocks * RoundUp(plan.rows_per_step, kBlockElemsFp32);
    if (blocks > 1) AscendC::Duplicate(Parts(), 0.0f, read);
    AscendC::PipeBarrier<PIPE_V>();
    const uint32_t terms = split_.Terms() * static_cast<uint32_t>(sizeof(float));
    to_ = {Parts(), plan.ub.leaf_parts / terms, leaf_pitch_};
    lower_leaf_at_ = plan.ub.leaf_sums / terms;
  }

  // rstd of the next `rows` rows, one value per row as it came.
  __aicore__ inline void SetRstd(const AscendC::LocalTensor<float>& rstd, uint32_t rows) {
    lanes_.Spread(rstd_buf_.Get<float>(), rstd, rows);
    if (has_values_) {
      AscendC::DataCopy(values_buf_.Get<float>(), rstd, RoundUp(rows, kBlockElemsFp32));
    }
  }

  // The sum of columns [first_col, first_col + cols) of every row; first_col is a multiple of 512.
  // Goes on with each Step; destroys data, and spare as LeafSum does.
  __aicore__ inline void StartSum(const AscendC::LocalTensor<float>& data,
                                  const AscendC::LocalTensor<float>& spare, uint32_t rows,
                                  uint32_t first_col, uint32_t cols, uint32_t pitch) {
    leaves_of_chunk_.Start(data, spare, rows, cols, pitch);
    to_.parts = Parts()[first_col / kLeafCols * kLeafParts];
    narrow_ = {data, spare, rows, cols, pitch};
    narrow_stage_ = split_.IsSplit() ? kUpper : kSums;
  }

  // The next instructions of the sum, none of which needs another's result; false: it was done
  // already. A barrier belongs between two calls, and other work, too.
  __aicore__ inline bool StepSum() {
    return cols_ < kRepeatElemsFp32 ? StepNarrow() : leaves_of_chunk_.Step(split_, to_);
  }

  // After all columns: the sums become means times rstd. `first_row` counts from SetRstd's first.
  // Goes on with each StepMean, as StartSum does with StepSum.
  __aicore__ inline void StartMean(uint32_t first_row, uint32_t rows) {
    mean_row_ = first_row;
    mean_rows_ = rows;
    mean_stage_ = leaves_ > 1 || cols_ >= kRepeatElemsFp32 ? kSumOfParts : kQuotient;
  }

  __aicore__ inline bool StepMean() {
    const AscendC::LocalTensor<float> sums = RowSums();
    const AscendC::LocalTensor<float> mean = mean_buf_.Get<float>();
    const uint32_t rows = mean_rows_;
    switch (mean_stage_) {
      case kSumOfParts:
        for (uint32_t term = 0; term < split_.Terms(); ++term) {
          lanes_.SumParts(leaves_ > 1 ? LeafSums(term) : sums[term * second_at_],
                          Parts()[term * to_.lower_at], rows * leaf_pitch_);
        }
        mean_stage_ = leaves_ > 1 ? kSumOfLeaves : kQuotient;
        return true;
      case kSumOfLeaves:
        for (uint32_t term = 0; term < split_.Terms(); ++term) {
          lanes_.SumOfLeaves(sums[term * second_at_], LeafSums(term), leaf_pitch_, rows, leaves_);
        }
        mean_stage_ = kQuotient;
        return true;
      case kQuotient:
        if (split_.IsSplit()) {
          MeansOfSplitSums(sums, mean, rows);
          mean_stage_ = kMeanDone;
          return true;
        }
        AscendC::Div(sums, sums, sums[second_at_], RoundUp(rows, kBlockElemsFp32));
        mean_stage_ = kTimesRstd;
        return true;
      case kTimesRstd:
        if (has_values_) {
          AscendC::Mul(sums, sums, values_buf_.Get<float>()[mean_row_], rows);
        } else {
          lanes_.Spread(mean, sums, rows);
        }
        mean_stage_ = kInBlocks;
        return true;
      case kInBlocks:
        if (has_values_) {
          lanes_.Spread(mean, sums, rows);
        } else {
          AscendC::Mul(mean, mean, Rstd(mean_row_), rows * kBlockElemsFp32);
        }
        mean_stage_ = kMeanDone;
        return true;
      default:
        return false;
    }
  }

  // One block per row from `first_row` on, counted from SetRstd's first.
  __aicore__ inline AscendC::LocalTensor<float> Rstd(uint32_t first_row) {
    return rstd_buf_.Get<float>()[first_row * kBlockElemsFp32];
  }
  // One block per row from StartMean's first on.
  __aicore__ inline AscendC::LocalTensor<float> MinusMeanRstd() { return mean_buf_.Get<float>(); }

 private:
  // Rows of fewer than 64 columns that are being summed.
  struct Narrow {
    AscendC::LocalTensor<float> data;
    AscendC::LocalTensor<float> upper;
    uint32_t rows;
    uint32_t cols;
    uint32_t pitch;
  };
  enum NarrowStage : uint32_t { kUpper, kLower, kSums, kDone };
  enum MeanStage : uint32_t {
    kSumOfParts,
    kSumOfLeaves,
    kQuotient,
    kTimesRstd,
    kInBlocks,
    kMeanDone
  };

  __aicore__ inline void MeansOfSplitSums(const AscendC::LocalTensor<float>& sums,
                                          const AscendC::LocalTensor<float>& mean, uint32_t rows) {
    AscendC::LocalTensor<float> rstd = mean[SplitRows::kSpares * second_at_];
    if (has_values_) {
      rstd = values_buf_.Get<float>()[mean_row_];
    } else {
      Gather(rstd, Rstd(mean_row_), rows);
      AscendC::PipeBarrier<PIPE_V>();
    }
    split_.Means({sums, sums[second_at_], mean, second_at_, rows}, rstd);
    lanes_.Spread(mean, sums, rows);
  }

  __aicore__ inline bool StepNarrow() {
    const Narrow& n = narrow_;
    const bool is_split = split_.IsSplit();
    switch (narrow_stage_) {
      case kUpper:
        ForGrid(n.rows, n.cols, n.pitch, TakeUpper{n.upper, n.data, split_.UpperHalf()});
        break;
      case kLower:
        ForGrid(n.rows, n.cols, n.pitch, SubEach{n.data, n.data, n.upper});
        break;
      case kSums:
        lanes_.SumNarrowRows(RowSums(), Parts(), is_split ? n.upper : n.data, n.rows, n.cols,
                             n.pitch);
        if (is_split) {
          lanes_.SumNarrowRows(RowSums()[second_at_], Parts(), n.data, n.rows, n.cols, n.pitch);
        }
        break;
      default:
        return false;
    }
    ++narrow_stage_;
    return true;
  }

  __aicore__ inline AscendC::LocalTensor<float> RowSums() { return row_sums_buf_.Get<float>(); }
  __aicore__ inline AscendC::LocalTensor<float> Parts() { return parts_buf_.Get<float>(); }
  __aicore__ inline AscendC::LocalTensor<float> LeafSums(uint32_t term) {
    return leaf_sums_buf_.Get<float>()[term * lower_leaf_at_];
  }

  // Spread, backwards: the largest of eight equal values is that value.
  __aicore__ inline void Gather(const AscendC::LocalTensor<float>& values,
                                const AscendC::LocalTensor<float>& blocks, uint32_t rows) {
    constexpr uint32_t kRowsPerRepeat = 8;
    for (uint32_t row = 0; row < rows;) {
      const uint32_t repeats = Smaller(kMaxRepeats, (rows - row) / kRowsPerRepeat);
      const uint32_t here = repeats > 0 ? repeats * kRowsPerRepeat : rows - row;
      AscendC::BlockReduceMax(values[row], blocks[row * kBlockElemsFp32],
                              static_cast<int32_t>(repeats > 0 ? repeats : 1),
                              static_cast<int32_t>(Smaller(kRowsPerRepeat, here) * kBlockElemsFp32),
                              1, 1, 8);
      row += here;
    }
  }

  CrossLanes lanes_;
  SplitSum split_;
  LeafSum leaves_of_chunk_;
  LeafParts to_;
  Narrow narrow_;
  uint32_t narrow_stage_;
  uint32_t mean_stage_;
  uint32_t mean_row_;  // the first one
  uint32_t mean_rows_;
  bool has_values_;  // of rstd: a step's rows begin on a block of them
  uint32_t cols_;
  uint32_t leaves_;
  uint32_t leaf_pitch_;
  uint32_t second_at_;      // in row_sums: lower sums; of plain ones minus cols, for each row
  uint32_t lower_leaf_at_;  // in leaf_sums
  AscendC::TBuf<AscendC::TPosition::VECCALC> rstd_buf_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> values_buf_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> mean_buf_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> row_sums_buf_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> parts_buf_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> leaf_sums_buf_;
};

#endif  // OP_KERNEL_RMS_NORM_GRAD_ROW_STATISTICS_H_
