// Register instructions with two sources.
#include <cstring>
#include <limits>

#include "twin/api/reg_formats.h"
#include "twin/api/reg_operations.h"

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
#define NORMGRAD_UNSIGNED(name) \
  NORMGRAD_OF(name, U8)         \
  NORMGRAD_OF(name, U16)        \
  NORMGRAD_OF(name, U32)
#define NORMGRAD_SIGNED(name) \
  NORMGRAD_OF(name, I8)       \
  NORMGRAD_OF(name, I16)      \
  NORMGRAD_OF(name, I32)

NORMGRAD_FLOATS(Add, AddOf(a, b))
NORMGRAD_OF(Add, Bf16)
NORMGRAD_UNSIGNED(Add)
NORMGRAD_FLOATS(Sub, SubOf(a, b))
NORMGRAD_OF(Sub, Bf16)
NORMGRAD_UNSIGNED(Sub)
NORMGRAD_LOOP(Mul, MulOf(a, b))
NORMGRAD_OF(Mul, F32)
NORMGRAD_OF(Mul, F16)  // never saturates: page of Mul
NORMGRAD_OF(Mul, Bf16)
NORMGRAD_UNSIGNED(Mul)
NORMGRAD_FLOATS(Div, a / b)
NORMGRAD_FLOATS(DivFlushed, Flushed<F>(Flushed<F>(a) / Flushed<F>(b)))
NORMGRAD_FLOATS(Max, RegMaxOf(a, b))
NORMGRAD_OF(Max, Bf16)
NORMGRAD_UNSIGNED(Max)
NORMGRAD_SIGNED(Max)
NORMGRAD_FLOATS(Min, RegMinOf(a, b))
NORMGRAD_OF(Min, Bf16)
NORMGRAD_UNSIGNED(Min)
NORMGRAD_SIGNED(Min)
NORMGRAD_FLOATS(AbsSub, std::fabs(a - b))
NORMGRAD_LOOP(ExpSub, std::exp(static_cast<double>(a - b)))
NORMGRAD_OF(ExpSub, F32)
NORMGRAD_LOOP(And, a& b)
NORMGRAD_UNSIGNED(And)
NORMGRAD_LOOP(Or, a | b)
NORMGRAD_UNSIGNED(Or)
NORMGRAD_LOOP(Xor, a ^ b)
NORMGRAD_UNSIGNED(Xor)
// The other source holds signed numbers; below 0 is undefined.
NORMGRAD_LOOP(ShiftLeft, ShiftedLeft(a, static_cast<int>(b)))
NORMGRAD_UNSIGNED(ShiftLeft)
NORMGRAD_SIGNED(ShiftLeft)
NORMGRAD_LOOP(ShiftRight, ShiftedRight(a, static_cast<int>(b)))
NORMGRAD_UNSIGNED(ShiftRight)
NORMGRAD_SIGNED(ShiftRight)

NORMGRAD_LOOP(MulAddDst, FusedOf(a, b, F::Load(d[i])))
NORMGRAD_OF(MulAddDst, F16)
NORMGRAD_OF(MulAddDst, F16Saturating)
NORMGRAD_OF(MulAddDst, Bf16)
NORMGRAD_LOOP(MulDstAdd, FusedOf(a, F::Load(d[i]), b))
NORMGRAD_OF(MulDstAdd, F16)
NORMGRAD_OF(MulDstAdd, F16Saturating)
NORMGRAD_OF(MulDstAdd, Bf16)
NORMGRAD_LOOP(MulAddInt, AddOf(MulOf(a, b), d[i]))
NORMGRAD_OF(MulAddInt, U16)
NORMGRAD_OF(MulAddInt, U32)

