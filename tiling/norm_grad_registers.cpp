// Where UB goes on chips that are programmed in registers. No intermediate result is kept there but
// sums: rows are copied in and out, gamma stays as it came, and each row has a handful of values.
// So tiles are larger and rows that are read once longer than where UB holds fp32 work arrays.
#include "tiling/norm_grad_registers.h"

#include <algorithm>

#include "tiling/search.h"

namespace normgrad {
namespace {

constexpr uint32_t kFp32Bytes = 4;
constexpr uint32_t kFp32PerBlock = kBlockBytes / kFp32Bytes;
constexpr uint64_t kLanes = kRepeatBytes / kFp32Bytes;  // fp32 of a register
// The first pass adds up four rows before hi and lo take their sum.
constexpr uint64_t kGoodRows = 4;
// From this many rows on, two half tiles whose copies and arithmetic overlap beat one whole tile.
constexpr uint64_t kRowsWorthSplitting = 8;
// Of a leaf of more than four registers the first half waits in UB, 64 lanes a row.
constexpr uint64_t kColsWithoutHalves = 4 * kLanes;
// With two sums of a row, leaves are worked on in pairs of registers, all of which wait.
constexpr uint64_t kPairCols = 2 * kLanes;
constexpr uint64_t kMostPairs = kLeafCols / kPairCols;

// fp32 per row, in whole registers: what a load brings lies in UB.
uint64_t ValueBytes(uint64_t rows) { return AlignUp(rows, kLanes) * kFp32Bytes; }

uint64_t HalfBytes(const Problem& problem, uint64_t rows, uint64_t cols) {
  if (problem.has_mean != 0) {
    const uint64_t pairs = cols <= 2 * kPairCols ? CeilDiv(cols, kPairCols) : kMostPairs;
    return pairs > 1 ? rows * Stats(problem) * pairs * kRepeatBytes : 0;
  }
  const uint64_t terms = problem.dtype == DType::kFloat32 ? 2 : 1;  // of split sums
  return cols > kColsWithoutHalves ? rows * terms * kRepeatBytes : 0;
}

void PlaceSums(const Problem& problem, uint64_t cols, const Tile& tile, Layout* layout) {
  const uint64_t sum_bytes = AlignUp(cols * kFp32Bytes, kRepeatBytes);
  UbBudget& ub = layout->budget;
  layout->bytes.sum_hi = ub.Add("sum_hi", sum_bytes, Sums(problem));
  layout->bytes.sum_lo = ub.Add("sum_lo", HasLo(tile) ? sum_bytes : 0, Sums(problem));
  layout->bytes.half_rows = ub.Add("half_rows", HalfBytes(problem, tile.rows, cols));
}

// Of `rows` rows, as they come: rstd and, behind it, the means.
uint64_t StatsBytes(const Problem& problem, uint64_t rows) {
  return Stats(problem) * AlignUp(rows * SizeOf(problem.stats_dtype), kBlockBytes);
}

// What the strategies keep that work on whole rows, beside the rows themselves.
void PlaceRowValues(const Problem& problem, const Tile& tile, Layout* layout) {
  UbBudget& ub = layout->budget;
  NormGradUbBytes& bytes = layout->bytes;
  const uint64_t leaf_pitch = LeafPitch(problem);
  const uint64_t leaf_elems = leaf_pitch == 1 ? 0 : tile.rows * leaf_pitch;
  const uint32_t values = Stats(problem);  // of a row: as many come as are computed
  bytes.rstd_block =
      ub.Add("rstd_block", AlignUp(tile.rstd_rows, kFp32PerBlock) * kFp32Bytes, values);
  bytes.mean_block = ub.Add("mean_block", ValueBytes(tile.rows), values);
  bytes.leaf_sums = ub.Add("leaf_sums", leaf_elems * kFp32Bytes, values);
  bytes.row_sums = ub.Add("row_sums", ValueBytes(tile.rows), values);
}

Layout PlaceWholeRow(const Problem& problem, const Tile& tile) {
  const uint64_t pitch = PitchCols(problem);
  const uint64_t tile_bytes = tile.rows * pitch * SizeOf(problem.dtype);
  Layout layout;
  UbBudget& ub = layout.budget;
  NormGradUbBytes& bytes = layout.bytes;
  bytes.dy_in = ub.Add("dy_in", tile_bytes, tile.in_buffers);
  bytes.x_in = ub.Add("x_in", tile_bytes, tile.in_buffers);
  bytes.rstd_in = ub.Add("rstd_in", StatsBytes(problem, tile.rstd_rows));
  bytes.dx_out =
      ub.Add("dx_out", tile.rows * DxPitchCols(problem) * DxBytes(problem), tile.out_buffers);
  bytes.gamma = ub.Add("gamma", pitch * SizeOf(GammaDtype(problem)));
  PlaceSums(problem, pitch, tile, &layout);
  PlaceRowValues(problem, tile, &layout);
  return layout;
}

Layout PlaceInPlaceRow(const Problem& problem, const Tile& tile) {
  const uint64_t pitch = AlignUp(problem.cols, kLanes);
  const uint64_t segment_bytes = std::min(pitch, tile.segment_cols) * SizeOf(problem.dtype);
  Layout layout;
  UbBudget& ub = layout.budget;
  NormGradUbBytes& bytes = layout.bytes;
  bytes.dy_in = ub.Add("dy_in", segment_bytes, tile.in_buffers);
  bytes.x_in = ub.Add("x_in", segment_bytes, tile.in_buffers);
  bytes.gamma = ub.Add("gamma", pitch * SizeOf(GammaDtype(problem)));
  bytes.rstd_in = ub.Add("rstd_in", StatsBytes(problem, tile.rstd_rows));
  PlaceSums(problem, pitch, tile, &layout);
  PlaceRowValues(problem, tile, &layout);
  return layout;
}

// Rows that are cut: gamma of a chunk is widened once, for all rows of a block.
Layout PlaceCutRows(const Problem& problem, const Tile& tile) {
  const uint64_t tile_bytes = tile.rows * tile.chunk_cols * SizeOf(problem.dtype);
  const uint64_t dx_bytes = tile.rows * tile.chunk_cols * DxBytes(problem);
  const uint64_t sum_bytes = tile.chunk_cols * kFp32Bytes;
  const uint64_t tiles =
      CeilDiv(tile.group_rows, tile.rows) * CeilDiv(tile.block_cols, tile.chunk_cols);
  const uint64_t group_bytes = ValueBytes(tile.group_rows);
  const uint64_t leaf_bytes = tile.rows * kBlockBytes;  // a chunk has up to eight leaves
  const bool is_shared = tile.key == NormGradKey::kDxFewRows;
  const uint32_t values = Stats(problem);
  const uint64_t in_bytes = tile.is_resident ? tiles * tile_bytes : tile_bytes;
  Layout layout;
  UbBudget& ub = layout.budget;
  NormGradUbBytes& bytes = layout.bytes;
  bytes.dy_in = ub.Add("dy_in", in_bytes, tile.in_buffers);
  bytes.x_in = ub.Add("x_in", in_bytes, tile.in_buffers);
  bytes.dx_out = ub.Add("dx_out", std::max(dx_bytes, sum_bytes), tile.out_buffers);
  bytes.rstd_in = ub.Add("rstd_in", StatsBytes(problem, group_bytes / kFp32Bytes));
  const bool stats_are_wide = problem.stats_dtype == DType::kFloat32;
  bytes.stats_wide = ub.Add("stats_wide", stats_are_wide ? 0 : values * group_bytes);
  bytes.gamma_in = ub.Add("gamma_in", tile.chunk_cols * SizeOf(GammaDtype(problem)));
  bytes.gamma = ub.Add("gamma", sum_bytes);
  PlaceSums(problem, tile.chunk_cols, tile, &layout);
  bytes.leaf_parts = ub.Add("leaf_parts", leaf_bytes, values);
  bytes.leaf_sums = ub.Add("leaf_sums", AlignUp(tile.rows, kFp32PerBlock) * kBlockBytes,
                           values * (is_shared ? 2 : 1));
  PlaceLeafExchange(problem, tile, &layout);
  bytes.row_sums =
      ub.Add("row_sums", (1 + (is_shared ? 1 : tile.sum_levels)) * group_bytes, values);
  return layout;
}

uint64_t LargestTile(const Problem& problem, Tile tile, uint64_t busiest_rows, uint64_t most,
                     uint32_t ub_bytes) {
  return Largest(most, [&](uint64_t rows) {
    tile.rows = rows;
    tile.rstd_rows = RstdRows(rows, busiest_rows);
    return PlaceInRegisters(problem, tile).budget.Fits(ub_bytes);
  });
}

}  // namespace

Layout PlaceInRegisters(const Problem& problem, const Tile& tile) {
  Layout layout;
  switch (tile.key) {
    case NormGradKey::kDxWholeRow:
      layout = PlaceWholeRow(problem, tile);
      break;
    case NormGradKey::kDxInPlaceRow:
      layout = PlaceInPlaceRow(problem, tile);
      break;
    case NormGradKey::kDxSplitRow:
    case NormGradKey::kDxFewRows:
      layout = PlaceCutRows(problem, tile);
      break;
  }
  layout.bytes.scale = layout.budget.Add("scale", problem.is_quantised != 0 ? 2 * kBlockBytes : 0);
  return layout;
}

Tile WholeRowTileInRegisters(const Problem& problem, uint64_t busiest_rows, uint32_t ub_bytes,
                             uint32_t wanted_rows, uint32_t wanted_buffers) {
  Tile tile;
  tile.in_buffers = wanted_buffers != 0 ? wanted_buffers : tile.in_buffers;
  tile.gamma_is_wide = false;
  const uint64_t most = std::min<uint64_t>(busiest_rows, kMaxCopyRows);
  const uint64_t row_bytes = PitchCols(problem) * SizeOf(problem.dtype);
  uint64_t rows = std::min<uint64_t>(wanted_rows, most);
  if (wanted_rows == 0) {
    const uint64_t good = std::max(kGoodRows, kGoodCopyBytes / row_bytes);
    rows = LargestTile(problem, tile, busiest_rows, std::min(most, good), ub_bytes);
    if (rows > kGoodRows) {
      rows = AlignDown(rows, kGoodRows);
    }
    if (rows != 0) {
      // Even tiles: the last one is not a small one whose copies nothing hides.
      const uint64_t even = EvenPiece(busiest_rows, rows);
      rows = even > kGoodRows ? std::min(rows, AlignUp(even, kGoodRows)) : even;
      if (rows == busiest_rows && rows >= kRowsWorthSplitting) {
        rows = AlignUp(CeilDiv(rows, 2), kGoodRows);
      }
    }
  }
  if (rows == 0 || LargestTile(problem, tile, busiest_rows, rows, ub_bytes) != rows) {
    return tile;
  }
  tile.fits = true;
  tile.rows = rows;
  tile.step_rows = std::min(rows, kGoodRows);
  tile.rstd_rows = RstdRows(rows, busiest_rows);
  return tile;
}

}  // namespace normgrad
