#include "twin/api/operations.h"


// GCC and clang keep one copy of a loop per instruction set and choose when the library is loaded.
// Every copy computes the same bits: single operations, no contraction, no reassociation.
// ThreadSanitizer is not ready yet when the loader asks which copy to take.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
#define NORMGRAD_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define NORMGRAD_CLONES
#endif

// dst may be exactly one of the sources; no element depends on another one.
#if defined(__clang__)
#define NORMGRAD_ELEMENTWISE _Pragma("clang loop vectorize(assume_safety)")
#else
#define NORMGRAD_ELEMENTWISE _Pragma("GCC ivdep")
#endif

namespace normgrad::twin {
namespace {

struct F32 {
  using Storage = float;
  static float Load(float value) { return value; }
  static float Store(float value) { return value; }
};

struct F16 {
  using Storage = uint16_t;
  static float Load(uint16_t bits) { return FloatFromHalf(bits); }
  static uint16_t Store(float value) { return HalfFromFloat(value); }
};

struct Bf16 {
  using Storage = uint16_t;
  static float Load(uint16_t bits) { return FloatFromBf16(bits); }
  static uint16_t Store(float value) { return Bf16FromFloat(value); }
};

// Two fp16 operands fit fp32 with room to spare (24 >= 2 x 11 + 2 bits), so computing in fp32 and
// rounding once more equals a single rounding.
#define NORMGRAD_BINARY(name, expression)                                                  \
  template <typename F>                                                                    \
  inline void name##Loop(void* dst, const void* lhs, const void* rhs, size_t count) {      \
    auto* d = static_cast<typename F::Storage*>(dst);                                      \
    const auto* l = static_cast<const typename F::Storage*>(lhs);                          \
    const auto* r = static_cast<const typename F::Storage*>(rhs);                          \
    NORMGRAD_ELEMENTWISE                                                                   \
    for (size_t i = 0; i < count; ++i) {                                                   \
      const float a = F::Load(l[i]);                                                       \
      const float b = F::Load(r[i]);                                                       \
      d[i] = F::Store(expression);                                                         \
    }                                                                                      \
  }                                                                                        \
  NORMGRAD_CLONES void name##F32(void* d, const void* a, const void* b, size_t count) {    \
    name##Loop<F32>(d, a, b, count);                                                       \
  }                                                                                        \
  NORMGRAD_CLONES void name##F16(void* d, const void* a, const void* b, size_t count) {    \
    name##Loop<F16>(d, a, b, count);                                                       \
  }
NORMGRAD_BINARY(Add, a + b)
NORMGRAD_BINARY(Sub, a - b)
NORMGRAD_BINARY(Mul, a * b)
NORMGRAD_BINARY(MulAddDst, F::Load(F::Store(a * b)) + F::Load(d[i]))
#undef NORMGRAD_BINARY

#define NORMGRAD_SCALAR(name, expression)                                                  \
  template <typename F>                                                                    \
  inline void name##Loop(void* dst, const void* src, float scalar, size_t count) {         \
    auto* d = static_cast<typename F::Storage*>(dst);                                      \
    const auto* s = static_cast<const typename F::Storage*>(src);                          \
    NORMGRAD_ELEMENTWISE                                                                   \
    for (size_t i = 0; i < count; ++i) {                                                   \
      const float a = F::Load(s[i]);                                                       \
      d[i] = F::Store(expression);                                                         \
    }                                                                                      \
  }                                                                                        \
  NORMGRAD_CLONES void name##F32(void* d, const void* s, float scalar, size_t count) {     \
    name##Loop<F32>(d, s, scalar, count);                                                  \
  }                                                                                        \
  NORMGRAD_CLONES void name##F16(void* d, const void* s, float scalar, size_t count) {     \
    name##Loop<F16>(d, s, scalar, count);                                                  \
  }
NORMGRAD_SCALAR(Adds, a + scalar)
NORMGRAD_SCALAR(Muls, a * scalar)
#undef NORMGRAD_SCALAR

template <typename D, typename S>
inline void CastLoop(void* dst, const void* src, size_t count) {
  auto* d = static_cast<typename D::Storage*>(dst);
  const auto* s = static_cast<const typename S::Storage*>(src);
  NORMGRAD_ELEMENTWISE
  for (size_t i = 0; i < count; ++i) d[i] = D::Store(S::Load(s[i]));
}

NORMGRAD_CLONES void Bf16ToF32(void* d, const void* s, size_t n) { CastLoop<F32, Bf16>(d, s, n); }
NORMGRAD_CLONES void F16ToF32(void* d, const void* s, size_t n) { CastLoop<F32, F16>(d, s, n); }
NORMGRAD_CLONES void F32ToBf16(void* d, const void* s, size_t n) { CastLoop<Bf16, F32>(d, s, n); }
NORMGRAD_CLONES void F32ToF16(void* d, const void* s, size_t n) { CastLoop<F16, F32>(d, s, n); }

// Halves an array by adding neighbours: the gather of even and odd elements vectorises.
NORMGRAD_CLONES void AddNeighbours(float* values, size_t half) {
  for (size_t i = 0; i < half; ++i) values[i] = values[2 * i] + values[2 * i + 1];
}

}  // namespace

BinaryFn BinaryOperation(Api api, Dtype dtype) {
  const bool f32 = dtype == Dtype::kF32;
  if (!f32 && dtype != Dtype::kF16) return nullptr;
  switch (api) {
    case Api::kAdd:
      return f32 ? AddF32 : AddF16;
    case Api::kSub:
      return f32 ? SubF32 : SubF16;
    case Api::kMul:
      return f32 ? MulF32 : MulF16;
    case Api::kMulAddDst:
      return f32 ? MulAddDstF32 : MulAddDstF16;
    default:
      return nullptr;
  }
}

ScalarFn ScalarOperation(Api api, Dtype dtype) {
  const bool f32 = dtype == Dtype::kF32;
  if (!f32 && dtype != Dtype::kF16) return nullptr;
  if (api == Api::kAdds) return f32 ? AddsF32 : AddsF16;
  if (api == Api::kMuls) return f32 ? MulsF32 : MulsF16;
  return nullptr;
}

CastFn CastOperation(Dtype dst, Dtype src, AscendC::RoundMode mode) {
  using AscendC::RoundMode;
  const bool exact = mode == RoundMode::CAST_NONE;
  const bool nearest = mode == RoundMode::CAST_RINT;
  if (dst == Dtype::kF32 && src == Dtype::kBf16 && exact) return Bf16ToF32;
  if (dst == Dtype::kF32 && src == Dtype::kF16 && exact) return F16ToF32;
  if (dst == Dtype::kBf16 && src == Dtype::kF32 && nearest) return F32ToBf16;
  // CAST_NONE means CAST_RINT where precision is lost.
  if (dst == Dtype::kF16 && src == Dtype::kF32 && (nearest || exact)) return F32ToF16;
  return nullptr;
}

float SumTree(float* values, size_t lanes) {
  for (size_t half = lanes / 2; half > 0; half /= 2) AddNeighbours(values, half);
  return values[0];
}

}  // namespace normgrad::twin
