// Strategy DxInPlaceRow: one row at a time, read once, worked on in chunks of columns, twice; dx is
// written over x in UB.
//
//   xhat = x * rstd;  dgamma += dy * xhat;  c = mean(dy * xhat * gamma) * rstd
//   dx = (dy * gamma - x * c) * rstd
//
// Regime: from where DxWholeRow ends to 12,288 columns in 16 bits, 8,192 in fp32 (2201); with one
// dgamma accumulator instead of (hi, lo), 16,384 and 10,240. On 2002 17,500 and 12,100, with one
// accumulator 24,500 and 15,100.
// Bytes per row: reads 2 x cols x sizeof(T) + 4, writes cols x sizeof(T): each once. gamma is read
// once per core.
//
// Sync: rows come in segments, which take turns in a ring of places (segment_ring.h), so that
// copies in and out run beside the arithmetic. The scalar unit reads nothing.
#ifndef OP_KERNEL_RMS_NORM_GRAD_DX_IN_PLACE_ROW_H_
#define OP_KERNEL_RMS_NORM_GRAD_DX_IN_PLACE_ROW_H_

#include "op_kernel/common/partial_sums.h"
#include "op_kernel/common/segment_ring.h"
#include "op_kernel/rms_norm_grad/rows_chunk.h"
#include "op_kernel/rms_norm_grad/rstd_group.h"

// `Parts` says what adds and multiplies: MemoryParts (memory_parts.h), or its like in registers.
template <typename Parts>
class DxInPlaceRow {
 public:
  using T = typename Parts::Element;
  using G = typename Parts::Gamma;
  using D = typename Parts::Dx;

  __aicore__ inline void Init(const NormGradArgs& args, const NormGradTiling& plan,
                              AscendC::TPipe* pipe) {
    plan_ = plan;
    pipe_ = pipe;
    ring_.Init(args, plan, pipe);
    pipe->InitBuffer(gamma_buf_, plan.ub.gamma);
    rstd_.Init(args, plan, pipe);
    partials_.Init(args, plan, pipe);
    sum_.Init(plan, pipe);
    passes_.Init(args, plan, pipe);
    statistics_.Init(plan, pipe);
    if (plan.rows > 0) {
      gamma_ = TakeGammaColumns(args, plan, gamma_buf_.template Get<G>(),
                                ring_.IdlePlaces().template ReinterpretCast<G>(), pipe);
    }
  }

  __aicore__ inline void Process() {
    const RowSpan span = RowsOfThisCore(plan_);
    rstd_.CopyIn(span.begin, span.end);
    ring_.Begin(span);
    for (uint64_t row = span.begin; row < span.end; ++row) {
      const uint64_t done = row - span.begin;
      const uint32_t in_group = rstd_.Take(done, row, span.end, statistics_);
      const bool ends_group = row + 1 == EndOfGroup(plan_, row, span.end);
      FirstPass(done, in_group);
      if (ends_group) sum_.Finish();
      statistics_.StartMean(in_group, 1);
      const Segment s = ring_.Of(done, 0);
      passes_.BeginSecond(ChunkOf(s, 0, in_group), gamma_[s.begin], statistics_);
      SecondPass(done, in_group, ends_group, row + 1 == span.end);
    }
    ring_.Release(pipe_);
    if (span.begin >= span.end) {  // the empty sum
      sum_.Store(partials_.Destination(SlotOf(plan_, span.begin)), plan_.cols, true, pipe_);
    }
    partials_.SumOverPartials(plan_, pipe_);
  }

 private:
  __aicore__ inline RowsChunk<T> ChunkOf(const Segment& s, uint32_t col, uint32_t in_group) {
    RowsChunk<T> chunk;
    chunk.x = ring_.X(s)[col];
    chunk.dy = ring_.Dy(s)[col];
    chunk.rstd = statistics_.Rstd(in_group);
    chunk.mean = statistics_.MinusMeanRstd();
    chunk.rows = 1;
    chunk.cols = Smaller(plan_.chunk_cols, s.ub_cols - col);
    chunk.overlap = col + chunk.cols == s.ub_cols ? s.ub_cols - s.cols : 0;
    chunk.pitch = chunk.cols;
    chunk.dx_pitch = chunk.cols;
    return chunk;
  }

  __aicore__ inline void FirstPass(uint64_t done, uint32_t in_group) {
    for (uint32_t segment = 0; segment < ring_.SegmentsOfRow(); ++segment) {
      const Segment s = ring_.Of(done, segment);
      ring_.WaitFor(s);
      for (uint32_t col = 0; col < s.ub_cols; col += plan_.chunk_cols) {
        passes_.First(ChunkOf(s, col, in_group), gamma_[s.begin + col], s.begin + col, sum_,
                      statistics_);
      }
    }
    sum_.Next();
  }

  // `ends_group`: dgamma is finished; it leaves with the first segment of dx, behind the same flag.
  __aicore__ inline void SecondPass(uint64_t done, uint32_t in_group, bool ends_group,
                                    bool is_last) {
    for (uint32_t segment = 0; segment < ring_.SegmentsOfRow(); ++segment) {
      const Segment s = ring_.Of(done, segment);
      for (uint32_t col = 0; col < s.ub_cols; col += plan_.chunk_cols) {
        passes_.Second(ring_.Dx(s)[col], ChunkOf(s, col, in_group), gamma_[s.begin + col]);
      }
      ring_.GiveBackDy(s);
      ring_.FinishDx(s);
      if (ends_group && segment == 0) {
        sum_.Send(partials_.Destination(SlotOf(plan_, s.row)), plan_.cols, is_last, pipe_);
      }
      ring_.StoreDx(s);
    }
  }

  NormGradTiling plan_;
  AscendC::TPipe* pipe_;
  SegmentRing<T, D> ring_;
  AscendC::TBuf<AscendC::TPosition::VECIN> gamma_buf_;
  GammaColumns<G> gamma_;
  RstdGroup rstd_;
  typename Parts::Sum sum_;
  PartialSums<> partials_;
  typename Parts::Passes passes_;
  typename Parts::Statistics statistics_;
};

#endif  // OP_KERNEL_RMS_NORM_GRAD_DX_IN_PLACE_ROW_H_
