// Both phases of aclnnRmsNormGrad. What is allowed is decided by CheckRmsNormGrad, how it is cut by
// the planner behind the kernel; here views are made contiguous and results brought back.
#include "op_host/rms_norm_grad/op_api/aclnn_rms_norm_grad.h"

#include <vector>

#include "aclnn_kernels/contiguous.h"
#include "op_host/common/call.h"
#include "opdev/make_op_executor.h"
#include "opdev/op_dfx.h"
#include "opdev/op_log.h"
#include "tiling/rms_norm_grad_plan.h"

namespace l0op {

OP_TYPE_REGISTER(RmsNormGrad);

aclnnStatus RmsNormGrad(const aclTensor* dy, const aclTensor* x, const aclTensor* rstd,
                        const aclTensor* gamma, const aclTensor* dx, const aclTensor* dgamma,
                        aclOpExecutor* executor) {
  L0_DFX(RmsNormGrad, dy, x, rstd, gamma, dx, dgamma);
  return ADD_TO_LAUNCHER_LIST_AICORE(RmsNormGrad, OP_INPUT(dy, x, rstd, gamma),
                                     OP_OUTPUT(dx, dgamma));
}

}  // namespace l0op

namespace {

constexpr const char* kNames[] = {"dy", "x", "rstd", "gamma", "dx", "dgamma"};

normgrad::Answer Check(const std::vector<const aclTensor*>& tensors, normgrad::Problem* problem) {
  const normgrad::Soc* soc = nullptr;
  normgrad::Answer answer = normgrad::FindCallersSoc(&soc);
  if (answer.ok()) {
    answer = normgrad::CheckRmsNormGrad(*soc, normgrad::Describe(tensors).data(), {}, problem);
  }
  return answer.ok() ? normgrad::CheckFormats(tensors, kNames) : answer;
}

}  // namespace

extern "C" {

aclnnStatus aclnnRmsNormGradGetWorkspaceSize(const aclTensor* dy, const aclTensor* x,
                                             const aclTensor* rstd, const aclTensor* gamma,
                                             const aclTensor* dxOut, const aclTensor* dgammaOut,
                                             uint64_t* workspaceSize, aclOpExecutor** executor) {
  L2_DFX_PHASE_1(aclnnRmsNormGrad, DFX_IN(dy, x, rstd, gamma), DFX_OUT(dxOut, dgammaOut));
  normgrad::Problem problem = {};
  const normgrad::Answer answer = Check({dy, x, rstd, gamma, dxOut, dgammaOut}, &problem);
  if (!answer.ok()) {
    return normgrad::Refused(answer);
  }
  auto made = CREATE_EXECUTOR();
  CHECK_RET(made.get() != nullptr, ACLNN_ERR_INNER_CREATE_EXECUTOR);
  if (problem.cols != 0 && problem.rows == 0) {
    CHECK_RET(normgrad::DeliverZeros(dgammaOut, made.get()), ACLNN_ERR_INNER_NULLPTR);
  } else if (problem.cols != 0) {
    std::vector<const aclTensor*> dense;
    for (const aclTensor* input : {dy, x, rstd, gamma}) {
      dense.push_back(l0op::Contiguous(input, made.get()));
      CHECK_RET(dense.back() != nullptr, ACLNN_ERR_INNER_NULLPTR);
    }
    const aclTensor* dx = normgrad::OutputFor(dxOut, made.get());
    const aclTensor* dgamma = normgrad::OutputFor(dgammaOut, made.get());
    CHECK_RET(dx != nullptr && dgamma != nullptr, ACLNN_ERR_INNER_NULLPTR);
    const aclnnStatus status =
        l0op::RmsNormGrad(dense[0], dense[1], dense[2], dense[3], dx, dgamma, made.get());
    CHECK_RET(status == ACLNN_SUCCESS, status);
    CHECK_RET(normgrad::Deliver(dx, dxOut, made.get()), ACLNN_ERR_INNER_NULLPTR);
    CHECK_RET(normgrad::Deliver(dgamma, dgammaOut, made.get()), ACLNN_ERR_INNER_NULLPTR);
  }
  *workspaceSize = made->GetWorkspaceSize();
  made.ReleaseTo(executor);
  return ACLNN_SUCCESS;
}

aclnnStatus aclnnRmsNormGrad(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                             aclrtStream stream) {
  L2_DFX_PHASE_2(aclnnRmsNormGrad);
  return CommonOpExecutorRun(workspace, workspaceSize, executor, stream);
}

}  // extern "C"
