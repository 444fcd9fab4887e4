// Size and printed name of each element type.
#include "tiling/problem.h"

namespace normgrad {

uint32_t SizeOf(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
    case DType::kInt32:
      return 4;
    case DType::kFloat16:
    case DType::kBfloat16:
      return 2;
    case DType::kInt8:
    case DType::kHifloat8:
      return 1;
    case DType::kUndefined:
      break;
  }
  return 0;
}

const char* NameOf(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return "fp32";
    case DType::kFloat16:
      return "fp16";
    case DType::kBfloat16:
      return "bf16";
    case DType::kInt8:
      return "int8";
    case DType::kInt32:
      return "int32";
    case DType::kHifloat8:
      return "hif8";
    case DType::kUndefined:
      break;
  }
  return "an unknown dtype";
}

}  // namespace normgrad
