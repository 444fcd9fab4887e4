// Strategy DxFewRows: fewer rows than cores, whose columns cores share.
//
//   first   u = x - mean;  p = u * rstd * dy;  dgamma += p;  dbeta += dy;
//           leaf sums of dy * gamma and of p * gamma -> workspace
//   second  dx = (dy * gamma - u * (c2 * rstd) - c1) * rstd        c1, c2 of all leaf sums of the
//   row
//
// Regime: 1 row to cores - 1 rows of more than 512 columns, as long as that makes the busiest core
// faster than whole rows would. Bytes per row: reads 2 x cols x sizeof(T) if a core's piece of x
// and dy stays in UB between the passes (is_resident), else twice; writes cols x sizeof(T). Leaf
// sums: 8 bytes per 512 columns out, and in for each column group.
//
// Sync: one SyncAll, for the leaf sums and for the sums over rows, whose partial sums are there by
// then, too; without dx the latter's alone. Inside a core as in DxSplitRow.
#ifndef OP_KERNEL_LAYER_NORM_GRAD_V3_DX_FEW_ROWS_H_
#define OP_KERNEL_LAYER_NORM_GRAD_V3_DX_FEW_ROWS_H_

#include "op_kernel/common/leaf_exchange.h"
#include "op_kernel/layer_norm_grad_v3/block_passes.h"

template <typename Parts>
class DxFewRows {
 public:
  __aicore__ inline void Init(const NormGradArgs& args, const NormGradTiling& plan,
                              AscendC::TPipe* pipe) {
    plan_ = plan;
    pipe_ = pipe;
    passes_.Init(args, plan, pipe);
    rows_.terms.Init(args, plan, pipe, 0, passes_.Lanes());
    rows_.products.Init(args, plan, pipe, 1, passes_.Lanes());
  }

  __aicore__ inline void Process() {
    const uint32_t core = static_cast<uint32_t>(AscendC::GetBlockIdx());
    const uint32_t row_group = core / plan_.col_groups;
    passes_.First(SharedBlock(plan_, row_group, core % plan_.col_groups), row_group, rows_);
    typename BlockPasses<Parts>::Sums& sums = passes_.SumsOverRows();
    if (!WantsDx(plan_)) {
      passes_.Leave();
      passes_.Release();
      sums.SumOverPartials(plan_, pipe_);
      return;
    }
    sums.Partials().Meet();
    passes_.Second(rows_.terms.Total(), rows_.products.Total(), rows_.terms.Spare());
    passes_.Leave();
    passes_.Release();
    AscendC::PipeBarrier<PIPE_ALL>();  // the strips take the same UB
    sums.Partials().SumStrips(plan_, pipe_);
  }

 private:
  NormGradTiling plan_;
  AscendC::TPipe* pipe_;
  BlockPasses<Parts> passes_;
  RowSumPair<LeafExchange<typename Parts::Leaves>> rows_;
};

#endif  // OP_KERNEL_LAYER_NORM_GRAD_V3_DX_FEW_ROWS_H_
