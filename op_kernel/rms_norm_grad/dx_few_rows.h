// Strategy DxFewRows: fewer rows than cores, whose columns cores share.
//
//   first   p = x * rstd * dy;  dgamma += p;  leaf sums of p * gamma -> workspace
//   second  dx = (dy * gamma - x * c) * rstd          c = mean * rstd, of all leaf sums of the row
//
// Regime: 1 row to cores - 1 rows of more than 512 columns, as long as that makes the busiest core
// faster than whole rows would. Cores form row groups x column groups; columns are dealt in leaves
// of 512. One row is a case of it. Bytes per row: reads 2 x cols x sizeof(T) + 4 if a core's piece
// of x and dy stays in UB between the passes (is_resident), else 4 x cols x sizeof(T) + 4; writes
// cols x sizeof(T). gamma is read once or twice per row group. Leaf sums: 4 bytes per 512 columns
// out, and in for each column group.
//
//   columns ->   column group 0 | column group 1 | ...
//   row group 0     core 0      |     core 1     |          first pass, all cores meet, second pass
//   row group 1     core c      |    core c + 1  |
//
// Sync: one SyncAll, for the leaf sums and for dgamma, whose partial sums are there by then, too;
// one row group needs none and writes dgamma itself. Inside a core as in DxSplitRow.
#ifndef OP_KERNEL_RMS_NORM_GRAD_DX_FEW_ROWS_H_
#define OP_KERNEL_RMS_NORM_GRAD_DX_FEW_ROWS_H_

#include "op_kernel/common/block_tiles.h"
#include "op_kernel/common/leaf_exchange.h"
#include "op_kernel/common/partial_sums.h"
#include "op_kernel/common/row_sum.h"

// `Passes` are over a block; `Sums`, a LeafExchange, make row sums of all cores' columns.
template <typename Passes, typename Sums>
class DxFewRows {
 public:
  __aicore__ inline void Init(const NormGradArgs& args, const NormGradTiling& plan,
                              AscendC::TPipe* pipe) {
    plan_ = plan;
    pipe_ = pipe;
    passes_.Init(args, plan, pipe);
    sums_.Init(args, plan, pipe);
    partials_.Init(args, plan, pipe);
  }

  __aicore__ inline void Process() {
    const uint32_t core = static_cast<uint32_t>(AscendC::GetBlockIdx());
    const uint32_t row_group = core / plan_.col_groups;
    passes_.First(SharedBlock(plan_, row_group, core % plan_.col_groups),
                  partials_.Destination(row_group), sums_);
    partials_.Meet();
    passes_.Second(sums_.Means(passes_.Rstd()));
    passes_.Release();
    AscendC::PipeBarrier<PIPE_ALL>();  // the strips take the same UB
    partials_.SumStrips(plan_, pipe_);
  }

 private:
  NormGradTiling plan_;
  AscendC::TPipe* pipe_;
  Passes passes_;
  Sums sums_;
  PartialSums<> partials_;
};

#endif  // OP_KERNEL_RMS_NORM_GRAD_DX_FEW_ROWS_H_
