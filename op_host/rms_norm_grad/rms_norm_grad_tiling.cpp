// From CANN's context to the check and the planner of RmsNormGrad, and back.
#include "op_host/gert/call.h"
#include "op_host/rms_norm_grad/rms_norm_grad_host.h"
#include "tiling/rms_norm_grad_plan.h"

namespace normgrad {
namespace {

constexpr size_t kInputs = 4;
constexpr TiledOp kOp = {"RmsNormGrad", kInputs, kRmsNormGradTensorCount - kInputs,
                         CheckRmsNormGrad, PlanRmsNormGrad};

}  // namespace

ge::graphStatus TilingOfRmsNormGrad(gert::TilingContext* context) {
  return Tile(kOp, Attributes(), context);
}

}  // namespace normgrad
