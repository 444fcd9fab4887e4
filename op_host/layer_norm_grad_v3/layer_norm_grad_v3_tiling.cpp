// From CANN's context to the check and the planner of LayerNormGradV3, and back.
#include <algorithm>

#include "op_host/gert/call.h"
#include "op_host/layer_norm_grad_v3/layer_norm_grad_v3_host.h"
#include "tiling/layer_norm_grad_v3_plan.h"

namespace normgrad {
namespace {

using Ir = LayerNormGradV3Ir;

constexpr size_t kInputs = 5;
constexpr TiledOp kOp = {"LayerNormGradV3", kInputs, kLayerNormGradV3TensorCount - kInputs,
                         CheckLayerNormGradV3, PlanLayerNormGradV3};
constexpr size_t kMaskLength = sizeof(Attributes::output_mask) / sizeof(int32_t);

// All outputs unless the call says otherwise.
void ReadMask(const gert::RuntimeAttrs* given, Attributes* attributes) {
  attributes->has_output_mask = 1;
  attributes->mask_length = kMaskLength;
  std::fill_n(attributes->output_mask, kMaskLength, 1);
  const auto* mask =
      given == nullptr ? nullptr
                       : given->GetAttrPointer<gert::TypedContinuousVector<bool>>(Ir::kOutputMask);
  if (mask == nullptr) {
    return;
  }
  attributes->mask_length = static_cast<int32_t>(mask->GetSize());
  for (size_t at = 0; at < std::min(mask->GetSize(), kMaskLength); ++at) {
    attributes->output_mask[at] = mask->GetData()[at] ? 1 : 0;
  }
}

// The attribute, or the axes of gamma: a graph that was built for CANN's operator of this name does
// not have the attribute, but always has gamma.
void ReadNormalizedShape(const gert::TilingContext& context, Attributes* attributes) {
  const gert::RuntimeAttrs* given = context.GetAttrs();
  const auto* axes = given == nullptr ? nullptr : given->GetListInt(Ir::kNormalizedShape);
  const gert::StorageShape* gamma = context.GetOptionalInputShape(Ir::kGamma);
  const bool is_said = axes != nullptr && axes->GetSize() != 0;
  if (!is_said && gamma == nullptr) {
    return;
  }
  const size_t rank = is_said ? axes->GetSize() : gamma->GetStorageShape().GetDimNum();
  attributes->has_normalized_shape = 1;
  attributes->normalized_rank = static_cast<int32_t>(rank);
  for (size_t axis = 0; axis < std::min(rank, static_cast<size_t>(kMaxRank)); ++axis) {
    attributes->normalized_shape[axis] =
        is_said ? axes->GetData()[axis] : gamma->GetStorageShape().GetDim(axis);
  }
}

}  // namespace

ge::graphStatus TilingOfLayerNormGradV3(gert::TilingContext* context) {
  Attributes attributes = {};
  ReadMask(context->GetAttrs(), &attributes);
  ReadNormalizedShape(*context, &attributes);
  return Tile(kOp, attributes, context);
}

}  // namespace normgrad
