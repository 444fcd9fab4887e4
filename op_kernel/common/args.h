// What every strategy is given, and which rows are this core's.
#ifndef OP_KERNEL_COMMON_ARGS_H_
#define OP_KERNEL_COMMON_ARGS_H_

#include "kernel_operator.h"
#include "tiling/norm_grad.h"

// An operator leaves at null what it has not, a caller what it does not ask for.
struct NormGradArgs {
  GM_ADDR dy;
  GM_ADDR x;
  GM_ADDR rstd;
  GM_ADDR mean;
  GM_ADDR gamma;
  GM_ADDR dx;
  GM_ADDR dgamma;
  GM_ADDR dbeta;
  GM_ADDR workspace;
  GM_ADDR scale = nullptr;   // what dx is quantised with
  GM_ADDR offset = nullptr;  // and moved by
};

__aicore__ inline bool WantsDx(const NormGradTiling& plan) {
  return (plan.outputs & kWantsDx) != 0;
}
__aicore__ inline bool WantsDgamma(const NormGradTiling& plan) {
  return (plan.outputs & kWantsDgamma) != 0;
}
__aicore__ inline bool WantsDbeta(const NormGradTiling& plan) {
  return (plan.outputs & kWantsDbeta) != 0;
}
// dbeta alone is made of dy.
__aicore__ inline bool ReadsX(const NormGradTiling& plan) {
  return (plan.outputs & (kWantsDx | kWantsDgamma)) != 0;
}

struct RowSpan {
  uint64_t begin;
  uint64_t end;
};

// Things are dealt in order: `each` to a part, one more to each of the first `more` parts.
__aicore__ inline RowSpan PartOf(uint64_t part, uint64_t each, uint64_t more) {
  RowSpan span;
  span.begin = part * each + (part < more ? part : more);
  span.end = span.begin + each + (part < more ? 1 : 0);
  return span;
}

// Rows are dealt one by one or in groups, the last of which may be short.
__aicore__ inline RowSpan RowsOfPart(const NormGradTiling& plan, uint64_t part) {
  RowSpan span = PartOf(part, plan.rows_per_core / plan.deal_rows, plan.cores_with_one_more);
  span.begin *= plan.deal_rows;
  span.end *= plan.deal_rows;
  if (plan.deal_rows > 1 && span.end > plan.rows) span.end = plan.rows;
  return span;
}

__aicore__ inline RowSpan RowsOfThisCore(const NormGradTiling& plan) {
  return RowsOfPart(plan, AscendC::GetBlockIdx());
}

// Where the rows end that share a partial sum with `row`: with its group, or where the
// core's rows end.
__aicore__ inline uint64_t EndOfGroup(const NormGradTiling& plan, uint64_t row, uint64_t end) {
  if (plan.deal_rows == 1) return end;
  const uint64_t group_end = (row / plan.deal_rows + 1) * plan.deal_rows;
  return group_end < end ? group_end : end;
}

// Which partial sum `row` belongs to.
__aicore__ inline uint64_t SlotOf(const NormGradTiling& plan, uint64_t row) {
  return plan.deal_rows == 1 ? AscendC::GetBlockIdx() : row / plan.deal_rows;
}

#endif  // OP_KERNEL_COMMON_ARGS_H_
