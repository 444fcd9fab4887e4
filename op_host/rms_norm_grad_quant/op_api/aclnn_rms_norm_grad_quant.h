/* RmsNormGradQuant: the two phases that clients call. The first checks everything and touches no
   device memory; the second puts the work on a stream. Codes: docs/aclnn.md. */
#ifndef NORMGRAD_ACLNN_RMS_NORM_GRAD_QUANT_H_
#define NORMGRAD_ACLNN_RMS_NORM_GRAD_QUANT_H_

#ifndef __cplusplus
#include <stdbool.h>
#endif

#include "aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

/* dy, x: fp32, fp16 or bf16. gamma, dgammaOut: the last axes of x, which are normalised; gamma as
   dy or fp32. rstd (1 / root mean square) and dgammaOut: fp32. scalesX: one value, as dy or fp32;
   offsetXOptional: null, or one int32. quantMode: "static". dxOut: x.shape, int8 or hifloat8, which
   is round(dx / scale + offset), or with divMode false round(dx * scale + offset). */
__attribute__((visibility("default"))) aclnnStatus aclnnRmsNormGradQuantGetWorkspaceSize(
    const aclTensor* dy, const aclTensor* x, const aclTensor* rstd, const aclTensor* gamma,
    const aclTensor* scalesX, const aclTensor* offsetXOptional, const char* quantMode, bool divMode,
    aclTensor* dxOut, aclTensor* dgammaOut, uint64_t* workspaceSize, aclOpExecutor** executor);

__attribute__((visibility("default"))) aclnnStatus aclnnRmsNormGradQuant(void* workspace,
                                                                         uint64_t workspaceSize,
                                                                         aclOpExecutor* executor,
                                                                         aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif /* NORMGRAD_ACLNN_RMS_NORM_GRAD_QUANT_H_ */
