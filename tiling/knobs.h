// The knobs of a plan: which wishes (PlanOptions) a problem leaves open, and in which range. None
// changes the bits of dx. Searching among them is somebody else's work.
#ifndef NORMGRAD_TILING_KNOBS_H_
#define NORMGRAD_TILING_KNOBS_H_

#include <cstdint>
#include <vector>

#include "tiling/answer.h"
#include "tiling/chip.h"
#include "tiling/plan.h"
#include "tiling/problem.h"

namespace normgrad {

// Values from `least` to `most`, each `step` after the last or, where that is 0, twice the last.
struct KnobRange {
  uint32_t least;
  uint32_t most;  // 0: this is no knob here
  uint32_t step;
};

// Of one strategy.
struct Knobs {
  const char* strategy;
  KnobRange rows_per_tile;
  KnobRange chunk_cols;
  KnobRange buffers;
  KnobRange cores;
};

using Planner = Answer (*)(const Soc& soc, const Problem& problem, const PlanOptions& options,
                           Plan* plan);

// The strategies that a problem may take, each with its ranges. A range holds what fits by itself;
// two knobs together may not fit, which the planner says. With det=strong there is one strategy,
// and its tiles are no choice: they decide the order of sums over rows.
std::vector<Knobs> FindKnobs(Planner plan, const Soc& soc, const Problem& problem,
                             const PlanOptions& options);

// The environment variable with which a caller of the aclnn functions, which have no argument for
// them, gives wishes to the planner.
constexpr const char* kKnobsVariable = "NORMGRAD_KNOBS";

// "rows_per_tile=4,buffers=3" into wishes; null and "" are none. "tuned=off" looks no tuned plan
// up.
Answer ReadKnobs(const char* text, PlanOptions* options);

}  // namespace normgrad

#endif  // NORMGRAD_TILING_KNOBS_H_
