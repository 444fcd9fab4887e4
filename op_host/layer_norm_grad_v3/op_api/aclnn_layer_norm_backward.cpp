// Both phases of aclnnLayerNormBackward, which is the API of LayerNormGradV3. What is allowed is
// decided by CheckLayerNormBackward; an output that the mask leaves out is none for the kernel.
#include "op_host/layer_norm_grad_v3/op_api/aclnn_layer_norm_backward.h"

#include <vector>

#include "aclnn_kernels/contiguous.h"
#include "op_host/common/call.h"
#include "opdev/make_op_executor.h"
#include "opdev/op_dfx.h"
#include "opdev/op_log.h"
#include "tiling/layer_norm_backward_check.h"

namespace l0op {

OP_TYPE_REGISTER(LayerNormGradV3);

aclnnStatus LayerNormGradV3(const aclTensor* dy, const aclTensor* x, const aclTensor* rstd,
                            const aclTensor* mean, const aclTensor* gamma, const aclTensor* dx,
                            const aclTensor* dgamma, const aclTensor* dbeta,
                            const aclBoolArray* output_mask, const aclIntArray* normalized_shape,
                            aclOpExecutor* executor) {
  L0_DFX(LayerNormGradV3, dy, x, rstd, mean, gamma, dx, dgamma, dbeta, output_mask,
         normalized_shape);
  return ADD_TO_LAUNCHER_LIST_AICORE(LayerNormGradV3, OP_INPUT(dy, x, rstd, mean, gamma),
                                     OP_OUTPUT(dx, dgamma, dbeta),
                                     OP_ATTR(output_mask, normalized_shape));
}

}  // namespace l0op

namespace {

constexpr const char* kNames[] = {"dy", "x",      "rstd",  "mean", "gamma",
                                  "dx", "dgamma", "dbeta", "bias"};
constexpr size_t kInputs = 5;
constexpr size_t kDx = 5;
constexpr size_t kBias = 8;

// `tensors` in the order of the names.
normgrad::Answer Check(const std::vector<const aclTensor*>& tensors,
                       const normgrad::Attributes& attributes, normgrad::Problem* problem) {
  const normgrad::Soc* soc = nullptr;
  normgrad::Answer answer = normgrad::FindCallersSoc(&soc);
  if (answer.ok()) {
    answer =
        normgrad::CheckLayerNormBackward(*soc, normgrad::Describe(tensors).data(),
                                         normgrad::Describe(tensors[kBias]), attributes, problem);
  }
  return answer.ok() ? normgrad::CheckFormats(tensors, kNames) : answer;
}

// What the mask leaves out is not looked at.
const aclTensor* Wanted(const aclTensor* out, const aclBoolArray* mask, uint64_t at) {
  return mask == nullptr || at >= mask->Size() || (*mask)[at] ? out : nullptr;
}

aclnnStatus AddZeros(const std::vector<const aclTensor*>& sums, aclOpExecutor* executor) {
  for (const aclTensor* sum : sums) {
    CHECK_RET(sum == nullptr || normgrad::DeliverZeros(sum, executor), ACLNN_ERR_INNER_NULLPTR);
  }
  return ACLNN_SUCCESS;
}

aclnnStatus AddKernel(const std::vector<const aclTensor*>& tensors,
                      const normgrad::Problem& problem, const aclIntArray* normalized_shape,
                      const aclBoolArray* mask, aclOpExecutor* executor) {
  std::vector<const aclTensor*> dense;
  for (size_t i = 0; i < kInputs; ++i) {
    dense.push_back(tensors[i] == nullptr ? nullptr : l0op::Contiguous(tensors[i], executor));
    CHECK_RET(tensors[i] == nullptr || dense[i] != nullptr, ACLNN_ERR_INNER_NULLPTR);
  }
  for (size_t i = kInputs; i < kBias; ++i) {
    dense.push_back(
        tensors[i] != nullptr
            ? normgrad::OutputFor(tensors[i], executor)
            : normgrad::Unwanted(i == kDx ? problem.dtype : problem.sums_dtype, executor));
    CHECK_RET(dense[i] != nullptr, ACLNN_ERR_INNER_NULLPTR);
  }
  const aclnnStatus status =
      l0op::LayerNormGradV3(dense[0], dense[1], dense[2], dense[3], dense[4], dense[5], dense[6],
                            dense[7], mask, normalized_shape, executor);
  CHECK_RET(status == ACLNN_SUCCESS, status);
  for (size_t i = kInputs; i < kBias; ++i) {
    CHECK_RET(tensors[i] == nullptr || normgrad::Deliver(dense[i], tensors[i], executor),
              ACLNN_ERR_INNER_NULLPTR);
  }
  return ACLNN_SUCCESS;
}

}  // namespace

extern "C" {

aclnnStatus aclnnLayerNormBackwardGetWorkspaceSize(
    const aclTensor* gradOut, const aclTensor* input, const aclIntArray* normalizedShape,
    const aclTensor* mean, const aclTensor* rstd, const aclTensor* weightOptional,
    const aclTensor* biasOptional, const aclBoolArray* outputMask, aclTensor* gradInputOut,
    aclTensor* gradWeightOut, aclTensor* gradBiasOut, uint64_t* workspaceSize,
    aclOpExecutor** executor) {
  L2_DFX_PHASE_1(
      aclnnLayerNormBackward,
      DFX_IN(gradOut, input, normalizedShape, mean, rstd, weightOptional, biasOptional, outputMask),
      DFX_OUT(gradInputOut, gradWeightOut, gradBiasOut));
  const std::vector<const aclTensor*> tensors = {gradOut,
                                                 input,
                                                 rstd,
                                                 mean,
                                                 weightOptional,
                                                 Wanted(gradInputOut, outputMask, 0),
                                                 Wanted(gradWeightOut, outputMask, 1),
                                                 Wanted(gradBiasOut, outputMask, 2),
                                                 biasOptional};
  normgrad::Problem problem = {};
  const normgrad::Answer answer =
      Check(tensors, normgrad::Describe(normalizedShape, outputMask), &problem);
  if (!answer.ok()) {
    return normgrad::Refused(answer);
  }
  auto made = CREATE_EXECUTOR();
  CHECK_RET(made.get() != nullptr, ACLNN_ERR_INNER_CREATE_EXECUTOR);
  if (problem.cols != 0 && problem.outputs != 0) {
    const aclnnStatus status =
        problem.rows == 0 ? AddZeros({tensors[6], tensors[7]}, made.get())
                          : AddKernel(tensors, problem, normalizedShape, outputMask, made.get());
    CHECK_RET(status == ACLNN_SUCCESS, status);
  }
  *workspaceSize = made->GetWorkspaceSize();
  made.ReleaseTo(executor);
  return ACLNN_SUCCESS;
}

aclnnStatus aclnnLayerNormBackward(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                   aclrtStream stream) {
  L2_DFX_PHASE_2(aclnnLayerNormBackward);
  return CommonOpExecutorRun(workspace, workspaceSize, executor, stream);
}

}  // extern "C"
