// aclnn: what a client makes, asks and destroys of tensors, arrays and scalars.
#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

#include "acl/acl_base.h"
#include "aclnn/acl_meta.h"
#include "opdev/op_errno.h"
#include "twin/acl/errors.h"
#include "twin/acl/tensors.h"
#include "twin/machine/dtype.h"

using normgrad::acl::Fail;
using normgrad::acl::Registry;
using normgrad::acl::Tensors;

namespace {

constexpr uint64_t kMostAxes = 25;      // of a shape of the published interface
constexpr uint64_t kMostValues = 4096;  // of an array: an axis or a flag each

template <typename T>
Registry<T>& Arrays();

template <>
Registry<aclIntArray>& Arrays<aclIntArray>() {
  static auto* arrays = new Registry<aclIntArray>("array", "aclCreateIntArray");
  return *arrays;
}
template <>
Registry<aclFloatArray>& Arrays<aclFloatArray>() {
  static auto* arrays = new Registry<aclFloatArray>("array", "aclCreateFloatArray");
  return *arrays;
}
template <>
Registry<aclBoolArray>& Arrays<aclBoolArray>() {
  static auto* arrays = new Registry<aclBoolArray>("array", "aclCreateBoolArray");
  return *arrays;
}
template <>
Registry<aclScalar>& Arrays<aclScalar>() {
  static auto* scalars = new Registry<aclScalar>("scalar", "aclCreateScalar");
  return *scalars;
}

template <typename Array, typename Value, typename Given>
Array* CreateArray(const char* call, const Given* values, uint64_t size) {
  if ((values == nullptr && size > 0) || size > kMostValues) {
    Fail(ACLNN_ERR_PARAM_INVALID,
         std::string(call) + " was given " + std::to_string(size) +
             (values == nullptr ? " values at a null address" : " values: it takes up to 4,096") +
             "; pass an array and its length");
    return nullptr;
  }
  std::vector<Value> copied(values, values + size);
  return Arrays<Array>().Add(std::make_shared<Array>(std::move(copied)));
}

template <typename T>
aclnnStatus Destroy(const char* call, const T* object, Registry<T>& registry) {
  std::string why;
  if (registry.Remove(object, &why) != nullptr) return ACLNN_SUCCESS;
  return Fail(object == nullptr ? ACLNN_ERR_INNER_NULLPTR : ACLNN_ERR_PARAM_INVALID,
              std::string(call) + ": " + why);
}

template <typename Array>
aclnnStatus GetSize(const char* call, const Array* array, uint64_t* size) {
  std::string why = "size is null: pass the address of a variable";
  const auto found = size == nullptr ? nullptr : Arrays<Array>().Find(array, &why);
  if (found == nullptr) return Fail(ACLNN_ERR_PARAM_NULLPTR, std::string(call) + ": " + why);
  *size = found->Size();
  return ACLNN_SUCCESS;
}

// Hands the answer of `read` out, or says which argument is wrong.
template <typename T, typename Read>
aclnnStatus Ask(const char* call, const aclTensor* tensor, T* out, Read read) {
  std::string why = "an output is null: pass the address of a variable";
  const auto found = out == nullptr ? nullptr : Tensors().Find(tensor, &why);
  if (found == nullptr) return Fail(ACLNN_ERR_PARAM_NULLPTR, std::string(call) + ": " + why);
  *out = read(*found);
  return ACLNN_SUCCESS;
}

// The client frees it with delete[].
aclnnStatus HandOut(const char* call, const aclTensor* tensor, int64_t** values, uint64_t* count,
                    const std::vector<int64_t>& (*read)(const aclTensor&)) {
  std::vector<int64_t> found;
  const aclnnStatus status = Ask(call, tensor, values == nullptr ? nullptr : &found, read);
  if (status != ACLNN_SUCCESS) return status;
  if (count == nullptr) return Fail(ACLNN_ERR_PARAM_NULLPTR, std::string(call) + ": null count");
  *values = new int64_t[std::max<size_t>(found.size(), 1)];
  std::copy(found.begin(), found.end(), *values);
  *count = found.size();
  return ACLNN_SUCCESS;
}

}  // namespace

