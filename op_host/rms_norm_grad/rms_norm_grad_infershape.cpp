// Shapes and element types of RmsNormGrad's outputs: dx is as x, dgamma as gamma and in fp32.
#include "op_host/rms_norm_grad/rms_norm_grad_host.h"

namespace normgrad {
namespace {

enum Input { kDy, kX, kRstd, kGamma };
enum Output { kDx, kDgamma };

}  // namespace

ge::graphStatus InferShapeOfRmsNormGrad(gert::InferShapeContext* context) {
  const gert::Shape* x = context->GetInputShape(kX);
  const gert::Shape* gamma = context->GetInputShape(kGamma);
  gert::Shape* dx = context->GetOutputShape(kDx);
  gert::Shape* dgamma = context->GetOutputShape(kDgamma);
  if (x == nullptr || gamma == nullptr || dx == nullptr || dgamma == nullptr) {
    return ge::GRAPH_FAILED;
  }
  *dx = *x;
  *dgamma = *gamma;
  return ge::GRAPH_SUCCESS;
}

ge::graphStatus InferDataTypeOfRmsNormGrad(gert::InferDataTypeContext* context) {
  const ge::graphStatus status = context->SetOutputDataType(kDx, context->GetInputDataType(kX));
  return status == ge::GRAPH_SUCCESS ? context->SetOutputDataType(kDgamma, ge::DT_FLOAT) : status;
}

}  // namespace normgrad
