// What a planner answers, whatever the operator: the tiling data for the kernel, and the same plan
// for people (reason, buffers, fields).
#ifndef NORMGRAD_TILING_PLAN_H_
#define NORMGRAD_TILING_PLAN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tiling/ub_budget.h"

namespace normgrad {

// C of the error budget |err| <= 0.5 ulp + C x 2^-24 x (sum of |terms|) that every strategy keeps
// unless it declares another one.
constexpr double kDeclaredC = 4.0;

struct PlanField {
  const char* name;
  double value;
  const char* unit;
};

struct Plan {
  std::string strategy;
  std::string reason;  // why this strategy, one sentence with numbers
  std::string tuned;   // the row of tiling/tuned that it comes from, if any
  uint64_t tiling_key = 0;
  uint32_t cores = 0;  // 0: nothing to launch
  uint32_t ub_limit_bytes = 0;
  uint64_t workspace_bytes = 0;
  uint64_t minimum_bytes = 0;  // each input read once, each output written once
  double declared_c = kDeclaredC;
  std::vector<uint8_t> tiling;    // the operator's tiling struct, byte for byte
  UbBudget first_phase;           // alive while dx is computed
  UbBudget second_phase;          // alive after the pipe's reset, while cores add up dgamma
  std::vector<PlanField> fields;  // of the tiling struct, without its buffer sizes
};

}  // namespace normgrad

#endif  // NORMGRAD_TILING_PLAN_H_
