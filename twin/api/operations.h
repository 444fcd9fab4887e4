// The arithmetic of vector instructions on runs of elements: plain loops, one rounding per
// operation, nothing about addresses or rules.
#ifndef NORMGRAD_TWIN_API_OPERATIONS_H_
#define NORMGRAD_TWIN_API_OPERATIONS_H_

#include <cstddef>
#include <cstdint>

#include "twin/machine/dtype.h"
#include "twin/rules/api_table.h"

namespace AscendC {

enum class RoundMode : uint8_t {
  CAST_NONE = 0,
  CAST_RINT,
  CAST_FLOOR,
  CAST_CEIL,
  CAST_ROUND,
  CAST_TRUNC,
  CAST_ODD,
};

enum class CMPMODE : uint8_t { LT = 0, GT, EQ, LE, GE, NE };

enum class SELMODE : uint8_t {
  VSEL_CMPMASK_SPR = 0,
  VSEL_TENSOR_SCALAR_MODE,
  VSEL_TENSOR_TENSOR_MODE,
};

}  // namespace AscendC

namespace normgrad::twin {

// dst[i] = a[i] op b[i]; MulAddDst: dst[i] = a[i] * b[i] + dst[i], the product rounded first. dst may
// be a or b, otherwise the ranges are disjoint.
using BinaryFn = void (*)(void* dst, const void* a, const void* b, size_t count);
BinaryFn BinaryOperation(Api api, Dtype dtype);   // null: no such operation

using ScalarFn = void (*)(void* dst, const void* src, float scalar, size_t count);
ScalarFn ScalarOperation(Api api, Dtype dtype);

using CastFn = void (*)(void* dst, const void* src, size_t count);
CastFn CastOperation(Dtype dst, Dtype src, AscendC::RoundMode mode);

// Sum of `lanes` (a power of two) values by the hardware's tree: 0+1, 2+3, ..., then pairs of
// results; overwrites the values.
float SumTree(float* values, size_t lanes);

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_API_OPERATIONS_H_
