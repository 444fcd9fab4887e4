// What is done to a chunk of one row, whoever has brought it into UB: a first pass for dgamma and
// the row's sum, and, once the row's mean is known, a second one for dx.
//
//   first   p = x * rstd * dy;  dgamma += p;  row sum += p * gamma
//   second  dx = (dy * gamma - x * c) * rstd           c = mean * rstd
//
// A 16-bit chunk is widened in both passes, since its fp32 copy would take twice the room that the
// row itself takes. Two fp32 work arrays are enough; gamma may be there in fp32 or, in 16 bits, be
// widened as well.
#ifndef OP_KERNEL_RMS_NORM_GRAD_CHUNK_PASSES_H_
#define OP_KERNEL_RMS_NORM_GRAD_CHUNK_PASSES_H_

#include "op_kernel/rms_norm_grad/dgamma_sum.h"
#include "op_kernel/rms_norm_grad/fp32_edge.h"
#include "op_kernel/rms_norm_grad/row_statistics.h"

// gamma of some columns, in fp32 or as it came.
template <typename G>
struct GammaColumns {
  bool is_wide;
  AscendC::LocalTensor<float> wide;
  AscendC::LocalTensor<G> narrow;

  __aicore__ inline GammaColumns operator[](uint32_t col) const {
    return is_wide ? GammaColumns{true, wide[col], narrow} : GammaColumns{false, wide, narrow[col]};
  }

  // fp32 of the first `count` columns, in `spare` if they have to be widened.
  __aicore__ inline AscendC::LocalTensor<float> Widened(const AscendC::LocalTensor<float>& spare,
                                                        uint32_t count) const {
    if constexpr (sizeof(G) < sizeof(float)) {
      if (!is_wide) {
        AscendC::Cast(spare, narrow, AscendC::RoundMode::CAST_NONE, count);
        return spare;
      }
    }
    return wide;
  }
};

template <typename T, typename G>
class ChunkPasses {
 public:
  __aicore__ inline void Init(const RmsNormGradTiling& plan, AscendC::TPipe* pipe) {
    pipe->InitBuffer(work_buf_, 2 * plan.ub.work);
    work_elems_ = plan.ub.work / static_cast<uint32_t>(sizeof(float));
  }

  // `cols` columns; `col` is the first one's place in the row, `sum_col` its place in the sum.
  __aicore__ inline void First(const AscendC::LocalTensor<T>& x, const AscendC::LocalTensor<T>& dy,
                               const GammaColumns<G>& gamma,
                               const AscendC::LocalTensor<float>& rstd, uint32_t col,
                               uint32_t sum_col, uint32_t cols, DgammaSum& sum,
                               RowStatistics& statistics) {
    const AscendC::LocalTensor<float> product = Work(0);
    const AscendC::LocalTensor<float> other = Work(1);
    const AscendC::LocalTensor<float> wide_x = Edge::Load(x, product, cols);
    const AscendC::LocalTensor<float> wide_dy = Edge::Load(dy, other, cols);
    AscendC::PipeBarrier<PIPE_V>();
    ForGrid(1, cols, cols, MulByRow{product, wide_x, rstd});
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Mul(product, product, wide_dy, cols);
    AscendC::PipeBarrier<PIPE_V>();
    // The sum over rows and that of the row, side by side: one barrier for both.
    sum.Start(sum_col, product, product, cols);
    sum.Step();
    const AscendC::LocalTensor<float> wide_gamma = gamma.Widened(other, cols);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Mul(other, product, wide_gamma, cols);
    statistics.StartSum(other, 1, col, cols, work_elems_);
    bool goes_on = true;
    while (goes_on) {
      AscendC::PipeBarrier<PIPE_V>();
      goes_on = statistics.StepSum();
      goes_on = sum.Step() || goes_on;
    }
  }

  // dx may lie where x or dy lies.
  __aicore__ inline void Second(const AscendC::LocalTensor<T>& dx, const AscendC::LocalTensor<T>& x,
                                const AscendC::LocalTensor<T>& dy, const GammaColumns<G>& gamma,
                                const AscendC::LocalTensor<float>& rstd, uint32_t cols,
                                RowStatistics& statistics) {
    const AscendC::LocalTensor<float> result = Work(0);
    const AscendC::LocalTensor<float> other = Work(1);
    const AscendC::LocalTensor<float> wide_dy = Edge::Load(dy, result, cols);
    const AscendC::LocalTensor<float> wide_gamma = gamma.Widened(other, cols);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Mul(result, wide_dy, wide_gamma, cols);
    AscendC::PipeBarrier<PIPE_V>();
    const AscendC::LocalTensor<float> wide_x = Edge::Load(x, other, cols);
    AscendC::PipeBarrier<PIPE_V>();
    ForGrid(1, cols, cols, AddScaledByRow{result, wide_x, statistics.MinusMeanRstd()});
    AscendC::PipeBarrier<PIPE_V>();
    const AscendC::LocalTensor<float> target = Edge::Target(dx, result);
    ForGrid(1, cols, cols, MulByRow{target, result, rstd});
    Edge::Store(dx, target, cols);
    AscendC::PipeBarrier<PIPE_V>();
  }

  // Room for `plan.chunk_cols` fp32, free between the passes.
  __aicore__ inline AscendC::LocalTensor<float> Spare() { return Work(0); }
  __aicore__ inline uint32_t SpareCols() const { return work_elems_; }

 private:
  using Edge = Fp32Edge<T>;

  __aicore__ inline AscendC::LocalTensor<float> Work(uint32_t index) {
    return work_buf_.Get<float>()[index * work_elems_];
  }

  uint32_t work_elems_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> work_buf_;
};

#endif  // OP_KERNEL_RMS_NORM_GRAD_CHUNK_PASSES_H_
