// Shapes and element types of RmsNormGradQuant's outputs: dx is as x in the dtype of dst_type,
// dgamma as gamma and in fp32.
#include "op_host/rms_norm_grad_quant/rms_norm_grad_quant_host.h"

namespace normgrad {
namespace {

using Ir = RmsNormGradQuantIr;

}  // namespace

ge::graphStatus InferShapeOfRmsNormGradQuant(gert::InferShapeContext* context) {
  const gert::Shape* x = context->GetInputShape(Ir::kX);
  const gert::Shape* gamma = context->GetInputShape(Ir::kGamma);
  gert::Shape* dx = context->GetOutputShape(Ir::kDx);
  gert::Shape* dgamma = context->GetOutputShape(Ir::kDgamma);
  if (x == nullptr || gamma == nullptr || dx == nullptr || dgamma == nullptr) {
    return ge::GRAPH_FAILED;
  }
  *dx = *x;
  *dgamma = *gamma;
  return ge::GRAPH_SUCCESS;
}

ge::graphStatus InferDataTypeOfRmsNormGradQuant(gert::InferDataTypeContext* context) {
  const auto* attributes = context->GetAttrs();
  const int64_t* asked = attributes == nullptr ? nullptr : attributes->GetInt(Ir::kDstType);
  const ge::DataType dx = asked == nullptr ? ge::DT_INT8 : static_cast<ge::DataType>(*asked);
  const ge::graphStatus status = context->SetOutputDataType(Ir::kDx, dx);
  return status == ge::GRAPH_SUCCESS ? context->SetOutputDataType(Ir::kDgamma, ge::DT_FLOAT)
                                     : status;
}

}  // namespace normgrad
