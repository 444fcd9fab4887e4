// Tensors and arrays as an operator's own host code sees them.
#ifndef NORMGRAD_TWIN_ACL_COMMON_TYPES_H_
#define NORMGRAD_TWIN_ACL_COMMON_TYPES_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "aclnn/acl_meta.h"

namespace ge {

// Values are those of aclDataType and aclFormat.
enum DataType : int32_t {
  DT_UNDEFINED = -1,
  DT_FLOAT = 0,
  DT_FLOAT16 = 1,
  DT_INT8 = 2,
  DT_INT32 = 3,
  DT_INT64 = 9,
  DT_BF16 = 27,
  DT_HIFLOAT8 = 34,
};

enum Format : int32_t {
  FORMAT_NCHW = 0,
  FORMAT_NHWC = 1,
  FORMAT_ND = 2,
  FORMAT_HWCN = 16,
  FORMAT_NDHWC = 27,
  FORMAT_NCDHW = 30,
  FORMAT_NC = 35,
  FORMAT_NCL = 47,
};

}  // namespace ge

namespace op {

using DataType = ge::DataType;
using Format = ge::Format;
using Strides = std::vector<int64_t>;

class Shape {
 public:
  Shape() = default;
  explicit Shape(std::vector<int64_t> dims) : dims_(std::move(dims)) {}
  size_t GetDimNum() const { return dims_.size(); }
  int64_t GetDim(size_t axis) const { return dims_[axis]; }
  const std::vector<int64_t>& dims() const { return dims_; }  // the twin's

 private:
  std::vector<int64_t> dims_;
};

}  // namespace op

struct aclTensor {
 public:
  const op::Shape& GetViewShape() const { return view_shape; }
  const op::Shape& GetStorageShape() const { return storage_shape; }
  const op::Strides& GetViewStrides() const { return view_strides; }
  int64_t GetViewOffset() const { return view_offset; }
  op::DataType GetDataType() const { return data_type; }
  op::Format GetViewFormat() const { return format; }
  op::Format GetStorageFormat() const { return format; }

  // From here on the twin's: where the bytes are.
  enum class Place { kClient, kWorkspace, kHost };

  op::Shape view_shape;
  op::Shape storage_shape;
  op::Strides view_strides;
  int64_t view_offset = 0;
  op::DataType data_type = op::DataType::DT_UNDEFINED;
  op::Format format = op::Format::FORMAT_ND;
  Place place = Place::kClient;
  void* address = nullptr;          // kClient: of the storage, on the device
  uint64_t workspace_offset = 0;    // kWorkspace
  std::vector<uint8_t> host_bytes;  // kHost: a constant
};

template <typename T>
struct aclArrayOf {
  explicit aclArrayOf(std::vector<T> given) : values(std::move(given)) {}
  uint64_t Size() const { return values.size(); }
  const T* GetData() const { return values.data(); }
  T operator[](uint64_t i) const { return values[i]; }
  std::vector<T> values;
};

struct aclIntArray : aclArrayOf<int64_t> {
  using aclArrayOf::aclArrayOf;
};
struct aclFloatArray : aclArrayOf<float> {
  using aclArrayOf::aclArrayOf;
};
// A vector of bool has no address of its elements.
struct aclBoolArray : aclArrayOf<uint8_t> {
  using aclArrayOf::aclArrayOf;
  bool operator[](uint64_t i) const { return values[i] != 0; }
};
struct aclScalar {
  op::DataType data_type = op::DataType::DT_UNDEFINED;
  std::vector<uint8_t> bytes;
};

#endif  // NORMGRAD_TWIN_ACL_COMMON_TYPES_H_
