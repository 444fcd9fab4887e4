/* LayerNormBackward: the two phases that clients call. The first checks everything and touches no
   device memory; the second puts the work on a stream. Codes: docs/aclnn.md. */
#ifndef NORMGRAD_ACLNN_LAYER_NORM_BACKWARD_H_
#define NORMGRAD_ACLNN_LAYER_NORM_BACKWARD_H_

#include "aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

/* normalizedShape: the last axes of input. mean, rstd: one value per row. outputMask: three
   booleans, which of the outputs are asked for; the others may be null. */
__attribute__((visibility("default"))) aclnnStatus aclnnLayerNormBackwardGetWorkspaceSize(
    const aclTensor* gradOut, const aclTensor* input, const aclIntArray* normalizedShape,
    const aclTensor* mean, const aclTensor* rstd, const aclTensor* weightOptional,
    const aclTensor* biasOptional, const aclBoolArray* outputMask, aclTensor* gradInputOut,
    aclTensor* gradWeightOut, aclTensor* gradBiasOut, uint64_t* workspaceSize,
    aclOpExecutor** executor);

__attribute__((visibility("default"))) aclnnStatus aclnnLayerNormBackward(void* workspace,
                                                                          uint64_t workspaceSize,
                                                                          aclOpExecutor* executor,
                                                                          aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif /* NORMGRAD_ACLNN_LAYER_NORM_BACKWARD_H_ */
