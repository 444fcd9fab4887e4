// Strategy DxInPlaceRow: one row at a time, read once, worked on in chunks of columns, twice; dx is
// written over x in UB.
//
//   xhat = x * rstd;  dgamma += dy * xhat;  c = mean(dy * xhat * gamma) * rstd
//   dx = (dy * gamma - x * c) * rstd
//
// Regime: from where DxWholeRow ends to 12,288 columns in 16 bits, 8,192 in fp32 (2201); with one
// dgamma accumulator instead of (hi, lo), 16,384 and 10,240.
// Bytes per row: reads 2 x cols x sizeof(T) + 4, writes cols x sizeof(T): each once. gamma is read
// once per core.
//
// Sync: rows come in segments, which take turns in a ring of places, at least as many as a row has
// segments. While the second pass works on a segment, those before it are on their way out, and
// into their places comes what follows in the order of columns and rows:
//
//   V     first pass 0 1 2 | second pass 0 | 1 | 2 | first pass 0 1 2 of the next row ...
//   MTE3                              dx 0 | 1 | 2
//   MTE2  what the ring has room for  x, dy 0 | 1 | 2 of a row to come
//
// One flag of each kind per place. MTE2_V: a segment has come. V_MTE2: its dy has been read for the
// last time. V_MTE3: its dx is there. MTE3_MTE2: its dx is on its way, x may come. The scalar unit
// reads nothing.
#ifndef OP_KERNEL_RMS_NORM_GRAD_DX_IN_PLACE_ROW_H_
#define OP_KERNEL_RMS_NORM_GRAD_DX_IN_PLACE_ROW_H_

#include "op_kernel/common/partial_sums.h"
#include "op_kernel/rms_norm_grad/chunk_passes.h"
#include "op_kernel/rms_norm_grad/rstd_group.h"

