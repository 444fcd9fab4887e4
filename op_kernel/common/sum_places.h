// Where sums over rows are kept on one core, and how they leave: per column a (hi, lo) pair of fp32
// or, without room for lo, one accumulator. With two places for hi a sum leaves from one while the
// next sum is made in the other. Who adds, and how, is another's business.
#ifndef OP_KERNEL_COMMON_SUM_PLACES_H_
#define OP_KERNEL_COMMON_SUM_PLACES_H_

#include "op_kernel/common/gm_rows.h"

class SumPlaces {
 public:
  // By the bytes of hi, and of lo or 0. `copy_cols` as in the plan, of the rows that are added up.
  __aicore__ inline void InitPlaces(uint32_t hi_bytes, uint32_t lo_bytes, uint32_t places,
                                    uint32_t copy_cols, AscendC::TPipe* pipe) {
    copy_cols_ = copy_cols;
    padded_cols_ = hi_bytes / static_cast<uint32_t>(sizeof(float));
    has_lo_ = lo_bytes > 0;
    pipe->InitBuffer(hi_buf_, places * hi_bytes);
    hi_ = hi_buf_.Get<float>();
    if (has_lo_) {
      pipe->InitBuffer(lo_buf_, lo_bytes);
      lo_ = lo_buf_.Get<float>();
    }
    places_ = places;
    place_ = 0;
    for (uint32_t i = 0; i < places_; ++i) is_leaving_[i] = false;
    begins_ = false;
    is_in_total_ = false;
  }

  // The first `cols` sums, into `dst`: for sums that do not leave from hi.
  __aicore__ inline void Total(const AscendC::LocalTensor<float>& dst, uint32_t cols) const {
    if (has_lo_) {
      AscendC::Add(dst, hi_, lo_, static_cast<int32_t>(cols));
    } else if (!is_in_total_) {
      AscendC::DataCopy(dst, hi_, RoundUp(cols, kBlockElemsFp32));
    }
    AscendC::PipeBarrier<PIPE_V>();
  }

  // The sums are in hi afterwards. Rounding hi + lo once is all: what a move would leave in lo is
  // less than hi can hold.
  __aicore__ inline void Finish() {
    if (has_lo_) AscendC::Add(hi_, hi_, lo_, static_cast<int32_t>(padded_cols_));
  }

  __aicore__ inline const AscendC::LocalTensor<float>& Hi() const { return hi_; }

  // Once the sums are in hi and MTE3 has waited for them. `is_last`: else the next value begins a
  // new sum, which waits until its place is free.
  __aicore__ inline void Send(const AscendC::GlobalTensor<float>& dst, uint32_t cols, bool is_last,
                              AscendC::TPipe* pipe) {
    StoreSums(dst, hi_, cols, copy_cols_);
    if (!is_last) {
      has_left_[place_] = pipe->AllocEventID<AscendC::HardEvent::MTE3_V>();
      AscendC::SetFlag<AscendC::HardEvent::MTE3_V>(has_left_[place_]);
      is_leaving_[place_] = true;
      place_ = (place_ + 1) % places_;
      hi_ = hi_buf_.Get<float>()[place_ * padded_cols_];
      begins_ = true;
      return;
    }
    for (uint32_t i = 0; i < places_; ++i) WaitUntilFree(i);
  }

 protected:
  // Without lo the next sum is made in `dst`, which Total gets, and needs no copy.
  __aicore__ inline void MakeInTotal(const AscendC::LocalTensor<float>& dst) {
    if (has_lo_) return;
    hi_ = dst;
    is_in_total_ = true;
  }

  // All sums are 0.
  __aicore__ inline void ClearPlaces() {
    if (is_in_total_) hi_ = hi_buf_.Get<float>();
    is_in_total_ = false;
    AscendC::Duplicate(hi_, 0.0f, padded_cols_);
    if (has_lo_) AscendC::Duplicate(lo_, 0.0f, padded_cols_);
    AscendC::PipeBarrier<PIPE_V>();
  }

  // Whether a new sum begins with the next value; its place is free then.
  __aicore__ inline bool Begins() {
    if (!begins_) return false;
    begins_ = false;
    WaitUntilFree(place_);
    return true;
  }

  // MTE3 goes on when the vector unit has come here; then the sums are sent.
  __aicore__ inline void SendFinished(const AscendC::GlobalTensor<float>& dst, uint32_t cols,
                                      bool is_last, AscendC::TPipe* pipe) {
    const AscendC::TEventID event = pipe->FetchEventID(AscendC::HardEvent::V_MTE3);
    AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(event);
    AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(event);
    Send(dst, cols, is_last, pipe);
  }

  uint32_t padded_cols_;  // a multiple of 64
  bool has_lo_;
  AscendC::LocalTensor<float> hi_;
  AscendC::LocalTensor<float> lo_;

 private:
  static constexpr uint32_t kMostPlaces = 2;

  __aicore__ inline void WaitUntilFree(uint32_t place) {
    if (!is_leaving_[place]) return;
    AscendC::WaitFlag<AscendC::HardEvent::MTE3_V>(has_left_[place]);
    GetTPipePtr()->ReleaseEventID<AscendC::HardEvent::MTE3_V>(has_left_[place]);
    is_leaving_[place] = false;
  }

  uint32_t copy_cols_;
  uint32_t places_;
  uint32_t place_;                // of hi
  bool begins_;                   // a new sum, with the next value
  bool is_in_total_;              // hi is where Total wants it
  bool is_leaving_[kMostPlaces];  // what is there is being stored
  AscendC::TEventID has_left_[kMostPlaces];
  AscendC::TBuf<AscendC::TPosition::VECOUT> hi_buf_;  // stored from here, as VECCALC may not be
  AscendC::TBuf<AscendC::TPosition::VECCALC> lo_buf_;
};

#endif  // OP_KERNEL_COMMON_SUM_PLACES_H_
