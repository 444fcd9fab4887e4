// Strategy DxWholeRow: rows that fit UB whole, with all their fp32 intermediates.
//
//   xhat = x * rstd;  dgamma += dy * xhat;  dx = dy*gamma*rstd - xhat * (mean(dy*gamma*xhat) *
//   rstd)
//
// Regime: up to about 4,600 columns (2201); rows_per_tile rows are worked on together.
// Bytes per row: reads 2 x cols x sizeof(T) + 4, writes cols x sizeof(T): each once. gamma is read
// once per core.
// Sync: queues order MTE2 -> V -> MTE3 per tile, two buffers each, so that the copies of the
// neighbouring tiles run beside the arithmetic. The scalar unit reads nothing: the statistics of a
// row stay in vectors (Brcb spreads a row's value over one block).
#ifndef OP_KERNEL_RMS_NORM_GRAD_DX_WHOLE_ROW_H_
#define OP_KERNEL_RMS_NORM_GRAD_DX_WHOLE_ROW_H_

#include "op_kernel/rms_norm_grad/dgamma_partials.h"
#include "op_kernel/rms_norm_grad/fp32_edge.h"
#include "op_kernel/rms_norm_grad/row_queues.h"
#include "op_kernel/rms_norm_grad/row_statistics.h"

template <typename T>
class DxWholeRow {
 public:
  __aicore__ inline void Init(const RmsNormGradArgs& args, const RmsNormGradTiling& plan,
                              AscendC::TPipe* pipe) {
    plan_ = plan;
    pipe_ = pipe;
    queues_.Init(args, plan, pipe);
    partials_.Init(args, plan);
    pipe->InitBuffer(gamma_buf_, plan.ub.gamma);
    sum_.Init(plan, pipe);
    pipe->InitBuffer(spare_buf_, plan.ub.dgamma_hi);
    if constexpr (!Edge::kInPlace) {
      pipe->InitBuffer(work_buf_, plan.ub.work * plan.work_arrays);
    }
    statistics_.Init(plan, pipe);

    AscendC::LocalTensor<T> gamma = queues_.TakeGamma();
    Edge::Widen(gamma_buf_.template Get<float>(), gamma, plan.pitch_cols);
    queues_.GiveBackX(gamma);
    AscendC::PipeBarrier<PIPE_V>();
  }

  __aicore__ inline void Process() {
    const RowSpan span = RowsOfThisCore(plan_);
    for (uint64_t row = span.begin; row < span.end; row += plan_.rows_per_tile) {
      const uint64_t left = span.end - row;
      const uint32_t rows =
          left < plan_.rows_per_tile ? static_cast<uint32_t>(left) : plan_.rows_per_tile;
      queues_.CopyIn(row, rows);
      Compute(rows);
      queues_.CopyOut(row, rows);
    }
    sum_.Store(partials_.Destination(), statistics_.Mask(), pipe_);
    partials_.SumOverCores(plan_, pipe_);
  }

 private:
  using Edge = Fp32Edge<T>;

  __aicore__ inline void Compute(uint32_t rows) {
    const uint32_t cols = plan_.cols;
    const uint32_t pitch = plan_.pitch_cols;
    const uint32_t count = rows * pitch;
    AscendC::LocalTensor<float> rstd = queues_.TakeRstd();
    statistics_.SetRstd(rstd, rows);
    AscendC::LocalTensor<T> x = queues_.TakeX();
    AscendC::LocalTensor<T> dy = queues_.TakeDy();
    const AscendC::LocalTensor<T> dx = queues_.NewDx();
    const AscendC::LocalTensor<float> xhat = Edge::Load(x, Work(0), count);
    const AscendC::LocalTensor<float> dyg = Edge::Load(dy, Work(1), count);
    const AscendC::LocalTensor<float> product = Edge::Target(dx, Work(2));
    if constexpr (!Edge::kInPlace) {
      queues_.GiveBackX(x);
      queues_.GiveBackDy(dy);
    }
    AscendC::PipeBarrier<PIPE_V>();

    ForGrid(rows, cols, pitch, MulByRow{xhat, xhat, statistics_.Rstd()});
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Mul(product, dyg, xhat, count);
    AscendC::PipeBarrier<PIPE_V>();
    HalveRows(product, rows, pitch);
    sum_.Add(0, product, spare_buf_.template Get<float>(), pitch);

    ForGrid(rows, cols, pitch, MulByColumn{dyg, gamma_buf_.template Get<float>()});
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Mul(product, dyg, xhat, count);
    AscendC::PipeBarrier<PIPE_V>();
    statistics_.SumColumns(product, rows, 0, cols, pitch);
    statistics_.FinishMean(rows, rstd);
    queues_.GiveBackRstd(rstd);
    const AscendC::LocalTensor<float> result = Edge::kInPlace ? product : dyg;
    ForGrid(rows, cols, pitch, MulByRow{result, dyg, statistics_.Rstd()});
    AscendC::PipeBarrier<PIPE_V>();
    ForGrid(rows, cols, pitch, AddScaledByRow{result, xhat, statistics_.MinusMeanRstd()});
    Edge::Store(dx, result, count);
    AscendC::PipeBarrier<PIPE_V>();  // the next tile writes over what is being read here

    if constexpr (Edge::kInPlace) {
      queues_.GiveBackX(x);
      queues_.GiveBackDy(dy);
    }
    queues_.Finished(dx);
  }

  __aicore__ inline AscendC::LocalTensor<float> Work(uint32_t index) {
    if constexpr (Edge::kInPlace) {
      return AscendC::LocalTensor<float>();
    } else {
      return work_buf_.template Get<float>()[index * plan_.ub.work / sizeof(float)];
    }
  }

  RmsNormGradTiling plan_;
  AscendC::TPipe* pipe_;
  RowQueues<T> queues_;
  DgammaSum sum_;
  DgammaPartials partials_;
  RowStatistics statistics_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> gamma_buf_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> spare_buf_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> work_buf_;
};

#endif  // OP_KERNEL_RMS_NORM_GRAD_DX_WHOLE_ROW_H_
