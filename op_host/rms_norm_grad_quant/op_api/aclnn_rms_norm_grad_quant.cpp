// Both phases of aclnnRmsNormGradQuant. What is allowed is decided by CheckRmsNormGradQuant, how it
// is cut by the planner behind the kernel; here views are made contiguous and results brought back.
#include "op_host/rms_norm_grad_quant/op_api/aclnn_rms_norm_grad_quant.h"

#include <vector>

#include "aclnn_kernels/contiguous.h"
#include "op_host/common/call.h"
#include "opdev/make_op_executor.h"
#include "opdev/op_dfx.h"
#include "opdev/op_log.h"
#include "tiling/rms_norm_grad_quant_plan.h"

namespace l0op {

OP_TYPE_REGISTER(RmsNormGradQuant);

aclnnStatus RmsNormGradQuant(const aclTensor* dy, const aclTensor* x, const aclTensor* rstd,
                             const aclTensor* gamma, const aclTensor* scales_x,
                             const aclTensor* offset_x, const char* quant_mode, bool div_mode,
                             int64_t dst_type, const aclTensor* dx, const aclTensor* dgamma,
                             aclOpExecutor* executor) {
  L0_DFX(RmsNormGradQuant, dy, x, rstd, gamma, scales_x, offset_x, quant_mode, div_mode, dst_type,
         dx, dgamma);
  return ADD_TO_LAUNCHER_LIST_AICORE(
      RmsNormGradQuant, OP_INPUT(dy, x, rstd, gamma, scales_x, offset_x), OP_OUTPUT(dx, dgamma),
      OP_ATTR(quant_mode, div_mode, dst_type));
}

}  // namespace l0op

namespace {

constexpr const char* kNames[] = {"dy",       "x",        "rstd", "gamma",
                                  "scales_x", "offset_x", "dx",   "dgamma"};

normgrad::Answer Check(const std::vector<const aclTensor*>& tensors, const char* quant_mode,
                       bool div_mode, normgrad::Problem* problem) {
  const normgrad::Soc* soc = nullptr;
  normgrad::Answer answer = normgrad::FindCallersSoc(&soc);
  if (answer.ok()) {
    constexpr int64_t kAsDx = -1;
    answer = normgrad::CheckRmsNormGradQuant(
        *soc, normgrad::Describe(tensors).data(),
        normgrad::DescribeQuantisation(quant_mode, div_mode, kAsDx), problem);
  }
  return answer.ok() ? normgrad::CheckFormats(tensors, kNames) : answer;
}

}  // namespace

extern "C" {

aclnnStatus aclnnRmsNormGradQuantGetWorkspaceSize(
    const aclTensor* dy, const aclTensor* x, const aclTensor* rstd, const aclTensor* gamma,
    const aclTensor* scalesX, const aclTensor* offsetXOptional, const char* quantMode, bool divMode,
    aclTensor* dxOut, aclTensor* dgammaOut, uint64_t* workspaceSize, aclOpExecutor** executor) {
  L2_DFX_PHASE_1(aclnnRmsNormGradQuant,
                 DFX_IN(dy, x, rstd, gamma, scalesX, offsetXOptional, quantMode, divMode),
                 DFX_OUT(dxOut, dgammaOut));
  const std::vector<const aclTensor*> inputs = {dy, x, rstd, gamma, scalesX, offsetXOptional};
  std::vector<const aclTensor*> tensors = inputs;
  tensors.push_back(dxOut);
  tensors.push_back(dgammaOut);
  normgrad::Problem problem = {};
  const normgrad::Answer answer = Check(tensors, quantMode, divMode, &problem);
  if (!answer.ok()) {
    return normgrad::Refused(answer);
  }
  auto made = CREATE_EXECUTOR();
  CHECK_RET(made.get() != nullptr, ACLNN_ERR_INNER_CREATE_EXECUTOR);
  if (problem.cols != 0 && problem.rows == 0) {
    CHECK_RET(normgrad::DeliverZeros(dgammaOut, made.get()), ACLNN_ERR_INNER_NULLPTR);
  } else if (problem.cols != 0) {
    std::vector<const aclTensor*> dense;
    for (const aclTensor* input : inputs) {
      dense.push_back(input == nullptr ? nullptr : l0op::Contiguous(input, made.get()));
      CHECK_RET(input == nullptr || dense.back() != nullptr, ACLNN_ERR_INNER_NULLPTR);
    }
    const aclTensor* dx = normgrad::OutputFor(dxOut, made.get());
    const aclTensor* dgamma = normgrad::OutputFor(dgammaOut, made.get());
    CHECK_RET(dx != nullptr && dgamma != nullptr, ACLNN_ERR_INNER_NULLPTR);
    const aclnnStatus status = l0op::RmsNormGradQuant(
        dense[0], dense[1], dense[2], dense[3], dense[4], dense[5], quantMode, divMode,
        static_cast<int64_t>(dxOut->GetDataType()), dx, dgamma, made.get());
    CHECK_RET(status == ACLNN_SUCCESS, status);
    CHECK_RET(normgrad::Deliver(dx, dxOut, made.get()), ACLNN_ERR_INNER_NULLPTR);
    CHECK_RET(normgrad::Deliver(dgamma, dgammaOut, made.get()), ACLNN_ERR_INNER_NULLPTR);
  }
  *workspaceSize = made->GetWorkspaceSize();
  made.ReleaseTo(executor);
  return ACLNN_SUCCESS;
}

aclnnStatus aclnnRmsNormGradQuant(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                  aclrtStream stream) {
  L2_DFX_PHASE_2(aclnnRmsNormGradQuant);
  return CommonOpExecutorRun(workspace, workspaceSize, executor, stream);
}

}  // extern "C"
