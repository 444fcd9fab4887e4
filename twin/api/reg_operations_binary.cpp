// Register instructions with two sources.
#include <cstring>
#include <limits>

#include "twin/api/loops.h"
#include "twin/api/reg_formats.h"
#include "twin/api/reg_operations.h"

namespace normgrad::twin {
namespace {

NORMGRAD_FLOATS(BINARY, Add, AddOf(a, b))
NORMGRAD_BINARY_OF(Add, Bf16)
NORMGRAD_UNSIGNED(BINARY, Add)
NORMGRAD_FLOATS(BINARY, Sub, SubOf(a, b))
NORMGRAD_BINARY_OF(Sub, Bf16)
NORMGRAD_UNSIGNED(BINARY, Sub)
NORMGRAD_BINARY_LOOP(Mul, MulOf(a, b))
NORMGRAD_BINARY_OF(Mul, F32)
NORMGRAD_BINARY_OF(Mul, F16)  // never saturates: page of Mul
NORMGRAD_BINARY_OF(Mul, Bf16)
NORMGRAD_UNSIGNED(BINARY, Mul)
NORMGRAD_FLOATS(BINARY, Div, a / b)
NORMGRAD_FLOATS(BINARY, DivFlushed, Flushed<F>(Flushed<F>(a) / Flushed<F>(b)))
NORMGRAD_FLOATS(BINARY, Max, RegMaxOf(a, b))
NORMGRAD_BINARY_OF(Max, Bf16)
NORMGRAD_UNSIGNED(BINARY, Max)
NORMGRAD_SIGNED(BINARY, Max)
NORMGRAD_FLOATS(BINARY, Min, RegMinOf(a, b))
NORMGRAD_BINARY_OF(Min, Bf16)
NORMGRAD_UNSIGNED(BINARY, Min)
NORMGRAD_SIGNED(BINARY, Min)
NORMGRAD_FLOATS(BINARY, AbsSub, std::fabs(a - b))
NORMGRAD_BINARY_LOOP(ExpSub, std::exp(static_cast<double>(a - b)))
NORMGRAD_BINARY_OF(ExpSub, F32)
NORMGRAD_BINARY_LOOP(And, a& b)
NORMGRAD_UNSIGNED(BINARY, And)
NORMGRAD_BINARY_LOOP(Or, a | b)
NORMGRAD_UNSIGNED(BINARY, Or)
NORMGRAD_BINARY_LOOP(Xor, a ^ b)
NORMGRAD_UNSIGNED(BINARY, Xor)
// The other source holds signed numbers; below 0 is undefined.
NORMGRAD_BINARY_LOOP(ShiftLeft, ShiftedLeft(a, static_cast<int>(b)))
NORMGRAD_UNSIGNED(BINARY, ShiftLeft)
NORMGRAD_SIGNED(BINARY, ShiftLeft)
NORMGRAD_BINARY_LOOP(ShiftRight, ShiftedRight(a, static_cast<int>(b)))
NORMGRAD_UNSIGNED(BINARY, ShiftRight)
NORMGRAD_SIGNED(BINARY, ShiftRight)

NORMGRAD_BINARY_LOOP(MulAddDst, FusedOf(a, b, F::Load(d[i])))
NORMGRAD_BINARY_OF(MulAddDst, F16)
NORMGRAD_BINARY_OF(MulAddDst, F16Saturating)
NORMGRAD_BINARY_OF(MulAddDst, Bf16)
NORMGRAD_BINARY_LOOP(MulDstAdd, FusedOf(a, F::Load(d[i]), b))
NORMGRAD_BINARY_OF(MulDstAdd, F16)
NORMGRAD_BINARY_OF(MulDstAdd, F16Saturating)
NORMGRAD_BINARY_OF(MulDstAdd, Bf16)
NORMGRAD_BINARY_LOOP(MulAddInt, AddOf(MulOf(a, b), d[i]))
NORMGRAD_BINARY_OF(MulAddInt, U16)
NORMGRAD_BINARY_OF(MulAddInt, U32)

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

#define NORMGRAD_INTS(name, bytes, words, longs)               \
  {nullptr,     nullptr,   nullptr,     name##bytes, name##U8, \
   name##words, name##U16, name##longs, name##U32,   nullptr}

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
