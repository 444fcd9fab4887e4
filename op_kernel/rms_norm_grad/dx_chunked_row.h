// Strategy DxChunkedRow: rows too wide for all their fp32 intermediates, but that still fit UB in
// their own dtype. One row at a time is read once and worked on in chunks of columns, twice: the
// first pass makes dgamma and the row's mean, the second dx.
//
//   xhat = x * rstd;  dgamma += dy * xhat;  dx = dy*gamma*rstd - xhat * (mean(dy*gamma*xhat) *
//   rstd)
//
// Regime: from where DxWholeRow ends to about 9,000 columns in bf16 with all queues
// double-buffered, 11,000 with single buffers (2201); 7,000 in fp32. Bytes per row: reads 2 x cols
// x sizeof(T) + 4, writes cols x sizeof(T): each once. A 16-bit row is widened again in the second
// pass (two casts and two products more per element) because its fp32 copy does not fit; an fp32
// row keeps xhat and dy*gamma in place. Sync: queues order MTE2 -> V -> MTE3 per row. The scalar
// unit reads nothing.
#ifndef OP_KERNEL_RMS_NORM_GRAD_DX_CHUNKED_ROW_H_
#define OP_KERNEL_RMS_NORM_GRAD_DX_CHUNKED_ROW_H_

#include "op_kernel/rms_norm_grad/dgamma_partials.h"
#include "op_kernel/rms_norm_grad/fp32_edge.h"
#include "op_kernel/rms_norm_grad/row_queues.h"
#include "op_kernel/rms_norm_grad/row_statistics.h"

template <typename T>
class DxChunkedRow {
 public:
  __aicore__ inline void Init(const RmsNormGradArgs& args, const RmsNormGradTiling& plan,
                              AscendC::TPipe* pipe) {
    plan_ = plan;
    pipe_ = pipe;
    queues_.Init(args, plan, pipe);
    partials_.Init(args, plan);
    pipe->InitBuffer(gamma_buf_, plan.ub.gamma);
    sum_.Init(plan, pipe);
    pipe->InitBuffer(work_buf_, plan.ub.work * plan.work_arrays);
    statistics_.Init(plan, pipe);

    AscendC::LocalTensor<T> gamma = queues_.TakeGamma();
    AscendC::DataCopy(gamma_buf_.template Get<T>(), gamma, plan.pitch_cols);
    queues_.GiveBackX(gamma);
    AscendC::PipeBarrier<PIPE_V>();
  }

  __aicore__ inline void Process() {
    const RowSpan span = RowsOfThisCore(plan_);
    for (uint64_t row = span.begin; row < span.end; ++row) {
      queues_.CopyIn(row, 1);
      Compute();
      queues_.CopyOut(row, 1);
    }
    sum_.Store(partials_.Destination(), statistics_.Mask(), pipe_);
    partials_.SumOverCores(plan_, pipe_);
  }

 private:
  using Edge = Fp32Edge<T>;

  // fp32 views of one chunk of the row.
  struct Chunk {
    uint32_t col;
    uint32_t cols;   // that exist
    uint32_t count;  // with the padding of the row's end
    AscendC::LocalTensor<float> xhat;
    AscendC::LocalTensor<float> dyg;
  };

  __aicore__ inline void Compute() {
    AscendC::LocalTensor<float> rstd = queues_.TakeRstd();
    statistics_.SetRstd(rstd, 1);
    AscendC::LocalTensor<T> x = queues_.TakeX();
    AscendC::LocalTensor<T> dy = queues_.TakeDy();
    AscendC::PipeBarrier<PIPE_V>();
    for (uint32_t col = 0; col < plan_.cols; col += plan_.chunk_cols) {
      SumChunk(col, x, dy);
    }
    statistics_.FinishMean(1, rstd);
    queues_.GiveBackRstd(rstd);
    const AscendC::LocalTensor<T> dx = queues_.NewDx();
    for (uint32_t col = 0; col < plan_.cols; col += plan_.chunk_cols) {
      FinishChunk(col, x, dy, dx);
    }
    queues_.GiveBackX(x);
    queues_.GiveBackDy(dy);
    queues_.Finished(dx);
  }

