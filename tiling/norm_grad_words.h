// What the planner of the family says to people: names of strategies, which of them a caller's
// wishes leave open, why a plan is as it is, why there is none.
#ifndef NORMGRAD_TILING_NORM_GRAD_WORDS_H_
#define NORMGRAD_TILING_NORM_GRAD_WORDS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tiling/answer.h"
#include "tiling/norm_grad_tile.h"
#include "tiling/plan.h"
#include "tiling/problem.h"

namespace normgrad {

constexpr NormGradKey kStrategies[] = {NormGradKey::kDxWholeRow, NormGradKey::kDxInPlaceRow,
                                       NormGradKey::kDxSplitRow, NormGradKey::kDxFewRows};

const char* NameOf(NormGradKey key);

// "1 column", "1,024 columns"
std::string Count(uint64_t count, const std::string& unit);

// Refuses a strategy that does not exist and wishes that contradict each other.
Answer CheckStrategy(const Problem& problem, const PlanOptions& options, Regimes* regimes);

// `options` are the wishes as they came, before they were cut to what there is.
std::string ReasonOf(const Problem& problem, const Tile& tile, const PlanOptions& options,
                     uint64_t used_bytes, uint32_t ub_bytes);

// The tiling data by name, without its buffer sizes.
std::vector<PlanField> Fields(const NormGradTiling& tiling);

Answer DoesNotFit(const Problem& problem, const Regimes& regimes, const Deal& deal,
                  const PlanOptions& options, uint32_t ub_bytes);
Answer TooManyColumns(const Problem& problem, uint64_t most);

}  // namespace normgrad

#endif  // NORMGRAD_TILING_NORM_GRAD_WORDS_H_
