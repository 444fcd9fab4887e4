// Fewer rows than cores: how cores form row groups x column groups, and when that
// pays off.
#include <algorithm>

#include "tiling/norm_grad_tile.h"

namespace normgrad {
namespace {

constexpr double kFp32Bytes = 4;
// What a core does, in cycles. 26 slope cycles per 64 elements of one row, 13 in registers; 33
// bytes per cycle into a core (measured on a 910B4 from L2, where a problem of few rows lies), 17
// of the 144 GB/s that eight cores of a 310P share at 1,060 MHz; a SyncAll is assumed to take 3 us,
// at 1,650 MHz.
constexpr double kVectorCyclesPerElem = 26.0 / 64;
constexpr double kRegisterCyclesPerElem = 13.0 / 64;
constexpr double kBytesPerCycle = 33;
constexpr double kBytesPerCycle310P = 17;
constexpr double kSyncCycles = 3 * 1650;
// What sharing rows costs whatever their length: two passes that nothing runs beside, leaf sums out
// and in. Modelled, it is 1,200 to 1,700 cycles from L2 (910B4, 950), and fewer from HBM, since
// whole rows read all of gamma for each core. Where a copy is one row of whole blocks (310P), it is
// 800 more for each row.
constexpr double kExchangeCycles = 1000;
constexpr double kExchangeCyclesPerRow = 800;
// Half of what a good copy has. A smaller tile costs more to start than reading it twice does.
constexpr uint64_t kLeastResidentElems = 2048;
constexpr uint64_t kMostChunkLeaves = 8;

struct Buffers {
  uint32_t in;
  uint32_t out;
};

// Elements, bytes besides x, dy and dx of them, and meetings of a core.
double Cycles(const Problem& problem, double elems, bool reads_twice, double other_bytes,
              bool meets) {
  const double elem_bytes = SizeOf(problem.dtype) * (reads_twice ? 4 : 2) + DxBytes(problem);
  const double bytes = elems * elem_bytes + other_bytes;
  const double vector = problem.in_registers != 0 ? kRegisterCyclesPerElem : kVectorCyclesPerElem;
  const double bytes_per_cycle = CopiesBlocks(problem) ? kBytesPerCycle310P : kBytesPerCycle;
  return elems * vector + bytes / bytes_per_cycle + (meets ? kSyncCycles : 0);
}

double CyclesOf(const Problem& problem, const Tile& tile, uint64_t cores) {
  const double cols = static_cast<double>(tile.block_cols);
  const double rows = static_cast<double>(tile.group_rows);
  const uint64_t strip = tile.row_groups > 1 ? CeilDiv(problem.cols, cores) * tile.row_groups : 0;
  const double leaves = rows * static_cast<double>(LeafCount(problem.cols));
  const double other = cols * (SizeOf(GammaDtype(problem)) + kFp32Bytes) +
                       (static_cast<double>(strip) + leaves) * kFp32Bytes;
  const double exchange =
      kExchangeCycles + (CopiesBlocks(problem) ? rows * kExchangeCyclesPerRow : 0);
  return Cycles(problem, rows * cols, !tile.is_resident, other, true) + exchange;
}

// Chunks and rows of a core's piece, as long and as many as a copy likes and UB holds.
bool SetTile(const Problem& problem, uint64_t wanted_rows, uint64_t wanted_leaves,
             uint32_t wanted_buffers, uint32_t ub_bytes, Tile* tile) {
  constexpr Buffers kBuffers[] = {{2, 2}, {2, 1}, {1, 1}};
  const uint64_t piece_leaves = LeafCount(tile->block_cols);
  const uint64_t most =
      std::min(wanted_leaves != 0 ? wanted_leaves : kMostChunkLeaves, piece_leaves);
  const uint64_t least = wanted_leaves != 0 ? most : 1;
  const uint64_t elem_bytes = SizeOf(problem.dtype);
  const bool has_far_rows = RowsAreFar(problem);
  for (const Buffers& buffers : kBuffers) {
    tile->in_buffers = tile->is_resident ? 1 : buffers.in;
    tile->out_buffers = buffers.out;
    if (wanted_buffers != 0 && tile->in_buffers != wanted_buffers) {
      continue;
    }
    for (uint64_t leaves = most; leaves >= least; --leaves) {
      tile->chunk_cols = leaves * kLeafCols;
      // Powers of two, so that tiles begin on a block of eight rows or lie inside one.
      uint64_t rows = 1;
      while (!has_far_rows && 2 * rows * tile->chunk_cols * elem_bytes <= kGoodCopyBytes) {
        rows *= 2;
      }
      rows = std::min(wanted_rows != 0 && !has_far_rows ? wanted_rows : rows, tile->group_rows);
      tile->rows = rows;
      tile->step_rows = rows;
      tile->needs_lo = tile->group_rows > rows;
      const bool is_small = rows * tile->chunk_cols < kLeastResidentElems &&
                            rows * tile->chunk_cols < tile->group_rows * tile->block_cols;
      if ((!tile->is_resident || !is_small) && PlaceBlock(problem, *tile).budget.Fits(ub_bytes)) {
        tile->fits = true;
        return true;
      }
    }
  }
  return false;
}

}  // namespace

Tile FewRowsTile(const Problem& problem, uint32_t cores, uint32_t most_row_groups,
                 uint32_t ub_bytes, uint32_t wanted_rows, uint32_t wanted_cols,
                 uint32_t wanted_buffers) {
  // A last leaf that is too short to be copied by itself goes with the one before.
  const uint64_t all_leaves = (problem.cols - problem.copy_cols) / kLeafCols + 1;
  const uint64_t short_leaves = LeafCount(problem.cols) - all_leaves;
  Tile best;
  double best_cycles = 0;
  const uint64_t most = std::min<uint64_t>({problem.rows, cores, most_row_groups});
  for (uint64_t row_groups = 1; row_groups <= most; ++row_groups) {
    const uint64_t most_groups = std::min<uint64_t>(cores / row_groups, all_leaves);
    const uint64_t leaves = CeilDiv(all_leaves, most_groups);
    Tile tile;
    tile.key = NormGradKey::kDxFewRows;
    tile.row_groups = row_groups;
    tile.col_groups = CeilDiv(all_leaves, leaves);  // no more cores than share the work
    tile.group_rows = CeilDiv(problem.rows, row_groups);
    tile.rstd_rows = tile.group_rows;
    tile.block_cols = std::min((leaves + short_leaves) * kLeafCols, problem.cols);
    for (const bool is_resident : {true, false}) {
      tile.is_resident = is_resident;
      if (SetTile(problem, wanted_rows, wanted_cols / kLeafCols, wanted_buffers, ub_bytes, &tile)) {
        break;
      }
    }
    const double cycles = CyclesOf(problem, tile, tile.row_groups * tile.col_groups);
    if (tile.fits && (!best.fits || cycles < best_cycles)) {
      best = tile;
      best_cycles = cycles;
    }
  }
  return best;
}

bool PaysOff(const Problem& problem, const Tile& tile, uint32_t cores) {
  const double cols = static_cast<double>(problem.cols);
  const bool meets = problem.rows > 1;
  // gamma, the partial sum of dgamma, a strip of all of them: as wide as a row, since every row has
  // a core.
  const double other = cols * (SizeOf(GammaDtype(problem)) + (meets ? 2 : 1) * kFp32Bytes);
  return tile.fits && CyclesOf(problem, tile, cores) < Cycles(problem, cols, false, other, meets);
}

}  // namespace normgrad
