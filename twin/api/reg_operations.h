// The arithmetic of register instructions on whole registers: as operations.h, with the rounding
// and the element types of arch 3510. `saturates`: fp16 has no Inf and NaN in the present mode.
// `flush`: subnormal numbers count as 0. dst may be exactly one of the sources.
#ifndef NORMGRAD_TWIN_API_REG_OPERATIONS_H_
#define NORMGRAD_TWIN_API_REG_OPERATIONS_H_

#include <cstddef>

#include "twin/rules/reg_table.h"

namespace normgrad::twin {

struct RegVariant {
  Dtype dtype;
  bool saturates;
  bool flush;
};

using RegBinaryFn = void (*)(void* dst, const void* a, const void* b, size_t count);
using RegUnaryFn = void (*)(void* dst, const void* src, size_t count);
using RegScalarFn = void (*)(void* dst, const void* src, const void* scalar, size_t count);

RegBinaryFn RegBinaryOperation(RegOp op, const RegVariant& variant);
RegUnaryFn RegUnaryOperation(RegOp op, const RegVariant& variant);
RegScalarFn RegScalarOperation(RegOp op, const RegVariant& variant);

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_API_REG_OPERATIONS_H_