  // First pass: dgamma and the leaf sums of dy*gamma*xhat.
  __aicore__ inline void SumChunk(uint32_t col, const AscendC::LocalTensor<T>& x,
                                  const AscendC::LocalTensor<T>& dy) {
    Chunk chunk = Open(col);
    const AscendC::LocalTensor<float> product = Work(0);
    const AscendC::LocalTensor<float> spare = Work(1);
    LoadXhat(chunk, x);
    chunk.dyg = Edge::Load(dy[col], WideWork(3), chunk.count);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Mul(product, chunk.dyg, chunk.xhat, chunk.count);
    AscendC::PipeBarrier<PIPE_V>();
    sum_.Add(col, product, spare, chunk.count);
    MulByGamma(chunk, spare);
    AscendC::Mul(product, chunk.dyg, chunk.xhat, chunk.count);
    AscendC::PipeBarrier<PIPE_V>();
    statistics_.SumColumns(product, 1, col, chunk.cols, plan_.chunk_cols);
  }

  // Second pass: dx.
  __aicore__ inline void FinishChunk(uint32_t col, const AscendC::LocalTensor<T>& x,
                                     const AscendC::LocalTensor<T>& dy,
                                     const AscendC::LocalTensor<T>& dx) {
    Chunk chunk = Open(col);
    if constexpr (Edge::kInPlace) {
      chunk.xhat = x[col];
      chunk.dyg = dy[col];
    } else {
      LoadXhat(chunk, x);
      chunk.dyg = Edge::Load(dy[col], WideWork(3), chunk.count);
      MulByGamma(chunk, Work(1));
    }
    const AscendC::LocalTensor<float> result = Edge::Target(dx[col], chunk.dyg);
    ForGrid(1, chunk.count, chunk.count, MulByRow{result, chunk.dyg, statistics_.Rstd()});
    AscendC::PipeBarrier<PIPE_V>();
    ForGrid(1, chunk.count, chunk.count,
            AddScaledByRow{result, chunk.xhat, statistics_.MinusMeanRstd()});
    Edge::Store(dx[col], result, chunk.count);
    AscendC::PipeBarrier<PIPE_V>();
  }

  __aicore__ inline Chunk Open(uint32_t col) {
    Chunk chunk;
    chunk.col = col;
    chunk.cols = Smaller(plan_.chunk_cols, plan_.cols - col);
    chunk.count = Smaller(plan_.chunk_cols, plan_.pitch_cols - col);
    return chunk;
  }

  __aicore__ inline void LoadXhat(Chunk& chunk, const AscendC::LocalTensor<T>& x) {
    chunk.xhat = Edge::Load(x[chunk.col], WideWork(2), chunk.count);
    AscendC::PipeBarrier<PIPE_V>();
    ForGrid(1, chunk.count, chunk.count, MulByRow{chunk.xhat, chunk.xhat, statistics_.Rstd()});
  }

  __aicore__ inline void MulByGamma(const Chunk& chunk, const AscendC::LocalTensor<float>& spare) {
    const AscendC::LocalTensor<float> gamma =
        Edge::Load(gamma_buf_.template Get<T>()[chunk.col], spare, chunk.count);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Mul(chunk.dyg, chunk.dyg, gamma, chunk.count);
    AscendC::PipeBarrier<PIPE_V>();
  }

  __aicore__ inline AscendC::LocalTensor<float> Work(uint32_t index) {
    return work_buf_.template Get<float>()[index * plan_.ub.work / sizeof(float)];
  }

  // Work arrays that only a 16-bit row has.
  __aicore__ inline AscendC::LocalTensor<float> WideWork(uint32_t index) {
    return Edge::kInPlace ? AscendC::LocalTensor<float>() : Work(index);
  }

  RmsNormGradTiling plan_;
  AscendC::TPipe* pipe_;
  RowQueues<T> queues_;
  DgammaSum sum_;
  DgammaPartials partials_;
  RowStatistics statistics_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> gamma_buf_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> work_buf_;
};

#endif  // OP_KERNEL_RMS_NORM_GRAD_DX_CHUNKED_ROW_H_
