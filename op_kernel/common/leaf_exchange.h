// Sums of rows whose columns several cores share, in the order of row_sum.h: each core leaves the
// leaf sums of its columns in the workspace; once all have met, it reads all leaf sums of its rows
// and adds them up by the tree, 64 at a time: 4,096 leaves make a subtree of two levels, so that a
// row may have any number of them. Who has which columns changes nothing.
//
// Workspace: per row a place for each leaf, behind the partial sums over rows; lower sums of split
// ones follow those of all rows.
#ifndef OP_KERNEL_COMMON_LEAF_EXCHANGE_H_
#define OP_KERNEL_COMMON_LEAF_EXCHANGE_H_

#include "op_kernel/common/chunk_tree.h"
#include "op_kernel/common/leaf_part_rows.h"
#include "op_kernel/common/leaf_sum_rows.h"

// How leaf sums lie in the workspace.
template <bool kInWholeBlocks>
struct LeafRowsFor {
  using Type = LeafSumRows;
};
template <>
struct LeafRowsFor<true> {
  using Type = LeafPartRows;
};

// What a core has of rows whose columns are shared: cores form row groups x column groups, columns
// are dealt in leaves.
__aicore__ inline Block SharedBlock(const NormGradTiling& plan, uint32_t row_group,
                                    uint32_t col_group) {
  // A last leaf that is too short to be copied by itself goes with the one before.
  const uint32_t all_leaves = (plan.cols - plan.copy_cols) / kLeafCols + 1;
  const RowSpan rows = RowsOfPart(plan, row_group);
  const RowSpan leaves =
      PartOf(col_group, all_leaves / plan.col_groups, all_leaves % plan.col_groups);
  Block block;
  block.first_row = rows.begin;
  block.rows = static_cast<uint32_t>(rows.end - rows.begin);
  block.first_col = static_cast<uint32_t>(leaves.begin) * kLeafCols;
  block.cols = leaves.end == all_leaves
                   ? plan.cols - block.first_col
                   : static_cast<uint32_t>(leaves.end - leaves.begin) * kLeafCols;
  return block;
}

template <typename Leaves>
class LeafExchange {
 public:
  // `index`: which of the sums that a row has.
  __aicore__ inline void Init(const NormGradArgs& args, const NormGradTiling& plan,
                              AscendC::TPipe* pipe, uint32_t index = 0,
                              const CrossLanes& lanes = CrossLanes()) {
    lanes_ = lanes;
    cols_ = plan.cols;
    leaf_count_ = LeafCount(plan.cols);
    rows_per_read_ = plan.leaf_read_rows;
    const uint64_t leaf_elems = kCopiesWholeBlocks ? kBlockElemsFp32 : 1;
    const uint64_t region = plan.rows * plan.leaf_row_pitch * leaf_elems;
    leaf_rows_.Init(args.workspace, plan.leaf_sums_at + index * region, plan, pipe, lanes);
    pipe->InitBuffer(tops_buf_, plan.ub.leaf_tops);
    pipe->InitBuffer(rows_buf_, plan.ub.row_sums);
    leaves_.Init(plan, pipe);
    all_rows_ = plan.rows;
    const bool is_split = leaves_.Terms() > 1;
    term_at_ = RoundUp(plan.group_rows, is_split ? kRepeatElemsFp32 : kBlockElemsFp32);
    // Also past the last row.
    AscendC::Duplicate(rows_buf_.Get<float>(), 0.0f, leaves_.Terms() * term_at_);
    AscendC::PipeBarrier<PIPE_V>();
  }

  __aicore__ inline void Enter(const Block& block) { block_ = block; }
  __aicore__ inline void BeginChunk() { leaves_.BeginChunk(); }
  __aicore__ inline void EndChunk() {}

  __aicore__ inline Leaves& LeafSums() { return leaves_; }

  // After LeafSums() have those of a tile.
  __aicore__ inline void Add(const TilePlace& place) {
    leaf_rows_.Store(leaves_, block_.first_row + place.row, place);
  }

