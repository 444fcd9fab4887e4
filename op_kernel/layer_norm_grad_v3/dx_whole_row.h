// Strategy DxWholeRow: rows that fit UB whole, with all their fp32 intermediates.
//
//   u = x - mean;  p = u * rstd * dy;  dgamma += p;  dbeta += dy
//   c1 = mean(dy * gamma);  c2 = mean(p * gamma)               means over the columns of a row
//   dx = (dy * gamma - u * (c2 * rstd) - c1) * rstd
//
// Regime: up to about 3,900 columns in 16 bits (2201), 5,400 (2002). Copies move rows_per_tile
// rows; arithmetic goes through them rows_per_step at a time, in work arrays that fit beside the
// copies. Bytes per row: reads 2 x cols x sizeof(T) and rstd and mean, writes cols x sizeof(T):
// each once. gamma is read once per core. What no output asked for needs is neither read nor
// computed. Sync: queues order MTE2 -> V -> MTE3 per tile, two or three buffers each, so that the
// copies of the neighbouring tiles run beside the arithmetic. The scalar unit reads nothing: the
// values of a row stay in vectors, each spread over a block.
#ifndef OP_KERNEL_LAYER_NORM_GRAD_V3_DX_WHOLE_ROW_H_
#define OP_KERNEL_LAYER_NORM_GRAD_V3_DX_WHOLE_ROW_H_

#include "op_kernel/common/fp32_edge.h"
#include "op_kernel/common/partial_sums.h"
#include "op_kernel/common/row_queues.h"
#include "op_kernel/common/row_tiles.h"
#include "op_kernel/layer_norm_grad_v3/chunk_passes.h"
#include "op_kernel/layer_norm_grad_v3/row_statistics.h"
#include "op_kernel/layer_norm_grad_v3/stats_group.h"

// G: dtype of gamma, dgamma and dbeta; S: of rstd and mean.
template <typename T, typename G, typename S>
class DxWholeRow {
 public:
  __aicore__ inline void Init(const NormGradArgs& args, const NormGradTiling& plan,
                              AscendC::TPipe* pipe) {
    plan_ = plan;
    pipe_ = pipe;
    queues_.Init(args, plan, pipe);
    stats_.Init(args, plan, pipe);
    sums_.Init(args, plan, pipe);
    pipe->InitBuffer(gamma_buf_, plan.ub.gamma);
    pipe->InitBuffer(work_buf_, plan.ub.work * plan.work_arrays);
    pipe->InitBuffer(half_buf_, plan.ub.half_rows);
    statistics_.Init(plan, pipe);
    if (WantsDx(plan)) queues_.TakeGamma(gamma_buf_.template Get<float>(), pipe);
  }

  __aicore__ inline void Process() {
    const RowSpan span = RowsOfThisCore(plan_);
    const bool has_scratch = Edge::kInPlace && !WantsDx(plan_) && ReadsX(plan_);
    if (has_scratch) scratch_ = queues_.NewDx();
    if (ReadsX(plan_)) stats_.CopyIn(span.begin, span.end);
    for (uint64_t row = span.begin; row < span.end;) {
      const uint32_t rows = RowsOfTile(plan_, row, span.end);
      queues_.CopyIn(row, rows);
      const uint32_t stats_row =
          ReadsX(plan_) ? stats_.Take(row - span.begin, row, span.end, statistics_) : 0;
      Compute(row, rows, span.end, stats_row);
      if (WantsDx(plan_)) queues_.CopyOut(row, rows);
      row += rows;
    }
    if (has_scratch) queues_.GiveBackDx(scratch_);
    if (span.begin >= span.end) {  // the empty sum
      sums_.Store(span.begin, true, pipe_);
    }
    sums_.SumOverPartials(plan_, pipe_);
  }

 private:
  using Edge = Fp32Edge<T>;

  // `end` of the core's rows; `stats_row` of the tile's first row in the statistics.
  __aicore__ inline void Compute(uint64_t first_row, uint32_t rows, uint64_t end,
                                 uint32_t stats_row) {
    RowsIn<T> in = queues_.Take();
    AscendC::LocalTensor<T> dx = scratch_;
    if (WantsDx(plan_)) dx = queues_.NewDx();
    for (uint32_t row = 0; row < rows;) {
      const GroupStep step = StepOfGroup(plan_, first_row + row, rows - row, end);
      const uint32_t at = row * plan_.pitch_cols;
      const uint32_t count = step.rows * plan_.pitch_cols;
      AscendC::LocalTensor<float> wide_x;
      if (ReadsX(plan_)) wide_x = Edge::Load(in.x[at], Work(0), count);
      const AscendC::LocalTensor<float> wide_dy = Edge::Load(in.dy[at], Work(1), count);
      if (!Edge::kInPlace && row + step.rows == rows)
        queues_.GiveBack(in);  // the next tile may come
      AscendC::PipeBarrier<PIPE_V>();
      Step(stats_row + row, wide_x, wide_dy, WantsDx(plan_) ? dx[at] : dx, step);
      row += step.rows;
    }
    if (Edge::kInPlace) queues_.GiveBack(in);
    if (WantsDx(plan_)) queues_.Finished(dx);
  }

