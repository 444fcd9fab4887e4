// From CANN's context to the check and the planner of RmsNormGrad, and back.
#include "op_host/gert/call.h"
#include "op_host/rms_norm_grad/rms_norm_grad_host.h"
#include "tiling/rms_norm_grad_plan.h"

namespace normgrad {
namespace {

constexpr size_t kInputs = 4;
constexpr size_t kOutputs = kRmsNormGradTensorCount - kInputs;

Answer PlanOf(const gert::TilingContext& context, Plan* plan) {
  TensorDesc tensors[kRmsNormGradTensorCount] = {};
  DescribeTensors(context, kInputs, kOutputs, tensors);
  Device device = {};
  Answer answer = FindDevice(context, &device);
  Problem problem = {};
  if (answer.ok()) {
    answer = CheckRmsNormGrad(device.soc, tensors, Attributes(), &problem);
  }
  if (answer.ok()) {
    answer = PlanRmsNormGrad(device.soc, problem, device.options, plan);
  }
  return answer;
}

}  // namespace

ge::graphStatus TilingOfRmsNormGrad(gert::TilingContext* context) {
  Plan plan;
  const Answer answer = PlanOf(*context, &plan);
  return answer.ok() ? StorePlan(plan, context) : Say("RmsNormGrad", answer);
}

}  // namespace normgrad