namespace normgrad::acl {

bool IsArray(const aclIntArray* array, std::string* why) {
  return Arrays<aclIntArray>().Find(array, why) != nullptr;
}
bool IsArray(const aclBoolArray* array, std::string* why) {
  return Arrays<aclBoolArray>().Find(array, why) != nullptr;
}

}  // namespace normgrad::acl

extern "C" {

// Bytes of one element; of types that share a byte none.
size_t aclDataTypeSize(aclDataType dataType) {
  switch (dataType) {
    case ACL_INT8:
    case ACL_UINT8:
    case ACL_BOOL:
    case ACL_HIFLOAT8:
    case ACL_FLOAT8_E5M2:
    case ACL_FLOAT8_E4M3FN:
    case ACL_FLOAT8_E8M0:
      return 1;
    case ACL_FLOAT16:
    case ACL_BF16:
    case ACL_INT16:
    case ACL_UINT16:
      return 2;
    case ACL_FLOAT:
    case ACL_INT32:
    case ACL_UINT32:
    case ACL_COMPLEX32:
      return 4;
    case ACL_INT64:
    case ACL_UINT64:
    case ACL_DOUBLE:
    case ACL_COMPLEX64:
      return 8;
    case ACL_COMPLEX128:
      return 16;
    default:
      return 0;
  }
}

float aclFloat16ToFloat(aclFloat16 value) { return normgrad::twin::FloatFromHalf(value); }
aclFloat16 aclFloatToFloat16(float value) { return normgrad::twin::HalfFromFloat(value); }

aclTensor* aclCreateTensor(const int64_t* viewDims, uint64_t viewDimsNum, aclDataType dataType,
                           const int64_t* stride, int64_t offset, aclFormat format,
                           const int64_t* storageDims, uint64_t storageDimsNum, void* tensorData) {
  if ((viewDims == nullptr && viewDimsNum > 0) || (storageDims == nullptr && storageDimsNum > 0) ||
      viewDimsNum > kMostAxes || storageDimsNum > kMostAxes) {
    Fail(ACLNN_ERR_PARAM_INVALID,
         "aclCreateTensor was given " + std::to_string(viewDimsNum) + " axes and a storage of " +
             std::to_string(storageDimsNum) +
             ": shapes are arrays of up to 25 lengths; pass arrays and their lengths");
    return nullptr;
  }
  auto tensor = std::make_shared<aclTensor>();
  const std::vector<int64_t> dims(viewDims, viewDims + viewDimsNum);
  tensor->view_strides = stride != nullptr ? std::vector<int64_t>(stride, stride + viewDimsNum)
                                           : normgrad::acl::ContiguousStrides(dims);
  tensor->view_shape = op::Shape(dims);
  tensor->storage_shape =
      op::Shape(std::vector<int64_t>(storageDims, storageDims + storageDimsNum));
  tensor->view_offset = offset;
  tensor->data_type = static_cast<op::DataType>(dataType);
  tensor->format = static_cast<op::Format>(format);
  tensor->address = tensorData;
  return Tensors().Add(std::move(tensor));
}

aclScalar* aclCreateScalar(void* value, aclDataType dataType) {
  const size_t bytes = aclDataTypeSize(dataType);
  if (value == nullptr || bytes == 0) {
    Fail(ACLNN_ERR_PARAM_INVALID, "aclCreateScalar was given a null value or a type without size");
    return nullptr;
  }
  auto scalar = std::make_shared<aclScalar>();
  scalar->data_type = static_cast<op::DataType>(dataType);
  scalar->bytes.resize(bytes);
  std::memcpy(scalar->bytes.data(), value, bytes);
  return Arrays<aclScalar>().Add(std::move(scalar));
}

aclIntArray* aclCreateIntArray(const int64_t* value, uint64_t size) {
  return CreateArray<aclIntArray, int64_t>("aclCreateIntArray", value, size);
}
aclFloatArray* aclCreateFloatArray(const float* value, uint64_t size) {
  return CreateArray<aclFloatArray, float>("aclCreateFloatArray", value, size);
}
aclBoolArray* aclCreateBoolArray(const bool* value, uint64_t size) {
  return CreateArray<aclBoolArray, uint8_t>("aclCreateBoolArray", value, size);
}

aclnnStatus aclDestroyTensor(const aclTensor* tensor) {
  return Destroy("aclDestroyTensor", tensor, Tensors());
}
aclnnStatus aclDestroyScalar(const aclScalar* scalar) {
  return Destroy("aclDestroyScalar", scalar, Arrays<aclScalar>());
}
aclnnStatus aclDestroyIntArray(const aclIntArray* array) {
  return Destroy("aclDestroyIntArray", array, Arrays<aclIntArray>());
}
aclnnStatus aclDestroyFloatArray(const aclFloatArray* array) {
  return Destroy("aclDestroyFloatArray", array, Arrays<aclFloatArray>());
}
aclnnStatus aclDestroyBoolArray(const aclBoolArray* array) {
  return Destroy("aclDestroyBoolArray", array, Arrays<aclBoolArray>());
}

aclnnStatus aclGetViewShape(const aclTensor* tensor, int64_t** viewDims, uint64_t* viewDimsNum) {
  return HandOut(
      "aclGetViewShape", tensor, viewDims, viewDimsNum,
      [](const aclTensor& t) -> const std::vector<int64_t>& { return t.view_shape.dims(); });
}
aclnnStatus aclGetStorageShape(const aclTensor* tensor, int64_t** storageDims,
                               uint64_t* storageDimsNum) {
  return HandOut(
      "aclGetStorageShape", tensor, storageDims, storageDimsNum,
      [](const aclTensor& t) -> const std::vector<int64_t>& { return t.storage_shape.dims(); });
}
aclnnStatus aclGetViewStrides(const aclTensor* tensor, int64_t** stridesValue,
                              uint64_t* stridesNum) {
  return HandOut("aclGetViewStrides", tensor, stridesValue, stridesNum,
                 [](const aclTensor& t) -> const std::vector<int64_t>& { return t.view_strides; });
}
aclnnStatus aclGetViewOffset(const aclTensor* tensor, int64_t* offset) {
  return Ask("aclGetViewOffset", tensor, offset, [](const aclTensor& t) { return t.view_offset; });
}
aclnnStatus aclGetFormat(const aclTensor* tensor, aclFormat* format) {
  return Ask("aclGetFormat", tensor, format,
             [](const aclTensor& t) { return static_cast<aclFormat>(t.format); });
}
aclnnStatus aclGetDataType(const aclTensor* tensor, aclDataType* dataType) {
  return Ask("aclGetDataType", tensor, dataType,
             [](const aclTensor& t) { return static_cast<aclDataType>(t.data_type); });
}
aclnnStatus aclGetRawTensorAddr(const aclTensor* tensor, void** addr) {
  return Ask("aclGetRawTensorAddr", tensor, addr, [](const aclTensor& t) { return t.address; });
}
aclnnStatus aclSetRawTensorAddr(aclTensor* tensor, void* addr) {
  std::string why;
  const auto found = Tensors().Find(tensor, &why);
  if (found == nullptr) return Fail(ACLNN_ERR_PARAM_NULLPTR, "aclSetRawTensorAddr: " + why);
  found->address = addr;
  return ACLNN_SUCCESS;
}

aclnnStatus aclGetIntArraySize(const aclIntArray* array, uint64_t* size) {
  return GetSize("aclGetIntArraySize", array, size);
}
aclnnStatus aclGetFloatArraySize(const aclFloatArray* array, uint64_t* size) {
  return GetSize("aclGetFloatArraySize", array, size);
}
aclnnStatus aclGetBoolArraySize(const aclBoolArray* array, uint64_t* size) {
  return GetSize("aclGetBoolArraySize", array, size);
}

}  // extern "C"
