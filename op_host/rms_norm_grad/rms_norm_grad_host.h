// What CANN's host calls of RmsNormGrad; the description of the operator hands these over.
#ifndef OP_HOST_RMS_NORM_GRAD_RMS_NORM_GRAD_HOST_H_
#define OP_HOST_RMS_NORM_GRAD_RMS_NORM_GRAD_HOST_H_

#include "exe_graph/runtime/infer_datatype_context.h"
#include "exe_graph/runtime/infer_shape_context.h"
#include "exe_graph/runtime/tiling_context.h"

namespace normgrad {

ge::graphStatus InferShapeOfRmsNormGrad(gert::InferShapeContext* context);
ge::graphStatus InferDataTypeOfRmsNormGrad(gert::InferDataTypeContext* context);
ge::graphStatus TilingOfRmsNormGrad(gert::TilingContext* context);

}  // namespace normgrad

#endif  // OP_HOST_RMS_NORM_GRAD_RMS_NORM_GRAD_HOST_H_
