// How a core goes through whole rows: tiles that are copied together, steps that are worked on
// together, and groups of rows that share a partial sum.
#ifndef OP_KERNEL_COMMON_ROW_TILES_H_
#define OP_KERNEL_COMMON_ROW_TILES_H_

#include "op_kernel/common/args.h"
#include "op_kernel/common/gm_rows.h"

// A tile is a piece of a group, or several groups. Without groups, the last tile of a core is cut
// in two, down to a step: when all is read, nothing runs beside the arithmetic any more.
__aicore__ inline uint32_t RowsOfTile(const NormGradTiling& plan, uint64_t row, uint64_t end) {
  const bool is_piece = plan.rows_per_tile < plan.deal_rows;
  const uint64_t left = (is_piece ? EndOfGroup(plan, row, end) : end) - row;
  if (left > plan.rows_per_tile) return plan.rows_per_tile;
  const uint32_t rows = static_cast<uint32_t>(left);
  if (plan.deal_rows > 1) return rows;
  return Smaller(rows, RoundUp((rows + 1) / 2, plan.rows_per_step));
}

// A step, and where it lies among the rows that share a partial sum.
struct GroupStep {
  uint64_t row;  // its first one
  uint32_t rows;
  bool ends_group;
  bool is_last;  // of the core's
};

// The step that begins with `row`, of which the tile has `rows` left; `end` of the core's rows.
__aicore__ inline GroupStep StepOfGroup(const NormGradTiling& plan, uint64_t row, uint32_t rows,
                                        uint64_t end) {
  const uint64_t left = EndOfGroup(plan, row, end) - row;
  GroupStep step;
  step.row = row;
  step.rows = Smaller(plan.rows_per_step, rows);
  if (left < step.rows) step.rows = static_cast<uint32_t>(left);
  step.ends_group = left == step.rows;
  step.is_last = row + step.rows == end;
  return step;
}

#endif  // OP_KERNEL_COMMON_ROW_TILES_H_
