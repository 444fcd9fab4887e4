// Host API, on this computer: shapes of inputs, from which those of the outputs follow.
#ifndef NORMGRAD_TWIN_HOST_EXE_GRAPH_RUNTIME_INFER_SHAPE_CONTEXT_H_
#define NORMGRAD_TWIN_HOST_EXE_GRAPH_RUNTIME_INFER_SHAPE_CONTEXT_H_

#include <vector>

#include "exe_graph/runtime/runtime_attrs.h"
#include "exe_graph/runtime/tensor_desc.h"

namespace gert {

class InferShapeContext {
 public:
  InferShapeContext(const std::vector<normgrad::host::Tensor>* inputs,
                    const std::vector<normgrad::host::Attribute>& attributes,
                    std::vector<Shape>* outputs)
      : inputs_(inputs), attributes_(attributes), outputs_(outputs) {}

  const Shape* GetInputShape(size_t index) const {
    const bool is_there = index < inputs_->size() && (*inputs_)[index].is_present;
    return is_there ? &(*inputs_)[index].shape.GetOriginShape() : nullptr;
  }
  const Shape* GetOptionalInputShape(size_t index) const { return GetInputShape(index); }
  const RuntimeAttrs* GetAttrs() const { return &attributes_; }
  Shape* GetOutputShape(size_t index) {
    return index < outputs_->size() ? &(*outputs_)[index] : nullptr;
  }

 private:
  const std::vector<normgrad::host::Tensor>* inputs_;
  RuntimeAttrs attributes_;
  std::vector<Shape>* outputs_;
};

}  // namespace gert

#endif  // NORMGRAD_TWIN_HOST_EXE_GRAPH_RUNTIME_INFER_SHAPE_CONTEXT_H_
