// Shapes and element types of LayerNormGradV3's outputs: pd_x is as x, the sums are as gamma.
// Without gamma they have the normalised axes, in the dtype of x.
#include <utility>

#include "op_host/layer_norm_grad_v3/layer_norm_grad_v3_host.h"

namespace normgrad {
namespace {

using Ir = LayerNormGradV3Ir;

// False: neither gamma nor an attribute says which axes are normalised.
bool ShapeOfSums(const gert::InferShapeContext& context, gert::Shape* shape) {
  const gert::Shape* gamma = context.GetOptionalInputShape(Ir::kGamma);
  if (gamma != nullptr) {
    *shape = *gamma;
    return true;
  }
  const auto* attributes = context.GetAttrs();
  const auto* axes = attributes == nullptr ? nullptr : attributes->GetListInt(Ir::kNormalizedShape);
  if (axes == nullptr || axes->GetSize() == 0) {
    return false;
  }
  shape->SetDimNum(axes->GetSize());
  for (size_t axis = 0; axis < axes->GetSize(); ++axis) {
    shape->SetDim(axis, axes->GetData()[axis]);
  }
  return true;
}

}  // namespace

ge::graphStatus InferShapeOfLayerNormGradV3(gert::InferShapeContext* context) {
  const gert::Shape* x = context->GetInputShape(Ir::kX);
  gert::Shape* dx = context->GetOutputShape(Ir::kDx);
  gert::Shape* dgamma = context->GetOutputShape(Ir::kDgamma);
  gert::Shape* dbeta = context->GetOutputShape(Ir::kDbeta);
  if (x == nullptr || dx == nullptr || dgamma == nullptr || dbeta == nullptr ||
      !ShapeOfSums(*context, dgamma)) {
    return ge::GRAPH_FAILED;
  }
  *dx = *x;
  *dbeta = *dgamma;
  return ge::GRAPH_SUCCESS;
}

ge::graphStatus InferDataTypeOfLayerNormGradV3(gert::InferDataTypeContext* context) {
  const ge::DataType x = context->GetInputDataType(Ir::kX);
  const ge::DataType gamma = context->GetOptionalInputDataType(Ir::kGamma);
  const ge::DataType sums = gamma == ge::DT_UNDEFINED ? x : gamma;
  for (const auto& output : {std::make_pair(Ir::kDx, x), std::make_pair(Ir::kDgamma, sums),
                             std::make_pair(Ir::kDbeta, sums)}) {
    const ge::graphStatus status = context->SetOutputDataType(output.first, output.second);
    if (status != ge::GRAPH_SUCCESS) {
      return status;
    }
  }
  return ge::GRAPH_SUCCESS;
}

}  // namespace normgrad
