// Strategy DxWholeRow in register programming: tiles of rows that fit UB whole.
//
//   u = x - mean;  p = u * rstd * dy;  dgamma += p;  dbeta += dy
//   c1 = mean(dy * gamma);  c2 = mean(p * gamma)               means over the columns of a row
//   dx = (dy * gamma - u * (c2 * rstd) - c1) * rstd
//
// Regime: up to about 8,000 columns in 16 bits, 5,400 in fp32 (248 KB). All intermediates are in
// registers: UB holds copies on their way, gamma as it came, and the sums over rows. Copies move
// rows_per_tile rows, 16 KB where that many rows fit.
// Bytes per row: reads 2 x cols x sizeof(T) and rstd and mean, writes cols x sizeof(T): each once.
// gamma is read once per core. What no output asked for needs is neither read nor computed.
// Sync: queues order MTE2 -> V -> MTE3 per tile, so that the copies of the neighbouring tiles run
// beside the arithmetic. The vector pipe is in order; inside a function LocalMemBar orders the
// parts of a leaf. The scalar unit reads nothing.
//
//   MTE2  tile 1        | tile 2        | ...
//   V     first pass 0, means, second pass 0 | first pass 1, means, ...
//   MTE3                                | dx of tile 0
#ifndef OP_KERNEL_LAYER_NORM_GRAD_V3_REGBASE_DX_WHOLE_ROW_H_
#define OP_KERNEL_LAYER_NORM_GRAD_V3_REGBASE_DX_WHOLE_ROW_H_

#include "op_kernel/common/row_queues.h"
#include "op_kernel/common/row_tiles.h"
#include "op_kernel/layer_norm_grad_v3/column_sums.h"
#include "op_kernel/layer_norm_grad_v3/regbase/register_parts.h"
#include "op_kernel/layer_norm_grad_v3/stats_group.h"

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
    passes_.Init(plan, pipe);
    values_.Init(plan, pipe);
    if (WantsDx(plan) && plan.rows > 0) {
      const AscendC::LocalTensor<G> gamma = gamma_buf_.template Get<G>();
      gamma_ = TakeGammaColumns(args, plan, gamma, gamma, pipe);
    }
  }

  __aicore__ inline void Process() {
    const RowSpan span = RowsOfThisCore(plan_);
    if (ReadsX(plan_)) stats_.CopyIn(span.begin, span.end);
    for (uint64_t row = span.begin; row < span.end;) {
      const uint32_t rows = RowsOfTile(plan_, row, span.end);
      queues_.CopyIn(row, rows);
      const uint32_t stats_row =
          ReadsX(plan_) ? stats_.Take(row - span.begin, row, span.end, values_) : 0;
      Compute(row, rows, span.end, stats_row);
      if (WantsDx(plan_)) queues_.CopyOut(row, rows);
      row += rows;
    }
    if (span.begin >= span.end) sums_.Store(span.begin, true, pipe_);  // the empty sum
    sums_.SumOverPartials(plan_, pipe_);
  }

 private:
  // `end` of the core's rows; `stats_row` of the tile's first row in the values.
  __aicore__ inline void Compute(uint64_t first_row, uint32_t rows, uint64_t end,
                                 uint32_t stats_row) {
    RowsIn<T> in = queues_.Take();
    for (uint32_t row = 0; row < rows;) {
      const uint64_t left = EndOfGroup(plan_, first_row + row, end) - (first_row + row);
      const bool ends_group = left <= rows - row;
      const uint32_t step = ends_group ? static_cast<uint32_t>(left) : rows - row;
      values_.StartAt(row);
      passes_.First(RowsOf(in, row, step, stats_row), gamma_, 0, sums_, values_.Terms(),
                    values_.Products());
      row += step;
      if (ends_group) sums_.Store(first_row + row - step, first_row + row == end, pipe_);
    }
    if (WantsDx(plan_)) {
      values_.StartMeans(stats_row, rows);
      const AscendC::LocalTensor<T> dx = queues_.NewDx();
      passes_.Second(dx, RowsOf(in, 0, rows, stats_row), gamma_);
      queues_.Finished(dx);
    }
    queues_.GiveBack(in);
  }

  // `rows` rows of a tile from `row` on.
  __aicore__ inline RowsChunk<T> RowsOf(const RowsIn<T>& in, uint32_t row, uint32_t rows,
                                        uint32_t stats_row) {
    RowsChunk<T> part;
    if (ReadsX(plan_)) {
      part.x = in.x[row * plan_.pitch_cols];
      part.rstd = values_.Rstd(stats_row + row);
      part.mean = values_.Mean(stats_row + row);
    }
    part.dy = in.dy[row * plan_.pitch_cols];
    part.minus_c1 = values_.MinusC1();
    part.minus_c2_rstd = values_.MinusC2Rstd();
    part.rows = rows;
    part.cols = plan_.cols;
    part.overlap = 0;
    part.pitch = plan_.pitch_cols;
    return part;
  }

  NormGradTiling plan_;
  AscendC::TPipe* pipe_;
  RowQueues<T, G> queues_;
  StatsGroup<S> stats_;
  ColumnSums<G, SumLanes> sums_;
  ChunkPasses<T, G> passes_;
  GammaColumns<G> gamma_;
  RowValues values_;
  AscendC::TBuf<AscendC::TPosition::VECIN> gamma_buf_;
};

#endif  // OP_KERNEL_LAYER_NORM_GRAD_V3_REGBASE_DX_WHOLE_ROW_H_
