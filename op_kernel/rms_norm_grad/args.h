// What every strategy of RmsNormGrad is given, and which rows are this core's.
#ifndef OP_KERNEL_RMS_NORM_GRAD_ARGS_H_
#define OP_KERNEL_RMS_NORM_GRAD_ARGS_H_

#include "kernel_operator.h"
#include "tiling/rms_norm_grad.h"

struct RmsNormGradArgs {
  GM_ADDR dy;
  GM_ADDR x;
  GM_ADDR rstd;
  GM_ADDR gamma;
  GM_ADDR dx;
  GM_ADDR dgamma;
  GM_ADDR workspace;
};

struct RowSpan {
  uint64_t begin;
  uint64_t end;
};

// Rows are dealt in order, one by one or in groups.
__aicore__ inline RowSpan RowsOfThisCore(const RmsNormGradTiling& plan) {
  const uint64_t core = AscendC::GetBlockIdx();
  const uint64_t one_more = plan.cores_with_one_more;
  const uint64_t extra_before = core < one_more ? core : one_more;
  RowSpan span;
  span.begin = core * plan.rows_per_core + extra_before * plan.deal_rows;
  span.end = span.begin + plan.rows_per_core + (core < one_more ? plan.deal_rows : 0);
  if (plan.deal_rows > 1 && span.end > plan.rows) span.end = plan.rows;
  return span;
}

// Where the rows end that share a partial sum of dgamma with `row`: with its group, or where the
// core's rows end.
__aicore__ inline uint64_t EndOfGroup(const RmsNormGradTiling& plan, uint64_t row, uint64_t end) {
  if (plan.deal_rows == 1) return end;
  const uint64_t group_end = (row / plan.deal_rows + 1) * plan.deal_rows;
  return group_end < end ? group_end : end;
}

// Which partial sum of dgamma `row` belongs to.
__aicore__ inline uint64_t SlotOf(const RmsNormGradTiling& plan, uint64_t row) {
  return plan.deal_rows == 1 ? AscendC::GetBlockIdx() : row / plan.deal_rows;
}

#endif  // OP_KERNEL_RMS_NORM_GRAD_ARGS_H_
