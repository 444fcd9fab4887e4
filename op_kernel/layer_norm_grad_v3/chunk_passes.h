// What is done to a chunk of some rows, whoever has brought it into UB: a first pass for the sums
// over rows and over columns, and, once the rows' means are known, a second one for dx.
//
//   first   u = x - mean;  p = u * rstd * dy;  dgamma += p;  dbeta += dy
//           c1 += dy * gamma;  c2 += p * gamma                     of each row
//   second  dx = (u * -(c2 * rstd) - c1 + dy * gamma) * rstd
//
// A 16-bit chunk is widened in both passes, since its fp32 copy would take twice the room that the
// row itself takes. fp32 rows that are read again for the second pass are worked on where they lie.
#ifndef OP_KERNEL_LAYER_NORM_GRAD_V3_CHUNK_PASSES_H_
#define OP_KERNEL_LAYER_NORM_GRAD_V3_CHUNK_PASSES_H_

#include "op_kernel/common/fp32_edge.h"
#include "op_kernel/common/row_sum.h"
#include "op_kernel/layer_norm_grad_v3/column_sums.h"
#include "op_kernel/layer_norm_grad_v3/rows_chunk.h"

// A sum over rows and one of each row, side by side to their end: one barrier for both.
template <typename RowSum>
__aicore__ inline void GoOnBeside(SumOverRows& over_rows, RowSum& of_rows) {
  bool goes_on = true;
  while (goes_on) {
    AscendC::PipeBarrier<PIPE_V>();
    goes_on = of_rows.StepSum();
    goes_on = over_rows.Step() || goes_on;
  }
}

template <typename T, typename G>
class ChunkPasses {
 public:
  __aicore__ inline void Init(const NormGradTiling& plan, AscendC::TPipe* pipe) {
    in_place_ = plan.work_arrays == 1;
    copy_cols_ = plan.copy_cols;
    work_elems_ = plan.ub.work / static_cast<uint32_t>(sizeof(float));
    wants_dx_ = WantsDx(plan);
    wants_dgamma_ = WantsDgamma(plan);
    wants_dbeta_ = WantsDbeta(plan);
    pipe->InitBuffer(work_buf_, plan.work_arrays * plan.ub.work);
  }

  // `col` is the chunk's place in the sums. `terms` sum dy * gamma of each row and `products` what
  // c2 is made of, both by StartSum and StepSum.
  template <typename Sums, typename RowSum>
  __aicore__ inline void First(const RowsChunk<T>& c, const GammaColumns<G>& gamma, uint32_t col,
                               Sums& sums, RowSum& terms, RowSum& products) {
    if (c.rows == 1) {
      FirstOfOneRow(c, gamma, col, sums, terms, products);
      return;
    }
    const AscendC::LocalTensor<float> product = Place(c.x, 0);
    const AscendC::LocalTensor<float> dy_place = Place(c.dy, 1);
    const AscendC::LocalTensor<float> other = Work(in_place_ ? 0 : 2);
    const AscendC::LocalTensor<float> dy = Edge::Load(c.dy, dy_place, c.rows * c.pitch);
    if (wants_dx_ || wants_dgamma_) {
      const AscendC::LocalTensor<float> x = Edge::Load(c.x, product, c.rows * c.pitch);
      AscendC::PipeBarrier<PIPE_V>();
      ForGrid(c.rows, c.cols, c.pitch, SubByRow{product, x, c.mean});
      AscendC::PipeBarrier<PIPE_V>();
      ForGrid(c.rows, c.cols, c.pitch, MulByRow{product, product, c.rstd});
      AscendC::PipeBarrier<PIPE_V>();
      MulRows(product, product, dy, c.rows, c.cols, c.pitch);
    }
    AscendC::PipeBarrier<PIPE_V>();
    SumChunk(c, gamma, col, product, other, products);
    if (wants_dgamma_) {
      sums.Dgamma().StartRows(product, product, c.rows, c.cols, c.pitch);
    }
    GoOnBeside(sums.Dgamma(), products);
    SumChunk(c, gamma, col, dy, other, terms);
    if (wants_dbeta_) sums.Dbeta().StartRows(dy, dy_place, c.rows, c.cols, c.pitch);
    GoOnBeside(sums.Dbeta(), terms);
  }

  // dx may lie where x or dy lies.
  __aicore__ inline void Second(const AscendC::LocalTensor<T>& dx, const RowsChunk<T>& c,
                                const GammaColumns<G>& gamma) {
    const AscendC::LocalTensor<float> result = Place(c.x, 0);
    const AscendC::LocalTensor<float> x = Edge::Load(c.x, result, c.rows * c.pitch);
    const AscendC::LocalTensor<float> dy_place = Place(c.dy, 1);
    const AscendC::LocalTensor<float> dy = Edge::Load(c.dy, dy_place, c.rows * c.pitch);
    const AscendC::LocalTensor<float> wide_gamma = gamma.Widened(Work(in_place_ ? 0 : 2), c.cols);
    AscendC::PipeBarrier<PIPE_V>();
    ForGrid(c.rows, c.cols, c.pitch, SubByRow{result, x, c.mean});
    AscendC::PipeBarrier<PIPE_V>();
    ScaleAndAddRows(result, c.minus_c2_rstd, c.minus_c1, c.rows, c.cols, c.pitch);
    AscendC::PipeBarrier<PIPE_V>();
    AddScaledColumns(result, dy, wide_gamma, dy_place, c.rows, c.cols, c.pitch);
    AscendC::PipeBarrier<PIPE_V>();
    const AscendC::LocalTensor<float> target = Edge::Target(dx, result);
    ForGrid(c.rows, c.cols, c.pitch, MulByRow{target, result, c.rstd});
    Edge::Store(dx, target, c.rows * c.pitch);
    AscendC::PipeBarrier<PIPE_V>();
  }

