// How partial sums over rows lie in the workspace, and how cores add them up.
#ifndef NORMGRAD_TILING_NORM_GRAD_PARTIALS_H_
#define NORMGRAD_TILING_NORM_GRAD_PARTIALS_H_

#include <string>

#include "tiling/norm_grad.h"
#include "tiling/plan.h"
#include "tiling/problem.h"

namespace normgrad {

// Rows that share a partial sum under det=strong: 8 bytes per column for 64 rows are 2 % of what
// the rows move in 16 bits, 1 % in fp32. Fewer would cost more bytes, more would leave more cores
// idle.
constexpr uint64_t kGroupRows = 64;

// Rows as they are dealt to cores: one by one, or in groups.
struct Deal {
  bool in_groups;
  uint64_t rows;          // of a piece: 1, or those of a group
  uint64_t pieces;        // that are dealt
  uint32_t most_cores;    // that there are, or were asked for
  uint32_t cores;         // at least 1: without rows one core still writes dgamma, the empty sum
  uint32_t parts;         // to whom pieces are dealt: cores, or groups of them that share rows
  uint64_t sums;          // of dgamma, over parts of the rows
  uint64_t busiest_rows;  // of the core that has most, at least 1

  // The most rows that share a partial sum.
  uint64_t RowsOfSum() const { return in_groups && rows < busiest_rows ? rows : busiest_rows; }
};
Deal DealRows(const Problem& problem, const PlanOptions& options, uint32_t soc_cores);

// The split of rows and the second phase: fields of `tiling`, buffers and workspace of `plan`.
void PlacePartials(const Problem& problem, const Deal& deal, uint32_t ub_bytes,
                   NormGradTiling* tiling, Plan* plan);

// What det=strong costs: "; 64 groups of 64 rows: ..."; nothing without it.
std::string DealText(const Problem& problem, const Deal& deal, uint64_t minimum_bytes);

}  // namespace normgrad

#endif  // NORMGRAD_TILING_NORM_GRAD_PARTIALS_H_
