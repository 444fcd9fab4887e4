#include "tiling/norm_grad_words.h"

#include <algorithm>

#include "tiling/align.h"
#include "tiling/search.h"

namespace normgrad {
namespace {

constexpr uint32_t kRowsOfBlock = 8;
constexpr uint32_t kMostChunkLeaves = 8;

// "DxInPlaceRow, DxSplitRow and DxFewRows", of the strategies that are not `left_out`.
std::string Names(const char* last_word, NormGradKey first) {
  std::string text;
  for (const NormGradKey key : kStrategies) {
    if (key >= first) {
      const bool is_last = key == kStrategies[sizeof(kStrategies) / sizeof(kStrategies[0]) - 1];
      text += text.empty() ? "" : (is_last ? std::string(" ") + last_word + " " : ", ");
      text += NameOf(key);
    }
  }
  return text;
}

bool IsPowerOfTwo(uint64_t value) { return (value & (value - 1)) == 0; }

// "bf16 with bf16 gamma"
std::string DtypesText(const Problem& problem) {
  const bool has_gamma = problem.gamma_dtype != DType::kUndefined;
  return std::string(NameOf(problem.dtype)) +
         (has_gamma ? std::string(" with ") + NameOf(problem.gamma_dtype) + " gamma"
                    : std::string(" without gamma"));
}

bool HasWish(const PlanOptions& options) {
  return options.chunk_cols != 0 || options.rows_per_tile != 0 || options.buffers != 0 ||
         (options.strategy != nullptr && *options.strategy != '\0');
}

const char* AsAsked(const PlanOptions& options) {
  return options.tuned == TunedUse::kFrom ? ", as tuned" : ", as asked";
}

// What a strategy that cuts rows can not do.
Answer CheckCut(const Problem& problem, const PlanOptions& options, NormGradKey key) {
  const std::string name = NameOf(key);
  if (problem.cols <= kLeafCols && problem.cols != 0) {
    return Refuse(kTilingRefused, "strategy is " + name + ": a row of " +
                                      Count(problem.cols, "column") +
                                      " is not cut, since leaves have 512; choose " +
                                      NameOf(NormGradKey::kDxWholeRow));
  }
  const uint32_t rows = options.rows_per_tile;
  if (rows % kRowsOfBlock != 0 && (rows > kRowsOfBlock || !IsPowerOfTwo(rows))) {
    return Refuse(kTilingRefused, "rows_per_tile is " + WithCommas(rows) + ": " + name +
                                      " takes 1, 2, 4 or a multiple of 8 rows; choose " +
                                      WithCommas(AlignUp(rows, kRowsOfBlock)));
  }
  const uint32_t leaves = options.chunk_cols / kLeafCols;
  const bool is_split = key == NormGradKey::kDxSplitRow;
  if (leaves > kMostChunkLeaves || (is_split && !IsPowerOfTwo(leaves))) {
    return Refuse(kTilingRefused,
                  "chunk is " + WithCommas(options.chunk_cols) + ": " + name + " takes " +
                      (is_split ? "512, 1,024, 2,048 or 4,096 columns, whose sum is "
                                  "a subtree of the row's"
                                : "up to 4,096 columns") +
                      "; choose fewer");
  }
  return Answer{};
}

std::string FewReason(const Problem& problem, const Tile& tile, const PlanOptions& options,
                      const std::string& bytes) {
  const uint64_t cores = tile.row_groups * tile.col_groups;
  const std::string asked = HasWish(options) ? AsAsked(options)
                                             : ": " + Count(problem.rows, "core") +
                                                   " with whole rows would have more to do";
  return WithCommas(cores) + " cores form " + WithCommas(tile.row_groups) + " x " +
         WithCommas(tile.col_groups) + " groups of rows and columns; the busiest has " +
         Count(tile.group_rows, "row") + " of " + Count(tile.block_cols, "column") + ", read " +
         (tile.is_resident ? "once" : "twice") + bytes + asked;
}

Answer DoesNotShare(const Problem& problem, uint32_t cores, uint32_t ub_bytes) {
  const std::string name = NameOf(NormGradKey::kDxFewRows);
  if (problem.rows == 0 || problem.rows >= cores) {
    return Refuse(kTilingRefused, "rows is " + WithCommas(problem.rows) + ": " + name +
                                      " takes 1 to " + WithCommas(cores - 1) + " rows on " +
                                      Count(cores, "core") + "; choose another strategy or none");
  }
  return Refuse(kTilingRefused, "ub is " + WithCommas(ub_bytes) + ": " + name + " takes " +
                                    Count(problem.rows, "row") + " of " +
                                    Count(problem.cols, "column") +
                                    " in more; allow more or ask for less");
}

std::string SplitReason(const Problem& problem, const Tile& tile, const PlanOptions& options,
                        const std::string& bytes) {
  const std::string groups =
      tile.groups == 1 ? "" : ", " + WithCommas(tile.group_rows) + " rows at a time";
  return "a row of " + Count(problem.cols, "column") + " is read " +
         (tile.is_resident ? "once" : "twice") + " in tiles of " + Count(tile.rows, "row") +
         " by " + WithCommas(tile.chunk_cols) + " columns" + groups + bytes +
         (HasWish(options)   ? AsAsked(options)
          : tile.is_resident ? ": a core has so few rows that they stay in UB"
                             : ": it does not fit UB whole");
}

}  // namespace

const char* NameOf(NormGradKey key) {
  switch (key) {
    case NormGradKey::kDxWholeRow:
      return "DxWholeRow";
    case NormGradKey::kDxInPlaceRow:
      return "DxInPlaceRow";
    case NormGradKey::kDxSplitRow:
      return "DxSplitRow";
    case NormGradKey::kDxFewRows:
      return "DxFewRows";
  }
  return "";
}

std::string Count(uint64_t count, const std::string& unit) {
  return WithCommas(count) + " " + unit + (count == 1 ? "" : "s");
}

Answer CheckStrategy(const Problem& problem, const PlanOptions& options, Regimes* regimes) {
  const std::string strategy = options.strategy == nullptr ? "" : options.strategy;
  const bool is_free = strategy.empty();
  const bool asks_chunk = options.chunk_cols != 0;
  const bool asks_rows = options.rows_per_tile != 0;
  const auto open = [&](NormGradKey key) { return is_free || strategy == NameOf(key); };
  regimes->whole_row = open(NormGradKey::kDxWholeRow);
  regimes->in_place_row = open(NormGradKey::kDxInPlaceRow);
  regimes->split_row = open(NormGradKey::kDxSplitRow);
  regimes->few_rows = open(NormGradKey::kDxFewRows);
  if (!regimes->whole_row && !regimes->in_place_row && !regimes->split_row && !regimes->few_rows) {
    return Refuse(kTilingRefused, "strategy is " + strategy + ": " + OpName(problem) + " has " +
                                      Names("and", NormGradKey::kDxWholeRow) +
                                      "; choose one of them or none");
  }
  if (is_free) {
    // A wish that belongs to some strategies asks for these.
    regimes->whole_row = !asks_chunk;
    regimes->in_place_row = !asks_rows;
    regimes->few_rows = !asks_rows && !asks_chunk && problem.cols > kLeafCols;
    regimes->split_row = !asks_rows && CheckCut(problem, options, NormGradKey::kDxSplitRow).ok();
    if (options.buffers != 0 && options.det_strong + problem.by_element == 0) {
      const auto takes = [&](NormGradKey key) {
        return TakesBuffers(problem, key, options.buffers);
      };
      regimes->whole_row = regimes->whole_row && takes(NormGradKey::kDxWholeRow);
      regimes->in_place_row = regimes->in_place_row && takes(NormGradKey::kDxInPlaceRow);
      regimes->few_rows = regimes->few_rows && takes(NormGradKey::kDxFewRows);
      regimes->split_row = regimes->split_row && takes(NormGradKey::kDxSplitRow);
    }
    if (asks_chunk && asks_rows) {
      return Refuse(kTilingRefused, "chunk and rows_per_tile together belong to " +
                                        Names("and", NormGradKey::kDxSplitRow) +
                                        ": no strategy is named; name one or leave one option out");
    }
    return Answer{};
  }
  for (const NormGradKey key : kStrategies) {
    if (strategy == NameOf(key) && options.buffers != 0 &&
        !TakesBuffers(problem, key, options.buffers)) {
      return Refuse(kTilingRefused, "buffers is " + WithCommas(options.buffers) + ": " + strategy +
                                        " takes " + WithCommas(LeastBuffers(key)) + " to " +
                                        WithCommas(MostBuffers(problem, key)) +
                                        "; choose a value in this range");
    }
  }
  if (regimes->whole_row && asks_chunk) {
    return Refuse(kTilingRefused, "chunk is " + WithCommas(options.chunk_cols) + ": " + strategy +
                                      " does not cut rows; leave it out or choose " +
                                      Names("or", NormGradKey::kDxInPlaceRow));
  }
  if (regimes->in_place_row && asks_rows) {
    return Refuse(kTilingRefused, "rows_per_tile is " + WithCommas(options.rows_per_tile) + ": " +
                                      strategy + " works on one row; leave it out or choose " +
                                      NameOf(NormGradKey::kDxWholeRow) + " or " +
                                      Names("or", NormGradKey::kDxSplitRow));
  }
  if (regimes->split_row) {
    return CheckCut(problem, options, NormGradKey::kDxSplitRow);
  }
  return regimes->few_rows ? CheckCut(problem, options, NormGradKey::kDxFewRows) : Answer{};
}

std::string ReasonOf(const Problem& problem, const Tile& tile, const PlanOptions& options,
                     uint64_t used_bytes, uint32_t ub_bytes) {
  const std::string cols = Count(problem.cols, "column");
  const std::string bytes =
      " (" + WithCommas(used_bytes) + " of " + WithCommas(ub_bytes) + " bytes)";
  if (tile.key == NormGradKey::kDxWholeRow) {
    std::string asked;
    if (options.rows_per_tile != 0) {
      asked = options.rows_per_tile == tile.rows
                  ? AsAsked(options)
                  : "; " + WithCommas(options.rows_per_tile) + " were asked for, a core has fewer";
    }
    return (tile.rows == 1 ? "one row of " + cols + " fits UB"
                           : WithCommas(tile.rows) + " rows of " + cols + " fit UB together") +
           bytes + asked;
  }
  const uint64_t chunks = CeilDiv(problem.cols, tile.chunk_cols);
  if (tile.key == NormGradKey::kDxSplitRow) {
    return SplitReason(problem, tile, options, bytes);
  }
  if (tile.key == NormGradKey::kDxFewRows) {
    return FewReason(problem, tile, options, bytes);
  }
  const std::string work = "a row of " + cols + " is read once and worked on in " +
                           Count(chunks, "chunk") + " of " + WithCommas(tile.chunk_cols) +
                           ", dx over x" + bytes;
  const bool asked = HasWish(options);
  return work +
         (asked                       ? AsAsked(options)
          : problem.in_registers != 0 ? ": two rows and dx of two do not fit UB"
                                      : ": its fp32 work arrays do not fit UB whole") +
         (tile.has_lo || !tile.needs_lo
              ? ""
              : "; dgamma has one accumulator per column: no room for (hi, lo)");
}

Answer TooManyColumns(const Problem& problem, uint64_t most) {
  return Refuse(kTilingRefused, "cols is " + WithCommas(problem.cols) + ": " + OpName(problem) +
                                    " takes rows of up to " + WithCommas(most) +
                                    " columns; normalise fewer columns");
}

Answer DoesNotFit(const Problem& problem, const Regimes& regimes, const Deal& deal,
                  const PlanOptions& options, uint32_t ub_bytes) {
  std::string asked;
  if (options.chunk_cols != 0) {
    asked += " with chunks of " + WithCommas(options.chunk_cols);
  }
  if (options.rows_per_tile != 0) {
    asked += " with " + Count(options.rows_per_tile, "row") + " per tile";
  }
  if (options.buffers != 0) {
    asked += " with " + Count(options.buffers, "buffer");
  }
  if (regimes.split_row) {
    // The width does not matter, UB does.
    const uint64_t most = uint64_t{1} << 31;
    const uint64_t too_few = Largest(most, [&](uint64_t bytes) {
      return !SplitRowTile(problem, deal, static_cast<uint32_t>(bytes), options.rows_per_tile,
                           options.chunk_cols, options.buffers)
                  .fits;
    });
    return Refuse(kTilingRefused, "cols is " + WithCommas(problem.cols) + " and ub is " +
                                      WithCommas(ub_bytes) + ": " + OpName(problem) + " takes " +
                                      DtypesText(problem) + " of any width" + asked + " in " +
                                      WithCommas(too_few + 1) + " bytes of UB or more; allow more" +
                                      (asked.empty() ? "" : " or ask for less"));
  }
  if (regimes.few_rows && !regimes.whole_row) {
    return DoesNotShare(problem, deal.most_cores, ub_bytes);
  }
  if (!regimes.whole_row || !regimes.in_place_row) {
    asked = std::string(" in ") +
            NameOf(regimes.whole_row ? NormGradKey::kDxWholeRow : NormGradKey::kDxInPlaceRow) +
            asked;
  }
  PlanOptions wishes = options;
  wishes.rows_per_tile =
      static_cast<uint32_t>(std::min<uint64_t>(wishes.rows_per_tile, deal.busiest_rows));
  const uint64_t widest = WidestRow(problem, regimes, deal.busiest_rows, ub_bytes, wishes);
  return Refuse(kTilingRefused, "cols is " + WithCommas(problem.cols) + ": " + OpName(problem) +
                                    " takes " + DtypesText(problem) + " of up to " +
                                    WithCommas(widest) + " columns" + asked + " in " +
                                    WithCommas(ub_bytes) +
                                    " bytes of UB; normalise fewer columns or ask for less");
}

}  // namespace normgrad
