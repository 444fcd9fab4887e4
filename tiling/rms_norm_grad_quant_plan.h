// RmsNormGradQuant on the host: is this call allowed, and how is it cut into pieces. Pure functions
// of their arguments.
#ifndef NORMGRAD_TILING_RMS_NORM_GRAD_QUANT_PLAN_H_
#define NORMGRAD_TILING_RMS_NORM_GRAD_QUANT_PLAN_H_

#include "tiling/answer.h"
#include "tiling/check.h"
#include "tiling/chip.h"
#include "tiling/plan.h"
#include "tiling/problem.h"

namespace normgrad {

// Row `index` of the table of an architecture, null past its end; no row at all: the operator is
// not on this chip. Beside each row the scale is in the dtype of dy or in fp32, and dx in int8 or
// hif8.
const DtypePair* RmsNormGradQuantDtypesAt(uint32_t arch, int index);

// dy, x, rstd, gamma, scales_x, offset_x, dx, dgamma
constexpr int kRmsNormGradQuantTensorCount = 8;

// `tensors` in the order above, of which offset_x may be null; of `attributes` those of the
// quantisation. `problem` is written on success only.
Answer CheckRmsNormGradQuant(const Soc& soc, const TensorDesc* tensors,
                             const Attributes& attributes, Problem* problem);

// `plan` is complete on success only. It is RmsNormGrad's, with a dx of one byte an element.
Answer PlanRmsNormGradQuant(const Soc& soc, const Problem& problem, const PlanOptions& options,
                            Plan* plan);

}  // namespace normgrad

#endif  // NORMGRAD_TILING_RMS_NORM_GRAD_QUANT_PLAN_H_
