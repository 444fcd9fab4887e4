// Where the buffers of RmsNormGrad lie in UB, and how many rows or columns fit there.
#ifndef NORMGRAD_TILING_RMS_NORM_GRAD_TILE_H_
#define NORMGRAD_TILING_RMS_NORM_GRAD_TILE_H_

#include <cstdint>

#include "tiling/chip.h"
#include "tiling/problem.h"
#include "tiling/rms_norm_grad.h"
#include "tiling/ub_budget.h"

namespace normgrad {

// DataCopyPad takes at most this many blocks (rows) in one call.
constexpr uint32_t kMaxCopyRows = 4095;

// What is in UB together.
struct Tile {
  bool fits = false;
  RmsNormGradKey key = RmsNormGradKey::kDxWholeRow;
  uint32_t in_buffers = 2;  // of dy and x; DxInPlaceRow: places of segments
  uint32_t out_buffers = 2;
  uint64_t rows = 1;          // that are copied together
  uint64_t step_rows = 1;     // that are worked on together
  uint64_t chunk_cols = 0;    // 0: the whole row
  uint64_t rstd_rows = 1;     // whose rstd is copied together
  uint64_t segment_cols = 0;  // columns that are copied together; 0: all
  bool gamma_is_wide = true;  // gamma is kept in fp32
  bool has_lo = true;         // dgamma is a (hi, lo) pair; else one accumulator
};

// The buffers of the first phase: as a list that adds up, and by name for the tiling data.
struct Layout {
  UbBudget budget;
  RmsNormGradUbBytes bytes = {};
};

// Which strategies a caller's wishes leave open.
struct Regimes {
  bool whole_row;
  bool in_place_row;
};

// Columns of one row in UB: whole 32 B blocks of dy. A 16-bit row of less than a repeat's worth of
// blocks may end in the middle of a block, so that rows of 8, 24, ... columns are copied as one
// piece and nothing is computed twice; its fp32 copy has whole blocks all the same.
uint64_t PitchCols(uint64_t cols, DType dtype);
uint64_t LeafPitch(uint64_t cols);  // fp32 leaf sums of one row

// fp32 arrays that a strategy computes in, beside its queues.
uint32_t WorkArrays(RmsNormGradKey key, DType dtype);

// `busiest_rows`: rows of the core that has most, at least 1. A wish of 0 is none.
Tile WholeRowTile(const Problem& problem, uint64_t busiest_rows, uint32_t ub_bytes,
                  uint32_t wanted_rows);
// The same where rows are dealt in groups of 64 or fewer, each with a sum of its own: what decides
// the order of that sum (which rows are worked on together) does not depend on `busiest_rows`.
Tile WholeRowTileOfGroups(const Problem& problem, uint64_t group_rows, uint64_t busiest_rows,
                          uint32_t ub_bytes, uint32_t wanted_rows);
Tile InPlaceRowTile(const Problem& problem, uint32_t ub_bytes, uint32_t wanted_cols);

Layout PlaceTile(const Problem& problem, const Tile& tile);

// The most columns that any of `regimes` takes at this dtype and UB.
uint64_t WidestRow(Problem problem, const Regimes& regimes, uint64_t busiest_rows,
                   uint32_t ub_bytes, const PlanOptions& options);

}  // namespace normgrad

#endif  // NORMGRAD_TILING_RMS_NORM_GRAD_TILE_H_
