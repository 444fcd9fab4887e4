// Rows in UB one after another, each in segments of columns that take turns in a ring of places, at
// least as many as a row has segments. A row is passed over twice, dx is written over x in the
// second pass; while that works on a segment, those before it are on their way out, and into their
// places comes what follows in the order of columns and rows:
//
//   V     first pass 0 1 2 | second pass 0 | 1 | 2 | first pass 0 1 2 of the next row ...
//   MTE3                              dx 0 | 1 | 2
//   MTE2  what the ring has room for  x, dy 0 | 1 | 2 of a row to come
//
// One flag of each kind per place. MTE2_V: a segment has come. V_MTE2: its dy has been read for the
// last time. V_MTE3: its dx is there. MTE3_MTE2: its dx is on its way, x may come.
#ifndef OP_KERNEL_COMMON_SEGMENT_RING_H_
#define OP_KERNEL_COMMON_SEGMENT_RING_H_

#include "op_kernel/common/args.h"
#include "op_kernel/common/gm_rows.h"

struct Segment {
  uint64_t index;  // among those of the core's rows
  uint32_t place;
  uint64_t row;
  uint32_t begin;    // column
  uint32_t cols;     // that exist
  uint32_t ub_cols;  // the same in UB, where some may be there twice
  uint32_t count;    // with the padding of the row's end
  uint32_t at;       // in the buffers of x and dy
};

