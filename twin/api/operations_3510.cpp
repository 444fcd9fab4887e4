#include "twin/api/operations_3510.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "twin/api/reg_formats.h"
#include "twin/api/reg_operations.h"
#include "twin/api/vector_operand.h"

namespace normgrad::twin {
namespace {

bool Is3510(Instruction& in) { return in.core().options().soc->chip->arch == 3510; }

RegOp RegOpOf(Api api) {
  switch (api) {
#define NORMGRAD_SAME(name) \
  case Api::k##name:        \
    return RegOp::k##name
    NORMGRAD_SAME(Add);
    NORMGRAD_SAME(Sub);
    NORMGRAD_SAME(Mul);
    NORMGRAD_SAME(Div);
    NORMGRAD_SAME(Max);
    NORMGRAD_SAME(Min);
    NORMGRAD_SAME(And);
    NORMGRAD_SAME(Or);
    NORMGRAD_SAME(MulAddDst);
    NORMGRAD_SAME(Abs);
    NORMGRAD_SAME(Exp);
    NORMGRAD_SAME(Ln);
    NORMGRAD_SAME(Sqrt);
    NORMGRAD_SAME(Relu);
    NORMGRAD_SAME(Not);
    NORMGRAD_SAME(Adds);
    NORMGRAD_SAME(Muls);
    NORMGRAD_SAME(Maxs);
    NORMGRAD_SAME(Mins);
#undef NORMGRAD_SAME
    case Api::kFusedMulAdd:
      return RegOp::kMulDstAdd;
    default:
      return RegOp::kCount;
  }
}

// Subnormal numbers count as 0 where the instruction itself computes (Div, Exp, Ln, Sqrt): these
// calls have no other algorithm here.
RegVariant VariantOf(Instruction& in, Dtype dtype) { return {dtype, Saturates(in, dtype), true}; }

// Sums and products that stay in range: bit 53 of the control register.
template <typename T, typename F>
void InRange(void* dst, const void* a, const void* b, size_t step, size_t count, F compute) {
  auto* d = static_cast<T*>(dst);
  const auto* l = static_cast<const T*>(a);
  const auto* r = static_cast<const T*>(b);
  for (size_t i = 0; i < count; ++i) {
    // Products of 32 bits fit 64 bits, those of unsigned numbers without a sign.
    const __int128 exact = compute(static_cast<__int128>(l[i]), static_cast<__int128>(r[i * step]));
    const __int128 low = std::numeric_limits<T>::min();
    const __int128 high = std::numeric_limits<T>::max();
    d[i] = static_cast<T>(std::clamp(exact, low, high));
  }
}

template <typename T, size_t step>
void AddInRange(void* d, const void* a, const void* b, size_t n) {
  InRange<T>(d, a, b, step, n, [](__int128 x, __int128 y) { return x + y; });
}
template <typename T, size_t step>
void SubInRange(void* d, const void* a, const void* b, size_t n) {
  InRange<T>(d, a, b, step, n, [](__int128 x, __int128 y) { return x - y; });
}
template <typename T, size_t step>
void MulInRange(void* d, const void* a, const void* b, size_t n) {
  InRange<T>(d, a, b, step, n, [](__int128 x, __int128 y) { return x * y; });
}

// A scalar is a source without a step.
template <typename T>
BinaryFn InRangeOf(Api api) {
  switch (api) {
    case Api::kAdd:
      return AddInRange<T, 1>;
    case Api::kSub:
      return SubInRange<T, 1>;
    case Api::kMul:
      return MulInRange<T, 1>;
    case Api::kAdds:
      return AddInRange<T, 0>;
    case Api::kMuls:
      return MulInRange<T, 0>;
    default:
      return nullptr;
  }
}

BinaryFn SaturatingIntegers(Instruction& in, Api api, Dtype dtype) {
  if (!in.core().control().integers_saturate()) return nullptr;
  switch (dtype) {
    case Dtype::kI16:
      return InRangeOf<int16_t>(api);
    case Dtype::kU16:
      return InRangeOf<uint16_t>(api);
    case Dtype::kI32:
      return InRangeOf<int32_t>(api);
    case Dtype::kU32:
      return InRangeOf<uint32_t>(api);
    default:
      return nullptr;
  }
}

// src x scalar + dst, rounded once: the appendix on precision has it so.
template <typename F>
void FusedAxpy(void* dst, const void* src, const void* scalar, size_t count) {
  auto* d = static_cast<typename F::Storage*>(dst);
  const auto* s = static_cast<const typename F::Storage*>(src);
  typename F::Storage stored;
  std::memcpy(&stored, scalar, sizeof stored);
  const float b = F::Load(stored);
  constexpr int kBits = std::is_same_v<F, F32> ? 24 : 11;
  for (size_t i = 0; i < count; ++i) {
    d[i] = F::Store(FusedOf<kBits>(F::Load(s[i]), b, F::Load(d[i])));
  }
}

// What the register instruction does not take.
void MulsBf16(void* dst, const void* src, const void* scalar, size_t count) {
  auto* d = static_cast<uint16_t*>(dst);
  const auto* s = static_cast<const uint16_t*>(src);
  uint16_t stored;
  std::memcpy(&stored, scalar, sizeof stored);
  const float b = FloatFromBf16(stored);
  for (size_t i = 0; i < count; ++i) d[i] = Bf16FromFloat(FloatFromBf16(s[i]) * b);
}

}  // namespace

BinaryFn BinaryOf(Instruction& in, Api api, Dtype dtype) {
  if (!Is3510(in)) return BinaryOperation(api, dtype, Saturates(in, dtype));
  if (const BinaryFn in_range = SaturatingIntegers(in, api, dtype)) return in_range;
  return RegBinaryOperation(RegOpOf(api), VariantOf(in, dtype));
}

UnaryFn UnaryOf(Instruction& in, Api api, Dtype dtype) {
  const RegOp op = RegOpOf(api);
  if (!Is3510(in) || op == RegOp::kCount) return UnaryOperation(api, dtype, Saturates(in, dtype));
  return RegUnaryOperation(op, VariantOf(in, dtype));
}

ScalarFn ScalarOf(Instruction& in, Api api, Dtype dtype) {
  if (!Is3510(in)) return ScalarOperation(api, dtype, Saturates(in, dtype));
  if (const BinaryFn in_range = SaturatingIntegers(in, api, dtype)) return in_range;
  if (api == Api::kAxpy) {
    if (dtype == Dtype::kF32) return FusedAxpy<F32>;
    if (dtype == Dtype::kBf16) return FusedAxpy<Bf16>;
    return Saturates(in, dtype) ? FusedAxpy<F16Saturating> : FusedAxpy<F16>;
  }
  if (api == Api::kMuls && dtype == Dtype::kBf16) return MulsBf16;
  return RegScalarOperation(RegOpOf(api), VariantOf(in, dtype));
}

}  // namespace normgrad::twin
