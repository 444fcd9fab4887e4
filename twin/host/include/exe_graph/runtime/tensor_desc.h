// Host API, on this computer: what a context knows of a tensor besides its shape, and one tensor of
// a call as the tests describe it.
#ifndef NORMGRAD_TWIN_HOST_EXE_GRAPH_RUNTIME_TENSOR_DESC_H_
#define NORMGRAD_TWIN_HOST_EXE_GRAPH_RUNTIME_TENSOR_DESC_H_

#include "exe_graph/runtime/shape.h"
#include "graph/types.h"

namespace gert {

class CompileTimeTensorDesc {
 public:
  explicit CompileTimeTensorDesc(ge::DataType dtype) : dtype_(dtype) {}
  ge::DataType GetDataType() const { return dtype_; }

 private:
  ge::DataType dtype_;
};

}  // namespace gert

namespace normgrad {
namespace host {

struct Tensor {
  bool is_present;  // what is absent is a null pointer in a context
  gert::StorageShape shape;
  gert::CompileTimeTensorDesc desc;
};

}  // namespace host
}  // namespace normgrad

#endif  // NORMGRAD_TWIN_HOST_EXE_GRAPH_RUNTIME_TENSOR_DESC_H_
