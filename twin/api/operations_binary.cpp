// Two sources, element by element.
#include "twin/api/loops.h"
#include "twin/api/operations.h"

namespace normgrad::twin {
namespace {

NORMGRAD_NUMBERS(BINARY, Add, AddOf(a, b))
NORMGRAD_NUMBERS(BINARY, Sub, SubOf(a, b))
NORMGRAD_NUMBERS(BINARY, Mul, MulOf(a, b))
NORMGRAD_NUMBERS(BINARY, Max, MaxOf(a, b))
NORMGRAD_NUMBERS(BINARY, Min, MinOf(a, b))
// Correctly rounded: the documentation gives neither an accuracy nor an order of operations.
NORMGRAD_FLOATS(BINARY, Div, a / b)
NORMGRAD_FLOATS(BINARY, MulAddDst, F::Load(F::Store(a* b)) + F::Load(d[i]))
NORMGRAD_FLOATS(BINARY, FusedMulAdd, F::Load(F::Store(a* F::Load(d[i]))) + b)
NORMGRAD_BINARY_LOOP(And, a& b)
NORMGRAD_BINARY_LOOP(Or, a | b)
NORMGRAD_BINARY_OF(And, U16)
NORMGRAD_BINARY_OF(Or, U16)

NORMGRAD_CLONES void MulAddDstMixed(void* dst, const void* lhs, const void* rhs, size_t count) {
  auto* d = static_cast<float*>(dst);
  const auto* a = static_cast<const uint16_t*>(lhs);
  const auto* b = static_cast<const uint16_t*>(rhs);
  NORMGRAD_ELEMENTWISE
  for (size_t i = 0; i < count; ++i) d[i] = FloatFromHalf(a[i]) * FloatFromHalf(b[i]) + d[i];
}

}  // namespace

#define NORMGRAD_CASE(name) \
  case Api::k##name:        \
    return ChooseFloat(dtype, saturates, name##F32, name##F16, name##F16Saturating)
#define NORMGRAD_CASE_NUMBERS(name)             \
  case Api::k##name:                            \
    if (dtype == Dtype::kI16) return name##I16; \
    if (dtype == Dtype::kI32) return name##I32; \
    return ChooseFloat(dtype, saturates, name##F32, name##F16, name##F16Saturating)

BinaryFn BinaryOperation(Api api, Dtype dtype, bool saturates) {
  const bool bits16 = dtype == Dtype::kI16 || dtype == Dtype::kU16;
  switch (api) {
    NORMGRAD_CASE_NUMBERS(Add);
    NORMGRAD_CASE_NUMBERS(Sub);
    NORMGRAD_CASE_NUMBERS(Mul);
    NORMGRAD_CASE_NUMBERS(Max);
    NORMGRAD_CASE_NUMBERS(Min);
    NORMGRAD_CASE(Div);
    NORMGRAD_CASE(MulAddDst);
    NORMGRAD_CASE(FusedMulAdd);
    case Api::kAnd:
      return bits16 ? AndU16 : nullptr;
    case Api::kOr:
      return bits16 ? OrU16 : nullptr;
    default:
      return nullptr;
  }
}

BinaryFn MixedMulAddDst() { return MulAddDstMixed; }

}  // namespace normgrad::twin
