// Values of a row, kept in vectors: rstd and mean as they came, and the two means over its columns
// that dx needs,
//
//   c1 = mean(dy * gamma)      c2 = mean(dy * gamma * xhat)      xhat = (x - mean) * rstd
//
// as -c1 and -c2 * rstd. Each is spread over a 32 B block, which an instruction repeats along its
// row. The means are divisions, not products with 1 / cols, whose own rounding would shift all rows
// one way.
#ifndef OP_KERNEL_LAYER_NORM_GRAD_V3_ROW_STATISTICS_H_
#define OP_KERNEL_LAYER_NORM_GRAD_V3_ROW_STATISTICS_H_

#include "op_kernel/common/fp32_edge.h"
#include "op_kernel/common/row_sums.h"

class RowStatistics {
 public:
  __aicore__ inline void Init(const NormGradTiling& plan, AscendC::TPipe* pipe) {
    lanes_.Init(plan, pipe);
    pipe->InitBuffer(rstd_buf_, plan.ub.rstd_block);
    pipe->InitBuffer(mean_buf_, plan.ub.rstd_block);
    pipe->InitBuffer(c1_buf_, plan.ub.mean_block);
    pipe->InitBuffer(c2_buf_, plan.ub.mean_block);
    pipe->InitBuffer(row_sums_buf_, plan.ub.row_sums);
    if (plan.ub.stats_wide > 0) pipe->InitBuffer(wide_buf_, plan.ub.stats_wide);
    count_ = plan.ub.row_sums / kVectors / static_cast<uint32_t>(sizeof(float));
    AscendC::Duplicate(Vector(0), 0.0f, 2 * count_);  // also past the last row
    AscendC::Duplicate(Vector(kDivisor), -static_cast<float>(plan.cols), count_);
    terms_.Init(plan, Vector(0), lanes_, pipe);
    products_.Init(plan, Vector(1), lanes_, pipe);
    AscendC::PipeBarrier<PIPE_V>();
  }

  // rstd of the next rows as they came, and behind it, from half on, the means.
  template <typename S>
  __aicore__ inline void SetStats(const AscendC::LocalTensor<S>& stats, uint32_t half,
                                  uint32_t rows) {
    if constexpr (sizeof(S) == sizeof(float)) {
      Spread(stats, half, rows);
    } else {
      const AscendC::LocalTensor<float> wide = wide_buf_.Get<float>();
      Fp32Edge<S>::Widen(wide, stats, RoundUp(rows, kBlockElemsFp32));
      Fp32Edge<S>::Widen(wide[half], stats[half], RoundUp(rows, kBlockElemsFp32));
      AscendC::PipeBarrier<PIPE_V>();
      Spread(wide, half, rows);
    }
  }

  // Sums of dy * gamma, and of dy * gamma * xhat.
  __aicore__ inline RowSums& Terms() { return terms_; }
  __aicore__ inline RowSums& Products() { return products_; }

  // After all columns. `first_row` counts from SetStats' first. Goes on with each StepMeans, as
  // StartSum does with StepSum.
  __aicore__ inline void StartMeans(uint32_t first_row, uint32_t rows) {
    mean_row_ = first_row;
    mean_rows_ = rows;
    mean_stage_ = kSums;
  }

  __aicore__ inline bool StepMeans() {
    const uint32_t count = RoundUp(mean_rows_, kBlockElemsFp32);
    switch (mean_stage_) {
      case kQuotients:
        AscendC::Div(Vector(0), Vector(0), Vector(kDivisor), count);
        AscendC::Div(Vector(1), Vector(1), Vector(kDivisor), count);
        break;
      case kInBlocks:
        lanes_.Spread(c1_buf_.Get<float>(), Vector(0), mean_rows_);
        lanes_.Spread(c2_buf_.Get<float>(), Vector(1), mean_rows_);
        break;
      case kTimesRstd:
        AscendC::Mul(c2_buf_.Get<float>(), c2_buf_.Get<float>(), Rstd(mean_row_),
                     mean_rows_ * kBlockElemsFp32);
        break;
      case kMeansDone:
        return false;
      default:
        terms_.StepTotal(mean_stage_, mean_rows_);
        products_.StepTotal(mean_stage_, mean_rows_);
    }
    ++mean_stage_;
    return true;
  }

  // Both, to the end.
  __aicore__ inline void FinishMeans(uint32_t first_row, uint32_t rows) {
    StartMeans(first_row, rows);
    while (StepMeans()) AscendC::PipeBarrier<PIPE_V>();
  }

  // One block per row from `first_row` on, counted from SetStats' first.
  __aicore__ inline AscendC::LocalTensor<float> Rstd(uint32_t first_row) {
    return rstd_buf_.Get<float>()[first_row * kBlockElemsFp32];
  }
  __aicore__ inline AscendC::LocalTensor<float> Mean(uint32_t first_row) {
    return mean_buf_.Get<float>()[first_row * kBlockElemsFp32];
  }
  // One block per row from StartMeans' first on.
  __aicore__ inline AscendC::LocalTensor<float> MinusC1() { return c1_buf_.Get<float>(); }
  __aicore__ inline AscendC::LocalTensor<float> MinusC2Rstd() { return c2_buf_.Get<float>(); }

 private:
  static constexpr uint32_t kVectors = 3;  // two sums, and what divides them
  static constexpr uint32_t kDivisor = 2;
  enum MeanStage : uint32_t {
    kSums,
    kQuotients = RowSums::kTotalStages,
    kInBlocks,
    kTimesRstd,
    kMeansDone
  };

  __aicore__ inline AscendC::LocalTensor<float> Vector(uint32_t index) {
    return row_sums_buf_.Get<float>()[index * count_];
  }

  __aicore__ inline void Spread(const AscendC::LocalTensor<float>& stats, uint32_t half,
                                uint32_t rows) {
    lanes_.Spread(rstd_buf_.Get<float>(), stats, rows);
    lanes_.Spread(mean_buf_.Get<float>(), stats[half], rows);
  }

  uint32_t count_;
  uint32_t mean_stage_;
  uint32_t mean_row_;  // the first one
  uint32_t mean_rows_;
  CrossLanes lanes_;
  RowSums terms_;
  RowSums products_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> rstd_buf_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> mean_buf_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> c1_buf_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> c2_buf_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> row_sums_buf_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> wide_buf_;  // of statistics in 16 bits
};

#endif  // OP_KERNEL_LAYER_NORM_GRAD_V3_ROW_STATISTICS_H_
