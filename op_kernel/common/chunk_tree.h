// Sums of rows that come chunk by chunk, for a group of rows at a time, in the order of row_sum.h:
// a chunk is a power of two leaves, so its sum is a whole subtree of the row's tree. Like a binary
// counter, level k holds the sum of the last 2^k chunks that has no partner yet: earlier + later.
// At the end the levels are added up from the lowest to the highest, which is what an odd last one
// that passes up unchanged comes to. UB: (levels + 1) fp32 per row, twice as many for split sums,
// for any number of columns.
#ifndef OP_KERNEL_COMMON_CHUNK_TREE_H_
#define OP_KERNEL_COMMON_CHUNK_TREE_H_

#include "op_kernel/common/block_tiles.h"
#include "op_kernel/common/leaf_sum.h"

// The leaves of a chunk of some rows. A chunk has at most eight, so that a row's leaf sums are one
// block.
class ChunkLeaves {
 public:
  __aicore__ inline void Init(const NormGradTiling& plan, AscendC::TPipe* pipe) {
    pipe->InitBuffer(parts_buf_, plan.ub.leaf_parts);
    part_elems_ = plan.ub.leaf_parts / static_cast<uint32_t>(sizeof(float));
    split_.Init(plan, pipe);
    to_ = {parts_buf_.Get<float>(), part_elems_ / split_.Terms(), kBlockElemsFp32};
    sum_.Finish();
  }

  // Parts that no lane of a chunk's leaves writes must be zero.
  __aicore__ inline void BeginChunk() {
    AscendC::Duplicate(parts_buf_.Get<float>(), 0.0f, part_elems_);
    AscendC::PipeBarrier<PIPE_V>();
  }

  // Sums p * gamma of some rows, stage by stage; destroys it.
  __aicore__ inline void StartSum(const AscendC::LocalTensor<float>& data,
                                  const AscendC::LocalTensor<float>& spare, uint32_t rows, uint32_t,
                                  uint32_t cols, uint32_t pitch) {
    sum_.Start(data, spare, rows, cols, pitch);
    rows_ = rows;
  }

  // The same of sums that are plain.
  __aicore__ inline void StartSum(const AscendC::LocalTensor<float>& data, uint32_t rows,
                                  uint32_t first_col, uint32_t cols, uint32_t pitch) {
    StartSum(data, AscendC::LocalTensor<float>(), rows, first_col, cols, pitch);
  }

  __aicore__ inline bool StepSum() { return sum_.Step(split_, to_); }

  __aicore__ inline uint32_t Terms() const { return split_.Terms(); }

  // What is there then, of each term: eight parts of each leaf, of eight leaves a row; zero where
  // there is none.
  __aicore__ inline AscendC::LocalTensor<float> Parts(uint32_t term) {
    return parts_buf_.Get<float>()[term * to_.lower_at];
  }

  // Or: sums[row * 8 + leaf].
  __aicore__ inline void Finish(const CrossLanes& lanes, const AscendC::LocalTensor<float>& sums,
                                uint32_t term) {
    lanes.SumParts(sums, Parts(term), rows_ * kBlockElemsFp32);
  }

  // sums become minus the means: one fp32 per row, whole blocks of them; destroys spare.
  __aicore__ static inline void MinusMeans(const AscendC::LocalTensor<float>& sums,
                                           const AscendC::LocalTensor<float>& spare, uint32_t rows,
                                           uint32_t cols) {
    const uint32_t count = RoundUp(rows, kBlockElemsFp32);
    AscendC::Duplicate(spare, -static_cast<float>(cols), count);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Div(sums, sums, spare, count);
    AscendC::PipeBarrier<PIPE_V>();
  }

  // The same, times rstd.
  __aicore__ static inline void MeansTimesRstd(const AscendC::LocalTensor<float>& sums,
                                               const AscendC::LocalTensor<float>& spare,
                                               const AscendC::LocalTensor<float>& rstd,
                                               uint32_t rows, uint32_t cols) {
    MinusMeans(sums, spare, rows, cols);
    AscendC::Mul(sums, sums, rstd, RoundUp(rows, kBlockElemsFp32));
    AscendC::PipeBarrier<PIPE_V>();
  }

  // The same of plain sums or split ones, whose lower parts come `pitch` behind the upper ones, and
  // whose spare is what SplitRows says.
  __aicore__ inline void Means(const AscendC::LocalTensor<float>& sums,
                               const AscendC::LocalTensor<float>& spare, uint32_t pitch,
                               const AscendC::LocalTensor<float>& rstd, uint32_t rows,
                               uint32_t cols) {
    if (split_.IsSplit()) {
      split_.Means({sums, sums[pitch], spare, pitch, rows}, rstd);
    } else {
      MeansTimesRstd(sums, spare, rstd, rows, cols);
    }
  }

 private:
  uint32_t part_elems_;
  uint32_t rows_;
  SplitSum split_;
  LeafSum sum_;
  LeafParts to_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> parts_buf_;
};

