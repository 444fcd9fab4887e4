// LayerNormGradV3 on the host: is this call allowed, and how is it cut into pieces. Pure functions
// of their arguments.
#ifndef NORMGRAD_TILING_LAYER_NORM_GRAD_V3_PLAN_H_
#define NORMGRAD_TILING_LAYER_NORM_GRAD_V3_PLAN_H_

#include "tiling/answer.h"
#include "tiling/check.h"
#include "tiling/chip.h"
#include "tiling/plan.h"
#include "tiling/problem.h"

namespace normgrad {

// Row `index` of the table of an architecture, null past its end. Beside each row rstd and mean are
// in the dtype of dy or in fp32.
const DtypePair* LayerNormGradV3DtypesAt(uint32_t arch, int index);

constexpr int kLayerNormGradV3TensorCount = 8;  // dy, x, rstd, mean, gamma, dx, dgamma, dbeta

// `tensors` in the order above; of `attributes` the normalised shape and the output mask. `problem`
// is written on success only.
Answer CheckLayerNormGradV3(const Soc& soc, const TensorDesc* tensors, const Attributes& attributes,
                            Problem* problem);

// `plan` is complete on success only. What the mask leaves out changes nothing but what is done:
// the outputs that are asked for have the same bits.
Answer PlanLayerNormGradV3(const Soc& soc, const Problem& problem, const PlanOptions& options,
                           Plan* plan);

}  // namespace normgrad

#endif  // NORMGRAD_TILING_LAYER_NORM_GRAD_V3_PLAN_H_
