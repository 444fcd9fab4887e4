// Host API, on this computer: what a tiling function is given and what it answers with.
#ifndef NORMGRAD_TWIN_HOST_EXE_GRAPH_RUNTIME_TILING_CONTEXT_H_
#define NORMGRAD_TWIN_HOST_EXE_GRAPH_RUNTIME_TILING_CONTEXT_H_

#include <vector>

#include "exe_graph/runtime/runtime_attrs.h"
#include "exe_graph/runtime/tensor_desc.h"
#include "exe_graph/runtime/tiling_data.h"

namespace fe {

// What the platform says of the device.
class PlatFormInfos {
 public:
  uint32_t arch;
  uint32_t cores;     // vector cores, or AI cores where these are one
  uint64_t ub_bytes;  // UB that exists
};

}  // namespace fe

namespace normgrad {
namespace host {

// A call and, after tiling, its answer. What a tiling function does not set stays at a value that
// no answer has.
struct TilingCall {
  static constexpr size_t kTilingCapacity = 2048;  // upstream's default
  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;
  std::vector<Attribute> attributes;
  fe::PlatFormInfos platform;
  int32_t deterministic_level = 0;
  uint64_t tiling_key = UINT64_MAX;
  uint32_t blocks = UINT32_MAX;
  uint32_t schedule_mode = 0;
  std::vector<size_t> workspaces;
  gert::TilingData tiling{kTilingCapacity};
};

}  // namespace host
}  // namespace normgrad

namespace gert {

class TilingContext {
 public:
  explicit TilingContext(normgrad::host::TilingCall* call)
      : call_(call), attributes_(call->attributes) {}

  const StorageShape* GetOptionalInputShape(size_t index) const {
    return HasInput(index) ? &call_->inputs[index].shape : nullptr;
  }
  const CompileTimeTensorDesc* GetOptionalInputDesc(size_t index) const {
    return HasInput(index) ? &call_->inputs[index].desc : nullptr;
  }
  const RuntimeAttrs* GetAttrs() const { return &attributes_; }
  const StorageShape* GetOutputShape(size_t index) const {
    return HasOutput(index) ? &call_->outputs[index].shape : nullptr;
  }
  const CompileTimeTensorDesc* GetOutputDesc(size_t index) const {
    return HasOutput(index) ? &call_->outputs[index].desc : nullptr;
  }
  fe::PlatFormInfos* GetPlatformInfo() const {
    return call_->platform.arch == 0 ? nullptr : &call_->platform;
  }
  int32_t GetDeterministic() const { return call_->deterministic_level > 0 ? 1 : 0; }
  int32_t GetDeterministicLevel() const { return call_->deterministic_level; }

  ge::graphStatus SetTilingKey(uint64_t key) {
    call_->tiling_key = key;
    return ge::GRAPH_SUCCESS;
  }
  ge::graphStatus SetBlockDim(uint32_t blocks) {
    call_->blocks = blocks;
    return ge::GRAPH_SUCCESS;
  }
  ge::graphStatus SetScheduleMode(uint32_t mode) {
    call_->schedule_mode = mode;
    return ge::GRAPH_SUCCESS;
  }
  size_t* GetWorkspaceSizes(size_t count) {
    call_->workspaces.assign(count, 0);
    return call_->workspaces.data();
  }
  TilingData* GetRawTilingData() { return &call_->tiling; }

 private:
  bool HasInput(size_t index) const {
    return index < call_->inputs.size() && call_->inputs[index].is_present;
  }
  bool HasOutput(size_t index) const {
    return index < call_->outputs.size() && call_->outputs[index].is_present;
  }

  normgrad::host::TilingCall* call_;
  RuntimeAttrs attributes_;
};

}  // namespace gert

#endif  // NORMGRAD_TWIN_HOST_EXE_GRAPH_RUNTIME_TILING_CONTEXT_H_
