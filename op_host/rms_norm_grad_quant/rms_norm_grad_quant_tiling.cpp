// From CANN's context to the check and the planner of RmsNormGradQuant, and back.
#include <algorithm>
#include <cstring>

#include "op_host/gert/call.h"
#include "op_host/rms_norm_grad_quant/rms_norm_grad_quant_host.h"
#include "tiling/rms_norm_grad_quant_plan.h"

namespace normgrad {
namespace {

using Ir = RmsNormGradQuantIr;

constexpr size_t kInputs = 6;
constexpr TiledOp kOp = {"RmsNormGradQuant", kInputs, kRmsNormGradQuantTensorCount - kInputs,
                         CheckRmsNormGradQuant, PlanRmsNormGradQuant};

// Without div_mode it divides; without dst_type dx says what it is.
Attributes Read(const gert::RuntimeAttrs* given) {
  Attributes attributes = {};
  attributes.div_mode = 1;
  attributes.dst_type = static_cast<int32_t>(DType::kUndefined);
  if (given == nullptr) {
    return attributes;
  }
  const char* mode = given->GetStr(Ir::kQuantMode);
  if (mode != nullptr) {
    attributes.has_quant_mode = 1;
    std::memcpy(attributes.quant_mode, mode,
                std::min(std::strlen(mode), sizeof(attributes.quant_mode)));
  }
  const bool* divides = given->GetBool(Ir::kDivMode);
  if (divides != nullptr) {
    attributes.div_mode = *divides ? 1 : 0;
  }
  const int64_t* type = given->GetInt(Ir::kDstType);
  if (type != nullptr) {
    attributes.dst_type = static_cast<int32_t>(*type);
  }
  return attributes;
}

}  // namespace

ge::graphStatus TilingOfRmsNormGradQuant(gert::TilingContext* context) {
  return Tile(kOp, Read(context->GetAttrs()), context);
}

}  // namespace normgrad
