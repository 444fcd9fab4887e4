// Host API, on this computer: element types of inputs, from which those of the outputs follow.
#ifndef NORMGRAD_TWIN_HOST_EXE_GRAPH_RUNTIME_INFER_DATATYPE_CONTEXT_H_
#define NORMGRAD_TWIN_HOST_EXE_GRAPH_RUNTIME_INFER_DATATYPE_CONTEXT_H_

#include <vector>

#include "exe_graph/runtime/runtime_attrs.h"
#include "exe_graph/runtime/tensor_desc.h"

namespace gert {

class InferDataTypeContext {
 public:
  InferDataTypeContext(const std::vector<normgrad::host::Tensor>* inputs,
                       const std::vector<normgrad::host::Attribute>& attributes,
                       std::vector<ge::DataType>* outputs)
      : inputs_(inputs), attributes_(attributes), outputs_(outputs) {}

  const RuntimeAttrs* GetAttrs() const { return &attributes_; }

  ge::DataType GetInputDataType(size_t index) const {
    const bool is_there = index < inputs_->size() && (*inputs_)[index].is_present;
    return is_there ? (*inputs_)[index].desc.GetDataType() : ge::DT_UNDEFINED;
  }
  ge::DataType GetOptionalInputDataType(size_t index) const { return GetInputDataType(index); }
  ge::graphStatus SetOutputDataType(size_t index, ge::DataType dtype) {
    if (index >= outputs_->size()) {
      return ge::GRAPH_FAILED;
    }
    (*outputs_)[index] = dtype;
    return ge::GRAPH_SUCCESS;
  }

 private:
  const std::vector<normgrad::host::Tensor>* inputs_;
  RuntimeAttrs attributes_;
  std::vector<ge::DataType>* outputs_;
};

}  // namespace gert

#endif  // NORMGRAD_TWIN_HOST_EXE_GRAPH_RUNTIME_INFER_DATATYPE_CONTEXT_H_
