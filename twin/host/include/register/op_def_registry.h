// Host API, on this computer: how an operator is described. Only what our descriptions say: more
// does not compile.
#ifndef NORMGRAD_TWIN_HOST_REGISTER_OP_DEF_REGISTRY_H_
#define NORMGRAD_TWIN_HOST_REGISTER_OP_DEF_REGISTRY_H_

#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "exe_graph/runtime/infer_datatype_context.h"
#include "exe_graph/runtime/infer_shape_context.h"
#include "exe_graph/runtime/tiling_context.h"
#include "graph/types.h"

namespace ops {

enum Option { OPTIONAL = 1, REQUIRED = 2 };

class OpParamDef {
 public:
  explicit OpParamDef(const char* name) : name_(name) {}
  OpParamDef& ParamType(Option type) {
    type_ = type;
    return *this;
  }
  OpParamDef& DataType(std::vector<ge::DataType> types) {
    types_ = std::move(types);
    return *this;
  }
  OpParamDef& Format(std::vector<ge::Format> formats) {
    formats_ = std::move(formats);
    return *this;
  }
  OpParamDef& UnknownShapeFormat(std::vector<ge::Format> formats) {
    unknown_formats_ = std::move(formats);
    return *this;
  }
  OpParamDef& AutoContiguous() {
    is_made_contiguous_ = true;
    return *this;
  }
  std::string Json() const;

 private:
  std::string name_;
  Option type_ = OPTIONAL;
  std::vector<ge::DataType> types_;
  std::vector<ge::Format> formats_;
  std::vector<ge::Format> unknown_formats_;
  bool is_made_contiguous_ = false;
};

class OpAttrDef {
 public:
  explicit OpAttrDef(const char* name) : name_(name) {}
  OpAttrDef& AttrType(Option type) {
    type_ = type;
    return *this;
  }
  OpAttrDef& ListBool(std::vector<bool> value) {
    return Default("list_bool", std::vector<int64_t>(value.begin(), value.end()));
  }
  OpAttrDef& ListInt(std::vector<int64_t> value) { return Default("list_int", std::move(value)); }
  OpAttrDef& Bool(bool value) { return Default("bool", {value ? 1 : 0}); }
  OpAttrDef& Int(int64_t value) { return Default("int", {value}); }
  OpAttrDef& String(const char* value) {  // by its letters
    return Default("str", std::vector<int64_t>(value, value + std::strlen(value)));
  }
  std::string Json() const;

 private:
  OpAttrDef& Default(const char* kind, std::vector<int64_t> value) {
    kind_ = kind;
    default_ = std::move(value);
    return *this;
  }

  std::string name_;
  Option type_ = REQUIRED;
  std::string kind_;
  std::vector<int64_t> default_;
};

// Inputs and outputs: those of an operator, or those of it on one family of chips.
class OpParams {
 public:
  OpParamDef& Input(const char* name) { return Add(&inputs_, name); }
  OpParamDef& Output(const char* name) { return Add(&outputs_, name); }
  std::string Json() const;

 private:
  // A deque: references to its elements stay good while others are added.
  static OpParamDef& Add(std::deque<OpParamDef>* params, const char* name) {
    params->emplace_back(name);
    return params->back();
  }

  std::deque<OpParamDef> inputs_;
  std::deque<OpParamDef> outputs_;
};

class OpAICoreConfig : public OpParams {
 public:
  OpAICoreConfig& DynamicCompileStaticFlag(bool flag) { return Flag("dynamic_compile", flag); }
  OpAICoreConfig& DynamicRankSupportFlag(bool flag) { return Flag("dynamic_rank", flag); }
  OpAICoreConfig& DynamicShapeSupportFlag(bool flag) { return Flag("dynamic_shape", flag); }
  OpAICoreConfig& ExtendCfgInfo(const char* key, const char* value) {
    more_[key] = value;
    return *this;
  }
  std::string ConfigJson() const;

 private:
  OpAICoreConfig& Flag(const char* name, bool flag) {
    more_[name] = flag ? "true" : "false";
    return *this;
  }

  std::map<std::string, std::string> more_;
};

class OpAICoreDef {
 public:
  using TilingFunction = uint32_t (*)(gert::TilingContext*);

  OpAICoreDef& SetTiling(TilingFunction function) {
    tiling_ = function;
    return *this;
  }
  TilingFunction GetTiling() const { return tiling_; }
  OpAICoreDef& AddConfig(const char* soc, OpAICoreConfig& config) {
    configs_[soc] = config;
    return *this;
  }
  std::string Json() const;

 private:
  TilingFunction tiling_ = nullptr;
  std::map<std::string, OpAICoreConfig> configs_;
};

class OpDef : public OpParams {
 public:
  using InferShapeFunction = uint32_t (*)(gert::InferShapeContext*);
  using InferDataTypeFunction = uint32_t (*)(gert::InferDataTypeContext*);

  explicit OpDef(const char* type) : type_(type) {}
  OpAttrDef& Attr(const char* name) {
    attributes_.emplace_back(name);
    return attributes_.back();
  }
  OpDef& SetInferShape(InferShapeFunction function) {
    infer_shape_ = function;
    return *this;
  }
  OpDef& SetInferDataType(InferDataTypeFunction function) {
    infer_dtype_ = function;
    return *this;
  }
  OpAICoreDef& AICore() { return ai_core_; }
  const OpAICoreDef& AICore() const { return ai_core_; }
  InferShapeFunction GetInferShape() const { return infer_shape_; }
  InferDataTypeFunction GetInferDataType() const { return infer_dtype_; }
  const std::string& Type() const { return type_; }
  std::string DefJson() const;

 private:
  std::string type_;
  std::deque<OpAttrDef> attributes_;
  InferShapeFunction infer_shape_ = nullptr;
  InferDataTypeFunction infer_dtype_ = nullptr;
  OpAICoreDef ai_core_;
};

}  // namespace ops

namespace normgrad {
namespace host {

bool Register(ops::OpDef def);

}  // namespace host
}  // namespace normgrad

#define OP_ADD(type) static const bool added_##type = ::normgrad::host::Register(type(#type))

#endif  // NORMGRAD_TWIN_HOST_REGISTER_OP_DEF_REGISTRY_H_
