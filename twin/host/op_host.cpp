// The descriptions that op_host has registered, and a C interface to call what they name: tests
// build a context, call, and read what came of it.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "register/op_def_registry.h"

namespace ops {
namespace {

std::string Quoted(const std::string& text) { return '"' + text + '"'; }

template <typename T>
std::string Numbers(const std::vector<T>& values) {
  std::string text;
  for (const T& value : values) {
    text += (text.empty() ? "" : ",") + std::to_string(static_cast<int>(value));
  }
  return "[" + text + "]";
}

template <typename Def>
std::string List(const std::deque<Def>& defs) {
  std::string text;
  for (const Def& def : defs) {
    text += (text.empty() ? "" : ",") + def.Json();
  }
  return "[" + text + "]";
}

}  // namespace

std::string OpParamDef::Json() const {
  return "{\"name\":" + Quoted(name_) + ",\"required\":" + (type_ == REQUIRED ? "true" : "false") +
         ",\"dtypes\":" + Numbers(types_) + ",\"formats\":" + Numbers(formats_) +
         ",\"unknown_formats\":" + Numbers(unknown_formats_) +
         ",\"contiguous\":" + (is_made_contiguous_ ? "true" : "false") + "}";
}

std::string OpParams::Json() const {
  return "\"inputs\":" + List(inputs_) + ",\"outputs\":" + List(outputs_);
}

std::string OpAttrDef::Json() const {
  return "{\"name\":" + Quoted(name_) + ",\"required\":" + (type_ == REQUIRED ? "true" : "false") +
         ",\"kind\":" + Quoted(kind_) + ",\"default\":" + Numbers(default_) + "}";
}

std::string OpDef::DefJson() const {
  return "{" + Json() + ",\"attributes\":" + List(attributes_) + ",\"units\":" + ai_core_.Json() +
         "}";
}

std::string OpAICoreConfig::ConfigJson() const {
  std::string text = "{" + Json();
  for (const auto& entry : more_) {
    text += "," + Quoted(entry.first) + ":" + Quoted(entry.second);
  }
  return text + "}";
}

std::string OpAICoreDef::Json() const {
  std::string text;
  for (const auto& entry : configs_) {
    text += (text.empty() ? "" : ",") + Quoted(entry.first) + ":" + entry.second.ConfigJson();
  }
  return "{" + text + "}";
}

}  // namespace ops

namespace normgrad {
namespace host {
namespace {

// A function's static: descriptions register themselves before main, in any order of files.
std::vector<ops::OpDef>& Registered() {
  static std::vector<ops::OpDef> defs;
  return defs;
}

const ops::OpDef* Find(const char* type) {
  for (const ops::OpDef& def : Registered()) {
    if (def.Type() == type) {
      return &def;
    }
  }
  return nullptr;
}

}  // namespace

bool Register(ops::OpDef def) {
  Registered().push_back(std::move(def));
  return true;
}

}  // namespace host
}  // namespace normgrad

extern "C" {

// Mirrored by tests/host/op_host.py.
constexpr int32_t kHostMaxRank = 25;
constexpr int32_t kHostMaxWorkspaces = 4;
constexpr int32_t kHostUnknownOp = -1;

struct HostTensor {
  int32_t present;
  int32_t dtype;
  int32_t rank;
  int64_t shape[kHostMaxRank];
};

// Lists of whole numbers and of truth values, one of either, and a text by its letters.
enum HostKind : int32_t { kListInt, kListBool, kInt, kBool, kStr };
struct HostAttribute {
  int32_t present;
  int32_t kind;  // of HostKind
  int64_t count;
  const int64_t* values;
};

struct HostDevice {
  uint32_t arch;  // 0: the context has no platform
  uint32_t cores;
  uint64_t ub_bytes;
  int32_t deterministic_level;
};

struct HostTiling {
  uint64_t tiling_key;
  uint32_t blocks;
  uint32_t schedule_mode;
  uint32_t workspace_count;
  uint64_t workspaces[kHostMaxWorkspaces];
  uint32_t tiling_bytes;
  uint8_t tiling[normgrad::host::TilingCall::kTilingCapacity];
};

}  // extern "C"

