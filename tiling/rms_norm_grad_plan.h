// RmsNormGrad on the host: is this call allowed, and how is it cut into pieces. Pure functions of
// their arguments.
#ifndef NORMGRAD_TILING_RMS_NORM_GRAD_PLAN_H_
#define NORMGRAD_TILING_RMS_NORM_GRAD_PLAN_H_

#include "tiling/answer.h"
#include "tiling/check.h"
#include "tiling/chip.h"
#include "tiling/plan.h"
#include "tiling/problem.h"

namespace normgrad {

// Row `index` of the table of an architecture, null past its end; no row at all: the operator is
// not on this chip.
const DtypePair* RmsNormGradDtypesAt(uint32_t arch, int index);

constexpr int kRmsNormGradTensorCount = 6;  // dy, x, rstd, gamma, dx, dgamma

// The problem with what no caller of RmsNormGrad chooses, quantised or not.
Problem OfRmsNormGrad(Problem problem);

// `tensors` in the order above. `problem` is written on success only.
Answer CheckRmsNormGrad(const Soc& soc, const TensorDesc* tensors, const Attributes& attributes,
                        Problem* problem);

// `plan` is complete on success only. A refusal for want of UB names the largest cols that fit.
Answer PlanRmsNormGrad(const Soc& soc, const Problem& problem, const PlanOptions& options,
                       Plan* plan);

}  // namespace normgrad

#endif  // NORMGRAD_TILING_RMS_NORM_GRAD_PLAN_H_
