// Strategy DxSplitRow: rows of any width, read twice.
//
//   first   u = x - mean;  p = u * rstd * dy;  dgamma += p;  dbeta += dy;  c1 and c2 of each row
//   second  dx = (dy * gamma - u * (c2 * rstd) - c1) * rstd
//
// Regime: more columns than DxInPlaceRow takes, at least as many rows as cores. Chunks of columns
// are the outer loop and the rows of a group the inner one, so that gamma and the sums of a chunk
// are in UB once per pass, however wide a row is. A group is as many rows as there is room for
// their sums. Bytes per row: reads 4 x cols x sizeof(T), writes cols x sizeof(T): 1.67 times the
// minimum; without dx, one pass.
//
// Sync: queues order MTE2 -> V -> MTE3 per tile, so that the copies of the neighbouring tiles run
// beside the arithmetic. Rows that fit UB between the passes (is_resident) are read once. The
// scalar unit reads nothing.
#ifndef OP_KERNEL_LAYER_NORM_GRAD_V3_DX_SPLIT_ROW_H_
#define OP_KERNEL_LAYER_NORM_GRAD_V3_DX_SPLIT_ROW_H_

#include "op_kernel/common/chunk_tree.h"
#include "op_kernel/common/row_groups.h"
#include "op_kernel/layer_norm_grad_v3/block_passes.h"

template <typename Parts>
class DxSplitRow {
 public:
  __aicore__ inline void Init(const NormGradArgs& args, const NormGradTiling& plan,
                              AscendC::TPipe* pipe) {
    plan_ = plan;
    pipe_ = pipe;
    passes_.Init(args, plan, pipe);
    rows_.terms.Init(plan, pipe, passes_.Lanes());
    rows_.products.Init(plan, pipe, passes_.Lanes());
  }

  __aicore__ inline void Process() {
    const RowSpan span = RowsOfThisCore(plan_);
    const uint64_t groups = GroupsOf(plan_, span);
    for (uint64_t group = 0; group < groups; ++group) {
      const RowSpan part = GroupOf(plan_, span, group);
      Block block;
      block.first_row = part.begin;
      block.rows = static_cast<uint32_t>(part.end - part.begin);
      block.first_col = 0;
      block.cols = plan_.cols;
      passes_.First(block, SlotOfGroup(plan_, part.begin, group), rows_);
      if (WantsDx(plan_)) {
        passes_.Second(rows_.terms.Total(), rows_.products.Total(), rows_.terms.Spare());
      }
      passes_.Leave();
    }
    passes_.Release();
    passes_.SumsOverRows().SumOverPartials(plan_, pipe_);
  }

 private:
  NormGradTiling plan_;
  AscendC::TPipe* pipe_;
  BlockPasses<Parts> passes_;
  RowSumPair<ChunkTree<typename Parts::Leaves>> rows_;
};

#endif  // OP_KERNEL_LAYER_NORM_GRAD_V3_DX_SPLIT_ROW_H_
