// How a problem of any operator of the family is cut into pieces.
#ifndef NORMGRAD_TILING_NORM_GRAD_PLAN_H_
#define NORMGRAD_TILING_NORM_GRAD_PLAN_H_

#include "tiling/answer.h"
#include "tiling/chip.h"
#include "tiling/plan.h"
#include "tiling/problem.h"

namespace normgrad {

Answer PlanNormGrad(const Soc& soc, const Problem& problem, const PlanOptions& options, Plan* plan);

}  // namespace normgrad

#endif  // NORMGRAD_TILING_NORM_GRAD_PLAN_H_
