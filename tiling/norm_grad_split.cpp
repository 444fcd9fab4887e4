// Rows that are cut into chunks of columns and read twice, since they do not fit UB:
// how many rows and columns make a tile, and how many rows' sums there is room for.
#include <algorithm>

#include "tiling/norm_grad_registers.h"
#include "tiling/norm_grad_tile.h"
#include "tiling/search.h"

namespace normgrad {
namespace {

constexpr uint32_t kFp32Bytes = 4;
constexpr uint32_t kFp32PerBlock = kBlockBytes / kFp32Bytes;
// A chunk of 4,096 columns in 16 bits is half of a good copy; its gamma, dgamma and work arrays
// take 20 bytes per column and more.
constexpr uint64_t kMostChunkCols = 8 * kLeafCols;
// Four rows share the additions to dgamma: 22 slope cycles per 64 elements in 16 bits, 24 for two.
constexpr uint64_t kGoodTileRows = 4;
// gamma is read twice and dgamma written and read once per group: 16 bytes a column at most, which
// 64 rows make a quarter of a byte, 4 % of what a 16-bit element takes at least.
constexpr uint64_t kGoodGroupRows = 64;
// Of one core. More rows have no place in 192 KB, since a row that is cut has 8,000 columns or
// more.
constexpr uint64_t kMostResidentRows = 8;
// One copy brings rstd of a group, one instruction adds its sums up.
constexpr uint64_t kMostGroupRows = 8192;

// Leaf sums that come together: a subtree of two levels of 64.
constexpr uint64_t kReadLeaves = 4096;

// Bits of a count: the levels of a tree over as many chunks.
uint64_t BitLength(uint64_t count) {
  uint64_t bits = 0;
  for (; count != 0; count /= 2) {
    ++bits;
  }
  return bits;
}

struct Buffers {
  uint32_t in;
  uint32_t out;
};

// The most rows in a group, cut into even groups; false: fewer than `least`.
bool SetGroups(const Problem& problem, uint64_t busiest_rows, uint64_t least, uint32_t ub_bytes,
               Tile* tile) {
  const uint64_t most = std::min(busiest_rows, kMostGroupRows);
  const uint64_t rows = Largest(most, [&](uint64_t candidate) {
    tile->group_rows = candidate;
    return PlaceBlock(problem, *tile).budget.Fits(ub_bytes);
  });
  if (rows < std::min(busiest_rows, least)) {
    return false;
  }
  tile->groups = CeilDiv(busiest_rows, rows);
  tile->group_rows = CeilDiv(busiest_rows, tile->groups);
  tile->rstd_rows = tile->group_rows;
  tile->rows = std::min(tile->rows, tile->group_rows);
  tile->step_rows = tile->rows;
  tile->fits = true;
  return true;
}

// The longest chunk that fits with `rows` rows to a tile, a power of two leaves.
bool SetChunk(const Problem& problem, uint64_t busiest_rows, uint64_t least_rows,
              const Buffers* buffers, int count, uint32_t wanted_cols, uint32_t wanted_buffers,
              uint32_t ub_bytes, Tile* tile) {
  uint64_t most = kLeafCols;
  while (2 * most <= kMostChunkCols &&
         2 * most * tile->rows * SizeOf(problem.dtype) <= kGoodCopyBytes) {
    most *= 2;
  }
  most = wanted_cols != 0 ? wanted_cols : most;
  while (most / 2 >= AlignUp(problem.cols, kLeafCols)) {
    most /= 2;
  }
  const uint64_t least = wanted_cols != 0 ? most : kLeafCols;
  for (uint64_t chunk = most; chunk >= least; chunk /= 2) {
    tile->chunk_cols = chunk;
    tile->needs_lo = busiest_rows > tile->rows;  // the rows of one tile are halved, that is all
    tile->sum_levels = BitLength(CeilDiv(problem.cols, chunk));
    for (int i = 0; i < count; ++i) {
      tile->in_buffers = tile->is_resident ? 1 : buffers[i].in;
      tile->out_buffers = buffers[i].out;
      if (wanted_buffers != 0 && tile->in_buffers != wanted_buffers) {
        continue;
      }
      if (SetGroups(problem, busiest_rows, least_rows, ub_bytes, tile)) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace

void PlaceLeafExchange(const Problem& problem, const Tile& tile, Layout* layout) {
  if (tile.key != NormGradKey::kDxFewRows) {
    return;
  }
  const bool as_parts = CopiesBlocks(problem);  // a leaf's sum comes as a block of eight parts
  const uint64_t row_leaves = AlignUp(LeafCount(problem.cols), kFp32PerBlock);
  const uint64_t rows = LeafReadRows(problem, tile);
  const uint64_t tops = AlignUp(CeilDiv(row_leaves, kReadLeaves), kFp32PerBlock);
  const uint64_t leaves_bytes = std::min(rows * row_leaves, kReadLeaves) * kFp32Bytes;
  const uint32_t values = Stats(problem);  // of a row
  UbBudget& ub = layout->budget;
  layout->bytes.leaf_in =
      ub.Add("leaf_in",
             as_parts ? std::min(row_leaves * kBlockBytes, kGoodCopyBytes) : leaves_bytes, values);
  layout->bytes.leaf_read = ub.Add("leaf_read", as_parts ? leaves_bytes : 0, values);
  layout->bytes.leaf_tops =
      ub.Add("leaf_tops", (kRepeatBytes / kFp32Bytes + tops) * kFp32Bytes, values);
}

Layout PlaceBlock(const Problem& problem, const Tile& tile) {
  if (problem.in_registers != 0) {
    return PlaceInRegisters(problem, tile);
  }
  const uint64_t tile_elems = tile.rows * tile.chunk_cols;
  const uint64_t tile_bytes = tile_elems * SizeOf(problem.dtype);
  const uint64_t sum_bytes = tile.chunk_cols * kFp32Bytes;
  const uint64_t tiles =
      CeilDiv(tile.group_rows, tile.rows) * CeilDiv(tile.block_cols, tile.chunk_cols);
  const uint64_t row_blocks = AlignUp(tile.rows, kFp32PerBlock) * kBlockBytes;
  const uint64_t terms = SumTerms(problem);
  Layout layout;
  UbBudget& ub = layout.budget;
  NormGradUbBytes& bytes = layout.bytes;
  const uint64_t in_bytes = tile.is_resident ? tiles * tile_bytes : tile_bytes;
  bytes.dy_in = ub.Add("dy_in", in_bytes, tile.in_buffers);
  bytes.x_in = ub.Add("x_in", in_bytes, tile.in_buffers);
  PlaceStats(problem, std::max<uint64_t>(tile.group_rows, 1), &layout);
  bytes.dx_out = ub.Add("dx_out", std::max(tile_bytes, sum_bytes), tile.out_buffers);
  bytes.gamma_in = ub.Add("gamma_in", tile.chunk_cols * SizeOf(GammaDtype(problem)));
  bytes.gamma = ub.Add("gamma", sum_bytes);
  PlaceSums(problem, tile.chunk_cols, tile.chunk_cols, HasLo(tile), &layout);
  ub.Add("meeting", problem.meeting_bytes);
  bytes.work = ub.Add("work", tile_elems * kFp32Bytes, WorkArrays(problem, tile));
  const uint32_t values = Stats(problem);  // of a row: as many come as are computed
  bytes.rstd_block = ub.Add("rstd_block", row_blocks, values);
  bytes.mean_block = ub.Add("mean_block", row_blocks, values);
  // A row's leaves in a chunk are one block: a block of eight parts for each of them, then a sum.
  const uint64_t parts_bytes = tile.rows * kFp32PerBlock * kBlockBytes;
  bytes.leaf_parts = ub.Add("leaf_parts", terms * parts_bytes, values);
  const bool is_shared = tile.key == NormGradKey::kDxFewRows;
  // Shared sums leave as blocks of parts where whole blocks are copied.
  const bool as_parts = is_shared && CopiesBlocks(problem);
  bytes.leaf_sums = ub.Add("leaf_sums",
                           as_parts    ? parts_bytes
                           : is_shared ? row_blocks
                                       : terms * row_blocks,
                           values * (!is_shared ? 1
                                     : as_parts ? LeafOutBuffers(problem)
                                                : 2));
  bytes.lanes = ub.Add("lanes", problem.lanes_bytes);
  bytes.sum_bits = ub.Add("sum_bits", SumBitsBytes(problem, tile.group_rows));
  // Beside the sums lie the levels of the tree or, when it is done, the arrays of the means.
  const uint64_t levels = is_shared ? 0 : terms * tile.sum_levels;
  const uint64_t spares = std::max<uint64_t>(levels, terms > 1 ? kSplitSumSpares : 1);
  bytes.row_sums =
      ub.Add("row_sums", (terms + spares) * SumBytes(problem, tile.group_rows), values);
  PlaceLeafExchange(problem, tile, &layout);
  return layout;
}

uint64_t LeafReadRows(const Problem& problem, const Tile& tile) {
  const uint64_t row_leaves = AlignUp(LeafCount(problem.cols), kFp32PerBlock);
  return std::max<uint64_t>(1, std::min(tile.group_rows, kReadLeaves / row_leaves));
}

bool RowsAreFar(const Problem& problem) {
  return problem.cols * SizeOf(problem.dtype) > UINT32_MAX;
}

Tile SplitRowTile(const Problem& problem, const Deal& deal, uint32_t ub_bytes, uint32_t wanted_rows,
                  uint32_t wanted_cols, uint32_t wanted_buffers) {
  // Groups that are dealt are the same whatever core has them, and so are their tiles.
  const uint64_t busiest_rows =
      deal.in_groups ? std::max<uint64_t>(1, std::min(deal.rows, problem.rows)) : deal.busiest_rows;
  const bool has_one_group = !deal.in_groups || deal.pieces <= deal.cores;
  constexpr Buffers kBuffers[] = {{2, 2}, {2, 1}, {1, 1}};
  constexpr int kDouble = 2;  // those in which copies run beside the arithmetic
  constexpr int kAll = 3;
  Tile tile;
  tile.key = NormGradKey::kDxSplitRow;
  tile.block_cols = problem.cols;
  // fp32 has no casts to pay for: two rows of longer chunks.
  const uint64_t good_rows = problem.dtype == DType::kFloat32 ? kGoodTileRows / 2 : kGoodTileRows;
  uint64_t most_rows = std::min<uint64_t>(wanted_rows != 0 ? wanted_rows : good_rows, busiest_rows);
  if (RowsAreFar(problem)) {
    most_rows = 1;
  }
  const uint64_t least_rows = wanted_rows != 0 ? most_rows : 1;
  // Rows of which a core has so few that all of them fit UB are read once after all.
  const uint64_t in_elems = 2 * busiest_rows * problem.cols;
  if (has_one_group && busiest_rows <= kMostResidentRows &&
      in_elems * SizeOf(problem.dtype) < ub_bytes) {
    Tile resident = tile;
    resident.is_resident = true;
    resident.rows = most_rows;
    if (SetChunk(problem, busiest_rows, busiest_rows, kBuffers, kDouble, wanted_cols,
                 wanted_buffers, ub_bytes, &resident)) {
      return resident;
    }
  }
  const uint64_t least_group = deal.in_groups ? busiest_rows : kFp32PerBlock;
  for (const uint64_t group_rows : {kGoodGroupRows, least_group}) {
    const int count = group_rows == kGoodGroupRows ? kDouble : kAll;
    for (uint64_t rows = most_rows; rows >= least_rows; rows /= 2) {
      tile.rows = rows;
      if (SetChunk(problem, busiest_rows, group_rows, kBuffers, count, wanted_cols, wanted_buffers,
                   ub_bytes, &tile)) {
        return tile;
      }
    }
  }
  return tile;
}

}  // namespace normgrad
