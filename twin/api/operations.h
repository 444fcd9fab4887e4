// The arithmetic of vector instructions on runs of elements: plain loops, one rounding per
// operation, nothing about addresses or rules. `saturates`: the chip has no Inf and NaN in 16 bits.
// A look-up yields null if there is no such operation. dst may be exactly one of the sources,
// otherwise the ranges are disjoint.
#ifndef NORMGRAD_TWIN_API_OPERATIONS_H_
#define NORMGRAD_TWIN_API_OPERATIONS_H_

#include <cstddef>
#include <cstdint>

#include "twin/machine/dtype.h"
#include "twin/rules/api_table.h"
#include "twin/rules/cast_table.h"

namespace AscendC {

enum class CMPMODE : uint8_t { LT = 0, GT, EQ, LE, GE, NE };

enum class SELMODE : uint8_t {
  VSEL_CMPMASK_SPR = 0,
  VSEL_TENSOR_SCALAR_MODE,
  VSEL_TENSOR_TENSOR_MODE,
};

enum class ReduceOrder : uint8_t {
  ORDER_VALUE_INDEX = 0,
  ORDER_INDEX_VALUE,
  ORDER_ONLY_VALUE,
  ORDER_ONLY_INDEX,
};

}  // namespace AscendC

namespace normgrad::twin {

// dst[i] = a[i] op b[i]. MulAddDst: a x b + dst, FusedMulAdd: a x dst + b, the product rounded
// first.
using BinaryFn = void (*)(void* dst, const void* a, const void* b, size_t count);
BinaryFn BinaryOperation(Api api, Dtype dtype, bool saturates);
BinaryFn MixedMulAddDst();  // fp16 factors, fp32 sum

using UnaryFn = void (*)(void* dst, const void* src, size_t count);
UnaryFn UnaryOperation(Api api, Dtype dtype, bool saturates);

// What a conversion makes of values that its destination does not have. Floats: the largest finite
// value, NaN 0; otherwise Inf and NaN. Integers: the low bits of the whole number, and the extreme
// for Inf; otherwise the nearest in range.
struct CastLimits {
  bool floats_saturate;
  bool integers_truncate;
};

using CastFn = void (*)(void* dst, const void* src, size_t count, AscendC::RoundMode mode);
CastFn CastOperation(Dtype dst, Dtype src, AscendC::RoundMode mode, CastLimits limits);

// dst[i] = src[i] op scalar. Axpy: src x scalar + dst, the product rounded first.
using ScalarFn = void (*)(void* dst, const void* src, const void* scalar, size_t count);
ScalarFn ScalarOperation(Api api, Dtype dtype, bool saturates);
ScalarFn MixedAxpy();  // fp16 source and scalar, fp32 sum

// dst[i] = value, of 1, 2, 4 or 8 bytes.
void FillElements(void* dst, const void* value, uint32_t element_bytes, size_t count);

// Sums of `lanes` (a power of two) values by the hardware's tree: 0+1, 2+3, ..., then pairs of
// results, each rounded to the element type, until `sums` are left. Overwrites the values; the sums
// are the first of them.
using TreeFn = void (*)(void* values, size_t lanes, size_t sums);
TreeFn SumTree(Dtype dtype, bool saturates);

// Bit i of dst: a[i] mode b[i], for a multiple of 8 elements. `scalar`: b is one value.
void CompareElements(Dtype dtype, AscendC::CMPMODE mode, uint8_t* dst, const void* a, const void* b,
                     bool scalar, size_t count);

// dst[i] = bit i of `bits` ? a[i] : b[i]. `scalar`: b is one value.
void SelectElements(uint32_t element_bytes, void* dst, const void* a, const void* b, bool scalar,
                    const uint8_t* bits, size_t count);

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_API_OPERATIONS_H_
