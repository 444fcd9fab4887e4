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

// How many buffers the queues have: dy_in, x_in and rstd_in; dx_out.
struct Depths {
  uint32_t in;
  uint32_t out;
};

// What is in UB together.
struct Tile {
  bool fits = false;
  RmsNormGradKey key = RmsNormGradKey::kDxWholeRow;
  Depths depths = {2, 2};
  uint64_t rows = 1;
  uint64_t chunk_cols = 0;  // 0: the whole row
};

// The buffers of the first phase: as a list that adds up, and by name for the tiling data.
struct Layout {
  UbBudget budget;
  RmsNormGradUbBytes bytes = {};
};

// Which strategies a caller's wishes leave open.
struct Regimes {
  bool whole_row;
  bool chunked_row;
};

uint64_t PitchCols(uint64_t cols, DType dtype);  // cols rounded up to a 32 B block
uint64_t LeafPitch(uint64_t cols);               // fp32 leaf sums of one row

// fp32 arrays that a strategy computes in, beside its queues.
uint32_t WorkArrays(RmsNormGradKey key, DType dtype);

// `busiest_rows`: rows of the core that has most, at least 1. A wish of 0 is none.
Tile WholeRowTile(const Problem& problem, uint64_t busiest_rows, uint32_t ub_bytes,
                  uint32_t wanted_rows);
Tile ChunkedRowTile(const Problem& problem, uint32_t ub_bytes, uint32_t wanted_cols);

Layout PlaceTile(const Problem& problem, const Tile& tile);

// The most columns that any of `regimes` takes at this dtype and UB.
uint64_t WidestRow(Problem problem, const Regimes& regimes, uint32_t ub_bytes,
                   const PlanOptions& options);

}  // namespace normgrad

#endif  // NORMGRAD_TILING_RMS_NORM_GRAD_TILE_H_
