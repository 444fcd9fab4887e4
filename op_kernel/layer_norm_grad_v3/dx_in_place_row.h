// Strategy DxInPlaceRow: one row at a time, read once, worked on in chunks of columns, twice; dx is
// written over x in UB.
//
//   u = x - mean;  p = u * rstd * dy;  dgamma += p;  dbeta += dy
//   c1 = mean(dy * gamma);  c2 = mean(p * gamma)               means over the columns of a row
//   dx = (dy * gamma - u * (c2 * rstd) - c1) * rstd
//
// Regime: from where DxWholeRow ends to 7,680 columns in 16 bits, 6,144 in fp32 (2201); with one
// accumulator per column instead of (hi, lo), 12,288 and 8,192.
// Bytes per row: reads 2 x cols x sizeof(T) and rstd and mean, writes cols x sizeof(T): each once.
// gamma is read once per core. What no output asked for needs is neither read nor computed.
//
// Sync: rows come in segments, which take turns in a ring of places (segment_ring.h), so that
// copies in and out run beside the arithmetic. The scalar unit reads nothing.
#ifndef OP_KERNEL_LAYER_NORM_GRAD_V3_DX_IN_PLACE_ROW_H_
#define OP_KERNEL_LAYER_NORM_GRAD_V3_DX_IN_PLACE_ROW_H_

#include "op_kernel/common/segment_ring.h"
#include "op_kernel/layer_norm_grad_v3/column_sums.h"
#include "op_kernel/layer_norm_grad_v3/rows_chunk.h"
#include "op_kernel/layer_norm_grad_v3/stats_group.h"

// `Parts` says what adds and multiplies: MemoryParts (memory_parts.h), or its like in registers.
template <typename Parts>
class DxInPlaceRow {
 public:
  using T = typename Parts::Element;
  using G = typename Parts::Gamma;

  __aicore__ inline void Init(const NormGradArgs& args, const NormGradTiling& plan,
                              AscendC::TPipe* pipe) {
    plan_ = plan;
    pipe_ = pipe;
    ring_.Init(args, plan, pipe);
    pipe->InitBuffer(gamma_buf_, plan.ub.gamma);
    stats_.Init(args, plan, pipe);
    sums_.Init(args, plan, pipe);
    passes_.Init(plan, pipe);
    statistics_.Init(plan, pipe);
    if (plan.rows > 0 && WantsDx(plan)) {
      gamma_ = TakeGammaColumns(args, plan, gamma_buf_.template Get<G>(),
                                ring_.IdlePlaces().template ReinterpretCast<G>(), pipe);
    }
  }

  __aicore__ inline void Process() {
    const RowSpan span = RowsOfThisCore(plan_);
    if (ReadsX(plan_)) stats_.CopyIn(span.begin, span.end);
    ring_.Begin(span);
    for (uint64_t row = span.begin; row < span.end; ++row) {
      const uint64_t done = row - span.begin;
      const uint32_t in_group = ReadsX(plan_) ? stats_.Take(done, row, span.end, statistics_) : 0;
      const bool ends_group = row + 1 == EndOfGroup(plan_, row, span.end);
      FirstPass(done, in_group);
      if (ends_group) sums_.Finish();
      if (WantsDx(plan_)) {
        statistics_.StartMeans(in_group, 1);
        SecondPass(done, in_group, ends_group, row + 1 == span.end);
      } else if (ends_group) {
        sums_.SendNow(row, row + 1 == span.end, pipe_);
      }
    }
    ring_.Release(pipe_);
    if (span.begin >= span.end) {  // the empty sum
      sums_.Store(span.begin, true, pipe_);
    }
    sums_.SumOverPartials(plan_, pipe_);
  }

 private:
  __aicore__ inline RowsChunk<T> ChunkOf(const Segment& s, uint32_t col, uint32_t in_group) {
    RowsChunk<T> chunk;
    chunk.x = ring_.X(s)[col];
    chunk.dy = ring_.Dy(s)[col];
    chunk.rstd = statistics_.Rstd(in_group);
    chunk.mean = statistics_.Mean(in_group);
    chunk.minus_c1 = statistics_.MinusC1();
    chunk.minus_c2_rstd = statistics_.MinusC2Rstd();
    chunk.rows = 1;
    chunk.cols = Smaller(plan_.chunk_cols, s.ub_cols - col);
    chunk.overlap = col + chunk.cols == s.ub_cols ? s.ub_cols - s.cols : 0;
    chunk.pitch = chunk.cols;
    return chunk;
  }

  __aicore__ inline void FirstPass(uint64_t done, uint32_t in_group) {
    for (uint32_t segment = 0; segment < ring_.SegmentsOfRow(); ++segment) {
      const Segment s = ring_.Of(done, segment);
      ring_.WaitFor(s);
      for (uint32_t col = 0; col < s.ub_cols; col += plan_.chunk_cols) {
        passes_.NextFirst(ChunkOf(s, col, in_group), gamma_[s.begin + col], s.begin + col, sums_,
                          statistics_.Terms(), statistics_.Products());
      }
      if (!WantsDx(plan_)) {
        ring_.GiveBackDy(s);
        ring_.GiveBackX(s);
      }
    }
    sums_.Next();
  }

  // `ends_group`: the sums over rows are finished.
  __aicore__ inline void SecondPass(uint64_t done, uint32_t in_group, bool ends_group,
                                    bool is_last) {
    constexpr bool kEndsAtOnce = Parts::Passes::kEndsAtOnce;
    const uint32_t segments = ring_.SegmentsOfRow();
    const Segment first = ring_.Of(done, 0);
    passes_.BeginSecond(ring_.X(first), ChunkOf(first, 0, in_group), gamma_[first.begin],
                        statistics_);
    for (uint32_t segment = 0; segment < segments; ++segment) {
      const Segment s = ring_.Of(done, segment);
      for (uint32_t col = 0; col < s.ub_cols; col += plan_.chunk_cols) {
        passes_.NextSecond(ring_.X(s)[col], ChunkOf(s, col, in_group), gamma_[s.begin + col]);
        if (!kEndsAtOnce && col == 0 && segment > 0) {
          Leave(ring_.Of(done, segment - 1), ends_group && segment == 1, is_last);
        }
      }
      if (kEndsAtOnce) Leave(s, ends_group && segment == 0, is_last);
    }
    if (kEndsAtOnce) return;
    passes_.EndSecond();
    Leave(ring_.Of(done, segments - 1), ends_group && segments == 1, is_last);
  }

  // A segment's dx, which is finished. `sends`: the sums over rows leave with it, behind the same
  // flag.
  __aicore__ inline void Leave(const Segment& s, bool sends, bool is_last) {
    ring_.GiveBackDy(s);
    ring_.FinishDx(s);
    if (sends) sums_.Send(s.row, is_last, pipe_);
    ring_.StoreDx(s);
  }

  NormGradTiling plan_;
  AscendC::TPipe* pipe_;
  SegmentRing<T> ring_;
  AscendC::TBuf<AscendC::TPosition::VECIN> gamma_buf_;
  GammaColumns<G> gamma_;
  StatsGroup<typename Parts::Stats> stats_;
  ColumnSums<G, typename Parts::Sum> sums_;
  typename Parts::Passes passes_;
  typename Parts::Statistics statistics_;
};

#endif  // OP_KERNEL_LAYER_NORM_GRAD_V3_DX_IN_PLACE_ROW_H_
