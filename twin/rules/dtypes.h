// Which element types an API takes on which architecture; breaking it is a compile error that names
// the API. The table follows the data type section of each API's page in the vendor's documentation
// (SIMD-API, basic API); where a note stands, another source decided.
#ifndef NORMGRAD_TWIN_RULES_DTYPES_H_
#define NORMGRAD_TWIN_RULES_DTYPES_H_

#include <cstdint>

#include "twin/machine/dtype.h"
#include "twin/rules/cast_table.h"
#include "twin/rules/missing.h"

// The library is built without an architecture; kernel_operator.h demands one.
#if defined(__NPU_ARCH__) && __NPU_ARCH__ != 1001 && __NPU_ARCH__ != 2002 && \
    __NPU_ARCH__ != 2201 && __NPU_ARCH__ != 3510
#error "this machine knows __NPU_ARCH__ 1001, 2002, 2201 and 3510"
#endif

namespace normgrad::twin::dtypes {

using Set = uint32_t;  // of Dtype, one bit each

constexpr Set Of(Dtype dtype) { return 1u << static_cast<int>(dtype); }

constexpr Set kNone = 0;  // the API does not exist
constexpr Set kF16 = Of(Dtype::kF16);
constexpr Set kFloats = kF16 | Of(Dtype::kF32);
constexpr Set kFloatsI32 = kFloats | Of(Dtype::kI32);
constexpr Set kBits16 = Of(Dtype::kI16) | Of(Dtype::kU16);
constexpr Set kIntegers = kBits16 | Of(Dtype::kI32) | Of(Dtype::kU32);
constexpr Set kFloatsBf16 = kFloats | Of(Dtype::kBf16);
constexpr Set kArithmetic = kFloatsI32 | Of(Dtype::kI16);
constexpr Set kArithmeticBf16 = kArithmetic | Of(Dtype::kBf16);
constexpr Set kBytes = Of(Dtype::kI8) | Of(Dtype::kU8);
constexpr Set kWords = kFloatsI32 | kBits16 | Of(Dtype::kU32);  // of 2 or 4 bytes, without bf16
constexpr Set kWordsBf16 = kWords | Of(Dtype::kBf16);
constexpr Set kMoved = kWordsBf16 | kBytes | Of(Dtype::kI64) | Of(Dtype::kU64);
constexpr Set kMovedHif8 = kMoved | Of(Dtype::kHif8);

// X(API, on 1001, on 2002, on 2201, on 3510)
#define NORMGRAD_DTYPE_TABLE(X)                                                                 \
  X(Add, kFloatsI32, kArithmetic, kArithmetic, kWordsBf16)                                      \
  X(Sub, kFloatsI32, kArithmetic, kArithmetic, kWordsBf16)                                      \
  X(Mul, kFloatsI32, kArithmetic, kArithmetic, kWordsBf16)                                      \
  X(Div, kFloats, kFloats, kFloats, kFloats)                                                    \
  X(Max, kFloatsI32, kArithmetic, kArithmetic, kWordsBf16)                                      \
  X(Min, kFloatsI32, kArithmetic, kArithmetic, kWordsBf16)                                      \
  X(And, kBits16, kBits16, kBits16, kIntegers)                                                  \
  X(Or, kBits16, kBits16, kBits16, kIntegers)                                                   \
  X(MulAddDst, kNone, kFloats, kFloats, kFloats)                                                \
  X(FusedMulAdd, kNone, kFloats, kFloats, kFloatsBf16)                                          \
  X(Abs, kFloats, kFloats, kFloats, kArithmetic)                                                \
  X(Exp, kFloats, kFloats, kFloats, kFloats)                                                    \
  X(Ln, kFloats, kFloats, kFloats, kFloats)                                                     \
  X(Sqrt, kFloats, kFloats, kFloats, kFloats)                                                   \
  X(Rsqrt, kFloats, kFloats, kFloats, kFloats)                                                  \
  X(Reciprocal, kFloats, kFloats, kFloats, kFloats)                                             \
  X(Relu, kF16, kFloatsI32, kFloatsI32, kFloatsI32)                                             \
  X(Not, kBits16, kBits16, kBits16, kIntegers)                                                  \
  X(Adds, kFloats, kArithmetic, kArithmetic, kArithmeticBf16)                                   \
  X(Muls, kFloats, kArithmetic, kArithmetic, kArithmeticBf16)                                   \
  X(Maxs, kNone, kArithmetic, kArithmetic, kArithmeticBf16)                                     \
  X(Mins, kNone, kArithmetic, kArithmetic, kArithmeticBf16)                                     \
  X(Axpy, kFloats, kFloats, kFloats, kFloatsBf16)                                               \
  /* bf16 on 1001 and 2002: the page lists it, the headers refuse it */                         \
  X(Duplicate, kWords, kWords, kWordsBf16, kWordsBf16)                                          \
  X(Brcb, kNone, kWords, kWordsBf16, kWordsBf16)                                                \
  X(Copy, kNone, kNone, kWordsBf16, kWordsBf16)                                                 \
  X(WholeReduceSum, kF16, kFloats, kFloats, kFloats)                                            \
  X(WholeReduceMax, kF16, kFloats, kFloats, kFloats)                                            \
  X(WholeReduceMin, kF16, kFloats, kFloats, kFloats)                                            \
  X(BlockReduceSum, kF16, kFloats, kFloats, kFloats)                                            \
  X(BlockReduceMax, kF16, kFloats, kFloats, kFloats)                                            \
  X(BlockReduceMin, kF16, kFloats, kFloats, kFloats)                                            \
  X(PairReduceSum, kF16, kFloats, kFloats, kFloats)                                             \
  X(RepeatReduceSum, kF16, kFloats, kFloats, kFloats)                                           \
  X(ReduceSum, kF16, kFloats, kFloats, kFloats)                                                 \
  X(ReduceMax, kF16, kFloats, kFloats, kFloats)                                                 \
  X(ReduceMin, kF16, kFloats, kFloats, kFloats)                                                 \
  X(GetAccVal, kNone, kNone, kFloats, kFloats)                                                  \
  X(Compare, kFloats, kFloats, kFloatsI32, kFloatsI32)                                          \
  X(CompareScalar, kNone, kFloats, kFloatsI32, kFloatsI32)                                      \
  X(Select, kFloats, kFloats, kFloats, kFloats)                                                 \
  X(TransDataTo5HD, kBits16 | kF16 | kBytes, kWords | kBytes, kWords | kBytes, kWords | kBytes) \
  X(SetMaskCount, kNone, kMoved, kMoved, kMoved)                                                \
  X(Broadcast, kNone, kBytes | kFloats, kBytes | kFloats, kBytes | kFloats)                     \
  X(Fill, kNone, kWords, kWords, kWords)                                                        \
  X(DataCopyPad, kNone, kNone, kMoved, kMovedHif8)

#if __NPU_ARCH__ == 1001
#define NORMGRAD_DTYPE_ROW(api, on1001, on2002, on2201, on3510) \
  constexpr Set k##api##Takes = on1001;
#elif __NPU_ARCH__ == 2002
#define NORMGRAD_DTYPE_ROW(api, on1001, on2002, on2201, on3510) \
  constexpr Set k##api##Takes = on2002;
#elif __NPU_ARCH__ == 3510
#define NORMGRAD_DTYPE_ROW(api, on1001, on2002, on2201, on3510) \
  constexpr Set k##api##Takes = on3510;
#else
#define NORMGRAD_DTYPE_ROW(api, on1001, on2002, on2201, on3510) \
  constexpr Set k##api##Takes = on2201;
#endif
NORMGRAD_DTYPE_TABLE(NORMGRAD_DTYPE_ROW)
#undef NORMGRAD_DTYPE_ROW

// sizeof makes the condition depend on T, so that it is asked per call.
template <typename T>
constexpr bool Exists(Set takes) {
  return takes != kNone && sizeof(T) > 0;
}
template <typename T>
constexpr bool Takes(Set takes) {
  return takes == kNone || (takes & Of(kDtypeOf<T>)) != 0;
}

}  // namespace normgrad::twin::dtypes

#define NORMGRAD_API_RULE(api, T)                                                               \
  NORMGRAD_MUST_EXIST(normgrad::twin::dtypes::Exists<T>(normgrad::twin::dtypes::k##api##Takes), \
                      #api, "__NPU_ARCH__ " NORMGRAD_TEXT(__NPU_ARCH__))
#define NORMGRAD_DTYPE_RULE(api, T)                                                      \
  NORMGRAD_API_RULE(api, T);                                                             \
  static_assert(normgrad::twin::dtypes::Takes<T>(normgrad::twin::dtypes::k##api##Takes), \
                "AscendC::" #api                                                         \
                " does not take this element type on __NPU_ARCH__ " NORMGRAD_TEXT(__NPU_ARCH__))
#define NORMGRAD_CAST_RULE(Dst, Src)                                                     \
  static_assert(normgrad::twin::CastModesOf(__NPU_ARCH__, normgrad::twin::kDtypeOf<Dst>, \
                                            normgrad::twin::kDtypeOf<Src>) != 0,         \
                "AscendC::Cast has no conversion between these element types on "        \
                "__NPU_ARCH__ " NORMGRAD_TEXT(__NPU_ARCH__))

#endif  // NORMGRAD_TWIN_RULES_DTYPES_H_
