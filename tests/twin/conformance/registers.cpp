// Register arithmetic: every call, element type and mask. A row works on one register each, loaded
// whole and stored whole: what a call must leave alone is seen, too.
#include "tests/twin/conformance/registers.h"

namespace {

enum Api : uint32_t {
  kAdd,
  kSub,
  kMul,
  kDiv,
  kMax,
  kMin,
  kAnd,
  kOr,
  kXor,
  kShiftLeft,
  kShiftRight,
  kMulAddDst,
  kMulDstAdd,
  kAbsSub,
  kExpSub,
  kAbs,
  kNeg,
  kNot,
  kRelu,
  kExp,
  kLn,
  kSqrt,
  kAdds,
  kMuls,
  kMaxs,
  kMins,
  kAxpy,
  kShiftLefts,
  kShiftRights,
  kDuplicate,
  kSpread,
  kMove,
  kSelect,
};

// In row.mode: the merge mode, or that subnormal numbers stay.
constexpr DivSpecificMode kDivExact = {MaskMergeMode::ZEROING, false,
                                       AscendC::DivAlgo::PRECISION_1ULP_FTZ_FALSE};
constexpr SqrtSpecificMode kSqrtExact = {MaskMergeMode::ZEROING, false,
                                         AscendC::SqrtAlgo::PRECISION_1ULP_FTZ_FALSE};
constexpr ExpSpecificMode kExpExact = {MaskMergeMode::ZEROING,
                                       AscendC::ExpAlgo::PRECISION_1ULP_FTZ_FALSE};
constexpr LnSpecificMode kLnExact = {MaskMergeMode::ZEROING,
                                     AscendC::LnAlgo::PRECISION_1ULP_FTZ_FALSE};

#define BINARY(name)                                        \
  if constexpr (twin::kRegTakes<twin::RegOp::k##name, T>) { \
    if (row.api == k##name) name(r.d, r.a, r.b, r.mask);    \
  }
#define MERGING(name)                                                   \
  if (row.api == k##name && row.mode == 0) name(r.d, r.a, r.b, r.mask); \
  if (row.api == k##name && row.mode == 1) name<T, MaskMergeMode::MERGING>(r.d, r.a, r.b, r.mask);
#define UNARY(name)                                         \
  if constexpr (twin::kRegTakes<twin::RegOp::k##name, T>) { \
    if (row.api == k##name) name(r.d, r.a, r.mask);         \
  }
#define EXACT(name)                                                                      \
  if constexpr (twin::kRegTakes<twin::RegOp::k##name, T>) {                              \
    if (row.api == k##name && row.mode == 0) name(r.d, r.a, r.mask);                     \
    if (row.api == k##name && row.mode == 1) name<T, &k##name##Exact>(r.d, r.a, r.mask); \
  }
#define SCALAR(name)                                        \
  if constexpr (twin::kRegTakes<twin::RegOp::k##name, T>) { \
    if (row.api == k##name) name(r.d, r.a, scalar, r.mask); \
  }

template <typename T>
struct SignedOf {
  using Type = int32_t;
};
template <>
struct SignedOf<int8_t> {
  using Type = int8_t;
};
template <>
struct SignedOf<uint8_t> {
  using Type = int8_t;
};
template <>
struct SignedOf<int16_t> {
  using Type = int16_t;
};
template <>
struct SignedOf<uint16_t> {
  using Type = int16_t;
};

template <typename T>
void Compute(const Row& row, Registers<T>& r) {
  const T scalar = ScalarOf<T>(row);
  MERGING(Add)
  BINARY(Sub)
  BINARY(Mul)
  MERGING(Max)
  MERGING(Min)
  BINARY(And)
  BINARY(Or)
  BINARY(Xor)
  BINARY(MulAddDst)
  BINARY(MulDstAdd)
  BINARY(AbsSub)
  UNARY(Abs)
  UNARY(Neg)
  UNARY(Not)
  UNARY(Relu)
  EXACT(Exp)
  EXACT(Ln)
  EXACT(Sqrt)
  if constexpr (twin::kRegTakes<twin::RegOp::kDiv, T>) {
    if (row.api == kDiv && row.mode == 0) Div(r.d, r.a, r.b, r.mask);
    if (row.api == kDiv && row.mode == 1) Div<T, &kDivExact>(r.d, r.a, r.b, r.mask);
  }
  if constexpr (std::is_same_v<T, float>) {
    if (row.api == kExpSub) ExpSub(r.d, r.a, r.b, r.mask);
  }
  SCALAR(Adds)
  SCALAR(Muls)
  SCALAR(Maxs)
  SCALAR(Mins)
  SCALAR(Axpy)
  if constexpr (twin::kRegTakes<twin::RegOp::kShiftLeft, T>) {
    const int16_t by = static_cast<int16_t>(row.count >> 16);
    if (row.api == kShiftLefts) ShiftLefts(r.d, r.a, by, r.mask);
    if (row.api == kShiftRights) ShiftRights(r.d, r.a, by, r.mask);
    auto& steps = reinterpret_cast<RegTensor<typename SignedOf<T>::Type>&>(r.b);
    if (row.api == kShiftLeft) ShiftLeft(r.d, r.a, steps, r.mask);
    if (row.api == kShiftRight) ShiftRight(r.d, r.a, steps, r.mask);
  }
  if (row.api == kDuplicate && row.mode == 0) Duplicate(r.d, scalar, r.mask);
  if (row.api == kDuplicate && row.mode == 1) {
    Duplicate<T, MaskMergeMode::MERGING>(r.d, scalar, r.mask);
  }
  if (row.api == kDuplicate && row.mode == 2) Duplicate(r.d, scalar);
  if (row.api == kSpread && row.mode == 0) Duplicate(r.d, r.a, r.mask);
  if (row.api == kSpread && row.mode == 1) {
    Duplicate<T, HighLowPart::LOWEST, MaskMergeMode::MERGING>(r.d, r.a, r.mask);
  }
  if (row.api == kMove && row.mode == 0) Move(r.d, r.a, r.mask);
  if (row.api == kMove && row.mode == 1) Move(r.d, r.a);
  if (row.api == kSelect) Select(r.d, r.a, r.b, r.mask);
}

template <typename T>
void OfType(const Row& row, const Operands& o) {
  if (row.dtype != static_cast<uint32_t>(twin::kDtypeOf<T>)) return;
  WithRegisters<T>(row, o, [&](Registers<T>& r) { Compute(row, r); });
}

}  // namespace

void Call(const Row& row, const Operands& o) {
  OfType<float>(row, o);
  OfType<half>(row, o);
  OfType<bfloat16_t>(row, o);
  OfType<int8_t>(row, o);
  OfType<uint8_t>(row, o);
  OfType<int16_t>(row, o);
  OfType<uint16_t>(row, o);
  OfType<int32_t>(row, o);
  OfType<uint32_t>(row, o);
}
