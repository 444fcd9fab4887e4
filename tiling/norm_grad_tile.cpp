// Where the buffers lie in UB, and how many rows or columns fit there.
#include "tiling/norm_grad_tile.h"

#include <algorithm>

#include "tiling/align.h"
#include "tiling/norm_grad_partials.h"
#include "tiling/norm_grad_registers.h"
#include "tiling/search.h"

namespace normgrad {
namespace {

constexpr uint32_t kFp32Bytes = 4;
constexpr uint32_t kFp32PerBlock = kBlockBytes / kFp32Bytes;
constexpr uint64_t kRepeatCols = kRepeatBytes / kFp32Bytes;
// The sum over rows costs 6.5 cycles per 64 elements for one row at a time, 3.1 for four.
constexpr uint64_t kGoodStepRows = 4;
// From this many rows on, two half tiles whose copies and arithmetic overlap beat one whole tile.
constexpr uint64_t kRowsWorthSplitting = 8;
// Narrow rows of a core that are one tile: two would have nothing to hide behind each other, and
// pay for each instruction twice (modelled, 910B4: bf16 1000x8 2.4 -> 2.0 us, fp32 1003x24 3.1 ->
// 2.7; 10000x8, with 8,000 bytes a core, 3.3 -> 3.6).
constexpr uint64_t kOneTileBytes = 5120;
// Rows whose rstd comes in one copy: 16 tiles, up to about 128 rows. A row's rstd takes 36 bytes of
// UB.
constexpr uint64_t kWholeRstdRows = 128;
constexpr uint64_t kRstdTiles = 16;
// Rows of up to this many columns are dealt with eight at a time: 31 blocks a row are the longest
// stride, 255 blocks, that eight rows leave.
constexpr uint64_t kNarrowCols = 248;
constexpr uint64_t kNarrowRows = 8;

// What both strategies keep beside the rows themselves.
void PlaceStatistics(const Problem& problem, const Tile& tile, Layout* layout) {
  UbBudget& ub = layout->budget;
  NormGradUbBytes& bytes = layout->bytes;
  const uint64_t rstd_rows = AlignUp(tile.rstd_rows, kFp32PerBlock);
  const uint64_t step_rows = AlignUp(tile.step_rows, kFp32PerBlock);
  const uint64_t terms = SumTerms(problem);
  const uint64_t sum_bytes = SumBytes(problem, tile.step_rows);
  const uint64_t leaf_pitch = LeafPitch(problem);
  // The rows of a step that has several leaves to a row are few: they are not rounded up.
  const uint64_t leaf_rows = leaf_pitch == 1 ? step_rows : tile.step_rows;
  const uint32_t values = Stats(problem);  // of a row: as many come as are computed
  bytes.rstd_block = ub.Add("rstd_block", rstd_rows * kBlockBytes, values);
  // Where the rows of each step begin on a block, their values need not be gathered.
  const bool has_values = problem.has_mean == 0 && tile.step_rows % kFp32PerBlock == 0 &&
                          tile.rows % kFp32PerBlock == 0;
  bytes.rstd_values = ub.Add("rstd_values", has_values ? rstd_rows * kFp32Bytes : 0);
  // Before means are spread there, split sums have arrays for their arithmetic there, and rstd.
  const uint64_t spares = terms > 1 ? (kSplitSumSpares + 1) * sum_bytes : 0;
  bytes.mean_block = ub.Add("mean_block", std::max(step_rows * kBlockBytes, spares), values);
  bytes.leaf_parts = ub.Add("leaf_parts", terms * leaf_rows * leaf_pitch * kBlockBytes, values);
  bytes.leaf_sums = ub.Add(
      "leaf_sums", leaf_pitch == 1 ? 0 : terms * leaf_rows * leaf_pitch * kFp32Bytes, values);
  bytes.sum_bits = ub.Add("sum_bits", SumBitsBytes(problem, tile.step_rows));
  bytes.lanes = ub.Add("lanes", problem.lanes_bytes);
  // and what divides them, or their lower parts
  bytes.row_sums = ub.Add("row_sums", (values + 1) * sum_bytes);
}

Layout PlaceWholeRow(const Problem& problem, const Tile& tile) {
  const uint64_t pitch = PitchCols(problem);
  const uint64_t tile_bytes = tile.rows * pitch * SizeOf(problem.dtype);
  const uint64_t row_bytes = pitch * kFp32Bytes;
  Layout layout;
  UbBudget& ub = layout.budget;
  NormGradUbBytes& bytes = layout.bytes;
  bytes.dy_in = ub.Add("dy_in", tile_bytes, tile.in_buffers);
  bytes.x_in = ub.Add("x_in", tile_bytes, tile.in_buffers);
  PlaceStats(problem, tile.rstd_rows, &layout);
  bytes.dx_out = ub.Add("dx_out", tile_bytes, tile.out_buffers);
  bytes.gamma = ub.Add("gamma", row_bytes);
  PlaceSums(problem, pitch, pitch, HasLo(tile), &layout);
  ub.Add("meeting", problem.meeting_bytes);
  bytes.work = ub.Add("work", tile.step_rows * row_bytes, WorkArrays(problem, tile));
  bytes.half_rows =
      ub.Add("half_rows", std::max<uint64_t>(tile.step_rows / 2 * row_bytes, bytes.sum_hi));
  // Upper parts of wider rows lie where halving them has left room.
  const bool has_no_room = AlignUp(problem.cols, problem.copy_cols) < 2 * kRepeatCols;
  bytes.upper_parts =
      ub.Add("upper_parts", SumTerms(problem) > 1 && has_no_room ? tile.step_rows * row_bytes : 0);
  PlaceStatistics(problem, tile, &layout);
  return layout;
}

Layout PlaceInPlaceRow(const Problem& problem, const Tile& tile) {
  const uint64_t pitch = PitchCols(problem);
  const uint64_t segment_bytes = std::min(pitch, tile.segment_cols) * SizeOf(problem.dtype);
  Layout layout;
  UbBudget& ub = layout.budget;
  NormGradUbBytes& bytes = layout.bytes;
  bytes.dy_in = ub.Add("dy_in", segment_bytes, tile.in_buffers);
  bytes.x_in = ub.Add("x_in", segment_bytes, tile.in_buffers);
  PlaceStats(problem, tile.rstd_rows, &layout);
  bytes.gamma =
      ub.Add("gamma", pitch * (tile.gamma_is_wide ? kFp32Bytes : SizeOf(GammaDtype(problem))));
  PlaceSums(problem, pitch, tile.chunk_cols, HasLo(tile), &layout);
  ub.Add("meeting", problem.meeting_bytes);
  bytes.work = ub.Add("work", tile.chunk_cols * kFp32Bytes, WorkArrays(problem, tile));
  PlaceStatistics(problem, tile, &layout);
  return layout;
}

// Narrow rows are worked on eight at a time: other numbers of them leave lanes idle, and cost
// instructions of their own.
uint64_t RowsAtATime(const Problem& problem, uint64_t rows) {
  return problem.cols <= kNarrowCols && rows >= kNarrowRows ? kNarrowRows : 1;
}

// Rows of a step begin on a block of dy: every second one may not.
uint64_t WholeBlockRows(const Problem& problem, uint64_t rows) {
  const uint64_t row_bytes = PitchCols(problem) * SizeOf(problem.dtype);
  return row_bytes % kBlockBytes == 0 ? rows : AlignDown(rows, 2);
}

// The most rows of a tile of `rows` that can be worked on together, 0 if none.
uint64_t LargestStep(const Problem& problem, uint32_t in_buffers, uint64_t rows,
                     uint64_t busiest_rows, uint32_t ub_bytes) {
  Tile tile;
  tile.in_buffers = in_buffers;
  tile.rows = rows;
  tile.rstd_rows = RstdRows(rows, busiest_rows);
  if (problem.in_registers != 0) {  // all at once
    return PlaceTile(problem, tile).budget.Fits(ub_bytes) ? rows : 0;
  }
  const uint64_t step = Largest(rows, [&](uint64_t candidate) {
    tile.step_rows = candidate;
    return PlaceWholeRow(problem, tile).budget.Fits(ub_bytes);
  });
  return step == rows ? step : WholeBlockRows(problem, step);
}

}  // namespace

void PlaceStats(const Problem& problem, uint64_t rows, Layout* layout) {
  const uint64_t bytes = AlignUp(rows * SizeOf(problem.stats_dtype), kBlockBytes);
  const bool is_wide = problem.stats_dtype == DType::kFloat32;
  layout->bytes.rstd_in = layout->budget.Add("rstd_in", Stats(problem) * bytes);
  layout->bytes.stats_wide =
      layout->budget.Add("stats_wide", is_wide ? 0 : 2 * Stats(problem) * bytes);
}

void PlaceSums(const Problem& problem, uint64_t pitch, uint64_t work_cols, bool has_lo,
               Layout* layout) {
  UbBudget& ub = layout->budget;
  NormGradUbBytes& bytes = layout->bytes;
  // Compare, which finds sums that are no numbers, works on whole repeats.
  const uint64_t sum_bytes = AlignUp(pitch * kFp32Bytes, kRepeatBytes);
  bytes.sum_hi = ub.Add("sum_hi", sum_bytes, Sums(problem));
  if (has_lo) {
    bytes.sum_lo = ub.Add("sum_lo", sum_bytes, Sums(problem));
    bytes.lane_mask = ub.Add("lane_mask", AlignUp(work_cols, kRepeatCols) / 8, Sums(problem));
  }
}

uint64_t PitchCols(const Problem& problem) {
  const uint64_t cols = problem.cols;
  const bool whole_fp32_blocks = cols <= kNarrowCols && cols % kFp32PerBlock == 0;
  const bool may_split_block =
      whole_fp32_blocks && !CopiesBlocks(problem) && problem.by_element + problem.in_registers == 0;
  return may_split_block ? cols : AlignUp(cols, kBlockBytes / SizeOf(problem.dtype));
}

uint64_t DxPitchCols(const Problem& problem) {
  return problem.is_quantised != 0 ? AlignUp(problem.cols, kBlockBytes) : PitchCols(problem);
}

uint64_t RstdRows(uint64_t tile_rows, uint64_t busiest_rows) {
  const uint64_t tiles =
      std::min<uint64_t>(std::max<uint64_t>(kWholeRstdRows / tile_rows, 1), kRstdTiles);
  const uint64_t rows = std::min(tiles * tile_rows, std::max(busiest_rows, tile_rows));
  return busiest_rows == kGroupRows && busiest_rows % rows != 0 ? busiest_rows : rows;
}

uint64_t LeafPitch(const Problem& problem) {
  const uint64_t leaves = LeafCount(problem.cols);
  if (leaves > kFp32PerBlock && problem.lanes_bytes != 0) {
    return kRepeatCols;  // eight blocks, each of whose sums is one lane of a block in turn
  }
  return leaves == 1 ? 1 : AlignUp(leaves, kFp32PerBlock);
}

// DxWholeRow keeps fp32 copies of x and dy and their product; fp32 rows are worked on in their
// queues' buffers. The others widen a chunk in each pass and need two arrays, or three where the
// sums over rows of both x and dy go on beside a product; fp32 rows that are read anew for the
// second pass need none for x and dy.
uint32_t WorkArrays(const Problem& problem, const Tile& tile) {
  if (problem.in_registers != 0) {
    return 0;
  }
  const bool is_fp32 = problem.dtype == DType::kFloat32;
  const uint32_t more = Sums(problem) - 1;
  switch (tile.key) {
    case NormGradKey::kDxWholeRow:
      return is_fp32 ? 0 : 3;
    case NormGradKey::kDxInPlaceRow:
      return 2 + more;
    case NormGradKey::kDxSplitRow:
    case NormGradKey::kDxFewRows:
      return (is_fp32 && !tile.is_resident ? 0 : 2) + more;
  }
  return 0;
}

Layout PlaceTile(const Problem& problem, const Tile& tile) {
  if (problem.in_registers != 0) {
    return PlaceInRegisters(problem, tile);
  }
  switch (tile.key) {
    case NormGradKey::kDxWholeRow:
      return PlaceWholeRow(problem, tile);
    case NormGradKey::kDxInPlaceRow:
      return PlaceInPlaceRow(problem, tile);
    case NormGradKey::kDxSplitRow:
    case NormGradKey::kDxFewRows:
      return PlaceBlock(problem, tile);
  }
  return Layout{};
}

Tile WholeRowTile(const Problem& problem, uint64_t busiest_rows, uint32_t ub_bytes,
                  uint32_t wanted_rows, uint32_t wanted_buffers) {
  Tile tile;
  if (TooWideToCount(problem, ub_bytes)) {
    return tile;
  }
  if (problem.in_registers != 0) {
    return WholeRowTileInRegisters(problem, busiest_rows, ub_bytes, wanted_rows, wanted_buffers);
  }
  const uint64_t most = std::min<uint64_t>(busiest_rows, kMaxCopyRows);
  const uint64_t row_bytes = PitchCols(problem) * SizeOf(problem.dtype);
  uint64_t rows = std::min(most, std::max<uint64_t>(1, kGoodCopyBytes / row_bytes));
  // Three shorter copies of a kind instead of two keep the engine busier where each still has the
  // rows that a good step takes: 42.1 instead of 43.6 us (modelled) for bf16 4096x1024.
  uint32_t in_buffers = wanted_buffers != 0 ? wanted_buffers : 2;
  if (in_buffers > 2) {
    rows = std::max<uint64_t>(1, 2 * rows / in_buffers);
  }
  if (wanted_rows + wanted_buffers == 0 && busiest_rows > 2 * rows &&
      2 * rows / 3 >= kGoodStepRows) {
    in_buffers = 3;
    rows = 2 * rows / 3;
  }
  uint64_t step = 0;
  const uint64_t all_rows = AlignUp(busiest_rows, RowsAtATime(problem, busiest_rows));
  if (wanted_rows == 0 && problem.cols <= kNarrowCols && all_rows * row_bytes <= kOneTileBytes &&
      LargestStep(problem, in_buffers, all_rows, busiest_rows, ub_bytes) == all_rows) {
    rows = all_rows;
    step = all_rows;
  } else if (wanted_rows != 0) {
    rows = std::min<uint64_t>(wanted_rows, most);
    step = LargestStep(problem, in_buffers, rows, busiest_rows, ub_bytes);
  } else {
    // Smaller copies leave room for larger steps.
    for (; rows > 0; --rows) {
      step = LargestStep(problem, in_buffers, rows, busiest_rows, ub_bytes);
      if (step >= std::min(rows, kGoodStepRows)) {
        break;
      }
    }
    if (rows != 0) {
      // Even tiles: the last one is not a small one whose copies nothing hides.
      const uint64_t unit = RowsAtATime(problem, std::min(rows, step));
      step = AlignDown(step, unit);
      rows = AlignUp(EvenPiece(busiest_rows, AlignDown(rows, unit)), unit);
      if (rows == busiest_rows && rows >= kRowsWorthSplitting) {
        rows = CeilDiv(rows, 2);
      }
      step = std::min(step, rows);
    }
  }
  if (rows == 0 || step == 0) {
    return tile;
  }
  const uint64_t even = AlignUp(EvenPiece(rows, step), RowsAtATime(problem, step));
  step = even == rows ? even : std::min(step, AlignUp(even, 2));
  tile.fits = true;
  tile.in_buffers = in_buffers;
  tile.rows = rows;
  tile.step_rows = step;
  tile.rstd_rows = RstdRows(rows, busiest_rows);
  const uint64_t most_sums = rows % step == 0 ? kSumsWithoutLo : 1;  // tiles end with a step
  tile.needs_lo = CeilDiv(busiest_rows, step) > most_sums;
  // Even tiles are shorter and may have more rows' rstd together than the sizes that were tried.
  // (Never those of a group of 64 rows, which come together whatever the tile.)
  while (tile.rstd_rows > rows && !PlaceWholeRow(problem, tile).budget.Fits(ub_bytes)) {
    tile.rstd_rows = AlignDown(tile.rstd_rows - 1, rows);
  }
  return tile;
}

Tile WholeRowTileOfGroups(const Problem& problem, uint64_t group_rows, uint64_t busiest_rows,
                          uint32_t ub_bytes, uint32_t wanted_rows) {
  const uint64_t rows_of_group = std::max<uint64_t>(1, std::min(group_rows, problem.rows));
  const uint32_t wanted = static_cast<uint32_t>(std::min<uint64_t>(wanted_rows, rows_of_group));
  Tile tile = WholeRowTile(problem, rows_of_group, ub_bytes, wanted, 0);
  if (!tile.fits || wanted != 0 || problem.rows <= group_rows) {
    return tile;
  }
  // A good copy takes several groups of narrow rows. A core with few of them gets shorter copies,
  // whose neighbours hide them, but the same steps.
  const uint64_t row_bytes = PitchCols(problem) * SizeOf(problem.dtype);
  const uint64_t together =
      AlignDown(std::min<uint64_t>(kMaxCopyRows, kGoodCopyBytes / row_bytes), group_rows);
  if (together > group_rows &&
      LargestStep(problem, tile.in_buffers, together, busiest_rows, ub_bytes) >= group_rows) {
    tile.step_rows = group_rows;
    tile.needs_lo = false;
    tile.rows = std::min(together, AlignUp(CeilDiv(busiest_rows, 2), group_rows));
    tile.rstd_rows = RstdRows(tile.rows, busiest_rows);
  } else if (together == group_rows && busiest_rows > group_rows && tile.rows * 2 == group_rows &&
             tile.rows % tile.step_rows == 0) {
    Tile whole = tile;  // its halves would only help a core that has no other group
    whole.rows = group_rows;
    if (PlaceTile(problem, whole).budget.Fits(ub_bytes)) {
      tile = whole;
    }
  }
  return tile;
}

uint64_t WidestRow(Problem problem, const Regimes& regimes, uint64_t busiest_rows,
                   uint32_t ub_bytes, const PlanOptions& options) {
  return Largest(ub_bytes, [&](uint64_t cols) {
    problem.cols = cols;
    Tile tile;
    tile.rows = std::max(1U, options.rows_per_tile);
    tile.in_buffers = options.buffers != 0 ? options.buffers : tile.in_buffers;
    tile.rstd_rows = RstdRows(tile.rows, busiest_rows);
    return (regimes.whole_row && PlaceTile(problem, tile).budget.Fits(ub_bytes)) ||
           (regimes.in_place_row &&
            InPlaceRowTile(problem, ub_bytes, options.chunk_cols, options.buffers).fits);
  });
}

}  // namespace normgrad
