#include "twin/acl/tensors.h"

#include <cstring>

#include "acl/acl_base.h"
#include "opdev/op_errno.h"
#include "opdev/tensor_view_utils.h"

namespace normgrad::acl {
namespace {

constexpr uint64_t kMostBytes = uint64_t{1} << 60;  // as the planner's checks have it

using Wide = __int128;  // strides and shapes are any 64-bit numbers

// Innermost axes that lie side by side in both views are one row.
void CopyAxes(const int64_t* shape, size_t axes, uint64_t item, uint8_t* to,
              const int64_t* to_strides, const uint8_t* from, const int64_t* from_strides) {
  if (axes == 0) {
    std::memcpy(to, from, item);
    return;
  }
  if (axes == 1 && to_strides[0] == 1 && from_strides[0] == 1) {
    std::memcpy(to, from, item * static_cast<uint64_t>(shape[0]));
    return;
  }
  const int64_t bytes = static_cast<int64_t>(item);
  for (int64_t at = 0; at < shape[0]; ++at) {
    CopyAxes(shape + 1, axes - 1, item, to + at * to_strides[0] * bytes, to_strides + 1,
             from + at * from_strides[0] * bytes, from_strides + 1);
  }
}

}  // namespace

Registry<aclTensor>& Tensors() {
  static auto* tensors = new Registry<aclTensor>("tensor", "aclCreateTensor");
  return *tensors;
}

bool IsEmpty(const op::Shape& shape) {
  for (const int64_t length : shape.dims()) {
    if (length <= 0) return true;
  }
  return false;
}

std::vector<int64_t> ContiguousStrides(const std::vector<int64_t>& dims) {
  std::vector<int64_t> strides(dims.size(), 1);
  for (size_t axis = dims.size(); axis-- > 1;) {
    // What does not fit 64 bits is refused by its size.
    if (__builtin_mul_overflow(strides[axis], dims[axis], &strides[axis - 1])) break;
  }
  return strides;
}

uint64_t ItemBytes(op::DataType type) { return aclDataTypeSize(static_cast<aclDataType>(type)); }

bool CountBytes(const aclTensor& tensor, uint64_t* bytes) {
  *bytes = 0;
  if (IsEmpty(tensor.view_shape)) return true;
  uint64_t count = ItemBytes(tensor.data_type);
  for (const int64_t length : tensor.view_shape.dims()) {
    if (__builtin_mul_overflow(count, static_cast<uint64_t>(length), &count)) return false;
  }
  *bytes = count;
  return count <= kMostBytes;
}

Answer Extent(const aclTensor& tensor, int64_t* begin, int64_t* end) {
  Wide first = tensor.view_offset;
  Wide last = tensor.view_offset;
  const std::vector<int64_t>& dims = tensor.view_shape.dims();
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    const Wide reach = static_cast<Wide>(dims[axis] - 1) * tensor.view_strides[axis];
    (reach < 0 ? first : last) += reach;
  }
  const Wide item = ItemBytes(tensor.data_type);
  first *= item;
  last = (last + 1) * item;
  if (first < 0 || last > static_cast<Wide>(kMostBytes)) {
    return Refuse(ACLNN_ERR_PARAM_INVALID,
                  first < 0 ? "begins before its memory: the offset and negative strides do not "
                              "fit; pass a larger offset"
                            : "reaches more than 2^60 bytes into its memory: pass smaller strides");
  }
  *begin = static_cast<int64_t>(first);
  *end = static_cast<int64_t>(last);
  return Answer{};
}

void CopyView(const std::vector<int64_t>& shape, uint64_t item, uint8_t* to,
              const std::vector<int64_t>& to_strides, const uint8_t* from,
              const std::vector<int64_t>& from_strides) {
  for (const int64_t length : shape) {
    if (length <= 0) return;
  }
  CopyAxes(shape.data(), shape.size(), item, to, to_strides.data(), from, from_strides.data());
}

}  // namespace normgrad::acl

namespace op {

bool IsContiguous(const aclTensor* tensor) {
  const std::vector<int64_t>& dims = tensor->view_shape.dims();
  if (normgrad::acl::IsEmpty(tensor->view_shape)) return true;
  int64_t want = 1;
  for (size_t axis = dims.size(); axis-- > 0;) {
    if (dims[axis] == 1) continue;  // its stride is never taken
    if (tensor->view_strides[axis] != want) return false;
    if (__builtin_mul_overflow(want, dims[axis], &want)) return false;
  }
  return true;
}

}  // namespace op
