// How a problem of the family is cut. Rows are dealt to cores; a core works on tiles of whole rows
// (DxWholeRow), or on one row at a time in chunks of columns where a whole row and its fp32 work
// arrays do not fit UB (DxInPlaceRow); both read dy and x once and keep dgamma in UB as a (hi, lo)
// pair per column. Wider rows go through UB twice, chunk by chunk (DxSplitRow). Fewer rows
// than cores are shared: each core has some columns of some rows (DxFewRows). Afterwards cores
// exchange their sums through the workspace and each adds up strips of columns.
#include "tiling/norm_grad_plan.h"

#include <algorithm>
#include <cstring>

#include "tiling/align.h"
#include "tiling/check.h"
#include "tiling/norm_grad_partials.h"
#include "tiling/norm_grad_tile.h"
#include "tiling/norm_grad_words.h"
#include "tiling/tuned.h"

namespace normgrad {
namespace {

constexpr const char* kNothing = "Nothing";

constexpr uint32_t kFp32Bytes = 4;
// Two cores never write one line of the workspace, if they have lines enough.
constexpr uint64_t kLineBytes = 512;
// From one partial sum to the next a copy counts the bytes in 32 bits.
constexpr uint64_t kMostCols = uint64_t{1} << 30;
constexpr uint32_t kLeastUbBytes = 8192;

Answer CheckKernel(const Soc& soc, const Problem& problem) {
  if (problem.has_mean == 0 && soc.chip->arch == 1001) {
    return Refuse(kTilingRefused, OpName(problem) + " has no kernel on " + soc.name +
                                      ": it runs on ascend910b, ascend910_93, ascend310p and "
                                      "ascend950; choose one of these");
  }
  return Answer{};
}

// The problem with what the chip adds to it. Without rows nothing but sums over rows is stored.
Problem OnChip(const Chip& chip, Problem problem) {
  const uint32_t elem_bytes = SizeOf(problem.rows == 0 ? problem.sums_dtype : problem.dtype);
  const uint32_t block_cols = kBlockBytes / elem_bytes;
  problem.by_element = !chip.has_pad_copy && problem.cols < block_cols ? 1 : 0;
  problem.copy_cols = chip.has_pad_copy || problem.by_element != 0 ? 1 : block_cols;
  problem.meeting_bytes = chip.has_hard_sync_all ? 0 : kMeetingBytes;
  problem.in_registers = chip.has_registers ? 1 : 0;
  problem.lanes_bytes = chip.has_lane_sums ? 0 : kLanesBytes;
  problem.event_ids = chip.event_ids;
  return problem;
}

Answer OutOfRange(const std::string& option, uint64_t value, uint64_t least, uint64_t most,
                  const std::string& why) {
  return Refuse(kTilingRefused, option + " is " + WithCommas(value) + ": it takes " +
                                    WithCommas(least) + " to " + WithCommas(most) + " " + why);
}

Answer CheckOptions(const Soc& soc, const Problem& problem, const PlanOptions& options,
                    Regimes* regimes) {
  const uint32_t ub_bytes = soc.chip->ub_bytes;
  if (options.ub_bytes != 0 && (options.ub_bytes < kLeastUbBytes || options.ub_bytes > ub_bytes)) {
    return OutOfRange("ub", options.ub_bytes, kLeastUbBytes, ub_bytes,
                      std::string("bytes on ") + soc.name + "; choose a value in this range");
  }
  if (options.cores > soc.cores) {
    return OutOfRange("cores", options.cores, 1, soc.cores,
                      std::string("on ") + soc.name + "; choose a value in this range");
  }
  if (options.chunk_cols % kLeafCols != 0) {
    return Refuse(kTilingRefused, "chunk is " + std::to_string(options.chunk_cols) +
                                      ": it takes a multiple of 512 columns, the leaves in which "
                                      "rows are summed; round it up to " +
                                      std::to_string(AlignUp(options.chunk_cols, kLeafCols)));
  }
  if (options.rows_per_tile > kMaxCopyRows) {
    return OutOfRange("rows_per_tile", options.rows_per_tile, 1, kMaxCopyRows,
                      "rows, what one copy instruction moves; choose a value in this range");
  }
  if (options.buffers > RingFlags(problem)) {
    return OutOfRange("buffers", options.buffers, 1, RingFlags(problem),
                      std::string("on ") + soc.name + "; choose a value in this range");
  }
  if (options.tile_for_rows != 0 && options.tile_for_rows < problem.rows) {
    return OutOfRange("rows", problem.rows, 0, options.tile_for_rows,
                      "as a part of that many; choose a value in this range");
  }
  return CheckStrategy(problem, options, regimes);
}

// A plan that does not fit would overwrite memory on the chip: the last word before success, and
// never true as long as tiles are chosen by the same sizes.
Answer CheckBudget(const UbBudget& budget, uint32_t ub_bytes) {
  if (budget.Fits(ub_bytes)) {
    return Answer{};
  }
  std::string names;
  for (int i = 0; i < budget.size(); ++i) {
    names += (names.empty() ? "" : ", ") + std::string(budget[i].name);
  }
  return Refuse(kTilingRefused, "a fault of the planner: its buffers " + names + " take " +
                                    WithCommas(budget.TotalBytes()) + " of " +
                                    WithCommas(ub_bytes) + " bytes of UB; report this case");
}

// Of each tensor that the outputs asked for need.
uint64_t MinimumBytes(const Problem& problem) {
  const bool has_dx = (problem.outputs & kWantsDx) != 0;
  const bool has_dgamma = (problem.outputs & kWantsDgamma) != 0;
  const bool has_dbeta = (problem.outputs & kWantsDbeta) != 0;
  const bool needs_x = has_dx || has_dgamma;
  const uint64_t row_bytes =
      (needs_x ? 2U : 1U) * SizeOf(problem.dtype) + (has_dx ? DxBytes(problem) : 0U);
  const uint64_t scale = problem.is_quantised == 0 ? 0U
                                                   : SizeOf(problem.scale_dtype) +
                                                         problem.has_offset * SizeOf(DType::kInt32);
  const uint64_t stats = needs_x ? Stats(problem) * SizeOf(problem.stats_dtype) : 0U;
  const uint64_t sums = (has_dgamma ? 1U : 0U) + (has_dbeta ? 1U : 0U);
  const uint64_t gamma = has_dx ? SizeOf(problem.gamma_dtype) : 0U;
  return row_bytes * problem.rows * problem.cols + problem.rows * stats +
         problem.cols * (gamma + sums * SizeOf(problem.sums_dtype)) + scale;
}

NormGradTiling FillTiling(const Problem& problem, const Tile& tile, const Layout& layout) {
  const uint32_t cols = static_cast<uint32_t>(problem.cols);
  NormGradTiling tiling = {};
  tiling.rows = problem.rows;
  tiling.cols = cols;
  tiling.rows_per_tile = static_cast<uint32_t>(tile.rows);
  tiling.rows_per_step = static_cast<uint32_t>(tile.step_rows);
  tiling.copy_cols = problem.copy_cols;
  tiling.ub_cols = static_cast<uint32_t>(AlignUp(cols, problem.copy_cols));
  tiling.pitch_cols = static_cast<uint32_t>(PitchCols(problem));
  tiling.dx_pitch_cols = static_cast<uint32_t>(DxPitchCols(problem));
  tiling.chunk_cols = static_cast<uint32_t>(tile.chunk_cols);
  tiling.rstd_rows = static_cast<uint32_t>(tile.rstd_rows);
  tiling.segment_cols = static_cast<uint32_t>(tile.segment_cols);
  tiling.sum_terms = SumTerms(problem);
  tiling.mean_factor = -1.0F / static_cast<float>(cols);
  tiling.leaf_pitch = static_cast<uint32_t>(LeafPitch(problem));
  tiling.gamma_is_wide = tile.gamma_is_wide ? 1 : 0;
  tiling.in_buffers = tile.in_buffers;
  tiling.out_buffers = tile.out_buffers;
  tiling.work_arrays = WorkArrays(problem, tile);
  tiling.ub = layout.bytes;
  tiling.outputs = problem.outputs;
  tiling.has_gamma = problem.gamma_dtype == DType::kUndefined ? 0 : 1;
  tiling.sums = Sums(problem);
  tiling.divides = problem.divides;
  tiling.has_offset = problem.has_offset;
  tiling.groups = static_cast<uint32_t>(tile.groups);
  tiling.group_rows = static_cast<uint32_t>(tile.group_rows);
  tiling.is_resident = tile.is_resident ? 1 : 0;
  tiling.col_groups = static_cast<uint32_t>(tile.col_groups);
  return tiling;
}

void SetTiling(const NormGradTiling& tiling, Plan* plan) {
  plan->tiling.resize(sizeof(tiling));
  std::memcpy(plan->tiling.data(), &tiling, sizeof(tiling));
  plan->fields = Fields(tiling);
}

// Rows are shared between cores if there are fewer of them than cores and it pays off; else the
// first strategy takes the problem that fits, from the one that needs most room in UB to the one
// that needs least.
Tile ChooseTile(const Problem& problem, const Regimes& regimes, const Deal& deal, uint32_t ub_bytes,
                const PlanOptions& options) {
  const bool is_few = regimes.few_rows && problem.rows != 0 && problem.rows < deal.most_cores;
  const uint32_t rows_per_tile =
      static_cast<uint32_t>(std::min<uint64_t>(options.rows_per_tile, deal.busiest_rows));
  // Groups that are dealt keep their tiles whatever the buffers, so that their sums keep their
  // bits.
  const uint32_t buffers = deal.in_groups ? 0 : options.buffers;
  Tile tile;
  if (is_few && !deal.in_groups) {
    tile = FewRowsTile(problem, deal.most_cores, deal.most_cores, ub_bytes, options.rows_per_tile,
                       options.chunk_cols, buffers);
    if (!regimes.whole_row || PaysOff(problem, tile, deal.most_cores)) {
      return tile;
    }
    tile = Tile{};
  }
  if (regimes.whole_row) {
    tile =
        deal.in_groups
            ? WholeRowTileOfGroups(problem, deal.rows, deal.busiest_rows, ub_bytes, rows_per_tile)
            : WholeRowTile(problem, deal.busiest_rows, ub_bytes, rows_per_tile, buffers);
  }
  if (!tile.fits && regimes.in_place_row) {
    tile = InPlaceRowTile(problem, ub_bytes, options.chunk_cols, buffers);
    tile.needs_lo = problem.in_registers != 0 || deal.RowsOfSum() > kSumsWithoutLo;
  }
  if (tile.fits || (!regimes.split_row && !is_few)) {
    return tile;
  }
  tile = SplitRowTile(problem, deal, ub_bytes, rows_per_tile, options.chunk_cols, buffers);
  if (is_few && tile.fits && deal.pieces == 1) {
    // One group of rows, in the order that a core alone would sum it: the columns may be shared.
    const Tile few = FewRowsTile(problem, deal.most_cores, 1, ub_bytes,
                                 static_cast<uint32_t>(tile.rows), options.chunk_cols, buffers);
    if (few.fits) {
      return few;
    }
  }
  return regimes.split_row ? tile : Tile{};
}

// The tile with as many buffers as are wanted where these are all that may change.
Tile WithBuffers(const Problem& problem, Tile tile, uint32_t buffers, uint32_t ub_bytes) {
  const bool is_ring = tile.key == NormGradKey::kDxInPlaceRow;
  const uint64_t needed = is_ring ? CeilDiv(problem.cols, tile.segment_cols) : 1;
  tile.in_buffers = buffers;
  tile.fits = tile.fits && TakesBuffers(problem, tile.key, buffers) && buffers >= needed &&
              (!tile.is_resident || buffers == 1) && PlaceTile(problem, tile).budget.Fits(ub_bytes);
  return tile;
}

// The tile of a problem for some of its rows, dealt as all of them are. Of rows that are cut there
// are two groups at most, of up to four tiles: smaller ones, so that few rows show what a group
// costs beside its tiles.
Tile PartOf(Tile tile, const Deal& deal) {
  if (tile.group_rows != 0 && !deal.in_groups) {
    constexpr uint64_t kMostGroups = 2;
    constexpr uint64_t kGroupTiles = 4;
    tile.groups =
        std::min({tile.groups, CeilDiv(deal.busiest_rows, kGroupTiles * tile.rows), kMostGroups});
    tile.group_rows = CeilDiv(deal.busiest_rows, tile.groups);
    tile.rstd_rows = tile.group_rows;
  }
  return tile;
}

// How a tile that cuts rows changes who has which of them.
void DealAs(const Tile& tile, Deal* deal) {
  if (tile.row_groups != 0) {
    deal->parts = static_cast<uint32_t>(tile.row_groups);
    deal->cores = static_cast<uint32_t>(tile.row_groups * tile.col_groups);
  }
  if (!deal->in_groups) {
    deal->sums = deal->parts * tile.groups;
  }
}

Answer PlanAsWished(const Soc& soc, const Problem& asked, const PlanOptions& options, Plan* plan) {
  const Problem problem = OnChip(*soc.chip, asked);
  Regimes regimes = {};
  Answer answer = CheckOptions(soc, problem, options, &regimes);
  if (!answer.ok()) {
    return answer;
  }
  const uint32_t ub_bytes = options.ub_bytes != 0 ? options.ub_bytes : soc.chip->ub_plan_bytes;
  *plan = Plan{};
  plan->ub_limit_bytes = ub_bytes;
  if (problem.cols == 0 || problem.outputs == 0) {
    plan->strategy = kNothing;
    plan->reason = problem.cols == 0 ? "no columns: there is nothing to write"
                                     : "no output is asked for: there is nothing to write";
    NormGradTiling tiling = {};
    tiling.rows = problem.rows;
    SetTiling(tiling, plan);
    return answer;
  }
  answer = CheckKernel(soc, problem);
  if (!answer.ok()) {
    return answer;
  }
  if (!IsCountable(problem.rows, problem.cols, problem.dtype)) {
    return Refuse(kTilingRefused, "a tensor of " + Count(problem.rows, "row") + " of " +
                                      Count(problem.cols, "column") + ": " + OpName(problem) +
                                      " counts tensors of up to 2^60 bytes; split the call by "
                                      "rows");
  }

  if (problem.cols > kMostCols) {
    return TooManyColumns(problem, kMostCols);
  }

  Problem whole = problem;
  whole.rows = options.tile_for_rows != 0 ? options.tile_for_rows : problem.rows;
  Deal deal = DealRows(whole, options, soc.cores);
  Tile tile = ChooseTile(whole, regimes, deal, ub_bytes, options);
  if (deal.in_groups && options.buffers != 0) {
    tile = WithBuffers(whole, tile, options.buffers, ub_bytes);
  }
  if (!tile.fits) {
    return DoesNotFit(whole, regimes, deal, options, ub_bytes);
  }
  if (whole.rows != problem.rows) {
    deal = DealRows(problem, options, soc.cores);
    tile = PartOf(tile, deal);
  }

  DealAs(tile, &deal);
  const Layout layout = PlaceTile(problem, tile);
  NormGradTiling tiling = FillTiling(problem, tile, layout);
  plan->first_phase = layout.budget;
  tiling.sum_places = 1;
  // No tile is smaller for the second place, so that it does not show in the bits.
  const bool is_cut = tile.group_rows != 0;  // its sums leave by the way of dx
  if (deal.in_groups && !is_cut && HasManyEvents(problem) &&
      plan->first_phase.TotalBytes() + tiling.sums * tiling.ub.sum_hi <= ub_bytes) {
    plan->first_phase.SetCount("sum_hi", 2 * tiling.sums);
    tiling.sum_places = 2;
  }
  PlacePartials(problem, deal, ub_bytes, &tiling, plan);
  if ((problem.outputs & (kWantsDgamma | kWantsDbeta)) == 0) {
    plan->second_phase = UbBudget{};  // there are no sums
  }
  if (tile.row_groups != 0) {
    // A leaf's sum, or a block of parts of it: rows begin on a line of memory.
    const uint64_t leaf_bytes = CopiesBlocks(problem) ? kBlockBytes : kFp32Bytes;
    const uint64_t pitch = AlignUp(LeafCount(problem.cols), kLineBytes / leaf_bytes);
    tiling.leaf_row_pitch = static_cast<uint32_t>(pitch);
    tiling.leaf_read_rows = static_cast<uint32_t>(LeafReadRows(problem, tile));
    tiling.leaf_out_buffers = LeafOutBuffers(problem);
    tiling.leaf_sums_at = plan->workspace_bytes / kFp32Bytes;
    plan->workspace_bytes += Stats(problem) * SumTerms(problem) * problem.rows * pitch * leaf_bytes;
  }
  if (problem.meeting_bytes != 0 && deal.cores > 1) {
    tiling.counters_at = plan->workspace_bytes;
    plan->workspace_bytes += problem.meeting_bytes;
  }
  for (const UbBudget* phase : {&plan->first_phase, &plan->second_phase}) {
    answer = CheckBudget(*phase, ub_bytes);
    if (!answer.ok()) {
      return answer;
    }
  }
  plan->strategy = NameOf(tile.key);
  plan->tiling_key = static_cast<uint64_t>(tile.key);
  plan->cores = deal.cores;
  plan->minimum_bytes = MinimumBytes(problem);
  plan->reason = ReasonOf(problem, tile, options, plan->first_phase.TotalBytes(), ub_bytes) +
                 DealText(problem, deal, plan->minimum_bytes);
  if (!tile.has_lo && tile.needs_lo) {
    plan->declared_c += static_cast<double>(deal.RowsOfSum()) / 3;
  }
  SetTiling(tiling, plan);
  return answer;
}

}  // namespace

Answer PlanNormGrad(const Soc& soc, const Problem& problem, const PlanOptions& options,
                    Plan* plan) {
  const TunedRow* row = FindTuned(soc, OpName(problem), problem, options);
  if (row != nullptr && PlanAsWished(soc, problem, WishesOf(*row, options), plan).ok()) {
    plan->tuned = row->text;
    return Answer{};
  }
  return PlanAsWished(soc, problem, options, plan);
}

}  // namespace normgrad
