// The leaf sums of some rows, stage by stage, in the order of row_sum.h; a barrier belongs between
// two stages, and other work, too. A sum may be split (split_sum.h): then the 64 lanes to which a
// leaf is halved are, and upper and lower parts leave sums of their own.
//
// Upper parts lie beside the lower ones, where halving has left room: behind the lanes of their
// leaf, those of a last, narrow leaf behind the first leaf's. One leaf of fewer than 128 columns
// has none.
#ifndef OP_KERNEL_COMMON_LEAF_SUM_H_
#define OP_KERNEL_COMMON_LEAF_SUM_H_

#include "op_kernel/common/row_sum.h"
#include "op_kernel/common/split_sum.h"

struct TakeUpperAt {
  AscendC::LocalTensor<float> data;
  AscendC::LocalTensor<uint16_t> upper_half;
  __aicore__ inline TakeUpper operator()(uint32_t at) const {
    return {data[at + kRepeatElemsFp32], data[at], upper_half};
  }
};

struct SubUpperAt {
  AscendC::LocalTensor<float> data;
  __aicore__ inline SubEach operator()(uint32_t at) const {
    return {data[at], data[at], data[at + kRepeatElemsFp32]};
  }
};

// Where leaf sums go: leaf l of row r leaves its eight parts at parts[(r * leaf_pitch + l) * 8],
// those of lower parts `lower_at` further on.
struct LeafParts {
  AscendC::LocalTensor<float> parts;
  uint32_t lower_at;
  uint32_t leaf_pitch;
};

class LeafSum {
 public:
  // Of `cols` columns of each row; destroys data. `spare` is as large, for split sums of fewer than
  // 128 columns.
  __aicore__ inline void Start(const AscendC::LocalTensor<float>& data,
                               const AscendC::LocalTensor<float>& spare, uint32_t rows,
                               uint32_t cols, uint32_t pitch) {
    data_ = data;
    rows_ = rows;
    cols_ = cols;
    pitch_ = pitch;
    leaves_ = cols / kLeafCols;
    tail_ = cols % kLeafCols;
    last_ = data[leaves_ * kLeafCols];
    if (leaves_ > 0) {
      last_upper_ = data[2 * kRepeatElemsFp32];
    } else {
      last_upper_ = cols < 2 * kRepeatElemsFp32 ? spare : data[kRepeatElemsFp32];
    }
    stage_ = kHalves;
  }

  // There is nothing to do.
  __aicore__ inline void Finish() { stage_ = kDone; }

  // The next instructions, none of which needs another's result; false: it was done already.
  __aicore__ inline bool Step(SplitSum& split, const LeafParts& to) {
    switch (stage_) {
      case kUpper:
        ForLast(TakeUpper{last_upper_, last_, split.UpperHalf()});
        ForAll(TakeUpperAt{data_, split.UpperHalf()});
        break;
      case kLower:
        ForLast(SubEach{last_, last_, last_upper_});
        ForAll(SubUpperAt{data_});
        break;
      case kBlocks:
        Blocks(to.parts, to.leaf_pitch, split.IsSplit() ? kRepeatElemsFp32 : 0,
               split.IsSplit() ? last_upper_ : last_);
        if (split.IsSplit()) Blocks(to.parts[to.lower_at], to.leaf_pitch, 0, last_);
        break;
      case kDone:
        return false;
      default:
        Halve(kLeafCols / 2 >> stage_);
    }
    ++stage_;
    if (stage_ == kUpper && !split.IsSplit()) stage_ = kBlocks;
    return true;
  }

 private:
  // 512 columns to 256, 128 and 64; 64 lanes to two times 64; those to 8 parts.
  enum Stage : uint32_t { kHalves, kUpper = 3, kLower, kBlocks, kDone };

  __aicore__ inline void Halve(uint32_t half) {
    const uint32_t width = Smaller(tail_, 2 * half);  // what is left of a tail
    if (width > half) ForGrid(rows_, width - half, pitch_, AddShifted(last_, half));
    if (leaves_ > 0) ForLeaves(rows_, pitch_, leaves_, half, HalveAt{data_, half});
  }

  template <typename Op>
  __aicore__ inline void ForLast(const Op& op) {
    if (tail_ > 0) ForGrid(rows_, Smaller(tail_, kRepeatElemsFp32), pitch_, op);
  }
  template <typename OpAt>
  __aicore__ inline void ForAll(const OpAt& op_at) {
    if (leaves_ > 0) ForLeaves(rows_, pitch_, leaves_, kRepeatElemsFp32, op_at);
  }

  // Of the lanes `at` behind the first of each leaf, and of those of the last, narrow one.
  __aicore__ inline void Blocks(const AscendC::LocalTensor<float>& parts, uint32_t leaf_pitch,
                                uint32_t at, const AscendC::LocalTensor<float>& last) {
    const uint32_t pitch_blocks = pitch_ / kBlockElemsFp32;
    for (uint32_t leaf = 0; leaf < leaves_ && rows_ >= leaves_; ++leaf) {
      CrossLanes::SumBlocks(parts[leaf * kLeafParts], leaf_pitch, data_[leaf * kLeafCols + at],
                            pitch_blocks, rows_, kRepeatElemsFp32);
    }
    for (uint32_t row = 0; row < rows_ && rows_ < leaves_; ++row) {
      CrossLanes::SumBlocks(parts[row * leaf_pitch * kLeafParts], 1, data_[row * pitch_ + at],
                            kLeafBlocks, leaves_, kRepeatElemsFp32);
    }
    if (tail_ > 0) {
      CrossLanes::SumBlocks(parts[leaves_ * kLeafParts], leaf_pitch, last, pitch_blocks, rows_,
                            Smaller(tail_, kRepeatElemsFp32));
    }
  }

  AscendC::LocalTensor<float> data_;
  AscendC::LocalTensor<float> last_;
  AscendC::LocalTensor<float> last_upper_;
  uint32_t rows_;
  uint32_t cols_;
  uint32_t pitch_;
  uint32_t leaves_;
  uint32_t tail_;  // columns of a last, narrow leaf
  uint32_t stage_;
};

#endif  // OP_KERNEL_COMMON_LEAF_SUM_H_