NORMGRAD_FUSED_CLONES void MulAddDstF32(void* dst, const void* lhs, const void* rhs, size_t count) {
  auto* d = static_cast<float*>(dst);
  const auto* a = static_cast<const float*>(lhs);
  const auto* b = static_cast<const float*>(rhs);
  NORMGRAD_ELEMENTWISE
  for (size_t i = 0; i < count; ++i) d[i] = __builtin_fmaf(a[i], b[i], d[i]);
}
NORMGRAD_FUSED_CLONES void MulDstAddF32(void* dst, const void* lhs, const void* rhs, size_t count) {
  auto* d = static_cast<float*>(dst);
  const auto* a = static_cast<const float*>(lhs);
  const auto* b = static_cast<const float*>(rhs);
  NORMGRAD_ELEMENTWISE
  for (size_t i = 0; i < count; ++i) d[i] = __builtin_fmaf(a[i], d[i], b[i]);
}

// In the order of Dtype, fp16 that saturates last.
#define NORMGRAD_ALL(name, bytes, words, longs)                \
  {name##F32,   name##F16, name##Bf16,  name##bytes, name##U8, \
   name##words, name##U16, name##longs, name##U32,   name##F16Saturating}
#define NORMGRAD_INTS(name, bytes, words, longs)               \
  {nullptr,     nullptr,   nullptr,     name##bytes, name##U8, \
   name##words, name##U16, name##longs, name##U32,   nullptr}
#define NORMGRAD_FLOAT_ONLY(name)                   \
  {name##F32, name##F16, nullptr, nullptr, nullptr, \
   nullptr,   nullptr,   nullptr, nullptr, name##F16Saturating}

}  // namespace

#define NORMGRAD_CASE(name, ...)                            \
  case RegOp::k##name: {                                    \
    static constexpr RegBinaryFn kOf[10] = __VA_ARGS__;     \
    return ChooseOf(variant.dtype, variant.saturates, kOf); \
  }

RegBinaryFn RegBinaryOperation(RegOp op, const RegVariant& variant) {
  switch (op) {
    NORMGRAD_CASE(Add, NORMGRAD_ALL(Add, U8, U16, U32))
    NORMGRAD_CASE(Sub, NORMGRAD_ALL(Sub, U8, U16, U32))
    NORMGRAD_CASE(Mul,
                  {MulF32, MulF16, MulBf16, MulU8, MulU8, MulU16, MulU16, MulU32, MulU32, MulF16})
    NORMGRAD_CASE(Max, NORMGRAD_ALL(Max, I8, I16, I32))
    NORMGRAD_CASE(Min, NORMGRAD_ALL(Min, I8, I16, I32))
    NORMGRAD_CASE(And, NORMGRAD_INTS(And, U8, U16, U32))
    NORMGRAD_CASE(Or, NORMGRAD_INTS(Or, U8, U16, U32))
    NORMGRAD_CASE(Xor, NORMGRAD_INTS(Xor, U8, U16, U32))
    NORMGRAD_CASE(ShiftLeft, NORMGRAD_INTS(ShiftLeft, I8, I16, I32))
    NORMGRAD_CASE(ShiftRight, NORMGRAD_INTS(ShiftRight, I8, I16, I32))
    NORMGRAD_CASE(AbsSub, NORMGRAD_FLOAT_ONLY(AbsSub))
    NORMGRAD_CASE(MulAddDst,
                  {MulAddDstF32, MulAddDstF16, MulAddDstBf16, nullptr, nullptr, MulAddIntU16,
                   MulAddIntU16, MulAddIntU32, MulAddIntU32, MulAddDstF16Saturating})
    NORMGRAD_CASE(MulDstAdd, {MulDstAddF32, MulDstAddF16, MulDstAddBf16, nullptr, nullptr, nullptr,
                              nullptr, nullptr, nullptr, MulDstAddF16Saturating})
    case RegOp::kExpSub:
      return ExpSubF32;
    case RegOp::kDiv: {
      static constexpr RegBinaryFn kPlain[10] = NORMGRAD_FLOAT_ONLY(Div);
      static constexpr RegBinaryFn kFlushed[10] = NORMGRAD_FLOAT_ONLY(DivFlushed);
      return ChooseOf(variant.dtype, variant.saturates, variant.flush ? kFlushed : kPlain);
    }
    default:
      return nullptr;
  }
}

}  // namespace normgrad::twin