  // Once all cores have met: one fp32 per row of the block; `Spare` holds as many.
  __aicore__ inline AscendC::LocalTensor<float> Total() {
    const AscendC::LocalTensor<float> sums = rows_buf_.Get<float>();
    for (uint32_t term = 0; term < leaves_.Terms(); ++term) {
      const uint64_t first = term * all_rows_ + block_.first_row;
      SumTerm(sums[term * term_at_], first);
    }
    AscendC::PipeBarrier<PIPE_V>();
    // Other strategies add zeros where a row has no leaf: all of them make +0 of -0.
    const uint32_t all = leaves_.Terms() * term_at_;
    AscendC::Adds(sums, sums, 0.0f, static_cast<int32_t>(all));
    AscendC::PipeBarrier<PIPE_V>();
    return sums;
  }
  __aicore__ inline AscendC::LocalTensor<float> Spare() {
    return rows_buf_.Get<float>()[leaves_.Terms() * term_at_];
  }

  // The same, as minus the mean times rstd.
  __aicore__ inline AscendC::LocalTensor<float> Means(const AscendC::LocalTensor<float>& rstd) {
    const AscendC::LocalTensor<float> sums = Total();
    leaves_.Means(sums, Spare(), term_at_, rstd, block_.rows, cols_);
    return sums;
  }

 private:
  static constexpr uint32_t kSubtreeLeaves = kRepeatElemsFp32 * kRepeatElemsFp32;

  __aicore__ inline static uint32_t LeafCount(uint32_t cols) {
    return (cols + kLeafCols - 1) / kLeafCols;
  }

  // Plain, upper or lower sums of the block's rows, whose leaf sums begin at row `first`.
  __aicore__ inline void SumTerm(const AscendC::LocalTensor<float>& sums, uint64_t first) {
    if (leaf_count_ > kSubtreeLeaves) {
      for (uint32_t row = 0; row < block_.rows; ++row) SumLongRow(sums, row, first + row);
      return;
    }
    for (uint32_t row = 0; row < block_.rows; row += rows_per_read_) {
      SumRows(sums[row], first + row, Smaller(rows_per_read_, block_.rows - row));
    }
  }

  __aicore__ inline void SumRows(const AscendC::LocalTensor<float>& sums, uint64_t row,
                                 uint32_t rows) {
    const AscendC::LocalTensor<float> read = leaf_rows_.Read(row, rows, 0, leaf_count_);
    const uint32_t pitch = RoundUp(leaf_count_, kBlockElemsFp32);
    if (leaf_count_ <= kRepeatElemsFp32) {
      for (uint32_t i = 0; i < rows; i += kBlockElemsFp32) {
        lanes_.SumFewValues(sums[i], read[i * pitch], Smaller(kBlockElemsFp32, rows - i),
                            leaf_count_, pitch, tops_buf_.Get<float>());
      }
    } else {
      for (uint32_t i = 0; i < rows; ++i) {
        lanes_.SumManyValues(sums, i, read[i * pitch], leaf_count_, tops_buf_.Get<float>());
      }
    }
    leaf_rows_.GiveBack();
  }

  // sums[at] of a row.
  __aicore__ inline void SumLongRow(const AscendC::LocalTensor<float>& sums, uint32_t at,
                                    uint64_t row) {
    const AscendC::LocalTensor<float> tops = tops_buf_.Get<float>()[kRepeatElemsFp32];
    uint32_t count = 0;
    for (uint32_t leaf = 0; leaf < leaf_count_; leaf += kSubtreeLeaves) {
      const uint32_t leaves = Smaller(kSubtreeLeaves, leaf_count_ - leaf);
      lanes_.SumManyValues(tops, count, leaf_rows_.Read(row, 1, leaf, leaves), leaves,
                           tops_buf_.Get<float>());
      leaf_rows_.GiveBack();
      ++count;
    }
    AscendC::PipeBarrier<PIPE_V>();
    lanes_.SumManyValues(sums, at, tops, count, tops_buf_.Get<float>());
    AscendC::PipeBarrier<PIPE_V>();
  }

  uint32_t cols_;
  uint32_t leaf_count_;  // of a row
  uint32_t rows_per_read_;
  uint32_t term_at_;  // from plain or upper sums to lower ones
  uint64_t all_rows_;
  Block block_;
  CrossLanes lanes_;
  Leaves leaves_;
  LeafRowsFor<kCopiesWholeBlocks>::Type leaf_rows_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> tops_buf_;  // 64 sums, then one per 4,096 leaves
  AscendC::TBuf<AscendC::TPosition::VECCALC> rows_buf_;
};

#endif  // OP_KERNEL_COMMON_LEAF_EXCHANGE_H_
