// A sum over rows on one core: rows that are worked on together are halved in pairs, then added to
// a (hi, lo) pair of fp32 per column. lo takes two such sums as they come; then a fast two-sum
// moves what hi can hold into hi and leaves the rest in lo. So the error stays near one rounding
// however many rows a core has, at half the price of a two-sum each time.
//
// Without room for lo there is hi alone: one accumulator, whose plan declares a larger C.
#ifndef OP_KERNEL_COMMON_SUM_OVER_ROWS_H_
#define OP_KERNEL_COMMON_SUM_OVER_ROWS_H_

#include "op_kernel/common/args.h"
#include "op_kernel/common/grid.h"
#include "op_kernel/common/sum_places.h"

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
}

// Adds up rows in pairs: row i + row i + ceil(rows / 2). Returns how many are left.
__aicore__ inline uint32_t HalveRowsOnce(const AscendC::LocalTensor<float>& data, uint32_t rows,
                                         uint32_t cols, uint32_t pitch) {
  const uint32_t kept = (rows + 1) / 2;
  AddRows(data, data, data[kept * pitch], rows - kept, cols, pitch);
  return kept;
}

// Adds all rows into row 0.
__aicore__ inline void HalveRows(const AscendC::LocalTensor<float>& data, uint32_t rows,
                                 uint32_t cols, uint32_t pitch) {
  while (rows > 1) {
    rows = HalveRowsOnce(data, rows, cols, pitch);
    AscendC::PipeBarrier<PIPE_V>();
  }
}

class SumOverRows : public SumPlaces {
 public:
  __aicore__ inline void Init(const NormGradTiling& plan, AscendC::TPipe* pipe) {
    Init(plan.ub.sum_hi, plan.ub.sum_lo, plan.ub.lane_mask, plan.sum_places, plan.copy_cols, pipe);
  }

  // By the bytes of hi, of lo or 0, of a bit for each column of a piece. With two places for hi a
  // sum leaves from one while the next sum is made in the other. `copy_cols` as in the plan, of the
  // rows that are added up.
  __aicore__ inline void Init(uint32_t hi_bytes, uint32_t lo_bytes, uint32_t mask_bytes,
                              uint32_t places, uint32_t copy_cols, AscendC::TPipe* pipe) {
    InitPlaces(hi_bytes, lo_bytes, places, copy_cols, pipe);
    if (has_lo_) pipe->InitBuffer(is_number_buf_, mask_bytes);
    takes_value_ = false;
    steps_per_move_ = 2;
    move_phase_ = 0;
    Clear();
  }

  __aicore__ inline void Clear() {
    ClearPlaces();
    due_ = false;
    steps_ = 0;
    stage_ = kDone;
    rows_ = 0;
  }

  // Clears for a sum whose first value comes for all columns at once: it is taken as it is.
  __aicore__ inline void Renew() {
    if (has_lo_) AscendC::Duplicate(hi_, 0.0f, padded_cols_);
    due_ = false;
    steps_ = 0;
    stage_ = kDone;
    rows_ = 0;
    takes_value_ = true;
  }
  // The same for a sum that Total takes to `dst`.
  __aicore__ inline void RenewFor(const AscendC::LocalTensor<float>& dst) {
    MakeInTotal(dst);
    Renew();
  }

  // Adds `count` columns of `value` at `col`. `spare` holds as many fp32, rounded up to 64; value
  // itself may be it. Every column gets one sum between two calls of Next. Goes on with each Step.
  __aicore__ inline void Start(uint32_t col, const AscendC::LocalTensor<float>& value,
                               const AscendC::LocalTensor<float>& spare, uint32_t count) {
    if (Begins()) Clear();
    col_ = col;
    count_ = count;
    value_ = value;
    spare_ = spare;
    stage_ = kAddValue;
  }

  // The same of two rows, value and other, of which value is destroyed.
  __aicore__ inline void StartPair(uint32_t col, const AscendC::LocalTensor<float>& value,
                                   const AscendC::LocalTensor<float>& other, uint32_t count) {
    Start(col, value, value, count);
    data_ = other;
    stage_ = kAddPair;
  }

  // The same of all rows, which are halved in pairs first: in `half`, which holds rows / 2 rows, at
  // least sum_hi's columns, and is the spare, too. `rows` may be 1.
  __aicore__ inline void StartRows(const AscendC::LocalTensor<float>& data,
                                   const AscendC::LocalTensor<float>& half, uint32_t rows,
                                   uint32_t cols, uint32_t pitch) {
    Start(0, rows > 1 ? half : data, half, cols);
    data_ = data;
    rows_ = rows;
    pitch_ = pitch;
    if (rows > 1) stage_ = kFirstHalves;
  }

  // The same of rows that have been halved once already: `half` is destroyed.
  __aicore__ inline void StartHalved(const AscendC::LocalTensor<float>& half, uint32_t rows,
                                     uint32_t cols, uint32_t pitch) {
    Start(0, half, half, cols);
    rows_in_half_ = rows;
    pitch_ = pitch;
    if (rows > 1) stage_ = kHalve;
  }

  // Whether the next Step still reads the data of StartRows.
  __aicore__ inline bool ReadsData() const {
    return stage_ <= kOddRow || (stage_ == kAddValue && rows_ == 1);
  }

  // Whether Step has something left to do.
  __aicore__ inline bool IsAtWork() const { return stage_ != kDone; }

