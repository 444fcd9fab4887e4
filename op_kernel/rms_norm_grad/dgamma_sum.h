// dgamma on one core: rows that are worked on together are halved in pairs, then added to a (hi,
// lo) pair of fp32 per column. lo takes two such sums as they come; then a fast two-sum moves what
// hi can hold into hi and leaves the rest in lo. So the error stays near one rounding however many
// rows a core has, at half the price of a two-sum each time.
//
// Without room for lo there is hi alone: one accumulator, whose plan declares a larger C.
#ifndef OP_KERNEL_RMS_NORM_GRAD_DGAMMA_SUM_H_
#define OP_KERNEL_RMS_NORM_GRAD_DGAMMA_SUM_H_

#include "op_kernel/rms_norm_grad/args.h"
#include "op_kernel/rms_norm_grad/grid.h"

// dst = a + b; what lies between the rows is left alone, since nothing may have been written there.
__aicore__ inline void AddRows(const AscendC::LocalTensor<float>& dst,
                               const AscendC::LocalTensor<float>& a,
                               const AscendC::LocalTensor<float>& b, uint32_t rows, uint32_t cols,
                               uint32_t pitch) {
  if (cols == pitch) {
    AscendC::Add(dst, a, b, static_cast<int32_t>(rows * cols));
  } else {
    ForGrid(rows, cols, pitch, AddEach{dst, a, b});
  }
  AscendC::PipeBarrier<PIPE_V>();
}

// Adds all rows into row 0, in pairs: row i + row i + ceil(rows / 2), again and again.
__aicore__ inline void HalveRows(const AscendC::LocalTensor<float>& data, uint32_t rows,
                                 uint32_t cols, uint32_t pitch) {
  while (rows > 1) {
    const uint32_t kept = (rows + 1) / 2;
    AddRows(data, data, data[kept * pitch], rows - kept, cols, pitch);
    rows = kept;
  }
}

// All rows added up, in `half`, which holds rows / 2 rows; data stays as it is. At least two rows.
__aicore__ inline void HalveRowsInto(const AscendC::LocalTensor<float>& half,
                                     const AscendC::LocalTensor<float>& data, uint32_t rows,
                                     uint32_t cols, uint32_t pitch) {
  const uint32_t kept = rows / 2;
  AddRows(half, data, data[kept * pitch], kept, cols, pitch);
  if (rows % 2 != 0) AddRows(half, half, data[2 * kept * pitch], 1, cols, pitch);
  HalveRows(half, kept, cols, pitch);
}

class DgammaSum {
 public:
  __aicore__ inline void Init(const RmsNormGradTiling& plan, AscendC::TPipe* pipe) {
    Init(plan.ub.dgamma_hi, plan.ub.dgamma_lo, plan.ub.lane_mask, pipe);
  }

  // By the bytes of hi, of lo or 0, and of a bit for each column of a piece.
  __aicore__ inline void Init(uint32_t hi_bytes, uint32_t lo_bytes, uint32_t mask_bytes,
                              AscendC::TPipe* pipe) {
    padded_cols_ = hi_bytes / static_cast<uint32_t>(sizeof(float));
    has_lo_ = lo_bytes > 0;
    pipe->InitBuffer(hi_buf_, hi_bytes);
    hi_ = hi_buf_.Get<float>();
    if (has_lo_) {
      pipe->InitBuffer(lo_buf_, lo_bytes);
      pipe->InitBuffer(is_number_buf_, mask_bytes);
      lo_ = lo_buf_.Get<float>();
    }
    has_left_ = pipe->AllocEventID<AscendC::HardEvent::MTE3_V>();
    is_leaving_ = false;
    Clear();
  }

  __aicore__ inline void Clear() {
    AscendC::Duplicate(hi_, 0.0f, padded_cols_);
    if (has_lo_) AscendC::Duplicate(lo_, 0.0f, padded_cols_);
    AscendC::PipeBarrier<PIPE_V>();
    due_ = false;
  }

