// Strategy DxWholeRow in register programming: tiles of rows that fit UB whole.
//
//   xhat = x * rstd;  dgamma += dy * xhat;  c = mean(dy * xhat * gamma) * rstd
//   dx = (dy * gamma - x * c) * rstd
//
// Regime: up to about 11,500 columns in 16 bits, 7,000 in fp32 (248 KB). All intermediates are in
// registers: UB holds copies on their way, gamma as it came, and dgamma. Copies move rows_per_tile
// rows, 16 KB where that many rows fit.
// Bytes per row: reads 2 x cols x sizeof(T) + 4, writes cols x sizeof(T): each once. gamma is read
// once per core.
// Sync: queues order MTE2 -> V -> MTE3 per tile, so that the copies of the neighbouring tiles run
// beside the arithmetic. The vector pipe is in order; inside a function LocalMemBar orders the two
// halves of a leaf. The scalar unit reads nothing.
//
//   MTE2  tile 1        | tile 2        | ...
//   V     first pass 0, means, second pass 0 | first pass 1, means, ...
//   MTE3                                | dx of tile 0
#ifndef OP_KERNEL_RMS_NORM_GRAD_REGBASE_DX_WHOLE_ROW_H_
#define OP_KERNEL_RMS_NORM_GRAD_REGBASE_DX_WHOLE_ROW_H_

#include "op_kernel/common/partial_sums.h"
#include "op_kernel/common/row_queues.h"
#include "op_kernel/common/row_tiles.h"
#include "op_kernel/rms_norm_grad/regbase/register_parts.h"
#include "op_kernel/rms_norm_grad/rstd_group.h"

template <typename Parts>
class DxWholeRow {
 public:
  using T = typename Parts::Element;
  using G = typename Parts::Gamma;
  using D = typename Parts::Dx;

  __aicore__ inline void Init(const NormGradArgs& args, const NormGradTiling& plan,
                              AscendC::TPipe* pipe) {
    plan_ = plan;
    pipe_ = pipe;
    queues_.Init(args, plan, pipe);
    rstd_.Init(args, plan, pipe);
    partials_.Init(args, plan, pipe);
    pipe->InitBuffer(gamma_buf_, plan.ub.gamma);
    sum_.Init(plan, pipe);
    passes_.Init(args, plan, pipe);
    values_.Init(plan, pipe);
    const AscendC::LocalTensor<G> gamma = gamma_buf_.template Get<G>();
    gamma_ = TakeGammaColumns(args, plan, gamma, gamma, pipe);
  }

  __aicore__ inline void Process() {
    const RowSpan span = RowsOfThisCore(plan_);
    rstd_.CopyIn(span.begin, span.end);
    for (uint64_t row = span.begin; row < span.end;) {
      const uint32_t rows = RowsOfTile(plan_, row, span.end);
      queues_.CopyIn(row, rows);
      const uint32_t rstd_row = rstd_.Take(row - span.begin, row, span.end, values_);
      Compute(row, rows, span.end, rstd_row);
      queues_.CopyOut(row, rows);
      row += rows;
    }
    if (span.begin >= span.end) StoreDgamma(span.begin, true);  // the empty sum
    partials_.SumOverPartials(plan_, pipe_);
  }

 private:
  // `end` of the core's rows; `rstd_row` of the tile's first row in the values.
  __aicore__ inline void Compute(uint64_t first_row, uint32_t rows, uint64_t end,
                                 uint32_t rstd_row) {
    RowsIn<T> in = queues_.Take();
    RowsChunk<T> tile;
    tile.cols = plan_.cols;
    tile.pitch = plan_.pitch_cols;
    tile.dx_pitch = plan_.dx_pitch_cols;
    for (uint32_t row = 0; row < rows; row += tile.rows) {
      const uint64_t left = EndOfGroup(plan_, first_row + row, end) - (first_row + row);
      const bool ends_group = left <= rows - row;
      tile.x = in.x[row * plan_.pitch_cols];
      tile.dy = in.dy[row * plan_.pitch_cols];
      tile.rstd = values_.Rstd(rstd_row + row);
      tile.rows = ends_group ? static_cast<uint32_t>(left) : rows - row;
      values_.StartAt(row);
      passes_.First(tile, gamma_, 0, sum_, values_);
      if (ends_group) StoreDgamma(first_row + row, first_row + row + tile.rows == end);
    }
    values_.StartMean(rstd_row, rows);
    tile.x = in.x;
    tile.dy = in.dy;
    tile.rstd = values_.Rstd(rstd_row);
    tile.mean = values_.MinusMeanRstd();
    tile.rows = rows;
    const AscendC::LocalTensor<D> dx = queues_.NewDx();
    passes_.Second(dx, tile, gamma_);
    queues_.GiveBack(in);
    queues_.Finished(dx);
  }

  __aicore__ inline void StoreDgamma(uint64_t row, bool is_last) {
    sum_.Store(partials_.Destination(SlotOf(plan_, row)), plan_.cols, is_last, pipe_);
  }

  NormGradTiling plan_;
  AscendC::TPipe* pipe_;
  RowQueues<T, G, D> queues_;
  RstdGroup rstd_;
  SumLanes sum_;
  PartialSums<> partials_;
  typename Parts::TilePasses passes_;
  GammaColumns<G> gamma_;
  RowValues values_;
  AscendC::TBuf<AscendC::TPosition::VECIN> gamma_buf_;
};

#endif  // OP_KERNEL_RMS_NORM_GRAD_REGBASE_DX_WHOLE_ROW_H_