 private:
  using Edge = Fp32Edge<T>;

  // The sum of data * gamma of each row, in `place`.
  template <typename RowSum>
  __aicore__ inline void SumChunk(const RowsChunk<T>& c, const GammaColumns<G>& gamma, uint32_t col,
                                  const AscendC::LocalTensor<float>& data,
                                  const AscendC::LocalTensor<float>& place, RowSum& of_rows) {
    if (!wants_dx_) return;
    const AscendC::LocalTensor<float> wide_gamma = gamma.Widened(place, c.cols);
    AscendC::PipeBarrier<PIPE_V>();
    StartSumOfRows(c, col, data, wide_gamma, place, of_rows);
  }

  template <typename RowSum>
  __aicore__ inline void StartSumOfRows(const RowsChunk<T>& c, uint32_t col,
                                        const AscendC::LocalTensor<float>& data,
                                        const AscendC::LocalTensor<float>& wide_gamma,
                                        const AscendC::LocalTensor<float>& place, RowSum& of_rows) {
    ForGrid(c.rows, c.cols, c.pitch, MulByColumn{place, data, wide_gamma});
    LeaveOutOverlap(place, c.rows, c.cols - copy_cols_, c.overlap, c.pitch);
    of_rows.StartSum(place, c.rows, col, c.cols, c.pitch);
  }

  // A row needs no room to be halved with others: its two sums go on beside the arithmetic. Ten
  // steps with a barrier behind each instead of fifteen, for chunks that are short where rows are
  // long.
  template <typename Sums, typename RowSum>
  __aicore__ inline void FirstOfOneRow(const RowsChunk<T>& c, const GammaColumns<G>& gamma,
                                       uint32_t col, Sums& sums, RowSum& terms, RowSum& products) {
    const AscendC::LocalTensor<float> product = Place(c.x, 0);
    const AscendC::LocalTensor<float> dy_place = Place(c.dy, 1);
    const AscendC::LocalTensor<float> other = Work(in_place_ ? 0 : 2);
    const bool reads_x = wants_dx_ || wants_dgamma_;
    const AscendC::LocalTensor<float> dy = Edge::Load(c.dy, dy_place, c.pitch);
    AscendC::LocalTensor<float> x;
    if (reads_x) x = Edge::Load(c.x, product, c.pitch);
    AscendC::LocalTensor<float> wide_gamma;
    if (wants_dx_) wide_gamma = gamma.Widened(other, c.cols);
    AscendC::PipeBarrier<PIPE_V>();
    if (wants_dbeta_) {
      // Without x its place is none.
      sums.Dbeta().Start(col, dy, reads_x ? product : other, c.cols);
      sums.Dbeta().Step();
    }
    if (wants_dx_) StartSumOfRows(c, col, dy, wide_gamma, other, terms);
    if (reads_x) {
      ForGrid(1, c.cols, c.pitch, SubByRow{product, x, c.mean});
      AscendC::PipeBarrier<PIPE_V>();
      ForGrid(1, c.cols, c.pitch, MulByRow{product, product, c.rstd});
      terms.StepSum();
      AscendC::PipeBarrier<PIPE_V>();
      MulRows(product, product, dy, 1, c.cols, c.pitch);
      terms.StepSum();
      AscendC::PipeBarrier<PIPE_V>();
      if (wants_dgamma_) {
        sums.Dgamma().Start(col, product, product, c.cols);
        sums.Dgamma().Step();
      }
    }
    if (wants_dx_) {  // dy has been read for the last time
      const AscendC::LocalTensor<float> gamma_again = gamma.Widened(dy_place, c.cols);
      if (!gamma.is_wide) AscendC::PipeBarrier<PIPE_V>();
      StartSumOfRows(c, col, product, gamma_again, dy_place, products);
    }
    for (bool goes_on = true; goes_on;) {
      AscendC::PipeBarrier<PIPE_V>();
      goes_on = terms.StepSum();
      goes_on = products.StepSum() || goes_on;
      goes_on = sums.Dgamma().Step() || goes_on;
      goes_on = sums.Dbeta().Step() || goes_on;
    }
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
  uint32_t copy_cols_;
  uint32_t work_elems_;
  bool wants_dx_;
  bool wants_dgamma_;
  bool wants_dbeta_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> work_buf_;
};

#endif  // OP_KERNEL_LAYER_NORM_GRAD_V3_CHUNK_PASSES_H_