  // Adds `count` columns of `value` at `col`. `spare` holds as many fp32, rounded up to 64; value
  // itself may be it. Every column gets one Add between two calls of Next.
  __aicore__ inline void Add(uint32_t col, const AscendC::LocalTensor<float>& value,
                             const AscendC::LocalTensor<float>& spare, uint32_t count) {
    if (is_leaving_) BeginAnew();
    const AscendC::LocalTensor<float> sum = has_lo_ ? lo_[col] : hi_[col];
    AscendC::Add(sum, sum, value, count);
    AscendC::PipeBarrier<PIPE_V>();
    if (due_ && has_lo_) MoveIntoHi(col, spare, RoundUp(count, kBlockElemsFp32));
  }

  __aicore__ inline void Next() { due_ = !due_; }

  __aicore__ inline uint32_t PaddedCols() const { return padded_cols_; }

  // The sums are in hi afterwards. `spare` as in Add, for all columns at a time, or for
  // `spare_cols`, a multiple of 64.
  __aicore__ inline void Finish(const AscendC::LocalTensor<float>& spare, uint32_t spare_cols) {
    for (uint32_t col = 0; col < padded_cols_ && has_lo_; col += spare_cols) {
      const uint32_t count = Smaller(spare_cols, padded_cols_ - col);
      MoveIntoHi(col, spare, count);
      AscendC::Add(hi_[col], hi_[col], lo_[col], count);
    }
  }

  // After Finish, once MTE3 has waited for it. `is_last`: else the next Add begins a new sum, which
  // waits until this one has left.
  __aicore__ inline void Send(const AscendC::GlobalTensor<float>& dst, uint32_t cols, bool is_last,
                              AscendC::TPipe* pipe) {
    StoreRows(dst, hi_, 1, cols, cols);
    is_leaving_ = !is_last;
    if (is_last) {
      pipe->ReleaseEventID<AscendC::HardEvent::MTE3_V>(has_left_);
    } else {
      AscendC::SetFlag<AscendC::HardEvent::MTE3_V>(has_left_);
    }
  }

  // Finish, wait, Send.
  __aicore__ inline void Store(const AscendC::GlobalTensor<float>& dst, uint32_t cols,
                               const AscendC::LocalTensor<float>& spare, uint32_t spare_cols,
                               bool is_last, AscendC::TPipe* pipe) {
    Finish(spare, spare_cols);
    const AscendC::TEventID event = pipe->FetchEventID(AscendC::HardEvent::V_MTE3);
    AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(event);
    AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(event);
    Send(dst, cols, is_last, pipe);
  }

 private:
  __aicore__ inline void BeginAnew() {
    AscendC::WaitFlag<AscendC::HardEvent::MTE3_V>(has_left_);
    is_leaving_ = false;
    Clear();
  }

  // hi + lo as a new (hi, lo), whole blocks of it: DataCopy knows nothing smaller. Where hi becomes
  // Inf or NaN, Inf - Inf would make lo NaN and every later sum with it: lo is zero there.
  __aicore__ inline void MoveIntoHi(uint32_t col, const AscendC::LocalTensor<float>& spare,
                                    uint32_t count) {
    const AscendC::LocalTensor<float> hi = hi_[col];
    const AscendC::LocalTensor<float> lo = lo_[col];
    const AscendC::LocalTensor<uint8_t> is_number = is_number_buf_.Get<uint8_t>();
    const uint32_t whole_repeats = RoundUp(count, kRepeatElemsFp32);  // what Compare takes
    AscendC::Add(spare, hi, lo, count);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Sub(hi, spare, hi, count);  // what of lo arrived
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Sub(lo, lo, hi, count);  // what did not
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::DataCopy(hi, spare, count);
    AscendC::Compare(is_number, lo, lo, AscendC::CMPMODE::EQ, whole_repeats);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Select(lo, is_number, lo, 0.0f, AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE,
                    whole_repeats);
    AscendC::PipeBarrier<PIPE_V>();
  }

  uint32_t padded_cols_;  // a multiple of 64
  bool has_lo_;
  bool is_leaving_;  // hi is being stored
  AscendC::TEventID has_left_;
  bool due_;                                          // lo has taken one sum already
  AscendC::TBuf<AscendC::TPosition::VECOUT> hi_buf_;  // stored from here, as VECCALC may not be
  AscendC::TBuf<AscendC::TPosition::VECCALC> lo_buf_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> is_number_buf_;  // a bit per column of a piece
  AscendC::LocalTensor<float> hi_;
  AscendC::LocalTensor<float> lo_;
};

#endif  // OP_KERNEL_RMS_NORM_GRAD_DGAMMA_SUM_H_
