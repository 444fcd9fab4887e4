// Strategy DxWholeRow: rows that fit UB whole, with all their fp32 intermediates.
//
//   xhat = x * rstd;  dgamma += dy * xhat;  c = mean(dy * xhat * gamma) * rstd
//   dx = (dy * gamma - x * c) * rstd
//
// Regime: up to about 4,600 columns (2201), 6,200 (2002). Copies move rows_per_tile rows, 16 KB, or
// three shorter ones where each still has four rows; arithmetic goes through them rows_per_step at
// a time, in work arrays that fit beside the copies.
// Up to 128 columns gamma is multiplied by dy first (gamma_first.h).
// Bytes per row: reads 2 x cols x sizeof(T) + 4, writes cols x sizeof(T): each once. gamma is read
// once per core.
// Sync: queues order MTE2 -> V -> MTE3 per tile, two or three buffers each, so that the copies of
// the neighbouring tiles run beside the arithmetic. The scalar unit reads nothing: the statistics
// of a row stay in vectors (Brcb spreads a row's value over one block).
#ifndef OP_KERNEL_RMS_NORM_GRAD_DX_WHOLE_ROW_H_
#define OP_KERNEL_RMS_NORM_GRAD_DX_WHOLE_ROW_H_

#include "op_kernel/common/fp32_edge.h"
#include "op_kernel/common/partial_sums.h"
#include "op_kernel/common/row_queues.h"
#include "op_kernel/common/row_tiles.h"
#include "op_kernel/rms_norm_grad/gamma_first.h"
#include "op_kernel/rms_norm_grad/row_statistics.h"
#include "op_kernel/rms_norm_grad/rstd_group.h"

template <typename T, typename G>
class DxWholeRow {
 public:
  __aicore__ inline void Init(const NormGradArgs& args, const NormGradTiling& plan,
                              AscendC::TPipe* pipe) {
    plan_ = plan;
    pipe_ = pipe;
    queues_.Init(args, plan, pipe);
    rstd_.Init(args, plan, pipe);
    partials_.Init(args, plan, pipe);
    pipe->InitBuffer(gamma_buf_, plan.ub.gamma);
    sum_.Init(plan, pipe);
    pipe->InitBuffer(work_buf_, plan.ub.work * plan.work_arrays);
    pipe->InitBuffer(half_buf_, plan.ub.half_rows);
    if (plan.ub.upper_parts > 0) pipe->InitBuffer(upper_buf_, plan.ub.upper_parts);
    statistics_.Init(plan, pipe);
    if (plan.rows > 0) queues_.TakeGamma(gamma_buf_.template Get<float>(), pipe);
  }

  __aicore__ inline void Process() {
    const RowSpan span = RowsOfThisCore(plan_);
    rstd_.CopyIn(span.begin, span.end);
    for (uint64_t row = span.begin; row < span.end;) {
      const uint32_t rows = RowsOfTile(plan_, row, span.end);
      queues_.CopyIn(row, rows);
      const uint32_t rstd_row = rstd_.Take(row - span.begin, row, span.end, statistics_);
      Compute(row, rows, span.end, rstd_row);
      queues_.CopyOut(row, rows);
      row += rows;
    }
    if (span.begin >= span.end) StoreDgamma(span.begin, true);  // the empty sum
    partials_.SumOverPartials(plan_, pipe_);
  }

 private:
  using Edge = Fp32Edge<T>;

  // `end` of the core's rows; `rstd_row` of the tile's first row in the statistics.
  __aicore__ inline void Compute(uint64_t first_row, uint32_t rows, uint64_t end,
                                 uint32_t rstd_row) {
    RowsIn<T> in = queues_.Take();
    const AscendC::LocalTensor<T> dx = queues_.NewDx();
    for (uint32_t row = 0; row < rows;) {
      const GroupStep step = StepOfGroup(plan_, first_row + row, rows - row, end);
      const uint32_t at = row * plan_.pitch_cols;
      const uint32_t count = step.rows * plan_.pitch_cols;
      const AscendC::LocalTensor<float> wide_x = Edge::Load(in.x[at], Work(0), count);
      const AscendC::LocalTensor<float> wide_dy = Edge::Load(in.dy[at], Work(1), count);
      if (!Edge::kInPlace && row + step.rows == rows) queues_.GiveBack(in);  // the next may come
      AscendC::PipeBarrier<PIPE_V>();
      ComputeStep(rstd_row + row, step, wide_x, wide_dy, dx[at]);
      row += step.rows;
    }
    if (Edge::kInPlace) queues_.GiveBack(in);
    queues_.Finished(dx);
  }