// `D` is what dx is stored in, no wider than T.
template <typename T, typename D = T>
class SegmentRing {
 public:
  __aicore__ inline void Init(const NormGradArgs& args, const NormGradTiling& plan,
                              AscendC::TPipe* pipe) {
    places_ = plan.in_buffers;
    cols_ = plan.cols;
    ub_cols_ = plan.ub_cols;
    pitch_ = plan.pitch_cols;
    segment_cols_ = plan.segment_cols;
    place_elems_ = plan.ub.x_in / static_cast<uint32_t>(sizeof(T));
    segments_ = (plan.cols + plan.segment_cols - 1) / plan.segment_cols;
    reads_x_ = ReadsX(plan);
    const uint64_t elems = plan.rows * plan.cols;
    dy_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(args.dy), elems);
    x_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(args.x), elems);
    dx_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ D*>(args.dx), elems);
    pipe->InitBuffer(dy_buf_, plan.in_buffers * plan.ub.dy_in);
    pipe->InitBuffer(x_buf_, plan.in_buffers * plan.ub.x_in);
    for (uint32_t place = 0; place < places_; ++place) {
      arrived_[place] = pipe->template AllocEventID<AscendC::HardEvent::MTE2_V>();
      read_[place] = pipe->template AllocEventID<AscendC::HardEvent::V_MTE2>();
      finished_[place] = pipe->template AllocEventID<AscendC::HardEvent::V_MTE3>();
      vacant_[place] = pipe->template AllocEventID<AscendC::HardEvent::MTE3_MTE2>();
    }
  }

  // Sends for the first segments of the core's rows.
  __aicore__ inline void Begin(const RowSpan& span) {
    first_row_ = span.begin;
    all_ = (span.end - span.begin) * segments_;
    for (uint64_t index = 0; index < places_ && index < all_; ++index) {
      const Segment s = At(index);
      CopyInDy(s);
      CopyInX(s);
    }
  }

  __aicore__ inline uint32_t SegmentsOfRow() const { return segments_; }

  // A segment of the core's row number `done`.
  __aicore__ inline Segment Of(uint64_t done, uint32_t segment) const {
    return At(done * segments_ + segment);
  }

  // Before the first pass.
  __aicore__ inline void WaitFor(const Segment& s) {
    AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(arrived_[s.place]);
  }

  __aicore__ inline AscendC::LocalTensor<T> X(const Segment& s) {
    return x_buf_.template Get<T>()[s.at];
  }
  __aicore__ inline AscendC::LocalTensor<T> Dy(const Segment& s) {
    return dy_buf_.template Get<T>()[s.at];
  }
  // Over x, from its first byte on.
  __aicore__ inline AscendC::LocalTensor<D> Dx(const Segment& s) {
    return X(s).template ReinterpretCast<D>();
  }
  // Before the first rows come.
  __aicore__ inline AscendC::LocalTensor<T> IdlePlaces() { return x_buf_.template Get<T>(); }

  // After the last look at dy.
  __aicore__ inline void GiveBackDy(const Segment& s) {
    if (!HasNext(s)) return;
    AscendC::SetFlag<AscendC::HardEvent::V_MTE2>(read_[s.place]);
    AscendC::WaitFlag<AscendC::HardEvent::V_MTE2>(read_[s.place]);
    CopyInDy(At(s.index + places_));
  }

  // dx is there; what else is to leave with it is stored between these two.
  __aicore__ inline void FinishDx(const Segment& s) {
    AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(finished_[s.place]);
    AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(finished_[s.place]);
  }
  __aicore__ inline void StoreDx(const Segment& s) {
    StorePart(dx_gm_[s.row * cols_ + s.begin], Dx(s), 1, s.cols, s.cols, cols_);
    if (!HasNext(s)) return;
    AscendC::SetFlag<AscendC::HardEvent::MTE3_MTE2>(vacant_[s.place]);
    AscendC::WaitFlag<AscendC::HardEvent::MTE3_MTE2>(vacant_[s.place]);
    CopyInX(At(s.index + places_));
  }

  // After GiveBackDy, where no dx is made.
  __aicore__ inline void GiveBackX(const Segment& s) {
    if (HasNext(s)) CopyInX(At(s.index + places_));
  }

  __aicore__ inline void Release(AscendC::TPipe* pipe) {
    for (uint32_t place = 0; place < places_; ++place) {
      pipe->template ReleaseEventID<AscendC::HardEvent::MTE2_V>(arrived_[place]);
      pipe->template ReleaseEventID<AscendC::HardEvent::V_MTE2>(read_[place]);
      pipe->template ReleaseEventID<AscendC::HardEvent::V_MTE3>(finished_[place]);
      pipe->template ReleaseEventID<AscendC::HardEvent::MTE3_MTE2>(vacant_[place]);
    }
  }

 private:
  static constexpr uint32_t kMaxPlaces = 5;  // of the flag ids 0 to 5; one is that of statistics

  __aicore__ inline bool HasNext(const Segment& s) const { return s.index + places_ < all_; }

  __aicore__ inline Segment At(uint64_t index) const {
    Segment s;
    s.index = index;
    s.place = static_cast<uint32_t>(index % places_);
    s.row = first_row_ + index / segments_;
    s.begin = static_cast<uint32_t>(index % segments_) * segment_cols_;
    s.cols = Smaller(segment_cols_, cols_ - s.begin);
    s.ub_cols = Smaller(segment_cols_, ub_cols_ - s.begin);
    s.count = Smaller(segment_cols_, pitch_ - s.begin);
    s.at = s.place * place_elems_;
    return s;
  }

  __aicore__ inline void CopyInDy(const Segment& s) {
    LoadPart(Dy(s), dy_gm_[s.row * cols_ + s.begin], 1, s.cols, s.count, cols_);
  }

  __aicore__ inline void CopyInX(const Segment& s) {
    if (reads_x_) LoadPart(X(s), x_gm_[s.row * cols_ + s.begin], 1, s.cols, s.count, cols_);
    AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(arrived_[s.place]);
  }

  uint32_t places_;
  uint32_t cols_;
  uint32_t ub_cols_;
  uint32_t pitch_;
  uint32_t segment_cols_;
  uint32_t place_elems_;
  uint32_t segments_;  // of a row
  bool reads_x_;
  uint64_t first_row_;
  uint64_t all_;  // segments of the core
  AscendC::TEventID arrived_[kMaxPlaces];
  AscendC::TEventID read_[kMaxPlaces];
  AscendC::TEventID finished_[kMaxPlaces];
  AscendC::TEventID vacant_[kMaxPlaces];
  AscendC::GlobalTensor<T> dy_gm_;
  AscendC::GlobalTensor<T> x_gm_;
  AscendC::GlobalTensor<D> dx_gm_;
  AscendC::TBuf<AscendC::TPosition::VECIN> dy_buf_;
  AscendC::TBuf<AscendC::TPosition::VECOUT> x_buf_;  // dx leaves from here
};

#endif  // OP_KERNEL_COMMON_SEGMENT_RING_H_