  __aicore__ inline void Step(uint32_t first_row, const AscendC::LocalTensor<float>& x,
                              const AscendC::LocalTensor<float>& dy,
                              const AscendC::LocalTensor<T>& dx, const GroupStep& step) {
    const uint32_t rows = step.rows;
    const uint32_t cols = plan_.ub_cols;
    const uint32_t pitch = plan_.pitch_cols;
    const AscendC::LocalTensor<float> gamma = gamma_buf_.template Get<float>();
    const AscendC::LocalTensor<float> product = Edge::Target(dx, Work(2));
    if (ReadsX(plan_)) {
      ForGrid(rows, cols, pitch, SubByRow{x, x, statistics_.Mean(first_row)});
      AscendC::PipeBarrier<PIPE_V>();
      ForGrid(rows, cols, pitch, MulByRow{product, x, statistics_.Rstd(first_row)});
      AscendC::PipeBarrier<PIPE_V>();
      ForGrid(rows, cols, pitch, MulEach{product, product, dy});
      AscendC::PipeBarrier<PIPE_V>();
    }
    // A sum over rows beside that of each row, twice: one barrier for both. Neither touches what
    // the other one does.
    if (WantsDgamma(plan_)) {
      sums_.Dgamma().StartRows(product, Half(), rows, cols, pitch);
      while (sums_.Dgamma().ReadsData()) {
        sums_.Dgamma().Step();
        AscendC::PipeBarrier<PIPE_V>();
      }
    }
    if (WantsDx(plan_)) {
      ForGrid(rows, cols, pitch, MulByColumn{product, product, gamma});
      LeaveOutOverlap(product, rows, cols - plan_.copy_cols, cols - plan_.cols, pitch);
      statistics_.Products().StartSum(product, rows, 0, cols, pitch);
    }
    GoOnBeside(sums_.Dgamma(), statistics_.Products());
    if (WantsDbeta(plan_)) sums_.Dbeta().StartRows(dy, Half(), rows, cols, pitch);
    if (WantsDx(plan_)) {
      ForGrid(rows, cols, pitch, MulByColumn{product, dy, gamma});
      LeaveOutOverlap(product, rows, cols - plan_.copy_cols, cols - plan_.cols, pitch);
      statistics_.Terms().StartSum(product, rows, 0, cols, pitch);
    }
    GoOnBeside(sums_.Dbeta(), statistics_.Terms());
    sums_.Next();
    if (step.ends_group) {  // while dx is computed
      sums_.Store(step.row, step.is_last, pipe_);
    }
    if (WantsDx(plan_)) {
      statistics_.FinishMeans(first_row, rows);
      Finish(rows, x, dy, statistics_.Rstd(first_row), product);
      const AscendC::LocalTensor<float> result = Edge::kInPlace ? product : x;
      Edge::Store(dx, result, rows * pitch);
    }
    AscendC::PipeBarrier<PIPE_V>();  // the next step writes over what is being read here
  }

  __aicore__ inline void Finish(uint32_t rows, const AscendC::LocalTensor<float>& u,
                                const AscendC::LocalTensor<float>& dy,
                                const AscendC::LocalTensor<float>& rstd,
                                const AscendC::LocalTensor<float>& product) {
    const uint32_t cols = plan_.ub_cols;
    const uint32_t pitch = plan_.pitch_cols;
    ScaleAndAddRows(u, statistics_.MinusC2Rstd(), statistics_.MinusC1(), rows, cols, pitch);
    AscendC::PipeBarrier<PIPE_V>();
    AddScaledColumns(u, dy, gamma_buf_.template Get<float>(), product, rows, cols, pitch);
    AscendC::PipeBarrier<PIPE_V>();
    ForGrid(rows, cols, pitch, MulByRow{Edge::kInPlace ? product : u, u, rstd});
  }

  __aicore__ inline AscendC::LocalTensor<float> Half() { return half_buf_.template Get<float>(); }

  __aicore__ inline AscendC::LocalTensor<float> Work(uint32_t index) {
    return Edge::kInPlace ? AscendC::LocalTensor<float>()
                          : work_buf_.template Get<float>()[index * plan_.ub.work / sizeof(float)];
  }

  NormGradTiling plan_;
  AscendC::TPipe* pipe_;
  RowQueues<T, G> queues_;
  StatsGroup<S> stats_;
  ColumnSums<G, SumOverRows> sums_;
  RowStatistics statistics_;
  AscendC::LocalTensor<T> scratch_;  // in the place of a dx that nobody asked for
  AscendC::TBuf<AscendC::TPosition::VECIN> gamma_buf_;  // fp32 gamma is copied here directly
  AscendC::TBuf<AscendC::TPosition::VECCALC> work_buf_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> half_buf_;  // half the rows of a step, or one
};

#endif  // OP_KERNEL_LAYER_NORM_GRAD_V3_DX_WHOLE_ROW_H_
