#include "tiling/norm_grad_partials.h"

#include <algorithm>
#include <cstdio>

#include "tiling/align.h"
#include "tiling/answer.h"
#include "tiling/chip.h"
#include "tiling/norm_grad_tile.h"

namespace normgrad {
namespace {

constexpr uint32_t kFp32Bytes = 4;
constexpr uint64_t kFp32PerBlock = kBlockBytes / kFp32Bytes;
constexpr uint64_t kRepeatCols = kRepeatBytes / kFp32Bytes;
// Memory moves in lines of 512 B.
constexpr uint64_t kLineCols = 512 / kFp32Bytes;
// What hi and lo of a strip (a repeat each) and its mask may take beyond three rows of the strip.
constexpr uint32_t kPairRounding = 2 * kRepeatBytes + kBlockBytes;

// A row of partial sums begins on a line, so that two cores never write to one; groups of narrow
// rows lie close together instead, so that a block of them is one copy. Sums of rows that go
// element by element come as whole blocks of 16 bits.
uint64_t PartialPitch(const Problem& problem, const Deal& deal) {
  const bool is_narrow = deal.in_groups && problem.cols < kLineCols;
  const uint64_t narrow = problem.by_element != 0 ? 2 * kFp32PerBlock : kFp32PerBlock;
  return AlignUp(problem.cols, is_narrow ? narrow : kLineCols);
}

// What the results are stored in, in columns: copies move whole blocks of them, or elements.
uint64_t StripUnit(const Problem& problem) {
  const bool in_blocks = problem.copy_cols > 1 || problem.by_element != 0;
  return in_blocks ? kBlockBytes / SizeOf(problem.sums_dtype) : kFp32PerBlock;
}

// Columns of which `rows` rows fit UB.
uint64_t MostCols(uint64_t rows, uint32_t ub_bytes, uint64_t unit) {
  return AlignDown(ub_bytes / (rows * kFp32Bytes), unit);
}

}  // namespace

Deal DealRows(const Problem& problem, const PlanOptions& options, uint32_t soc_cores) {
  Deal deal = {};
  // Rows that go element by element: 64 of them are whole lines of the data cache.
  deal.in_groups = options.det_strong != 0 || problem.by_element != 0;
  deal.rows = deal.in_groups ? kGroupRows : 1;
  deal.pieces = std::max<uint64_t>(1, CeilDiv(problem.rows, deal.rows));
  deal.most_cores = options.cores != 0 ? options.cores : soc_cores;
  deal.cores = static_cast<uint32_t>(std::min<uint64_t>(deal.most_cores, deal.pieces));
  deal.parts = deal.cores;
  deal.sums = deal.in_groups ? deal.pieces : deal.cores;
  deal.busiest_rows =
      std::max<uint64_t>(1, std::min(problem.rows, CeilDiv(deal.pieces, deal.cores) * deal.rows));
  return deal;
}

void PlacePartials(const Problem& problem, const Deal& deal, uint32_t ub_bytes,
                   NormGradTiling* tiling, Plan* plan) {
  tiling->deal_rows = static_cast<uint32_t>(deal.rows);
  tiling->cores = deal.cores;
  tiling->rows_per_core = problem.rows == 0 ? 0 : deal.pieces / deal.parts * deal.rows;
  tiling->cores_with_one_more = static_cast<uint32_t>(deal.pieces % deal.parts);
  tiling->partial_slots = deal.sums;
  const bool needs_cast = problem.sums_dtype != DType::kFloat32;
  tiling->sums_are_direct = deal.sums == 1 && !needs_cast ? 1 : 0;
  if (tiling->sums_are_direct != 0) {
    return;
  }
  const uint64_t cols = problem.cols;
  const uint64_t blocks = CeilDiv(tiling->partial_slots, kPartialsPerBlock);
  const bool has_blocks = blocks > 1;
  const bool has_pair = blocks > kPartialsPerBlock;
  const uint64_t rows = std::min<uint64_t>(tiling->partial_slots, kPartialsPerBlock);
  tiling->partial_buffers = has_blocks ? 2 : 1;
  // One row more than those that are read: the sum on its way out.
  const uint64_t rows_in_ub = tiling->partial_buffers * rows + 1 + (has_pair ? 3 : 0);
  // A last strip may be a block longer where a shorter one can not be stored by itself.
  const uint64_t unit = StripUnit(problem);
  const uint64_t longer = problem.copy_cols > 1 || problem.by_element != 0 ? unit : 0;
  const uint32_t left = ub_bytes - problem.meeting_bytes - (has_pair ? kPairRounding : 0);
  const uint64_t most = MostCols(rows_in_ub, left, unit) - longer;
  // A strip per core, narrower ones (dealt in turn) only where they would not fit UB. Blocks are
  // dealt as well, so their strips can be whole lines.
  const uint64_t even = AlignUp(CeilDiv(cols, deal.cores), unit);
  tiling->strip_cols = static_cast<uint32_t>(std::min(even, most));
  if (has_blocks) {
    const uint64_t line = std::min(AlignUp(cols, kFp32PerBlock), kLineCols);
    tiling->block_strip_cols = static_cast<uint32_t>(std::min(line, most));
  }
  tiling->partial_pitch_cols = static_cast<uint32_t>(PartialPitch(problem, deal));
  plan->workspace_bytes = Sums(problem) * (tiling->partial_slots + (has_blocks ? blocks : 0)) *
                          tiling->partial_pitch_cols * kFp32Bytes;

  const uint64_t strip_bytes =
      (std::max(tiling->strip_cols, tiling->block_strip_cols) + longer) * uint64_t{kFp32Bytes};
  UbBudget& ub = plan->second_phase;
  ub.Add("meeting (second phase)", problem.meeting_bytes);
  tiling->ub.partials_in =
      ub.Add("partials_in (second phase)", rows * strip_bytes, tiling->partial_buffers);
  tiling->ub.sum_out = ub.Add("sum_out (second phase)", strip_bytes);
  if (has_pair) {
    const uint64_t pair_cols = AlignUp(tiling->strip_cols + longer, kRepeatCols);
    tiling->ub.strip_hi = ub.Add("strip_hi (second phase)", pair_cols * kFp32Bytes);
    tiling->ub.strip_lo = ub.Add("strip_lo (second phase)", pair_cols * kFp32Bytes);
    tiling->ub.strip_mask = ub.Add("strip_mask (second phase)", pair_cols / 8);
  }
}

std::string DealText(const Problem& problem, const Deal& deal, uint64_t minimum_bytes) {
  if (!deal.in_groups) {
    return "";
  }
  const char* why = problem.by_element != 0 ? "; rows of less than 32 bytes" : "; det=strong";
  if (deal.pieces == 1) {
    return std::string(why) + ": all rows are one group";
  }
  const double extra = 2.0 * kFp32Bytes * Sums(problem) * static_cast<double>(deal.pieces) *
                       static_cast<double>(problem.cols) / static_cast<double>(minimum_bytes);
  char figures[64];
  std::snprintf(figures, sizeof(figures), "%.0f on average; their sums move %.1f %% more bytes",
                static_cast<double>(problem.rows) / deal.cores, 100 * extra);
  return std::string(why) + ": " + WithCommas(deal.pieces) + " groups of " + WithCommas(deal.rows) +
         " rows, the busiest core has " + WithCommas(deal.busiest_rows) + " rows, " + figures;
}

}  // namespace normgrad
