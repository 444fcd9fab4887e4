#include "tiling/knobs.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "tiling/align.h"
#include "tiling/norm_grad_tile.h"
#include "tiling/norm_grad_words.h"
#include "tiling/search.h"

namespace normgrad {
namespace {

constexpr uint32_t kMostChunkCols = 8 * kLeafCols;
constexpr uint32_t kMostTogether = 8;  // rows of a tile that cuts them
constexpr KnobRange kNoKnob = {0, 0, 0};

struct Asked {
  Planner plan;
  const Soc& soc;
  const Problem& problem;
  PlanOptions options;
};

using Wish = uint32_t PlanOptions::*;

bool Fits(Asked asked, Wish wish, uint64_t value) {
  asked.options.*wish = static_cast<uint32_t>(value);
  Plan plan;
  return asked.plan(asked.soc, asked.problem, asked.options, &plan).ok();
}

// The values of a wish that fit by themselves, up to `most`.
KnobRange RangeOf(const Asked& asked, Wish wish, uint32_t least, uint64_t most, uint32_t step) {
  uint64_t best = 0;
  if (step == 0) {
    for (uint64_t value = least; value <= most; value *= 2) {
      best = Fits(asked, wish, value) ? value : best;
    }
  } else {
    const uint64_t count = most < least ? 0 : (most - least) / step + 1;
    const uint64_t fit = Largest(count, [&](uint64_t candidate) {
      return Fits(asked, wish, least + (candidate - 1) * step);
    });
    best = fit == 0 ? 0 : least + (fit - 1) * step;
  }
  return best == 0 ? kNoKnob : KnobRange{least, static_cast<uint32_t>(best), step};
}

Knobs KnobsOf(NormGradKey key, const Asked& asked) {
  const uint64_t rows =
      std::max<uint64_t>(1, CeilDiv(asked.problem.rows, std::max<uint64_t>(1, asked.soc.cores)));
  const uint64_t cols = AlignUp(asked.problem.cols, kLeafCols);
  Knobs knobs = {NameOf(key), kNoKnob, kNoKnob, kNoKnob, kNoKnob};
  switch (key) {
    case NormGradKey::kDxWholeRow:
      knobs.rows_per_tile =
          RangeOf(asked, &PlanOptions::rows_per_tile, 1, std::min<uint64_t>(rows, kMaxCopyRows), 1);
      break;
    case NormGradKey::kDxInPlaceRow:
      knobs.chunk_cols = RangeOf(asked, &PlanOptions::chunk_cols, kLeafCols,
                                 std::min<uint64_t>(cols, kMostChunkCols), kLeafCols);
      break;
    case NormGradKey::kDxSplitRow:
    case NormGradKey::kDxFewRows: {
      const bool is_shared = key == NormGradKey::kDxFewRows;
      const uint64_t together = is_shared ? asked.problem.rows : rows;
      knobs.rows_per_tile = RangeOf(asked, &PlanOptions::rows_per_tile, 1,
                                    std::min<uint64_t>(together, kMostTogether), 0);
      knobs.chunk_cols =
          RangeOf(asked, &PlanOptions::chunk_cols, kLeafCols,
                  std::min<uint64_t>(cols, kMostChunkCols), is_shared ? uint32_t{kLeafCols} : 0);
      break;
    }
  }
  return knobs;
}

KnobRange BuffersOf(NormGradKey key, const Asked& asked) {
  uint32_t least = 0;
  uint32_t most = 0;
  for (uint64_t count = 1; count <= kOwnEvents; ++count) {
    const uint32_t value = static_cast<uint32_t>(count);
    if (value >= LeastBuffers(key) && Fits(asked, &PlanOptions::buffers, value)) {
      least = least == 0 ? value : least;
      most = value;
    }
  }
  return most == 0 ? kNoKnob : KnobRange{least, most, 1};
}

// A number of ASCII digits; 0: it is none.
uint32_t ReadNumber(const std::string& text) {
  constexpr size_t kMostDigits = 9;
  const bool is_number = !text.empty() && text.size() <= kMostDigits &&
                         text.find_first_not_of("0123456789") == std::string::npos;
  return is_number ? static_cast<uint32_t>(std::atoi(text.c_str())) : 0;
}

Answer ReadKnob(const std::string& word, PlanOptions* options) {
  const struct {
    const char* name;
    Wish wish;
  } numbers[] = {{"rows_per_tile", &PlanOptions::rows_per_tile},
                 {"chunk", &PlanOptions::chunk_cols},
                 {"buffers", &PlanOptions::buffers},
                 {"cores", &PlanOptions::cores},
                 {"ub", &PlanOptions::ub_bytes}};
  const size_t at = word.find('=');
  const std::string name = word.substr(0, at);
  const std::string value = at == std::string::npos ? "" : word.substr(at + 1);
  if (name == "tuned" && value == "off") {
    options->tuned = TunedUse::kIgnore;
    return Answer{};
  }
  if (name == "strategy") {
    for (const NormGradKey key : kStrategies) {
      if (value == NameOf(key)) {
        options->strategy = NameOf(key);
        return Answer{};
      }
    }
  }
  for (const auto& number : numbers) {
    if (name == number.name && ReadNumber(value) != 0) {
      options->*number.wish = ReadNumber(value);
      return Answer{};
    }
  }
  return Refuse(kTilingRefused, "the knob " + word +
                                    " is not understood: write strategy=NAME, tuned=off, or "
                                    "rows_per_tile=, chunk=, buffers=, cores= or ub= with a whole "
                                    "number");
}

}  // namespace

std::vector<Knobs> FindKnobs(Planner plan, const Soc& soc, const Problem& problem,
                             const PlanOptions& options) {
  Asked asked = {plan, soc, problem, options};
  asked.options.tuned = TunedUse::kIgnore;
  std::vector<Knobs> found;
  Plan made;
  if (!plan(soc, problem, asked.options, &made).ok() || made.cores == 0) {
    return found;
  }
  const bool is_strong = options.det_strong != 0;
  for (const NormGradKey key : kStrategies) {
    if (is_strong && made.strategy != NameOf(key)) {
      continue;
    }
    asked.options.strategy = is_strong ? options.strategy : NameOf(key);
    if (!plan(soc, problem, asked.options, &made).ok()) {
      continue;
    }
    Knobs knobs = {NameOf(key), kNoKnob, kNoKnob, kNoKnob, kNoKnob};
    if (!is_strong) {
      knobs = KnobsOf(key, asked);
    }
    knobs.buffers = BuffersOf(key, asked);
    // Rows are shared where there are fewer of them than cores.
    const uint64_t least = key == NormGradKey::kDxFewRows ? problem.rows + 1 : 1;
    knobs.cores = RangeOf(asked, &PlanOptions::cores, static_cast<uint32_t>(least), soc.cores, 1);
    found.push_back(knobs);
  }
  return found;
}

Answer ReadKnobs(const char* text, PlanOptions* options) {
  std::string left = text == nullptr ? "" : text;
  while (!left.empty()) {
    const size_t at = left.find(',');
    const Answer answer = ReadKnob(left.substr(0, at), options);
    if (!answer.ok()) {
      return answer;
    }
    left = at == std::string::npos ? "" : left.substr(at + 1);
  }
  return Answer{};
}

}  // namespace normgrad
