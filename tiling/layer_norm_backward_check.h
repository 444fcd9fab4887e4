// The call that clients make of LayerNormGradV3: with a bias beside gamma, which is no tensor of
// the kernel but says in which dtype the sums over rows are wanted.
#ifndef NORMGRAD_TILING_LAYER_NORM_BACKWARD_CHECK_H_
#define NORMGRAD_TILING_LAYER_NORM_BACKWARD_CHECK_H_

#include "tiling/answer.h"
#include "tiling/chip.h"
#include "tiling/problem.h"

namespace normgrad {

// `tensors` as CheckLayerNormGradV3 takes them.
Answer CheckLayerNormBackward(const Soc& soc, const TensorDesc* tensors, const TensorDesc& bias,
                              const Attributes& attributes, Problem* problem);

}  // namespace normgrad

#endif  // NORMGRAD_TILING_LAYER_NORM_BACKWARD_CHECK_H_
