// Register instructions with one source, and with a scalar.
#include <cstring>
#include <limits>

#include "twin/api/reg_formats.h"
#include "twin/api/reg_operations.h"

namespace normgrad::twin {
namespace {

#define NORMGRAD_LOOP(name, expression)                                       \
  template <typename F>                                                       \
  NORMGRAD_INLINE void name##Loop(void* dst, const void* src, size_t count) { \
    using V = typename F::Value;                                              \
    auto* d = static_cast<typename F::Storage*>(dst);                         \
    const auto* s = static_cast<const typename F::Storage*>(src);             \
    NORMGRAD_ELEMENTWISE                                                      \
    for (size_t i = 0; i < count; ++i) {                                      \
      const V a = F::Load(s[i]);                                              \
      d[i] = F::Store(static_cast<V>(expression));                            \
    }                                                                         \
  }
#define NORMGRAD_OF(name, F) \
  NORMGRAD_CLONES void name##F(void* d, const void* s, size_t count) { name##Loop<F>(d, s, count); }
#define NORMGRAD_FLOATS(name, expression) \
  NORMGRAD_LOOP(name, expression)         \
  NORMGRAD_OF(name, F32)                  \
  NORMGRAD_OF(name, F16)                  \
  NORMGRAD_OF(name, F16Saturating)
#define NORMGRAD_UNSIGNED(name) \
  NORMGRAD_OF(name, U8)         \
  NORMGRAD_OF(name, U16)        \
  NORMGRAD_OF(name, U32)
#define NORMGRAD_SIGNED(name) \
  NORMGRAD_OF(name, I8)       \
  NORMGRAD_OF(name, I16)      \
  NORMGRAD_OF(name, I32)

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
NORMGRAD_FLOATS(Abs, AbsOf(a))
NORMGRAD_SIGNED(Abs)
NORMGRAD_FLOATS(Neg, NegOf(a))
NORMGRAD_SIGNED(Neg)
NORMGRAD_FLOATS(Relu, RegMaxOf(a, V{0}))
NORMGRAD_OF(Relu, I32)
NORMGRAD_FLOATS(Exp, std::exp(static_cast<double>(a)))
NORMGRAD_FLOATS(ExpFlushed,
                Flushed<F>(static_cast<V>(std::exp(static_cast<double>(Flushed<F>(a))))))
NORMGRAD_FLOATS(Ln, std::log(static_cast<double>(a)))
NORMGRAD_FLOATS(LnFlushed, Flushed<F>(static_cast<V>(std::log(static_cast<double>(Flushed<F>(a))))))
NORMGRAD_FLOATS(Sqrt, std::sqrt(a))
NORMGRAD_FLOATS(SqrtFlushed, std::sqrt(Flushed<F>(a)))
NORMGRAD_LOOP(Not, ~a)
NORMGRAD_UNSIGNED(Not)

#define NORMGRAD_FLOAT_ONLY(name)                   \
  {name##F32, name##F16, nullptr, nullptr, nullptr, \
   nullptr,   nullptr,   nullptr, nullptr, name##F16Saturating}
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

#undef NORMGRAD_LOOP
#undef NORMGRAD_OF
#undef NORMGRAD_CASE

namespace {

#define NORMGRAD_LOOP(name, expression)                                                           \
  template <typename F>                                                                           \
  NORMGRAD_INLINE void name##Loop(void* dst, const void* src, const void* scalar, size_t count) { \
    using V = typename F::Value;                                                                  \
    auto* d = static_cast<typename F::Storage*>(dst);                                             \
    const auto* s = static_cast<const typename F::Storage*>(src);                                 \
    typename F::Storage stored;                                                                   \
    std::memcpy(&stored, scalar, sizeof stored);                                                  \
    const V b = F::Load(stored);                                                                  \
    NORMGRAD_ELEMENTWISE                                                                          \
    for (size_t i = 0; i < count; ++i) {                                                          \
      const V a = F::Load(s[i]);                                                                  \
      d[i] = F::Store(static_cast<V>(expression));                                                \
    }                                                                                             \
  }
#define NORMGRAD_OF(name, F)                                                               \
  NORMGRAD_CLONES void name##F(void* d, const void* s, const void* scalar, size_t count) { \
    name##Loop<F>(d, s, scalar, count);                                                    \
  }

NORMGRAD_FLOATS(Adds, AddOf(a, b))
NORMGRAD_OF(Adds, Bf16)
NORMGRAD_UNSIGNED(Adds)
NORMGRAD_FLOATS(Muls, MulOf(a, b))
NORMGRAD_OF(Muls, U16)
NORMGRAD_OF(Muls, U32)
NORMGRAD_FLOATS(Maxs, RegMaxOf(a, b))
NORMGRAD_OF(Maxs, Bf16)
NORMGRAD_UNSIGNED(Maxs)
NORMGRAD_SIGNED(Maxs)
NORMGRAD_FLOATS(Mins, RegMinOf(a, b))
NORMGRAD_OF(Mins, Bf16)
NORMGRAD_UNSIGNED(Mins)
NORMGRAD_SIGNED(Mins)
// The page does not say whether the product is rounded before the sum; here it is.
NORMGRAD_FLOATS(Axpy, F::Load(F::Store(a* b)) + F::Load(d[i]))

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

#define NORMGRAD_ALL(name, bytes, words, longs)                \
  {name##F32,   name##F16, name##Bf16,  name##bytes, name##U8, \
   name##words, name##U16, name##longs, name##U32,   name##F16Saturating}
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
