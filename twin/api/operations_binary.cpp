// Two sources, element by element.
#include "twin/api/formats.h"
#include "twin/api/operations.h"

namespace normgrad::twin {
namespace {

#define NORMGRAD_LOOP(name, expression)                                                        \
  template <typename F>                                                                        \
  NORMGRAD_INLINE void name##Loop(void* dst, const void* lhs, const void* rhs, size_t count) { \
    using V = typename F::Value;                                                               \
    auto* d = static_cast<typename F::Storage*>(dst);                                          \
    const auto* l = static_cast<const typename F::Storage*>(lhs);                              \
    const auto* r = static_cast<const typename F::Storage*>(rhs);                              \
    NORMGRAD_ELEMENTWISE                                                                       \
    for (size_t i = 0; i < count; ++i) {                                                       \
      const V a = F::Load(l[i]);                                                               \
      const V b = F::Load(r[i]);                                                               \
      d[i] = F::Store(static_cast<V>(expression));                                             \
    }                                                                                          \
  }
#define NORMGRAD_OF(name, F)                                                          \
  NORMGRAD_CLONES void name##F(void* d, const void* a, const void* b, size_t count) { \
    name##Loop<F>(d, a, b, count);                                                    \
  }
#define NORMGRAD_FLOATS(name, expression) \
  NORMGRAD_LOOP(name, expression)         \
  NORMGRAD_OF(name, F32)                  \
  NORMGRAD_OF(name, F16)                  \
  NORMGRAD_OF(name, F16Saturating)
#define NORMGRAD_NUMBERS(name, expression) \
  NORMGRAD_FLOATS(name, expression)        \
  NORMGRAD_OF(name, I16)                   \
  NORMGRAD_OF(name, I32)

NORMGRAD_NUMBERS(Add, AddOf(a, b))
NORMGRAD_NUMBERS(Sub, SubOf(a, b))
NORMGRAD_NUMBERS(Mul, MulOf(a, b))
NORMGRAD_NUMBERS(Max, MaxOf(a, b))
NORMGRAD_NUMBERS(Min, MinOf(a, b))
// Correctly rounded: the documentation gives neither an accuracy nor an order of operations.
NORMGRAD_FLOATS(Div, a / b)
NORMGRAD_FLOATS(MulAddDst, F::Load(F::Store(a* b)) + F::Load(d[i]))
NORMGRAD_FLOATS(FusedMulAdd, F::Load(F::Store(a* F::Load(d[i]))) + b)
NORMGRAD_LOOP(And, a& b)
NORMGRAD_LOOP(Or, a | b)
NORMGRAD_OF(And, U16)
NORMGRAD_OF(Or, U16)

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
