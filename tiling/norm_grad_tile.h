// Where the buffers lie in UB, and how many rows or columns fit there.
#ifndef NORMGRAD_TILING_NORM_GRAD_TILE_H_
#define NORMGRAD_TILING_NORM_GRAD_TILE_H_

#include <algorithm>
#include <cstdint>
#include <string>

#include "tiling/align.h"
#include "tiling/chip.h"
#include "tiling/norm_grad.h"
#include "tiling/norm_grad_partials.h"
#include "tiling/problem.h"
#include "tiling/ub_budget.h"

namespace normgrad {

// DataCopyPad takes at most this many blocks (rows) in one call.
constexpr uint32_t kMaxCopyRows = 4095;
// Copies reach their bandwidth at 16 KB (asc-devkit, "best practice"; on a 910B4 those of 2 KB run
// at a quarter of it).
constexpr uint64_t kGoodCopyBytes = 16384;
// The first values of a sum are added up in lo, two or more, and move into a hi of zero: up to
// three have the same bits in hi alone, which saves what moves cost (12 slope cycles per 64
// columns).
constexpr uint64_t kSumsWithoutLo = 3;
// Sums over lanes that are turned (op_kernel/common/cross_lanes_turned.h): two halves of 64 blocks.
constexpr uint32_t kLanesBytes = 2 * 64 * kBlockBytes;
// Flag ids of one kind for a kernel's own use, where there are eight of them: 0 to 5 (6 is
// reserved, 7 the compiler's).
constexpr uint32_t kManyEvents = 8;
constexpr uint32_t kOwnEvents = 6;

// What an operator of the family has of each. A plan has room for all that the operator can be
// asked for: what is left out of the outputs never changes the bits of the others.
inline uint32_t Stats(const Problem& problem) { return problem.has_mean != 0 ? 2 : 1; }
inline uint32_t Sums(const Problem& problem) { return problem.has_mean != 0 ? 2 : 1; }
inline DType GammaDtype(const Problem& problem) {  // of ones, if there is none
  return problem.gamma_dtype == DType::kUndefined ? problem.sums_dtype : problem.gamma_dtype;
}
inline std::string OpName(const Problem& problem) {
  return problem.has_mean != 0       ? "layer_norm_grad_v3"
         : problem.is_quantised != 0 ? "rms_norm_grad_quant"
                                     : "rms_norm_grad";
}
// Bytes of an element of dx.
inline uint32_t DxBytes(const Problem& problem) {
  return problem.is_quantised != 0 ? 1 : SizeOf(problem.dtype);
}

// What is in UB together.
struct Tile {
  bool fits = false;
  NormGradKey key = NormGradKey::kDxWholeRow;
  uint32_t in_buffers = 2;  // of dy and x; DxInPlaceRow: places of segments
  uint32_t out_buffers = 2;
  uint64_t rows = 1;          // that are copied together
  uint64_t step_rows = 1;     // that are worked on together
  uint64_t chunk_cols = 0;    // 0: the whole row
  uint64_t rstd_rows = 1;     // whose rstd is copied together
  uint64_t segment_cols = 0;  // columns that are copied together; 0: all
  bool gamma_is_wide = true;  // gamma is kept in fp32
  bool has_lo = true;         // there is room for dgamma as a (hi, lo) pair
  bool needs_lo = true;       // else one accumulator gives the same bits
  // rows that are cut
  uint64_t groups = 1;      // of rows, that a core takes one after another
  uint64_t group_rows = 0;  // the most rows whose sums are in UB together
  uint64_t block_cols = 0;  // the most columns of a core
  uint64_t sum_levels = 0;  // fp32 per row, beside its sum
  bool is_resident = false;
  uint64_t row_groups = 0;  // DxFewRows: cores form row_groups x col_groups
  uint64_t col_groups = 0;
};

// The buffers of the first phase: as a list that adds up, and by name for the tiling data.
struct Layout {
  UbBudget budget;
  NormGradUbBytes bytes = {};
};

// Which strategies a caller's wishes leave open.
struct Regimes {
  bool whole_row;
  bool in_place_row;
  bool split_row;
  bool few_rows;
};

// Whether copies move whole 32 B blocks. The last block of a row then overlaps the one before it,
// within the row: a row has no less than a block.
inline bool CopiesBlocks(const Problem& problem) { return problem.copy_cols > 1; }

inline bool HasManyEvents(const Problem& problem) { return problem.event_ids >= kManyEvents; }
// Flags of the ring of segments; the queue of rstd takes one id.
inline uint64_t RingFlags(const Problem& problem) {
  return (HasManyEvents(problem) ? kOwnEvents : problem.event_ids) - 1;
}
// Of each sum of a row that is shared; with few event ids one has to do.
inline uint32_t LeafOutBuffers(const Problem& problem) { return HasManyEvents(problem) ? 2 : 1; }

// Columns of one row in UB: whole 32 B blocks of dy. Where there are fp32 copies a 16-bit row of
// less than a repeat's worth of blocks may end in the middle of a block, so that rows of 8, 24, ...
// columns are copied as one piece and nothing is computed twice; its copy has whole blocks all the
// same.
uint64_t PitchCols(const Problem& problem);
// The same of dx, where it has rows of its own.
uint64_t DxPitchCols(const Problem& problem);
uint64_t LeafPitch(const Problem& problem);  // fp32 leaf sums of one row

// fp32 that a row's sum has. 16-bit outputs hide the errors of a plain sum behind their own
// rounding; fp32 ones need it split into an upper and a lower part.
inline uint32_t SumTerms(const Problem& problem) {
  const bool is_split =
      problem.dtype == DType::kFloat32 && Stats(problem) == 1 && problem.in_registers == 0;
  return is_split ? 2 : 1;
}
// Arrays that the arithmetic of split sums takes beside them.
constexpr uint64_t kSplitSumSpares = 5;
// Of one term of the sums of some rows, fp32: split ones are compared, in whole repeats.
inline uint64_t SumBytes(const Problem& problem, uint64_t rows) {
  return AlignUp(rows * sizeof(float), SumTerms(problem) > 1 ? kRepeatBytes : kBlockBytes);
}
// Of a block of constants of split sums, and a bit for each row in whole blocks.
inline uint64_t SumBitsBytes(const Problem& problem, uint64_t rows) {
  return SumTerms(problem) > 1 ? kBlockBytes + AlignUp(CeilDiv(rows, 8), kBlockBytes) : 0;
}

// Buffers of x and dy that a strategy's kernel works with; places of the ring of DxInPlaceRow.
// DxWholeRow has two in flight at least; rows that are cut have one where they stay in UB.
inline uint32_t LeastBuffers(NormGradKey key) { return key == NormGradKey::kDxWholeRow ? 2 : 1; }
inline uint64_t MostBuffers(const Problem& problem, NormGradKey key) {
  constexpr uint64_t kOfQueue = 4;
  switch (key) {
    case NormGradKey::kDxWholeRow:
      return std::min(kOfQueue, RingFlags(problem));
    case NormGradKey::kDxInPlaceRow:
      return RingFlags(problem);
    case NormGradKey::kDxSplitRow:
    case NormGradKey::kDxFewRows:
      return 2;
  }
  return 0;
}
inline bool TakesBuffers(const Problem& problem, NormGradKey key, uint64_t buffers) {
  return buffers >= LeastBuffers(key) && buffers <= MostBuffers(problem, key);
}

inline bool HasLo(const Tile& tile) { return tile.has_lo && tile.needs_lo; }
inline uint64_t LeafCount(uint64_t cols) { return CeilDiv(cols, kLeafCols); }

// fp32 arrays that a strategy computes in, beside its queues.
uint32_t WorkArrays(const Problem& problem, const Tile& tile);

// A column takes more than a byte of UB. Without rows, cols may be as large as 64 bits hold, and
// sizes in bytes would wrap around.
inline bool TooWideToCount(const Problem& problem, uint32_t ub_bytes) {
  return problem.cols > ub_bytes;
}

// `count` in as many pieces as pieces of `most` make, all of about one size.
inline uint64_t EvenPiece(uint64_t count, uint64_t most) {
  return CeilDiv(count, CeilDiv(count, most));
}

// Rows whose rstd comes together: whole tiles. Of a group, all rows: tiles begin anew with each.
uint64_t RstdRows(uint64_t tile_rows, uint64_t busiest_rows);

// `busiest_rows`: rows of the core that has most, at least 1. A wish of 0 is none.
Tile WholeRowTile(const Problem& problem, uint64_t busiest_rows, uint32_t ub_bytes,
                  uint32_t wanted_rows, uint32_t wanted_buffers);
// The same where rows are dealt in groups of 64 or fewer, each with a sum of its own: what decides
// the order of that sum (which rows are worked on together) does not depend on `busiest_rows`.
Tile WholeRowTileOfGroups(const Problem& problem, uint64_t group_rows, uint64_t busiest_rows,
                          uint32_t ub_bytes, uint32_t wanted_rows);
Tile InPlaceRowTile(const Problem& problem, uint32_t ub_bytes, uint32_t wanted_cols,
                    uint32_t wanted_buffers);

// A wish of 0 is none; `wanted_rows` is 1, 2, 4 or a multiple of 8, `wanted_cols` a power of two
// leaves.
Tile SplitRowTile(const Problem& problem, const Deal& deal, uint32_t ub_bytes, uint32_t wanted_rows,
                  uint32_t wanted_cols, uint32_t wanted_buffers);

// Fewer rows than cores, in up to `most_row_groups` groups. The wishes as in SplitRowTile, but
// `wanted_cols` is any number of leaves up to eight.
Tile FewRowsTile(const Problem& problem, uint32_t cores, uint32_t most_row_groups,
                 uint32_t ub_bytes, uint32_t wanted_rows, uint32_t wanted_cols,
                 uint32_t wanted_buffers);
// Whether the busiest core has less to do in `tile` than a core with a whole row.
bool PaysOff(const Problem& problem, const Tile& tile, uint32_t cores);

// Rows of DxFewRows whose leaf sums are read together.
uint64_t LeafReadRows(const Problem& problem, const Tile& tile);

// Whether a copy can not bring several rows, since it counts their distance in 32 bits.
bool RowsAreFar(const Problem& problem);

// The buffers that all strategies lay out alike, and those of rows that are cut.
void PlaceSums(const Problem& problem, uint64_t pitch, uint64_t work_cols, bool has_lo,
               Layout* layout);
// `rows` of rstd (and mean): as they come, and in fp32.
void PlaceStats(const Problem& problem, uint64_t rows, Layout* layout);
void PlaceLeafExchange(const Problem& problem, const Tile& tile, Layout* layout);
Layout PlaceBlock(const Problem& problem, const Tile& tile);

Layout PlaceTile(const Problem& problem, const Tile& tile);

// The most columns that any of `regimes` takes at this dtype and UB.
uint64_t WidestRow(Problem problem, const Regimes& regimes, uint64_t busiest_rows,
                   uint32_t ub_bytes, const PlanOptions& options);

}  // namespace normgrad

#endif  // NORMGRAD_TILING_NORM_GRAD_TILE_H_
