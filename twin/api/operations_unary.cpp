// One source, or one source and a scalar, element by element; fills.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "twin/api/loops.h"
#include "twin/api/operations.h"

namespace normgrad::twin {
namespace {

// Exp, Ln, Rsqrt and Reciprocal are approximations on the chips, by methods that are not
// documented; here they are computed in fp64 and rounded once. A kernel must not rely on more than
// the pages promise (Rsqrt: not even 2e-4 for fp32).
NORMGRAD_FLOATS(UNARY, Abs, std::fabs(a))
NORMGRAD_FLOATS(UNARY, Exp, std::exp(static_cast<double>(a)))
NORMGRAD_FLOATS(UNARY, Ln, std::log(static_cast<double>(a)))
NORMGRAD_FLOATS(UNARY, Sqrt, std::sqrt(a))
NORMGRAD_FLOATS(UNARY, Rsqrt, 1.0 / std::sqrt(static_cast<double>(a)))
NORMGRAD_FLOATS(UNARY, Reciprocal, 1.0 / static_cast<double>(a))
NORMGRAD_FLOATS(UNARY, Relu, MaxOf(a, V{0}))
NORMGRAD_UNARY_OF(Relu, I32)
NORMGRAD_UNARY_LOOP(Not, ~a)
NORMGRAD_UNARY_OF(Not, U16)

NORMGRAD_NUMBERS(SCALAR, Adds, AddOf(a, b))
NORMGRAD_NUMBERS(SCALAR, Muls, MulOf(a, b))
NORMGRAD_NUMBERS(SCALAR, Maxs, MaxOf(a, b))
NORMGRAD_NUMBERS(SCALAR, Mins, MinOf(a, b))
NORMGRAD_FLOATS(SCALAR, Axpy, F::Load(F::Store(a* b)) + F::Load(d[i]))

NORMGRAD_CLONES void AxpyMixed(void* dst, const void* src, const void* scalar, size_t count) {
  auto* d = static_cast<float*>(dst);
  const auto* s = static_cast<const uint16_t*>(src);
  uint16_t stored;
  std::memcpy(&stored, scalar, sizeof stored);
  const float b = FloatFromHalf(stored);
  NORMGRAD_ELEMENTWISE
  for (size_t i = 0; i < count; ++i) d[i] = FloatFromHalf(s[i]) * b + d[i];
}

template <typename T>
void Fill(void* dst, const void* value, size_t count) {
  T element;
  std::memcpy(&element, value, sizeof element);
  std::fill_n(static_cast<T*>(dst), count, element);
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

UnaryFn UnaryOperation(Api api, Dtype dtype, bool saturates) {
  switch (api) {
    NORMGRAD_CASE(Abs);
    NORMGRAD_CASE(Exp);
    NORMGRAD_CASE(Ln);
    NORMGRAD_CASE(Sqrt);
    NORMGRAD_CASE(Rsqrt);
    NORMGRAD_CASE(Reciprocal);
    case Api::kRelu:
      if (dtype == Dtype::kI32) return ReluI32;
      return ChooseFloat(dtype, saturates, ReluF32, ReluF16, ReluF16Saturating);
    case Api::kNot:
      return dtype == Dtype::kI16 || dtype == Dtype::kU16 ? NotU16 : nullptr;
    default:
      return nullptr;
  }
}

ScalarFn ScalarOperation(Api api, Dtype dtype, bool saturates) {
  switch (api) {
    NORMGRAD_CASE_NUMBERS(Adds);
    NORMGRAD_CASE_NUMBERS(Muls);
    NORMGRAD_CASE_NUMBERS(Maxs);
    NORMGRAD_CASE_NUMBERS(Mins);
    NORMGRAD_CASE(Axpy);
    default:
      return nullptr;
  }
}

ScalarFn MixedAxpy() { return AxpyMixed; }

void FillElements(void* dst, const void* value, uint32_t element_bytes, size_t count) {
  switch (element_bytes) {
    case 1:
      return Fill<uint8_t>(dst, value, count);
    case 2:
      return Fill<uint16_t>(dst, value, count);
    case 4:
      return Fill<uint32_t>(dst, value, count);
    default:
      return Fill<uint64_t>(dst, value, count);
  }
}

}  // namespace normgrad::twin