namespace {

using normgrad::host::Attribute;
using normgrad::host::Tensor;

std::vector<Tensor> Read(const HostTensor* tensors, int32_t count) {
  std::vector<Tensor> read;
  for (int32_t i = 0; i < count; ++i) {
    gert::Shape shape;
    shape.SetDimNum(static_cast<size_t>(tensors[i].rank));
    for (int32_t axis = 0; axis < tensors[i].rank; ++axis) {
      shape.SetDim(static_cast<size_t>(axis), tensors[i].shape[axis]);
    }
    read.push_back(
        Tensor{tensors[i].present != 0, gert::StorageShape(shape),
               gert::CompileTimeTensorDesc(static_cast<ge::DataType>(tensors[i].dtype))});
  }
  return read;
}

std::vector<Attribute> Read(const HostAttribute* attributes, int32_t count) {
  std::vector<Attribute> read;
  for (int32_t i = 0; i < count; ++i) {
    const HostAttribute& given = attributes[i];
    const std::vector<int64_t> values(given.values, given.values + given.count);
    if (given.present == 0) {
      read.emplace_back();
    } else if (given.kind == kListBool) {
      read.emplace_back(std::make_shared<gert::TypedContinuousVector<bool>>(values));
    } else if (given.kind == kListInt) {
      read.emplace_back(std::make_shared<gert::TypedContinuousVector<int64_t>>(values));
    } else if (given.kind == kInt) {
      read.emplace_back(std::make_shared<int64_t>(values.front()));
    } else if (given.kind == kBool) {
      read.emplace_back(std::make_shared<bool>(values.front() != 0));
    } else {
      std::shared_ptr<char> text(new char[values.size() + 1](), std::default_delete<char[]>());
      std::copy(values.begin(), values.end(), text.get());
      read.emplace_back(std::move(text));
    }
  }
  return read;
}

}  // namespace

extern "C" {

// The description as JSON text, at most `size` bytes of it; returns its length, or kHostUnknownOp.
int64_t normgrad_host_describe(const char* type, char* text, int64_t size) {
  const ops::OpDef* def = normgrad::host::Find(type);
  if (def == nullptr) {
    return kHostUnknownOp;
  }
  const std::string all = def->DefJson();
  std::strncpy(text, all.c_str(), static_cast<size_t>(size));
  return static_cast<int64_t>(all.size());
}

// Returns the status of the tiling function.
int64_t normgrad_host_tiling(const char* type, const HostDevice* device, const HostTensor* inputs,
                             int32_t input_count, const HostTensor* outputs, int32_t output_count,
                             const HostAttribute* attributes, int32_t attribute_count,
                             HostTiling* result) {
  const ops::OpDef* def = normgrad::host::Find(type);
  if (def == nullptr || def->AICore().GetTiling() == nullptr) {
    return kHostUnknownOp;
  }
  normgrad::host::TilingCall call;
  call.inputs = Read(inputs, input_count);
  call.outputs = Read(outputs, output_count);
  call.attributes = Read(attributes, attribute_count);
  call.platform.arch = device->arch;
  call.platform.cores = device->cores;
  call.platform.ub_bytes = device->ub_bytes;
  call.deterministic_level = device->deterministic_level;
  gert::TilingContext context(&call);
  const uint32_t status = def->AICore().GetTiling()(&context);
  result->tiling_key = call.tiling_key;
  result->blocks = call.blocks;
  result->schedule_mode = call.schedule_mode;
  result->workspace_count = static_cast<uint32_t>(call.workspaces.size());
  for (size_t i = 0; i < call.workspaces.size() && i < kHostMaxWorkspaces; ++i) {
    result->workspaces[i] = call.workspaces[i];
  }
  result->tiling_bytes = static_cast<uint32_t>(call.tiling.GetDataSize());
  std::memcpy(result->tiling, call.tiling.GetData(), call.tiling.GetDataSize());
  return status;
}

// Shapes and dtypes of the outputs; returns the first status that is not success.
int64_t normgrad_host_infer(const char* type, const HostTensor* inputs, int32_t input_count,
                            const HostAttribute* attributes, int32_t attribute_count,
                            HostTensor* outputs, int32_t output_count) {
  const ops::OpDef* def = normgrad::host::Find(type);
  if (def == nullptr || def->GetInferShape() == nullptr || def->GetInferDataType() == nullptr) {
    return kHostUnknownOp;
  }
  const std::vector<Tensor> given = Read(inputs, input_count);
  const size_t count = static_cast<size_t>(output_count);
  std::vector<gert::Shape> shapes(count);
  std::vector<ge::DataType> dtypes(count, ge::DT_UNDEFINED);
  gert::InferShapeContext shape_context(&given, Read(attributes, attribute_count), &shapes);
  gert::InferDataTypeContext dtype_context(&given, Read(attributes, attribute_count), &dtypes);
  const uint32_t status = def->GetInferShape()(&shape_context);
  if (status != ge::GRAPH_SUCCESS) {
    return status;
  }
  for (size_t i = 0; i < count; ++i) {
    outputs[i].rank = static_cast<int32_t>(shapes[i].GetDimNum());
    for (size_t axis = 0; axis < shapes[i].GetDimNum(); ++axis) {
      outputs[i].shape[axis] = shapes[i].GetDim(axis);
    }
  }
  const uint32_t second = def->GetInferDataType()(&dtype_context);
  for (size_t i = 0; i < count; ++i) {
    outputs[i].dtype = static_cast<int32_t>(dtypes[i]);
  }
  return second;
}

}  // extern "C"
