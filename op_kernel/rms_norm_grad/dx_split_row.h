// Strategy DxSplitRow: rows of any width, read twice.
//
//   first   p = x * rstd * dy;  dgamma += p;  row sums of p * gamma
//   second  dx = (dy * gamma - x * c) * rstd          c = mean * rstd
//
// Regime: more columns than DxInPlaceRow takes, at least as many rows as cores. Chunks of columns
// are the outer loop and the rows of a group the inner one, so that gamma and dgamma of a chunk are
// in UB once per pass, however wide a row is. A group is as many rows as there is room for their
// sums. Bytes per row: reads 4 x cols x sizeof(T) + 4, writes cols x sizeof(T): 1.67 times the
// minimum. Per core and group gamma is read twice and dgamma written once.
//
//   columns ->  chunk 0        chunk 1        ...          second pass:  ... chunk 1    chunk 0
//   rows   |    tile 0         tile 0                                        tile 0
//   of a   |    tile 1         tile 1                                        tile 1
//   group  v    ...            ...                                           ...
//               dgamma out     dgamma out
//
// Sync: queues order MTE2 -> V -> MTE3 per tile, two buffers in, so that the copies of the
// neighbouring tiles run beside the arithmetic. Rows that fit UB between the passes (is_resident)
// are read once. The scalar unit reads nothing.
#ifndef OP_KERNEL_RMS_NORM_GRAD_DX_SPLIT_ROW_H_
#define OP_KERNEL_RMS_NORM_GRAD_DX_SPLIT_ROW_H_

#include "op_kernel/common/block_tiles.h"
#include "op_kernel/common/partial_sums.h"
#include "op_kernel/common/row_groups.h"

// `Passes` are over a block; `Sums`, a ChunkTree, make row sums of its chunks.
template <typename Passes, typename Sums>
class DxSplitRow {
 public:
  __aicore__ inline void Init(const NormGradArgs& args, const NormGradTiling& plan,
                              AscendC::TPipe* pipe) {
    plan_ = plan;
    pipe_ = pipe;
    passes_.Init(args, plan, pipe);
    sums_.Init(plan, pipe);
    partials_.Init(args, plan, pipe);
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
      passes_.First(block, partials_.Destination(SlotOfGroup(plan_, part.begin, group)), sums_);
      passes_.Second(sums_.Means(passes_.Rstd(), plan_.cols));
    }
    passes_.Release();
    partials_.SumOverPartials(plan_, pipe_);
  }

 private:
  NormGradTiling plan_;
  AscendC::TPipe* pipe_;
  Passes passes_;
  Sums sums_;
  PartialSums<> partials_;
};

#endif  // OP_KERNEL_RMS_NORM_GRAD_DX_SPLIT_ROW_H_