  __aicore__ inline void ComputeStep(uint32_t first_row, const GroupStep& step,
                                     const AscendC::LocalTensor<float>& x,
                                     const AscendC::LocalTensor<float>& dy,
                                     const AscendC::LocalTensor<T>& dx) {
    const uint32_t rows = step.rows;
    const uint32_t cols = plan_.ub_cols;
    const uint32_t pitch = plan_.pitch_cols;
    const AscendC::LocalTensor<float> gamma = gamma_buf_.template Get<float>();
    const AscendC::LocalTensor<float> rstd = statistics_.Rstd(first_row);
    const AscendC::LocalTensor<float> product = Edge::Target(dx, Work(2));
    ForGrid(rows, cols, pitch, MulByRow{product, x, rstd});
    AscendC::PipeBarrier<PIPE_V>();
    const AscendC::LocalTensor<float> half = half_buf_.template Get<float>();
    if (MultipliesGammaFirst(plan_.cols)) {
      const uint32_t kept = AddHalvesOfProducts(half, product, dy, rows, cols, pitch);
      sum_.StartHalved(half, kept, cols, pitch);
      ForGrid(rows, cols, pitch, MulByColumn{dy, dy, gamma});
      AscendC::PipeBarrier<PIPE_V>();
      ForGrid(rows, cols, pitch, MulEach{product, product, dy});
    } else {
      ForGrid(rows, cols, pitch, MulEach{product, product, dy});
      AscendC::PipeBarrier<PIPE_V>();
      sum_.StartRows(product, half, rows, cols, pitch);
      while (sum_.ReadsData()) {
        sum_.Step();
        AscendC::PipeBarrier<PIPE_V>();
      }
      ForGrid(rows, cols, pitch, MulByColumn{product, product, gamma});
      ForGrid(rows, cols, pitch, MulByColumn{dy, dy, gamma});
    }
    // Two chains from here on, of which neither touches what the other one does: the sum over rows
    // and that of each row. They go on side by side, one barrier for both.
    LeaveOutOverlap(product, rows, cols - plan_.copy_cols, cols - plan_.cols, pitch);
    statistics_.StartSum(product, UpperParts(), rows, 0, cols, pitch);
    bool goes_on = true;
    while (goes_on) {
      goes_on = sum_.Step();
      AscendC::PipeBarrier<PIPE_V>();
      goes_on = statistics_.StepSum() || goes_on;
    }
    AscendC::PipeBarrier<PIPE_V>();
    sum_.Next();
    if (step.ends_group) StoreDgamma(step.row, step.is_last);  // while dx is computed
    statistics_.StartMean(first_row, rows);
    while (statistics_.StepMean()) AscendC::PipeBarrier<PIPE_V>();
    ForGrid(rows, cols, pitch, AddScaledByRow{dy, x, statistics_.MinusMeanRstd()});
    AscendC::PipeBarrier<PIPE_V>();
    const AscendC::LocalTensor<float> result = Edge::kInPlace ? product : dy;
    ForGrid(rows, cols, pitch, MulByRow{result, dy, rstd});
    Edge::Store(dx, result, rows * pitch);
    AscendC::PipeBarrier<PIPE_V>();  // the next step writes over what is being read here
  }

  __aicore__ inline void StoreDgamma(uint64_t row, bool is_last) {
    sum_.Store(partials_.Destination(SlotOf(plan_, row)), plan_.cols, is_last, pipe_);
  }

  __aicore__ inline AscendC::LocalTensor<float> Work(uint32_t index) {
    return Edge::kInPlace ? AscendC::LocalTensor<float>()
                          : work_buf_.template Get<float>()[index * plan_.ub.work / sizeof(float)];
  }

  __aicore__ inline AscendC::LocalTensor<float> UpperParts() {
    return plan_.ub.upper_parts > 0 ? upper_buf_.template Get<float>()
                                    : AscendC::LocalTensor<float>();
  }

  NormGradTiling plan_;
  AscendC::TPipe* pipe_;
  RowQueues<T, G> queues_;
  RstdGroup rstd_;
  SumOverRows sum_;
  PartialSums<> partials_;
  RowStatistics statistics_;
  AscendC::TBuf<AscendC::TPosition::VECIN> gamma_buf_;  // fp32 gamma is copied here directly
  AscendC::TBuf<AscendC::TPosition::VECCALC> work_buf_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> half_buf_;   // half the rows of a step, or one
  AscendC::TBuf<AscendC::TPosition::VECCALC> upper_buf_;  // split sums of narrow rows
};

#endif  // OP_KERNEL_RMS_NORM_GRAD_DX_WHOLE_ROW_H_
