// What CANN's host calls of LayerNormGradV3; the description of the operator hands these over.
#ifndef OP_HOST_LAYER_NORM_GRAD_V3_LAYER_NORM_GRAD_V3_HOST_H_
#define OP_HOST_LAYER_NORM_GRAD_V3_LAYER_NORM_GRAD_V3_HOST_H_

#include "exe_graph/runtime/infer_datatype_context.h"
#include "exe_graph/runtime/infer_shape_context.h"
#include "exe_graph/runtime/tiling_context.h"

namespace normgrad {

// Places in the description.
struct LayerNormGradV3Ir {
  enum Input { kDy, kX, kRstd, kMean, kGamma };
  enum Output { kDx, kDgamma, kDbeta };
  enum Attribute { kOutputMask, kNormalizedShape };
};

ge::graphStatus InferShapeOfLayerNormGradV3(gert::InferShapeContext* context);
ge::graphStatus InferDataTypeOfLayerNormGradV3(gert::InferDataTypeContext* context);
ge::graphStatus TilingOfLayerNormGradV3(gert::TilingContext* context);

}  // namespace normgrad

#endif  // OP_HOST_LAYER_NORM_GRAD_V3_LAYER_NORM_GRAD_V3_HOST_H_
