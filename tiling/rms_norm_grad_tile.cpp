// Where the buffers of RmsNormGrad lie in UB, and how many rows or columns fit there.
#include "tiling/rms_norm_grad_tile.h"

#include <algorithm>

#include "tiling/align.h"

namespace normgrad {
namespace {

constexpr uint32_t kFp32Bytes = 4;
constexpr uint32_t kFp32PerBlock = kBlockBytes / kFp32Bytes;
// One vector repeat (64 fp32) sums the leaves of a row.
constexpr uint64_t kMaxLeaves = kRepeatBytes / kFp32Bytes;
// A chunk of one leaf works with 512 columns per instruction, half of what two give: before going
// down to it, queues give up their second buffers.
constexpr uint64_t kGoodChunkCols = 2 * kLeafCols;
// From this many rows on, two half tiles whose copies and arithmetic overlap beat one whole tile.
constexpr uint64_t kRowsWorthSplitting = 8;

// Depths of the queues in the order of preference: copies in and out overlap with arithmetic, then
// only copies in, then none.
constexpr Depths kDepths[] = {{2, 2}, {2, 1}, {1, 1}};

uint64_t LeafCount(uint64_t cols) { return CeilDiv(cols, kLeafCols); }

// The first phase's buffers. `work_cols` is the length of one work array, all rows of it together.
Layout Place(const Problem& problem, RmsNormGradKey key, Depths depths, uint64_t rows,
             uint64_t work_cols) {
  const bool whole_row = key == RmsNormGradKey::kDxWholeRow;
  const uint64_t pitch = PitchCols(problem.cols, problem.dtype);
  const uint64_t tile_bytes = rows * pitch * SizeOf(problem.dtype);
  const uint64_t column_bytes = pitch * kFp32Bytes;
  const uint64_t rows_up = AlignUp(rows, kFp32PerBlock);
  // A row of one leaf is summed straight into row_sums by DxWholeRow.
  const bool has_leaves = !whole_row || LeafCount(problem.cols) > 1;
  const uint64_t leaf_elems = has_leaves ? rows * LeafPitch(problem.cols) : 0;

  Layout layout;
  UbBudget& ub = layout.budget;
  RmsNormGradUbBytes& bytes = layout.bytes;
  bytes.dy_in = ub.Add("dy_in", tile_bytes, depths.in);
  bytes.x_in = ub.Add("x_in", tile_bytes, depths.in);
  bytes.rstd_in = ub.Add("rstd_in", rows * kFp32Bytes, depths.in);
  bytes.dx_out = ub.Add("dx_out", tile_bytes, depths.out);
  bytes.gamma = ub.Add("gamma", whole_row ? column_bytes : pitch * SizeOf(problem.gamma_dtype));
  // Compare, which finds sums that are no numbers, works on whole repeats.
  const uint64_t dgamma_bytes = AlignUp(column_bytes, kRepeatBytes);
  bytes.dgamma_hi = ub.Add("dgamma_hi", dgamma_bytes);
  bytes.dgamma_lo = ub.Add("dgamma_lo", dgamma_bytes);
  if (whole_row) {
    // The two-sum of a tile's sum needs a third array; it has the size of dgamma_hi.
    ub.Add("dgamma_spare", dgamma_bytes);
  }
  bytes.work = ub.Add("work", work_cols * kFp32Bytes, WorkArrays(key, problem.dtype));
  bytes.rstd_block = ub.Add("rstd_block", rows_up * kBlockBytes);
  bytes.mean_block = ub.Add("mean_block", rows_up * kBlockBytes);
  bytes.leaf_sums = ub.Add("leaf_sums", leaf_elems * kFp32Bytes);
  bytes.row_sums = ub.Add("row_sums", 2 * rows_up * kFp32Bytes);  // and what divides them
  return layout;
}

Layout PlaceRows(const Problem& problem, uint64_t rows) {
  return Place(problem, RmsNormGradKey::kDxWholeRow, kDepths[0], rows,
               rows * PitchCols(problem.cols, problem.dtype));
}

Layout PlaceChunk(const Problem& problem, Depths depths, uint64_t chunk_cols) {
  return Place(problem, RmsNormGradKey::kDxChunkedRow, depths, 1, chunk_cols);
}

// A column takes more than a byte of UB. Without rows, cols may be as large as 64 bits hold, and
// sizes in bytes would wrap around.
bool TooWideToCount(const Problem& problem, uint32_t ub_bytes) { return problem.cols > ub_bytes; }

// The largest value in 1..most for which `fits` holds, 0 if none; `fits` is true up to some value.
template <typename Fits>
uint64_t Largest(uint64_t most, Fits fits) {
  uint64_t good = 0;
  while (good < most) {
    const uint64_t middle = good + (most - good + 1) / 2;
    if (fits(middle)) {
      good = middle;
    } else {
      most = middle - 1;
    }
  }
  return good;
}

uint64_t LargestChunk(const Problem& problem, Depths depths, uint32_t ub_bytes) {
  return kLeafCols * Largest(LeafCount(problem.cols), [&](uint64_t leaves) {
           return PlaceChunk(problem, depths, leaves * kLeafCols).budget.Fits(ub_bytes);
         });
}

// The first pair of depths that leaves room for chunks of `least` columns or more.
Tile FirstWithChunk(const Problem& problem, uint32_t ub_bytes, uint64_t least) {
  Tile tile;
  tile.key = RmsNormGradKey::kDxChunkedRow;
  for (const Depths depths : kDepths) {
    tile.chunk_cols = LargestChunk(problem, depths, ub_bytes);
    if (tile.chunk_cols >= least) {
      tile.depths = depths;
      tile.fits = true;
      break;
    }
  }
  return tile;
}

}  // namespace

uint64_t PitchCols(uint64_t cols, DType dtype) {
  return AlignUp(cols, kBlockBytes / SizeOf(dtype));
}

uint64_t LeafPitch(uint64_t cols) {
  return LeafCount(cols) == 1 ? 1 : AlignUp(LeafCount(cols), kFp32PerBlock);
}

// 16-bit rows are widened before anything is computed: each whole row needs three fp32 copies, each
// chunk four. fp32 rows are worked on in their queue's buffers; a chunk still keeps two products.
uint32_t WorkArrays(RmsNormGradKey key, DType dtype) {
  const bool wide = dtype == DType::kFloat32;
  return key == RmsNormGradKey::kDxWholeRow ? (wide ? 0 : 3) : (wide ? 2 : 4);
}

Layout PlaceTile(const Problem& problem, const Tile& tile) {
  return tile.key == RmsNormGradKey::kDxWholeRow
             ? PlaceRows(problem, tile.rows)
             : PlaceChunk(problem, tile.depths, tile.chunk_cols);
}

Tile WholeRowTile(const Problem& problem, uint64_t busiest_rows, uint32_t ub_bytes,
                  uint32_t wanted_rows) {
  if (TooWideToCount(problem, ub_bytes)) {
    return Tile{};
  }
  const uint64_t most = std::min<uint64_t>(busiest_rows, kMaxCopyRows);
  uint64_t rows = Largest(most, [&](uint64_t candidate) {
    return PlaceRows(problem, candidate).budget.Fits(ub_bytes);
  });
  if (wanted_rows != 0) {
    const uint64_t wanted = std::min<uint64_t>(wanted_rows, most);
    rows = wanted <= rows ? wanted : 0;
  } else if (rows != 0) {
    // Even tiles: the last one is not a small one whose copies nothing hides.
    uint64_t tiles = CeilDiv(busiest_rows, rows);
    if (tiles == 1 && rows >= kRowsWorthSplitting) {
      tiles = 2;
    }
    rows = CeilDiv(busiest_rows, tiles);
  }
  Tile tile;
  tile.fits = rows != 0;
  tile.rows = rows;
  return tile;
}

Tile ChunkedRowTile(const Problem& problem, uint32_t ub_bytes, uint32_t wanted_cols) {
  if (TooWideToCount(problem, ub_bytes) || LeafCount(problem.cols) > kMaxLeaves) {
    return Tile{};
  }
  const uint64_t row_cols = AlignUp(problem.cols, kLeafCols);
  if (wanted_cols != 0) {
    const uint64_t wanted = std::min<uint64_t>(wanted_cols, row_cols);
    Tile tile = FirstWithChunk(problem, ub_bytes, wanted);
    tile.chunk_cols = wanted;
    return tile;
  }
  Tile tile = FirstWithChunk(problem, ub_bytes, std::min(kGoodChunkCols, row_cols));
  if (!tile.fits) {
    tile = FirstWithChunk(problem, ub_bytes, kLeafCols);
  }
  if (tile.fits) {
    // Even chunks, for the same reason as even tiles.
    const uint64_t chunks = CeilDiv(problem.cols, tile.chunk_cols);
    tile.chunk_cols = AlignUp(CeilDiv(problem.cols, chunks), kLeafCols);
  }
  return tile;
}

uint64_t WidestRow(Problem problem, const Regimes& regimes, uint32_t ub_bytes,
                   const PlanOptions& options) {
  return Largest(ub_bytes, [&](uint64_t cols) {
    problem.cols = cols;
    return (regimes.whole_row &&
            PlaceRows(problem, std::max(1U, options.rows_per_tile)).budget.Fits(ub_bytes)) ||
           (regimes.chunked_row && ChunkedRowTile(problem, ub_bytes, options.chunk_cols).fits);
  });
}

}  // namespace normgrad
