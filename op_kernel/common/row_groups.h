// Groups of a core's rows, taken one after another. Groups that are dealt stay as they are; else a
// core's rows are cut into even ones. Without rows there is one group still, whose sums are empty.
#ifndef OP_KERNEL_COMMON_ROW_GROUPS_H_
#define OP_KERNEL_COMMON_ROW_GROUPS_H_

#include "op_kernel/common/args.h"

__aicore__ inline uint64_t GroupsOf(const NormGradTiling& plan, const RowSpan& span) {
  if (plan.deal_rows == 1 || span.begin >= span.end) return plan.groups;
  return (span.end - span.begin + plan.deal_rows - 1) / plan.deal_rows;
}

__aicore__ inline RowSpan GroupOf(const NormGradTiling& plan, const RowSpan& span, uint64_t group) {
  RowSpan part;
  if (plan.deal_rows > 1) {
    part.begin = span.begin + group * plan.deal_rows;
    part.end = EndOfGroup(plan, part.begin, span.end);
    return part;
  }
  const uint64_t rows = span.end - span.begin;
  part = PartOf(group, rows / plan.groups, rows % plan.groups);
  part.begin += span.begin;
  part.end += span.begin;
  return part;
}

// Which partial sum the group that begins with `first_row` makes.
__aicore__ inline uint64_t SlotOfGroup(const NormGradTiling& plan, uint64_t first_row,
                                       uint64_t group) {
  if (plan.deal_rows > 1) return SlotOf(plan, first_row);
  return static_cast<uint64_t>(AscendC::GetBlockIdx()) * plan.groups + group;
}

#endif  // OP_KERNEL_COMMON_ROW_GROUPS_H_
