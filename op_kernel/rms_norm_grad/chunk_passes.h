// What is done to a chunk of some rows, whoever has brought it into UB: a first pass for dgamma and
// the rows' sums, and, once the rows' means are known, a second one for dx.
//
//   first   p = x * rstd * dy;  dgamma += p;  row sum += p * gamma
//   second  dx = (dy * gamma - x * c) * rstd           c = mean * rstd
//
// A 16-bit chunk is widened in both passes, since its fp32 copy would take twice the room that the
// row itself takes. Two fp32 work arrays are enough, and fp32 rows that are read again for the
// second pass need none: they are worked on where they lie. gamma may be there in fp32 or, in 16
// bits, be widened as well.
#ifndef OP_KERNEL_RMS_NORM_GRAD_CHUNK_PASSES_H_
#define OP_KERNEL_RMS_NORM_GRAD_CHUNK_PASSES_H_

#include "op_kernel/common/fp32_edge.h"
#include "op_kernel/common/gamma_columns.h"
#include "op_kernel/common/row_sum.h"
#include "op_kernel/common/sum_over_rows.h"
#include "op_kernel/rms_norm_grad/gamma_first.h"
#include "op_kernel/rms_norm_grad/rows_chunk.h"

template <typename T, typename G>
class ChunkPasses {
 public:
  __aicore__ inline void Init(const NormGradArgs&, const NormGradTiling& plan,
                              AscendC::TPipe* pipe) {
    in_place_ = plan.work_arrays == 0;
    gamma_first_ = MultipliesGammaFirst(plan.cols);
    copy_cols_ = plan.copy_cols;
    second_stage_ = kWiden;
    work_elems_ = plan.ub.work / static_cast<uint32_t>(sizeof(float));
    if (!in_place_) pipe->InitBuffer(work_buf_, plan.work_arrays * plan.ub.work);
  }

  // `col` is the chunk's place in both sums. RowSums sums p * gamma of each row by its StartSum and
  // StepSum, as RowStatistics does.
  template <typename RowSums>
  __aicore__ inline void First(const RowsChunk<T>& c, const GammaColumns<G>& gamma, uint32_t col,
                               SumOverRows& sum, RowSums& row_sums) {
    const AscendC::LocalTensor<float> product = Place(c.x, 0);
    const AscendC::LocalTensor<float> other = Place(c.dy, 1);
    const AscendC::LocalTensor<float> x = Edge::Load(c.x, product, c.rows * c.pitch);
    const AscendC::LocalTensor<float> dy = Edge::Load(c.dy, other, c.rows * c.pitch);
    AscendC::PipeBarrier<PIPE_V>();
    ForGrid(c.rows, c.cols, c.pitch, MulByRow{product, x, c.rstd});
    AscendC::PipeBarrier<PIPE_V>();
    if (gamma_first_) {
      MultiplyGammaFirst(c.cols, gamma, {product, dy, other}, sum);
    } else {
      MulRows(product, product, dy, c.rows, c.cols, c.pitch);
      AscendC::PipeBarrier<PIPE_V>();
      if (c.rows == 1) {
        sum.Start(col, product, product, c.cols);
        sum.Step();
      }
      const AscendC::LocalTensor<float> wide_gamma = gamma.Widened(other, c.cols);
      AscendC::PipeBarrier<PIPE_V>();
      ForGrid(c.rows, c.cols, c.pitch, MulByColumn{other, product, wide_gamma});
    }
    // The sum over rows and those of the rows, side by side: one barrier for both.
    LeaveOutOverlap(other, c.rows, c.cols - copy_cols_, c.overlap, c.pitch);
    // A chunk of fewer than 128 columns leaves as much room again: a chunk may have 512.
    const uint32_t end = RoundUp(c.rows * c.pitch, kBlockElemsFp32);
    row_sums.StartSum(other, other[end], c.rows, col, c.cols, c.pitch);
    bool goes_on = true;
    uint32_t rows = c.rows;
    if (rows == 2) sum.StartPair(col, product, product[c.pitch], c.cols);
    while (goes_on) {
      AscendC::PipeBarrier<PIPE_V>();
      goes_on = row_sums.StepSum();
      if (rows > 2) {
        rows = HalveRowsOnce(product, rows, c.cols, c.pitch);
        if (rows == 2) sum.StartPair(col, product, product[c.pitch], c.cols);
        goes_on = true;
      } else {
        goes_on = sum.Step() || goes_on;
      }
    }
  }

