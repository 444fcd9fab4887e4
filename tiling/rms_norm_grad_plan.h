// RmsNormGrad on the host: is this call allowed, and how is it cut into pieces. Pure functions of
// their arguments.
#ifndef NORMGRAD_TILING_RMS_NORM_GRAD_PLAN_H_
#define NORMGRAD_TILING_RMS_NORM_GRAD_PLAN_H_

#include "tiling/answer.h"
#include "tiling/chip.h"
#include "tiling/plan.h"
#include "tiling/problem.h"

namespace normgrad {

// One row of the operator's dtype table: dy (also x and dx) and gamma. rstd and dgamma are fp32.
struct RmsNormGradDtypes {
  DType dy;
  DType gamma;
};

// Row `index` of the table of an architecture, null past its end; no row at all: the operator is
// not on this chip.
const RmsNormGradDtypes* RmsNormGradDtypesAt(uint32_t arch, int index);

constexpr int kRmsNormGradTensorCount = 6;  // dy, x, rstd, gamma, dx, dgamma

// `tensors` in the order above. `problem` is written on success only.
Answer CheckRmsNormGrad(const Soc& soc, const TensorDesc* tensors, Problem* problem);

// `plan` is complete on success only. A refusal for want of UB names the largest cols that fit.
Answer PlanRmsNormGrad(const Soc& soc, const Problem& problem, const PlanOptions& options,
                       Plan* plan);

// Whether sizes in bytes can be counted in 64 bits: dy takes at most 2^60 bytes.
bool IsCountable(uint64_t rows, uint64_t cols, DType dtype);

}  // namespace normgrad

#endif  // NORMGRAD_TILING_RMS_NORM_GRAD_PLAN_H_
