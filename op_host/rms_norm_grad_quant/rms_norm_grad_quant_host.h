// What CANN's host calls of RmsNormGradQuant; the description of the operator hands these over.
#ifndef OP_HOST_RMS_NORM_GRAD_QUANT_RMS_NORM_GRAD_QUANT_HOST_H_
#define OP_HOST_RMS_NORM_GRAD_QUANT_RMS_NORM_GRAD_QUANT_HOST_H_

#include "exe_graph/runtime/infer_datatype_context.h"
#include "exe_graph/runtime/infer_shape_context.h"
#include "exe_graph/runtime/tiling_context.h"

namespace normgrad {

// Places in the description.
struct RmsNormGradQuantIr {
  enum Input { kDy, kX, kRstd, kGamma, kScalesX, kOffsetX };
  enum Output { kDx, kDgamma };
  enum Attribute { kQuantMode, kDivMode, kDstType };
};

ge::graphStatus InferShapeOfRmsNormGradQuant(gert::InferShapeContext* context);
ge::graphStatus InferDataTypeOfRmsNormGradQuant(gert::InferDataTypeContext* context);
ge::graphStatus TilingOfRmsNormGradQuant(gert::TilingContext* context);

}  // namespace normgrad

#endif  // OP_HOST_RMS_NORM_GRAD_QUANT_RMS_NORM_GRAD_QUANT_HOST_H_