  // The means of a row, whose StepMean goes on beside what the second pass of a chunk can do
  // without them; Second of the same chunk comes next.
  template <typename Statistics>
  __aicore__ inline void BeginSecond(const RowsChunk<T>& c, const GammaColumns<G>& gamma,
                                     Statistics& statistics) {
    second_stage_ = kWiden;
    bool goes_on = true;
    while (goes_on) {
      goes_on = statistics.StepMean();
      goes_on = StepSecond(c, gamma) || goes_on;
      AscendC::PipeBarrier<PIPE_V>();
    }
  }

  // dx may lie where x or dy lies.
  __aicore__ inline void Second(const AscendC::LocalTensor<T>& dx, const RowsChunk<T>& c,
                                const GammaColumns<G>& gamma) {
    while (StepSecond(c, gamma)) AscendC::PipeBarrier<PIPE_V>();
    second_stage_ = kWiden;
    const AscendC::LocalTensor<float> result = Place(c.dy, 0);
    ForGrid(c.rows, c.cols, c.pitch, AddScaledByRow{result, x_, c.mean});
    AscendC::PipeBarrier<PIPE_V>();
    const AscendC::LocalTensor<float> target = Edge::Target(dx, result);
    ForGrid(c.rows, c.cols, c.pitch, MulByRow{target, result, c.rstd});
    Edge::Store(dx, target, c.rows * c.pitch);
    AscendC::PipeBarrier<PIPE_V>();
  }

 private:
  using Edge = Fp32Edge<T>;
  struct FewCols {
    AscendC::LocalTensor<float> xhat;
    AscendC::LocalTensor<float> dy;
    AscendC::LocalTensor<float> other;  // a work array; dy may be there
  };

  // other = xhat * (dy * gamma), and the sum is begun, of one row of few columns; work arrays have
  // room for three such rows more.
  __aicore__ inline void MultiplyGammaFirst(uint32_t cols, const GammaColumns<G>& gamma,
                                            const FewCols& row, SumOverRows& sum) {
    const int32_t count = static_cast<int32_t>(cols);
    const AscendC::LocalTensor<float> product = row.xhat[kMostColsOfGammaFirst];
    AscendC::Mul(product, row.xhat, row.dy, count);
    const AscendC::LocalTensor<float> wide_gamma =
        gamma.Widened(row.other[2 * kMostColsOfGammaFirst], cols);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Mul(row.other, row.dy, wide_gamma, count);
    sum.Start(0, product, product, cols);
    sum.Step();
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Mul(row.other, row.xhat, row.other, count);
  }

  enum SecondStage : uint32_t { kWiden, kTimesGamma, kWidenX, kNeedsMeans };

  // dy * gamma, and x behind it in gamma's place; false: only means are missing.
  __aicore__ inline bool StepSecond(const RowsChunk<T>& c, const GammaColumns<G>& gamma) {
    const AscendC::LocalTensor<float> result = Place(c.dy, 0);
    const AscendC::LocalTensor<float> other = Place(c.x, 1);
    const uint32_t count = c.rows * c.pitch;
    switch (second_stage_) {
      case kWiden:
        dy_ = Edge::Load(c.dy, result, count);
        wide_gamma_ = gamma.Widened(other, c.cols);
        break;
      case kTimesGamma:
        ForGrid(c.rows, c.cols, c.pitch, MulByColumn{result, dy_, wide_gamma_});
        break;
      case kWidenX:
        x_ = Edge::Load(c.x, other, count);
        break;
      default:
        return false;
    }
    ++second_stage_;
    return true;
  }

  __aicore__ inline AscendC::LocalTensor<float> Work(uint32_t index) {
    return work_buf_.Get<float>()[index * work_elems_];
  }

  // The rows themselves, or a work array.
  __aicore__ inline AscendC::LocalTensor<float> Place(const AscendC::LocalTensor<T>& rows,
                                                      uint32_t index) {
    return in_place_ ? Edge::Target(rows, AscendC::LocalTensor<float>()) : Work(index);
  }

  bool in_place_;
  bool gamma_first_;
  uint32_t copy_cols_;
  uint32_t work_elems_;
  uint32_t second_stage_;  // of the chunk of BeginSecond or Second
  AscendC::LocalTensor<float> dy_;
  AscendC::LocalTensor<float> x_;
  AscendC::LocalTensor<float> wide_gamma_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> work_buf_;
};

#endif  // OP_KERNEL_RMS_NORM_GRAD_CHUNK_PASSES_H_
