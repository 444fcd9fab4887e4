// Host API, on this computer: attributes of a call, in the order of the description.
#ifndef NORMGRAD_TWIN_HOST_EXE_GRAPH_RUNTIME_RUNTIME_ATTRS_H_
#define NORMGRAD_TWIN_HOST_EXE_GRAPH_RUNTIME_RUNTIME_ATTRS_H_

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <typeinfo>
#include <utility>
#include <vector>

namespace gert {

template <typename T>
class TypedContinuousVector {
 public:
  explicit TypedContinuousVector(const std::vector<int64_t>& values)
      : size_(values.size()), values_(new T[values.size()]) {
    std::transform(values.begin(), values.end(), values_.get(),
                   [](int64_t value) { return static_cast<T>(value); });
  }
  size_t GetSize() const { return size_; }
  const T* GetData() const { return values_.get(); }

 private:
  size_t size_;
  std::unique_ptr<T[]> values_;
};

}  // namespace gert

namespace normgrad {
namespace host {

// A value of any type; one without a value is an attribute that the call does not have.
class Attribute {
 public:
  Attribute() = default;
  template <typename T>
  explicit Attribute(std::shared_ptr<T> value) : value_(std::move(value)), type_(&typeid(T)) {}

  // Upstream takes the caller's word for the type.
  template <typename T>
  const T* As() const {
    assert(value_ == nullptr || *type_ == typeid(T));
    return static_cast<const T*>(value_.get());
  }

 private:
  std::shared_ptr<void> value_;
  const std::type_info* type_ = nullptr;
};

}  // namespace host
}  // namespace normgrad

namespace gert {

class RuntimeAttrs {
 public:
  explicit RuntimeAttrs(const std::vector<normgrad::host::Attribute>& attributes)
      : attributes_(attributes) {}

  template <typename T>
  const T* GetAttrPointer(size_t index) const {
    return index < attributes_.size() ? attributes_[index].As<T>() : nullptr;
  }
  const int64_t* GetInt(size_t index) const { return GetAttrPointer<int64_t>(index); }
  const bool* GetBool(size_t index) const { return GetAttrPointer<bool>(index); }
  const char* GetStr(size_t index) const { return GetAttrPointer<char>(index); }
  const TypedContinuousVector<int64_t>* GetListInt(size_t index) const {
    return GetAttrPointer<TypedContinuousVector<int64_t>>(index);
  }

 private:
  std::vector<normgrad::host::Attribute> attributes_;
};

}  // namespace gert

#endif  // NORMGRAD_TWIN_HOST_EXE_GRAPH_RUNTIME_RUNTIME_ATTRS_H_
