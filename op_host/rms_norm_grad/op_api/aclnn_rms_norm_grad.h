/* RmsNormGrad: the two phases that clients call. The first checks everything and touches no device
   memory; the second puts the work on a stream. Codes: docs/aclnn.md. */
#ifndef NORMGRAD_ACLNN_RMS_NORM_GRAD_H_
#define NORMGRAD_ACLNN_RMS_NORM_GRAD_H_

#include "aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

/* dy, x, dxOut: x.shape, fp32, fp16 or bf16. gamma, dgammaOut: the last axes of x, which are
   normalised; gamma as dy or fp32. rstd (1 / root mean square) and dgammaOut: fp32. */
__attribute__((visibility("default"))) aclnnStatus aclnnRmsNormGradGetWorkspaceSize(
    const aclTensor* dy, const aclTensor* x, const aclTensor* rstd, const aclTensor* gamma,
    const aclTensor* dxOut, const aclTensor* dgammaOut, uint64_t* workspaceSize,
    aclOpExecutor** executor);

__attribute__((visibility("default"))) aclnnStatus aclnnRmsNormGrad(void* workspace,
                                                                    uint64_t workspaceSize,
                                                                    aclOpExecutor* executor,
                                                                    aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif /* NORMGRAD_ACLNN_RMS_NORM_GRAD_H_ */
