// Register instructions with one source, and with a scalar.
#include <cstring>
#include <limits>

#include "twin/api/loops.h"
#include "twin/api/reg_formats.h"
#include "twin/api/reg_operations.h"

namespace normgrad::twin {
namespace {

NORMGRAD_INLINE float AbsOf(float a) { return std::fabs(a); }
template <typename T>
NORMGRAD_INLINE T AbsOf(T a) {
  return a < 0 ? SubOf(T{0}, a) : a;  // the least number keeps its bits: page of Abs
}
NORMGRAD_INLINE float NegOf(float a) { return -a; }
template <typename T>
NORMGRAD_INLINE T NegOf(T a) {
  return SubOf(T{0}, a);
}

// Exp and Ln are exact to 1 ulp by their pages; here they are computed in fp64 and rounded once.
NORMGRAD_FLOATS(UNARY, Abs, AbsOf(a))
NORMGRAD_SIGNED(UNARY, Abs)
NORMGRAD_FLOATS(UNARY, Neg, NegOf(a))
NORMGRAD_SIGNED(UNARY, Neg)
NORMGRAD_FLOATS(UNARY, Relu, RegMaxOf(a, V{0}))
NORMGRAD_UNARY_OF(Relu, I32)
NORMGRAD_FLOATS(UNARY, Exp, std::exp(static_cast<double>(a)))
NORMGRAD_FLOATS(UNARY, ExpFlushed,
                Flushed<F>(static_cast<V>(std::exp(static_cast<double>(Flushed<F>(a))))))
NORMGRAD_FLOATS(UNARY, Ln, std::log(static_cast<double>(a)))
NORMGRAD_FLOATS(UNARY, LnFlushed,
                Flushed<F>(static_cast<V>(std::log(static_cast<double>(Flushed<F>(a))))))
NORMGRAD_FLOATS(UNARY, Sqrt, std::sqrt(a))
NORMGRAD_FLOATS(UNARY, SqrtFlushed, std::sqrt(Flushed<F>(a)))
NORMGRAD_UNARY_LOOP(Not, ~a)
NORMGRAD_UNSIGNED(UNARY, Not)

#define NORMGRAD_SIGNED_ONLY(name)                     \
  {name##F32, name##F16, nullptr,   name##I8, nullptr, \
   name##I16, nullptr,   name##I32, nullptr,  name##F16Saturating}

}  // namespace

#define NORMGRAD_CASE(name, ...)                            \
  case RegOp::k##name: {                                    \
    static constexpr RegUnaryFn kOf[10] = __VA_ARGS__;      \
    return ChooseOf(variant.dtype, variant.saturates, kOf); \
  }
#define NORMGRAD_FLUSHED_CASE(name)                                                       \
  case RegOp::k##name: {                                                                  \
    static constexpr RegUnaryFn kPlain[10] = NORMGRAD_FLOAT_ONLY(name);                   \
    static constexpr RegUnaryFn kFlushed[10] = NORMGRAD_FLOAT_ONLY(name##Flushed);        \
    return ChooseOf(variant.dtype, variant.saturates, variant.flush ? kFlushed : kPlain); \
  }

RegUnaryFn RegUnaryOperation(RegOp op, const RegVariant& variant) {
  switch (op) {
    NORMGRAD_CASE(Abs, NORMGRAD_SIGNED_ONLY(Abs))
    NORMGRAD_CASE(Neg, NORMGRAD_SIGNED_ONLY(Neg))
    NORMGRAD_CASE(Relu, {ReluF32, ReluF16, nullptr, nullptr, nullptr, nullptr, nullptr, ReluI32,
                         nullptr, ReluF16Saturating})
    NORMGRAD_FLUSHED_CASE(Exp)
    NORMGRAD_FLUSHED_CASE(Ln)
    NORMGRAD_FLUSHED_CASE(Sqrt)
    NORMGRAD_CASE(Not,
                  {NotU32, NotU16, NotU16, NotU8, NotU8, NotU16, NotU16, NotU32, NotU32, NotU16})
    default:
      return nullptr;
  }
}

#undef NORMGRAD_CASE

namespace {

NORMGRAD_FLOATS(SCALAR, Adds, AddOf(a, b))
NORMGRAD_SCALAR_OF(Adds, Bf16)
NORMGRAD_UNSIGNED(SCALAR, Adds)
NORMGRAD_FLOATS(SCALAR, Muls, MulOf(a, b))
NORMGRAD_SCALAR_OF(Muls, U16)
NORMGRAD_SCALAR_OF(Muls, U32)
NORMGRAD_FLOATS(SCALAR, Maxs, RegMaxOf(a, b))
NORMGRAD_SCALAR_OF(Maxs, Bf16)
NORMGRAD_UNSIGNED(SCALAR, Maxs)
NORMGRAD_SIGNED(SCALAR, Maxs)
NORMGRAD_FLOATS(SCALAR, Mins, RegMinOf(a, b))
NORMGRAD_SCALAR_OF(Mins, Bf16)
NORMGRAD_UNSIGNED(SCALAR, Mins)
NORMGRAD_SIGNED(SCALAR, Mins)
// The page does not say whether the product is rounded before the sum; here it is.
NORMGRAD_FLOATS(SCALAR, Axpy, F::Load(F::Store(a* b)) + F::Load(d[i]))

#define NORMGRAD_SHIFT(name, function, F)                                                  \
  NORMGRAD_CLONES void name##F(void* d, const void* s, const void* scalar, size_t count) { \
    int16_t by;                                                                            \
    std::memcpy(&by, scalar, sizeof by);                                                   \
    auto* to = static_cast<F::Storage*>(d);                                                \
    const auto* from = static_cast<const F::Storage*>(s);                                  \
    for (size_t i = 0; i < count; ++i) to[i] = function(from[i], by);                      \
  }
#define NORMGRAD_SHIFTS(name, function) \
  NORMGRAD_SHIFT(name, function, I8)    \
  NORMGRAD_SHIFT(name, function, U8)    \
  NORMGRAD_SHIFT(name, function, I16)   \
  NORMGRAD_SHIFT(name, function, U16)   \
  NORMGRAD_SHIFT(name, function, I32)   \
  NORMGRAD_SHIFT(name, function, U32)
NORMGRAD_SHIFTS(ShiftLefts, ShiftedLeft)
NORMGRAD_SHIFTS(ShiftRights, ShiftedRight)

#define NORMGRAD_INTS(name)                              \
  {nullptr,   nullptr,   nullptr,   name##I8,  name##U8, \
   name##I16, name##U16, name##I32, name##U32, nullptr}

}  // namespace

#define NORMGRAD_CASE(name, ...)                            \
  case RegOp::k##name: {                                    \
    static constexpr RegScalarFn kOf[10] = __VA_ARGS__;     \
    return ChooseOf(variant.dtype, variant.saturates, kOf); \
  }

RegScalarFn RegScalarOperation(RegOp op, const RegVariant& variant) {
  switch (op) {
    NORMGRAD_CASE(Adds, NORMGRAD_ALL(Adds, U8, U16, U32))
    NORMGRAD_CASE(Muls, {MulsF32, MulsF16, nullptr, nullptr, nullptr, MulsU16, MulsU16, MulsU32,
                         MulsU32, MulsF16Saturating})
    NORMGRAD_CASE(Maxs, NORMGRAD_ALL(Maxs, I8, I16, I32))
    NORMGRAD_CASE(Mins, NORMGRAD_ALL(Mins, I8, I16, I32))
    NORMGRAD_CASE(Axpy, NORMGRAD_FLOAT_ONLY(Axpy))
    NORMGRAD_CASE(ShiftLefts, NORMGRAD_INTS(ShiftLefts))
    NORMGRAD_CASE(ShiftRights, NORMGRAD_INTS(ShiftRights))
    default:
      return nullptr;
  }
}

}  // namespace normgrad::twin