template <typename T, typename G>
class DxInPlaceRow {
 public:
  __aicore__ inline void Init(const NormGradArgs& args, const NormGradTiling& plan,
                              AscendC::TPipe* pipe) {
    plan_ = plan;
    pipe_ = pipe;
    const uint64_t elems = plan.rows * plan.cols;
    dy_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(args.dy), elems);
    x_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(args.x), elems);
    dx_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(args.dx), elems);
    pipe->InitBuffer(dy_buf_, plan.in_buffers * plan.ub.dy_in);
    pipe->InitBuffer(x_buf_, plan.in_buffers * plan.ub.x_in);
    pipe->InitBuffer(gamma_buf_, plan.ub.gamma);
    rstd_.Init(args, plan, pipe);
    partials_.Init(args, plan, pipe);
    sum_.Init(plan, pipe);
    passes_.Init(plan, pipe);
    statistics_.Init(plan, pipe);
    if (plan.rows > 0) TakeGamma(args);
    segments_ = (plan.cols + plan.segment_cols - 1) / plan.segment_cols;
    for (uint32_t place = 0; place < plan.in_buffers; ++place) {
      arrived_[place] = pipe->template AllocEventID<AscendC::HardEvent::MTE2_V>();
      read_[place] = pipe->template AllocEventID<AscendC::HardEvent::V_MTE2>();
      finished_[place] = pipe->template AllocEventID<AscendC::HardEvent::V_MTE3>();
      vacant_[place] = pipe->template AllocEventID<AscendC::HardEvent::MTE3_MTE2>();
    }
  }

  __aicore__ inline void Process() {
    const RowSpan span = RowsOfThisCore(plan_);
    rstd_.CopyIn(span.begin, span.end);
    const uint64_t segments = (span.end - span.begin) * segments_;
    for (uint64_t index = 0; index < plan_.in_buffers && index < segments; ++index) {
      const Segment s = SegmentOf(span.begin, index);
      CopyInDy(s);
      CopyInX(s);
    }
    for (uint64_t index = 0; index < segments; index += segments_) {
      const uint64_t done = index / segments_;
      const uint64_t row = span.begin + done;
      const uint32_t in_group = rstd_.Take(done, row, span.end, statistics_);
      const bool ends_group = row + 1 == EndOfGroup(plan_, row, span.end);
      FirstPass(span.begin, index, in_group);
      if (ends_group) sum_.Finish(passes_.Spare(), passes_.SpareCols());
      statistics_.FinishMean(in_group, 1);
      SecondPass(span.begin, index, segments, in_group, ends_group);
    }
    ReleaseEvents();
    if (span.begin >= span.end) {  // the empty sum
      sum_.Store(partials_.Destination(SlotOf(plan_, span.begin)), plan_.cols, passes_.Spare(),
                 passes_.SpareCols(), true, pipe_);
    }
    partials_.SumOverPartials(plan_, pipe_);
  }

 private:
  static constexpr uint32_t kMaxPlaces = 5;  // of the flag ids 0 to 5; one is rstd's

  struct Segment {
    uint32_t place;
    uint64_t row;
    uint32_t begin;    // column
    uint32_t cols;     // that exist
    uint32_t ub_cols;  // the same in UB, where some may be there twice
    uint32_t count;    // with the padding of the row's end
    uint32_t at;       // in x_buf_ and dy_buf_
  };

  // `index` counts the segments of this core, whose rows begin with `first_row`.
  __aicore__ inline Segment SegmentOf(uint64_t first_row, uint64_t index) const {
    Segment s;
    s.place = static_cast<uint32_t>(index % plan_.in_buffers);
    s.row = first_row + index / segments_;
    s.begin = static_cast<uint32_t>(index % segments_) * plan_.segment_cols;
    s.cols = Smaller(plan_.segment_cols, plan_.cols - s.begin);
    s.ub_cols = Smaller(plan_.segment_cols, plan_.ub_cols - s.begin);
    s.count = Smaller(plan_.segment_cols, plan_.pitch_cols - s.begin);
    s.at = s.place * (plan_.ub.x_in / static_cast<uint32_t>(sizeof(T)));
    return s;
  }

  __aicore__ inline void CopyInDy(const Segment& s) {
    LoadRows(dy_buf_.template Get<T>()[s.at], dy_gm_[s.row * plan_.cols + s.begin], 1, s.cols,
             s.count);
  }

  __aicore__ inline void CopyInX(const Segment& s) {
    LoadRows(x_buf_.template Get<T>()[s.at], x_gm_[s.row * plan_.cols + s.begin], 1, s.cols,
             s.count);
    AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(arrived_[s.place]);
  }

  __aicore__ inline RowsChunk<T> ChunkOf(const Segment& s, uint32_t col, uint32_t in_group) {
    RowsChunk<T> chunk;
    chunk.x = x_buf_.template Get<T>()[s.at + col];
    chunk.dy = dy_buf_.template Get<T>()[s.at + col];
    chunk.rstd = statistics_.Rstd(in_group);
    chunk.mean = statistics_.MinusMeanRstd();
    chunk.rows = 1;
    chunk.cols = Smaller(plan_.chunk_cols, s.ub_cols - col);
    chunk.overlap = col + chunk.cols == s.ub_cols ? s.ub_cols - s.cols : 0;
    chunk.pitch = chunk.cols;
    return chunk;
  }

  __aicore__ inline void FirstPass(uint64_t first_row, uint64_t index, uint32_t in_group) {
    for (uint32_t segment = 0; segment < segments_; ++segment) {
      const Segment s = SegmentOf(first_row, index + segment);
      AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(arrived_[s.place]);
      for (uint32_t col = 0; col < s.ub_cols; col += plan_.chunk_cols) {
        passes_.First(ChunkOf(s, col, in_group), gamma_[s.begin + col], s.begin + col, sum_,
                      statistics_);
      }
    }
    sum_.Next();
  }

  // `ends_group`: dgamma is finished; it leaves with the first segment of dx, behind the same flag.
  __aicore__ inline void SecondPass(uint64_t first_row, uint64_t index, uint64_t segments,
                                    uint32_t in_group, bool ends_group) {
    for (uint32_t segment = 0; segment < segments_; ++segment) {
      const Segment s = SegmentOf(first_row, index + segment);
      const AscendC::LocalTensor<T> x = x_buf_.template Get<T>()[s.at];
      for (uint32_t col = 0; col < s.ub_cols; col += plan_.chunk_cols) {
        passes_.Second(x[col], ChunkOf(s, col, in_group), gamma_[s.begin + col]);
      }
      const uint64_t next_index = index + segment + plan_.in_buffers;
      const Segment next = SegmentOf(first_row, next_index);
      const bool has_next = next_index < segments;
      if (has_next) {
        AscendC::SetFlag<AscendC::HardEvent::V_MTE2>(read_[s.place]);
        AscendC::WaitFlag<AscendC::HardEvent::V_MTE2>(read_[s.place]);
        CopyInDy(next);
      }
      AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(finished_[s.place]);
      AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(finished_[s.place]);
      if (ends_group && segment == 0) {
        sum_.Send(partials_.Destination(SlotOf(plan_, s.row)), plan_.cols,
                  index + segments_ == segments, pipe_);
      }
      StoreRows(dx_gm_[s.row * plan_.cols + s.begin], x, 1, s.cols, s.cols);
      if (has_next) {
        AscendC::SetFlag<AscendC::HardEvent::MTE3_MTE2>(vacant_[s.place]);
        AscendC::WaitFlag<AscendC::HardEvent::MTE3_MTE2>(vacant_[s.place]);
        CopyInX(next);
      }
    }
  }

  // In fp32 if the plan has room for that; 16 bits are widened from x's place, which is idle yet.
  __aicore__ inline void TakeGamma(const NormGradArgs& args) {
    AscendC::GlobalTensor<G> gamma_gm;
    gamma_gm.SetGlobalBuffer(reinterpret_cast<__gm__ G*>(args.gamma), plan_.cols);
    constexpr bool kWideInGm = sizeof(G) == sizeof(float);
    constexpr uint32_t kBlockElems = 32 / static_cast<uint32_t>(sizeof(G));
    const uint32_t pitch = RoundUp(plan_.cols, kBlockElems);
    gamma_.is_wide = kWideInGm || plan_.gamma_is_wide != 0;
    gamma_.wide = gamma_buf_.template Get<float>();
    gamma_.narrow = gamma_buf_.template Get<G>();
    if (kWideInGm || !gamma_.is_wide) {
      LoadRowNow(gamma_.narrow, gamma_gm, plan_.cols, pitch, pipe_);
      return;
    }
    if constexpr (!kWideInGm) {
      const AscendC::LocalTensor<G> landing = x_buf_.template Get<G>();
      LoadRowNow(landing, gamma_gm, plan_.cols, pitch, pipe_);
      AscendC::Cast(gamma_.wide, landing, AscendC::RoundMode::CAST_NONE, plan_.ub_cols);
      AscendC::PipeBarrier<PIPE_V>();
      const AscendC::TEventID event = pipe_->FetchEventID(AscendC::HardEvent::V_MTE2);
      AscendC::SetFlag<AscendC::HardEvent::V_MTE2>(event);
      AscendC::WaitFlag<AscendC::HardEvent::V_MTE2>(event);
    }
  }

  __aicore__ inline void ReleaseEvents() {
    for (uint32_t place = 0; place < plan_.in_buffers; ++place) {
      pipe_->template ReleaseEventID<AscendC::HardEvent::MTE2_V>(arrived_[place]);
      pipe_->template ReleaseEventID<AscendC::HardEvent::V_MTE2>(read_[place]);
      pipe_->template ReleaseEventID<AscendC::HardEvent::V_MTE3>(finished_[place]);
      pipe_->template ReleaseEventID<AscendC::HardEvent::MTE3_MTE2>(vacant_[place]);
    }
  }

  NormGradTiling plan_;
  AscendC::TPipe* pipe_;
  uint32_t segments_;
  AscendC::TEventID arrived_[kMaxPlaces];
  AscendC::TEventID read_[kMaxPlaces];
  AscendC::TEventID finished_[kMaxPlaces];
  AscendC::TEventID vacant_[kMaxPlaces];
  AscendC::GlobalTensor<T> dy_gm_;
  AscendC::GlobalTensor<T> x_gm_;
  AscendC::GlobalTensor<T> dx_gm_;
  AscendC::TBuf<AscendC::TPosition::VECIN> dy_buf_;
  AscendC::TBuf<AscendC::TPosition::VECOUT> x_buf_;  // dx leaves from here
  AscendC::TBuf<AscendC::TPosition::VECIN> gamma_buf_;
  GammaColumns<G> gamma_;
  RstdGroup rstd_;
  SumOverRows sum_;
  PartialSums<> partials_;
  ChunkPasses<T, G> passes_;
  RowStatistics statistics_;
};

#endif  // OP_KERNEL_RMS_NORM_GRAD_DX_IN_PLACE_ROW_H_
