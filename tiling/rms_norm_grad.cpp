// How RmsNormGrad is cut on 2201. Rows are dealt to cores; a core works on tiles of whole rows
// (DxWholeRow), or on one row at a time in chunks of columns where a whole row and its fp32 work
// arrays do not fit UB (DxInPlaceRow). Both read dy and x once. dgamma stays in UB as a (hi, lo)
// pair per column; afterwards cores exchange their sums through the workspace and each adds up
// strips of columns.
#include "tiling/rms_norm_grad.h"

#include <algorithm>
#include <cstring>

#include "tiling/align.h"
#include "tiling/rms_norm_grad_partials.h"
#include "tiling/rms_norm_grad_plan.h"
#include "tiling/rms_norm_grad_tile.h"

namespace normgrad {
namespace {

constexpr const char* kWholeRow = "DxWholeRow";
constexpr const char* kInPlaceRow = "DxInPlaceRow";
constexpr const char* kNothing = "Nothing";

constexpr uint32_t kFp32Bytes = 4;
constexpr uint32_t kLeastUbBytes = 8192;

// "1 column", "1,024 columns"
std::string Count(uint64_t count, const std::string& unit) {
  return WithCommas(count) + " " + unit + (count == 1 ? "" : "s");
}

// "bf16 with bf16 gamma"
std::string DtypesText(const Problem& problem) {
  return std::string(NameOf(problem.dtype)) + " with " + NameOf(problem.gamma_dtype) + " gamma";
}

Answer CheckKernel(const Soc& soc) {
  if (soc.chip->arch != 2201) {
    return Refuse(kTilingRefused, std::string("rms_norm_grad has no kernel on ") + soc.name +
                                      " yet; this version runs on ascend910b and ascend910_93");
  }
  return Answer{};
}

Answer OutOfRange(const std::string& option, uint64_t value, uint64_t least, uint64_t most,
                  const std::string& why) {
  return Refuse(kTilingRefused, option + " is " + WithCommas(value) + ": it takes " +
                                    WithCommas(least) + " to " + WithCommas(most) + " " + why);
}

Answer CheckOptions(const Soc& soc, const PlanOptions& options, Regimes* regimes) {
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
  const std::string strategy = options.strategy == nullptr ? "" : options.strategy;
  if (!strategy.empty() && strategy != kWholeRow && strategy != kInPlaceRow) {
    return Refuse(kTilingRefused, "strategy is " + strategy + ": rms_norm_grad has " + kWholeRow +
                                      " and " + kInPlaceRow + "; choose one of them or none");
  }
  // A wish that belongs to one strategy asks for this strategy.
  regimes->whole_row = strategy != kInPlaceRow && options.chunk_cols == 0;
  regimes->in_place_row = strategy != kWholeRow && options.rows_per_tile == 0;
  if (!regimes->whole_row && !regimes->in_place_row) {
    return Refuse(kTilingRefused, std::string("chunk belongs to ") + kInPlaceRow +
                                      " and rows_per_tile to " + kWholeRow +
                                      ": these options ask for both; leave one of them out");
  }
  return Answer{};
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

uint64_t MinimumBytes(const Problem& problem) {
  const uint64_t elems = problem.rows * problem.cols;
  return 3 * elems * SizeOf(problem.dtype) + problem.rows * kFp32Bytes +
         problem.cols * (SizeOf(problem.gamma_dtype) + kFp32Bytes);
}

RmsNormGradTiling FillTiling(const Problem& problem, const Tile& tile, const Layout& layout) {
  const uint32_t cols = static_cast<uint32_t>(problem.cols);
  RmsNormGradTiling tiling = {};
  tiling.rows = problem.rows;
  tiling.cols = cols;
  tiling.rows_per_tile = static_cast<uint32_t>(tile.rows);
  tiling.rows_per_step = static_cast<uint32_t>(tile.step_rows);
  tiling.pitch_cols = static_cast<uint32_t>(PitchCols(cols, problem.dtype));
  tiling.chunk_cols = static_cast<uint32_t>(tile.chunk_cols);
  tiling.rstd_rows = static_cast<uint32_t>(tile.rstd_rows);
  tiling.segment_cols = static_cast<uint32_t>(tile.segment_cols);
  tiling.leaf_pitch = static_cast<uint32_t>(LeafPitch(cols));
  tiling.gamma_is_wide = tile.gamma_is_wide ? 1 : 0;
  tiling.in_buffers = tile.in_buffers;
  tiling.out_buffers = tile.out_buffers;
  tiling.work_arrays = WorkArrays(tile.key, problem.dtype);
  tiling.ub = layout.bytes;
  return tiling;
}

std::vector<PlanField> Fields(const RmsNormGradTiling& tiling) {
  return {{"rows", static_cast<double>(tiling.rows), "rows"},
          {"cols", static_cast<double>(tiling.cols), "cols"},
          {"rows_per_core", static_cast<double>(tiling.rows_per_core), "rows"},
          {"cores_with_one_more", static_cast<double>(tiling.cores_with_one_more), "cores"},
          {"cores", static_cast<double>(tiling.cores), "cores"},
          {"deal_rows", static_cast<double>(tiling.deal_rows), "rows"},
          {"rows_per_tile", static_cast<double>(tiling.rows_per_tile), "rows"},
          {"rows_per_step", static_cast<double>(tiling.rows_per_step), "rows"},
          {"rstd_rows", static_cast<double>(tiling.rstd_rows), "rows"},
          {"pitch_cols", static_cast<double>(tiling.pitch_cols), "cols"},
          {"chunk_cols", static_cast<double>(tiling.chunk_cols), "cols"},
          {"segment_cols", static_cast<double>(tiling.segment_cols), "cols"},
          {"leaf_pitch", static_cast<double>(tiling.leaf_pitch), "elems"},
          {"gamma_is_wide", static_cast<double>(tiling.gamma_is_wide), ""},
          {"in_buffers", static_cast<double>(tiling.in_buffers), "buffers"},
          {"out_buffers", static_cast<double>(tiling.out_buffers), "buffers"},
          {"work_arrays", static_cast<double>(tiling.work_arrays), "buffers"},
          {"dgamma_places", static_cast<double>(tiling.dgamma_places), "buffers"},
          {"partial_slots", static_cast<double>(tiling.partial_slots), "slots"},
          {"partial_pitch_cols", static_cast<double>(tiling.partial_pitch_cols), "cols"},
          {"strip_cols", static_cast<double>(tiling.strip_cols), "cols"},
          {"block_strip_cols", static_cast<double>(tiling.block_strip_cols), "cols"},
          {"partial_buffers", static_cast<double>(tiling.partial_buffers), "buffers"}};
}

void SetTiling(const RmsNormGradTiling& tiling, Plan* plan) {
  plan->tiling.resize(sizeof(tiling));
  std::memcpy(plan->tiling.data(), &tiling, sizeof(tiling));
  plan->fields = Fields(tiling);
}

// `options` are the wishes as they came, before they were cut to what there is.
std::string Reason(const Problem& problem, const Tile& tile, const PlanOptions& options,
                   uint64_t used_bytes, uint32_t ub_bytes) {
  const std::string cols = Count(problem.cols, "column");
  const std::string bytes =
      " (" + WithCommas(used_bytes) + " of " + WithCommas(ub_bytes) + " bytes)";
  if (tile.key == RmsNormGradKey::kDxWholeRow) {
    std::string asked;
    if (options.rows_per_tile != 0) {
      asked = options.rows_per_tile == tile.rows
                  ? ", as asked"
                  : "; " + WithCommas(options.rows_per_tile) + " were asked for, a core has fewer";
    }
    return (tile.rows == 1 ? "one row of " + cols + " fits UB"
                           : WithCommas(tile.rows) + " rows of " + cols + " fit UB together") +
           bytes + asked;
  }
  const uint64_t chunks = CeilDiv(problem.cols, tile.chunk_cols);
  const std::string work = "a row of " + cols + " is read once and worked on in " +
                           Count(chunks, "chunk") + " of " + WithCommas(tile.chunk_cols) +
                           ", dx over x" + bytes;
  const bool asked = options.chunk_cols != 0 || (options.strategy != nullptr && *options.strategy);
  return work + (asked ? ", as asked" : ": its fp32 work arrays do not fit UB whole") +
         (tile.has_lo ? "" : "; dgamma has one accumulator per column: no room for (hi, lo)");
}

Answer DoesNotFit(const Problem& problem, const Regimes& regimes, const PlanOptions& options,
                  uint64_t busiest_rows, uint32_t ub_bytes) {
  std::string asked;
  if (!regimes.whole_row || !regimes.in_place_row) {
    asked += std::string(" in ") + (regimes.whole_row ? kWholeRow : kInPlaceRow);
  }
  if (options.chunk_cols != 0) {
    asked += " with chunks of " + WithCommas(options.chunk_cols);
  }
  if (options.rows_per_tile != 0) {
    asked += " with " + Count(options.rows_per_tile, "row") + " per tile";
  }
  const uint64_t widest = WidestRow(problem, regimes, busiest_rows, ub_bytes, options);
  return Refuse(kTilingRefused, "cols is " + WithCommas(problem.cols) + ": rms_norm_grad takes " +
                                    DtypesText(problem) + " of up to " + WithCommas(widest) +
                                    " columns" + asked + " in " + WithCommas(ub_bytes) +
                                    " bytes of UB; " +
                                    (asked.empty() ? "normalise fewer columns"
                                                   : "normalise fewer columns or ask "
                                                     "for less"));
}

}  // namespace

Answer PlanRmsNormGrad(const Soc& soc, const Problem& problem, const PlanOptions& options,
                       Plan* plan) {
  Regimes regimes = {};
  Answer answer = CheckOptions(soc, options, &regimes);
  if (!answer.ok()) {
    return answer;
  }
  const uint32_t ub_bytes = options.ub_bytes != 0 ? options.ub_bytes : soc.chip->ub_plan_bytes;
  *plan = Plan{};
  plan->ub_limit_bytes = ub_bytes;
  if (problem.cols == 0) {
    plan->strategy = kNothing;
    plan->reason = "no columns: there is nothing to write";
    RmsNormGradTiling tiling = {};
    tiling.rows = problem.rows;
    SetTiling(tiling, plan);
    return answer;
  }
  answer = CheckKernel(soc);
  if (!answer.ok()) {
    return answer;
  }
  if (!IsCountable(problem.rows, problem.cols, problem.dtype)) {
    return Refuse(kTilingRefused, "a tensor of " + Count(problem.rows, "row") + " of " +
                                      Count(problem.cols, "column") +
                                      ": rms_norm_grad counts tensors of up to 2^60 "
                                      "bytes; split the call by rows");
  }

  const Deal deal = DealRows(problem, options, soc.cores);
  PlanOptions wishes = options;
  wishes.rows_per_tile =
      static_cast<uint32_t>(std::min<uint64_t>(wishes.rows_per_tile, deal.busiest_rows));
  Tile tile;
  if (regimes.whole_row) {
    tile = deal.in_groups
               ? WholeRowTileOfGroups(problem, deal.rows, deal.busiest_rows, ub_bytes,
                                      wishes.rows_per_tile)
               : WholeRowTile(problem, deal.busiest_rows, ub_bytes, wishes.rows_per_tile);
  }
  if (!tile.fits && regimes.in_place_row) {
    tile = InPlaceRowTile(problem, ub_bytes, wishes.chunk_cols);
  }
  if (!tile.fits) {
    return DoesNotFit(problem, regimes, wishes, deal.busiest_rows, ub_bytes);
  }

  const Layout layout = PlaceTile(problem, tile);
  RmsNormGradTiling tiling = FillTiling(problem, tile, layout);
  plan->first_phase = layout.budget;
  tiling.dgamma_places = 1;
  // No tile is smaller for the second place, so that it does not show in the bits.
  if (deal.in_groups && plan->first_phase.TotalBytes() + tiling.ub.dgamma_hi <= ub_bytes) {
    plan->first_phase.SetCount("dgamma_hi", 2);
    tiling.dgamma_places = 2;
  }
  PlacePartials(problem, deal, ub_bytes, &tiling, plan);
  for (const UbBudget* phase : {&plan->first_phase, &plan->second_phase}) {
    answer = CheckBudget(*phase, ub_bytes);
    if (!answer.ok()) {
      return answer;
    }
  }
  plan->strategy = tile.key == RmsNormGradKey::kDxWholeRow ? kWholeRow : kInPlaceRow;
  plan->tiling_key = static_cast<uint64_t>(tile.key);
  plan->cores = deal.cores;
  plan->minimum_bytes = MinimumBytes(problem);
  plan->reason = Reason(problem, tile, options, plan->first_phase.TotalBytes(), ub_bytes) +
                 DealText(problem, deal, plan->minimum_bytes);
  if (!tile.has_lo) {
    plan->declared_c += static_cast<double>(deal.RowsOfSum()) / 3;
  }
  SetTiling(tiling, plan);
  return answer;
}

}  // namespace normgrad