  // The next instructions of the sum, none of which needs another's result; false: it was done
  // already. A barrier belongs between two calls, and other work, too.
  __aicore__ inline bool Step() {
    switch (stage_) {
      case kFirstHalves:
        AddRows(value_, data_, data_[rows_ / 2 * pitch_], rows_ / 2, count_, pitch_);
        stage_ = rows_ % 2 != 0 ? kOddRow : rows_ / 2 > 1 ? kHalve : kAddValue;
        rows_in_half_ = rows_ / 2;
        return true;
      case kOddRow:
        AddRows(value_, value_, data_[(rows_ - 1) * pitch_], 1, count_, pitch_);
        stage_ = rows_in_half_ > 1 ? kHalve : kAddValue;
        return true;
      case kHalve: {
        const uint32_t kept = (rows_in_half_ + 1) / 2;
        AddRows(value_, value_, value_[kept * pitch_], rows_in_half_ - kept, count_, pitch_);
        rows_in_half_ = kept;
        if (kept == 1) stage_ = kAddValue;
        return true;
      }
      case kAddPair:
        AscendC::Add(takes_value_ ? Place() : value_, value_, data_, static_cast<int32_t>(count_));
        if (takes_value_) {
          ValueIsAdded();
        } else {
          stage_ = kAddValue;
        }
        return true;
      case kAddValue:
        if (takes_value_) {
          AscendC::Adds(Place(), value_, 0.0f, static_cast<int32_t>(count_));
        } else {
          AscendC::Add(Place(), Place(), value_, static_cast<int32_t>(count_));
        }
        ValueIsAdded();
        return true;
      case kDone:
        return false;
      default:
        Move(stage_ - kMove, col_, spare_, RoundUp(count_, kBlockElemsFp32));
        stage_ = stage_ - kMove + 1 == kMoveStages ? kDone : stage_ + 1;
        return true;
    }
  }

  __aicore__ inline void Add(uint32_t col, const AscendC::LocalTensor<float>& value,
                             const AscendC::LocalTensor<float>& spare, uint32_t count) {
    Start(col, value, spare, count);
    while (Step()) AscendC::PipeBarrier<PIPE_V>();
  }

  // After a step's sums.
  __aicore__ inline void Next() {
    ++steps_;
    due_ = (steps_ + move_phase_) % steps_per_move_ == steps_per_move_ - 1;
  }

  // Two sums of the same rows, before the first one: lo takes four of each before what fits is
  // moved into hi, never of both at once, so that one spare is enough. (LayerNormGradV3, one row at
  // a time: 38.8 slope cycles per 64 elements, and 43.3 with two sums in lo.)
  __aicore__ static inline void TakeTurns(SumOverRows& a, SumOverRows& b) {
    a.steps_per_move_ = kStepsOfTurns;
    b.steps_per_move_ = kStepsOfTurns;
    b.move_phase_ = kStepsOfTurns / 2;
  }

  // Finish, wait, Send.
  __aicore__ inline void Store(const AscendC::GlobalTensor<float>& dst, uint32_t cols, bool is_last,
                               AscendC::TPipe* pipe) {
    Finish();
    SendFinished(dst, cols, is_last, pipe);
  }

 private:
  static constexpr uint32_t kStepsOfTurns = 4;
  static constexpr uint32_t kSumStages = 3;
  static constexpr uint32_t kMoveStages = kSumStages + kKeepNumberStages;
  // Stages of a sum; kMove is the first of kMoveStages.
  enum Stage : uint32_t { kFirstHalves, kOddRow, kHalve, kAddPair, kAddValue, kDone, kMove };

  // Where values are added.
  __aicore__ inline AscendC::LocalTensor<float> Place() const {
    return has_lo_ ? lo_[col_] : hi_[col_];
  }

  __aicore__ inline void ValueIsAdded() {
    takes_value_ = false;
    stage_ = due_ && has_lo_ ? kMove : kDone;
  }

  // hi + lo as a new (hi, lo), whole blocks of it: DataCopy knows nothing smaller. Where hi becomes
  // Inf or NaN, Inf - Inf would make lo NaN and every later sum with it: lo is zero there.
  __aicore__ inline void Move(uint32_t stage, uint32_t col,
                              const AscendC::LocalTensor<float>& spare, uint32_t count) {
    const AscendC::LocalTensor<float> hi = hi_[col];
    const AscendC::LocalTensor<float> lo = lo_[col];
    switch (stage) {
      case 0:
        AscendC::Add(spare, hi, lo, count);
        break;
      case 1:
        AscendC::Sub(hi, spare, hi, count);  // what of lo arrived
        break;
      case 2:
        AscendC::Sub(lo, lo, hi, count);  // what did not
        break;
      default:
        if (stage == kSumStages) AscendC::DataCopy(hi, spare, count);
        KeepNumbers(stage - kSumStages, lo, is_number_buf_.Get<uint8_t>(), spare, count);
    }
  }

  bool takes_value_;  // instead of adding it
  bool due_;          // the next sum is the last that lo takes before a move
  uint32_t steps_;    // since Clear
  uint32_t steps_per_move_;
  uint32_t move_phase_;
  // the sum that is being added
  uint32_t stage_;
  uint32_t col_;
  uint32_t count_;
  uint32_t rows_;
  uint32_t rows_in_half_;
  uint32_t pitch_;
  AscendC::LocalTensor<float> data_;
  AscendC::LocalTensor<float> value_;
  AscendC::LocalTensor<float> spare_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> is_number_buf_;  // a bit per column of a piece
};

#endif  // OP_KERNEL_COMMON_SUM_OVER_ROWS_H_
