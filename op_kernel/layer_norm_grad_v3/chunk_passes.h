// What is done to a chunk of some rows, whoever has brought it into UB: a first pass for the sums
// over rows and over columns, and, once the rows' means are known, a second one for dx.
//
//   first   u = x - mean;  p = u * rstd * dy;  dgamma += p;  dbeta += dy
//           c1 += dy * gamma;  c2 += p * gamma                     of each row
//   second  dx = (u * -(c2 * rstd) - c1 + dy * gamma) * rstd
//
// A 16-bit chunk is widened in both passes, since its fp32 copy would take twice the room that the
// row itself takes. fp32 rows that are read again for the second pass are worked on where they lie.
//
// Nearly each instruction needs the result of the one before it. Chunks of one row therefore
// overlap, so that one is worked on while the other waits: the last sums of the row beside the
// first two steps of the next chunk, or of the second pass; and in that
//
//   x       widen | - mean | * c2 + c1 | + dy * gamma | * rstd | narrow
//   next x                               widen        | - mean | * c2 + c1 | ...
//
// Three work arrays are enough for it. First pass: p, which is also spare for the sums over rows;
// dy, and p * gamma after it; dy * gamma, whose place is the next chunk's dy. Second pass: results
// in two of them in turn, dy in the third or, with gamma that has to be widened, too, where the
// other result will be, so that the next chunk begins a step later.
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
    dy_at_ = 0;
    has_begun_ = false;
    newest_ = 0;
    second_[0].stage = kDone;
    second_[1].stage = kDone;
    pipe->InitBuffer(work_buf_, plan.work_arrays * plan.ub.work);
  }

  // `col` is the chunk's place in the sums. `terms` sum dy * gamma of each row and `products` what
  // c2 is made of, both by StartSum and StepSum.
  template <typename Sums, typename RowSum>
  __aicore__ inline void First(const RowsChunk<T>& c, const GammaColumns<G>& gamma, uint32_t col,
                               Sums& sums, RowSum& terms, RowSum& products) {
    NextFirst(c, gamma, col, sums, terms, products);
    while (StepRowSums(terms, products)) AscendC::PipeBarrier<PIPE_V>();
  }

  // First for the chunks of a row in turn: the sums of the row end beside the next chunk or in
  // BeginSecond.
  template <typename Sums, typename RowSum>
  __aicore__ inline void NextFirst(const RowsChunk<T>& c, const GammaColumns<G>& gamma,
                                   uint32_t col, Sums& sums, RowSum& terms, RowSum& products) {
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

  // The second pass of a chunk. dx may lie where x or dy lies.
  __aicore__ inline void Second(const AscendC::LocalTensor<T>& dx, const RowsChunk<T>& c,
                                const GammaColumns<G>& gamma) {
    NextSecond(dx, c, gamma);
    EndSecond();
  }

  // Chunks end later than in the call that is given them: see NextSecond.
  static constexpr bool kEndsAtOnce = false;

  // The sums and means of a row go on beside what the second pass of its first chunk can do without
  // them; NextSecond of that chunk comes next.
  template <typename Statistics>
  __aicore__ inline void BeginSecond(const AscendC::LocalTensor<T>& dx, const RowsChunk<T>& c,
                                     const GammaColumns<G>& gamma, Statistics& statistics) {
    newest_ = dy_at_;  // leaves alone what is still being summed
    Enter(dx, c, gamma);
    has_begun_ = true;
    for (bool goes_on = true; goes_on;) {
      goes_on = StepRowSums(statistics.Terms(), statistics.Products()) || statistics.StepMeans();
      if (Newest().stage < kScale) goes_on = StepSecond(Newest());
      if (goes_on) AscendC::PipeBarrier<PIPE_V>();
    }
  }

  // Second for the chunks of a row in turn: the chunk before this one has ended then, and this one
  // ends beside the next one or in EndSecond.
  __aicore__ inline void NextSecond(const AscendC::LocalTensor<T>& dx, const RowsChunk<T>& c,
                                    const GammaColumns<G>& gamma) {
    if (!has_begun_) Enter(dx, c, gamma);
    has_begun_ = false;
    const uint32_t last_stage = WidensTwo(gamma) ? kAddDy : kScale;
    while (Newest().stage <= last_stage) {
      StepSecond(Newest());
      StepSecond(second_[1 - newest_]);
      AscendC::PipeBarrier<PIPE_V>();
    }
  }

  __aicore__ inline void EndSecond() {
    while (StepSecond(Newest())) AscendC::PipeBarrier<PIPE_V>();
  }

 private:
  using Edge = Fp32Edge<T>;

  // Beside p * gamma, after which dy * gamma has been summed.
  static constexpr uint32_t kStepsOfTerms = 2;

  enum SecondStage : uint32_t { kWiden, kLessMean, kScale, kAddDy, kTimesRstd, kNarrow, kDone };

  // A chunk on its way through the second pass.
  struct OnItsWay {
    uint32_t stage;
    AscendC::LocalTensor<T> dx;
    RowsChunk<T> chunk;
    GammaColumns<G> gamma;
    AscendC::LocalTensor<float> result;
    AscendC::LocalTensor<float> x;
    AscendC::LocalTensor<float> dy_place;
    AscendC::LocalTensor<float> dy;
    AscendC::LocalTensor<float> wide_gamma;
  };

  // Whether dy and gamma both need a work array.
  __aicore__ static inline bool WidensTwo(const GammaColumns<G>& gamma) {
    return !Edge::kInPlace && !gamma.is_wide;
  }

  __aicore__ inline OnItsWay& Newest() { return second_[newest_]; }

  __aicore__ inline void Enter(const AscendC::LocalTensor<T>& dx, const RowsChunk<T>& c,
                               const GammaColumns<G>& gamma) {
    newest_ = 1 - newest_;
    OnItsWay& s = Newest();
    s.stage = kWiden;
    s.dx = dx;
    s.chunk = c;
    s.gamma = gamma;
    s.result = Place(c.x, newest_);
    s.dy_place = Place(c.dy, WidensTwo(gamma) ? 1 - newest_ : 2);
    if (Edge::kInPlace) StepSecond(s);  // there is nothing to widen
  }

  // The next instructions of a chunk's second pass, none of which needs another's result; false: it
  // was done already. A barrier belongs between two calls, and other work, too.
  __aicore__ inline bool StepSecond(OnItsWay& s) {
    const RowsChunk<T>& c = s.chunk;
    const uint32_t count = c.rows * c.pitch;
    switch (s.stage) {
      case kWiden:
        s.x = Edge::Load(c.x, s.result, count);
        break;
      case kLessMean:
        ForGrid(c.rows, c.cols, c.pitch, SubByRow{s.result, s.x, c.mean});
        break;
      case kScale:
        s.dy = Edge::Load(c.dy, s.dy_place, count);
        s.wide_gamma = s.gamma.Widened(Work(in_place_ ? 0 : 2), c.cols);
        ScaleAndAddRows(s.result, c.minus_c2_rstd, c.minus_c1, c.rows, c.cols, c.pitch);
        break;
      case kAddDy:
        AddScaledColumns(s.result, s.dy, s.wide_gamma, s.dy_place, c.rows, c.cols, c.pitch);
        break;
      case kTimesRstd:
        ForGrid(c.rows, c.cols, c.pitch, MulByRow{Edge::Target(s.dx, s.result), s.result, c.rstd});
        if (Edge::kInPlace) ++s.stage;  // nor to narrow
        break;
      case kNarrow:
        Edge::Narrow(s.dx, s.result, count);
        break;
      default:
        return false;
    }
    ++s.stage;
    return true;
  }

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

  template <typename RowSum>
  __aicore__ static inline bool StepRowSums(RowSum& terms, RowSum& products) {
    const bool goes_on = terms.StepSum();
    return products.StepSum() || goes_on;
  }

  // A row needs no room to be halved with others: its two sums go on beside the arithmetic, and
  // those of the chunk before it beside the first steps.
  template <typename Sums, typename RowSum>
  __aicore__ inline void FirstOfOneRow(const RowsChunk<T>& c, const GammaColumns<G>& gamma,
                                       uint32_t col, Sums& sums, RowSum& terms, RowSum& products) {
    dy_at_ = 1 - dy_at_;
    const AscendC::LocalTensor<float> product = Place(c.x, 2);
    const AscendC::LocalTensor<float> dy_place = Place(c.dy, dy_at_);
    const AscendC::LocalTensor<float> other = Work(in_place_ ? 0 : 1 - dy_at_);
    const bool reads_x = wants_dx_ || wants_dgamma_;
    const AscendC::LocalTensor<float> dy = Edge::Load(c.dy, dy_place, c.pitch);
    AscendC::LocalTensor<float> x;
    if (reads_x) x = Edge::Load(c.x, product, c.pitch);
    StepRowSums(terms, products);
    AscendC::PipeBarrier<PIPE_V>();
    if (wants_dbeta_) {
      // Without x its place is none.
      sums.Dbeta().Start(col, dy, reads_x ? product : other, c.cols);
      sums.Dbeta().Step();
    }
    if (reads_x) {
      ForGrid(1, c.cols, c.pitch, SubByRow{product, x, c.mean});
      StepRowSums(terms, products);
      AscendC::PipeBarrier<PIPE_V>();
      while (StepRowSums(terms, products))
        AscendC::PipeBarrier<PIPE_V>();  // as a rule none is left
      ForGrid(1, c.cols, c.pitch, MulByRow{product, product, c.rstd});
      AscendC::LocalTensor<float> wide_gamma;
      if (wants_dx_) wide_gamma = gamma.Widened(other, c.cols);
      if (wants_dx_ && gamma.is_wide) StartSumOfRows(c, col, dy, wide_gamma, other, terms);
      AscendC::PipeBarrier<PIPE_V>();
      MulRows(product, product, dy, 1, c.cols, c.pitch);
      if (wants_dx_ && !gamma.is_wide) StartSumOfRows(c, col, dy, wide_gamma, other, terms);
      if (wants_dx_ && gamma.is_wide) terms.StepSum();
      AscendC::PipeBarrier<PIPE_V>();
      if (wants_dgamma_) {
        sums.Dgamma().Start(col, product, product, c.cols);
        sums.Dgamma().Step();
      }
    }
    if (wants_dx_) {  // dy has been read for the last time
      const AscendC::LocalTensor<float> gamma_again = gamma.Widened(dy_place, c.cols);
      if (!gamma.is_wide) {
        terms.StepSum();
        AscendC::PipeBarrier<PIPE_V>();
      }
      StartSumOfRows(c, col, product, gamma_again, dy_place, products);
      terms.StepSum();
    }
    // A sum over rows that is moved from lo into hi takes longest, and takes the place of p.
    const bool moves = sums.Dgamma().IsAtWork() || sums.Dbeta().IsAtWork();
    const uint32_t all = ~uint32_t{0};
    const uint32_t most_steps = moves || !wants_dx_ ? all : kStepsOfTerms;
    for (uint32_t steps = 0; steps < most_steps; ++steps) {
      AscendC::PipeBarrier<PIPE_V>();
      bool goes_on = StepRowSums(terms, products);
      goes_on = sums.Dgamma().Step() || goes_on;
      goes_on = sums.Dbeta().Step() || goes_on;
      if (!goes_on) return;
    }
    AscendC::PipeBarrier<PIPE_V>();
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
  uint32_t dy_at_;   // the work array of dy, and of p * gamma, of the last chunk of one row
  bool has_begun_;   // the chunk of the next NextSecond
  uint32_t newest_;  // in second_
  OnItsWay second_[2];
  AscendC::TBuf<AscendC::TPosition::VECCALC> work_buf_;
};

#endif  // OP_KERNEL_LAYER_NORM_GRAD_V3_CHUNK_PASSES_H_