// `Leaves` makes the leaf sums of a chunk of some rows, and the means of rows: ChunkLeaves, or what
// does the same in registers.
template <typename Leaves>
class ChunkTree {
 public:
  __aicore__ inline void Init(const NormGradTiling& plan, AscendC::TPipe* pipe,
                              const CrossLanes& lanes = CrossLanes()) {
    lanes_ = lanes;
    leaves_.Init(plan, pipe);
    const bool is_split = leaves_.Terms() > 1;
    term_at_ = RoundUp(plan.group_rows, is_split ? kRepeatElemsFp32 : kBlockElemsFp32);
    stride_ = leaves_.Terms() * term_at_;
    pipe->InitBuffer(rows_buf_, plan.ub.row_sums);
    pipe->InitBuffer(leaf_sums_buf_, plan.ub.leaf_sums);
    // Whole blocks of rows are added up: those past the last row must be numbers.
    AscendC::Duplicate(rows_buf_.Get<float>(), 0.0f,
                       plan.ub.row_sums / static_cast<uint32_t>(sizeof(float)));
    AscendC::PipeBarrier<PIPE_V>();
    leaf_term_at_ = plan.ub.leaf_sums / leaves_.Terms() / static_cast<uint32_t>(sizeof(float));
    done_ = 0;
  }

  __aicore__ inline void Enter(const Block& block) {
    rows_ = block.rows;
    count_ = RoundUp(block.rows, kBlockElemsFp32);
    if (count_ > 0) count_ += (leaves_.Terms() - 1) * term_at_;
    done_ = 0;
  }

  __aicore__ inline void BeginChunk() { leaves_.BeginChunk(); }

  __aicore__ inline Leaves& LeafSums() { return leaves_; }

  // After LeafSums() have those of a tile. Eight rows' leaf sums become eight sums at a time, since
  // results of less than a block have no place of their own.
  __aicore__ inline void Add(const TilePlace& place) {
    const AscendC::LocalTensor<float> leaf_sums = leaf_sums_buf_.Get<float>();
    const uint32_t waiting = place.row % kBlockElemsFp32;
    for (uint32_t term = 0; term < leaves_.Terms(); ++term) {
      leaves_.Finish(lanes_, leaf_sums[term * leaf_term_at_ + waiting * kBlockElemsFp32], term);
    }
    AscendC::PipeBarrier<PIPE_V>();
    const uint32_t end = place.row + place.rows;
    if (end % kBlockElemsFp32 != 0 && end != rows_) return;
    for (uint32_t term = 0; term < leaves_.Terms(); ++term) {
      lanes_.SumParts(Current()[term * term_at_ + place.row - waiting],
                      leaf_sums[term * leaf_term_at_], waiting + place.rows);
    }
    AscendC::PipeBarrier<PIPE_V>();
  }

  __aicore__ inline void EndChunk() {
    uint32_t level = 0;
    for (; (done_ >> level) % 2 != 0; ++level) Join(level);
    if (count_ > 0) AscendC::DataCopy(Level(level), Current(), count_);
    AscendC::PipeBarrier<PIPE_V>();
    ++done_;
  }

  // After the last chunk: one fp32 per row; `Spare` holds as many.
  __aicore__ inline AscendC::LocalTensor<float> Total() {
    AddUpLevels();
    return Current();
  }
  __aicore__ inline AscendC::LocalTensor<float> Spare() { return Level(0); }

  // The same, as minus the means times rstd.
  __aicore__ inline AscendC::LocalTensor<float> Means(const AscendC::LocalTensor<float>& rstd,
                                                      uint32_t cols) {
    const AscendC::LocalTensor<float> sums = Total();
    if (rows_ > 0) leaves_.Means(sums, Spare(), term_at_, rstd, rows_, cols);
    return sums;
  }

 private:
  __aicore__ inline void AddUpLevels() {
    bool is_first = true;
    for (uint32_t level = 0; (done_ >> level) != 0; ++level) {
      if ((done_ >> level) % 2 == 0) continue;
      if (is_first) {
        if (count_ > 0) AscendC::DataCopy(Current(), Level(level), count_);
        AscendC::PipeBarrier<PIPE_V>();
      } else {
        Join(level);
      }
      is_first = false;
    }
  }

  __aicore__ inline AscendC::LocalTensor<float> Current() { return rows_buf_.Get<float>(); }
  __aicore__ inline AscendC::LocalTensor<float> Level(uint32_t level) {
    return rows_buf_.Get<float>()[(level + 1) * stride_];
  }

  // The level's chunks came before the current ones.
  __aicore__ inline void Join(uint32_t level) {
    if (count_ > 0) AscendC::Add(Current(), Level(level), Current(), count_);
    AscendC::PipeBarrier<PIPE_V>();
  }

  uint32_t leaf_term_at_;
  uint32_t term_at_;  // from plain or upper sums to lower ones
  uint32_t stride_;   // from one level to the next
  uint32_t rows_;     // of the block
  uint32_t count_;    // of all its sums, in whole blocks of eight
  uint32_t done_;     // chunks
  CrossLanes lanes_;
  Leaves leaves_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> rows_buf_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> leaf_sums_buf_;
};

#endif  // OP_KERNEL_COMMON_CHUNK_TREE_H_
