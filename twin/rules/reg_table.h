// Every kind of register instruction of arch 3510: the call's name in a kernel's source, what it is
// counted as, how many of its kind the unit issues in a cycle, and the element types it takes. The
// types follow the data type section of each call's page (SIMD-API, register programming), without
// 64-bit and complex elements; the issue width is the appendix on single and dual issue.
#ifndef NORMGRAD_TWIN_RULES_REG_TABLE_H_
#define NORMGRAD_TWIN_RULES_REG_TABLE_H_

#include <cstdint>

#include "twin/rules/dtypes.h"

namespace normgrad::twin {

enum class RegClass : uint8_t {
  kLoad,
  kStore,
  kArithmetic,
  kCast,
  kReduce,
  kMove,
  kMask,
  kBarrier
};

namespace reg_types {

using dtypes::kBytes;
using dtypes::kFloats;
using dtypes::kNone;
using dtypes::Of;
using dtypes::Set;
constexpr Set kInts32 = Of(Dtype::kI32) | Of(Dtype::kU32);
constexpr Set kInts = kBytes | dtypes::kBits16 | kInts32;
constexpr Set kSigned = Of(Dtype::kI8) | Of(Dtype::kI16) | Of(Dtype::kI32) | kFloats;
constexpr Set kWords = kFloats | dtypes::kBits16 | kInts32;
constexpr Set kWordsBf16 = kWords | Of(Dtype::kBf16);
constexpr Set kAll = kWordsBf16 | kBytes;
constexpr Set kRelu = kFloats | Of(Dtype::kI32);
constexpr Set kFloatsBf16 = kFloats | Of(Dtype::kBf16);

}  // namespace reg_types

// X(kind, name, class, issued per cycle, element types)
#define NORMGRAD_REG_CALLS(X)                                        \
  X(Add, "Add", kArithmetic, 2, kAll)                                \
  X(Sub, "Sub", kArithmetic, 2, kAll)                                \
  X(Mul, "Mul", kArithmetic, 2, kWordsBf16)                          \
  X(Div, "Div", kArithmetic, 2, kFloats)                             \
  X(Max, "Max", kArithmetic, 2, kAll)                                \
  X(Min, "Min", kArithmetic, 2, kAll)                                \
  X(And, "And", kArithmetic, 2, kInts)                               \
  X(Or, "Or", kArithmetic, 2, kInts)                                 \
  X(Xor, "Xor", kArithmetic, 2, kInts)                               \
  X(ShiftLeft, "ShiftLeft", kArithmetic, 2, kInts)                   \
  X(ShiftRight, "ShiftRight", kArithmetic, 2, kInts)                 \
  X(MulAddDst, "MulAddDst", kArithmetic, 2, kWordsBf16)              \
  X(MulDstAdd, "MulDstAdd", kArithmetic, 2, kFloatsBf16)             \
  X(AbsSub, "AbsSub", kArithmetic, 2, kFloats)                       \
  X(ExpSub, "ExpSub", kArithmetic, 2, kFloats)                       \
  X(Abs, "Abs", kArithmetic, 2, kSigned)                             \
  X(Neg, "Neg", kArithmetic, 2, kSigned)                             \
  X(Not, "Not", kArithmetic, 2, kInts | kFloats)                     \
  X(Relu, "Relu", kArithmetic, 2, kRelu)                             \
  X(Exp, "Exp", kArithmetic, 2, kFloats)                             \
  X(Ln, "Ln", kArithmetic, 2, kFloats)                               \
  X(Sqrt, "Sqrt", kArithmetic, 2, kFloats)                           \
  X(Adds, "Adds", kArithmetic, 2, kAll)                              \
  X(Muls, "Muls", kArithmetic, 2, kWords)                            \
  X(Maxs, "Maxs", kArithmetic, 2, kAll)                              \
  X(Mins, "Mins", kArithmetic, 2, kAll)                              \
  X(ShiftLefts, "ShiftLefts", kArithmetic, 2, kInts)                 \
  X(ShiftRights, "ShiftRights", kArithmetic, 2, kInts)               \
  X(Axpy, "Axpy", kArithmetic, 2, kFloats)                           \
  X(MulsCast, "MulsCast", kCast, 2, kNone)                           \
  X(Cast, "Cast", kCast, 2, kNone)                                   \
  X(Compare, "Compare", kArithmetic, 2, kAll)                        \
  X(Compares, "Compares", kArithmetic, 2, kAll)                      \
  X(Select, "Select", kArithmetic, 2, kAll)                          \
  X(Duplicate, "Duplicate", kMove, 2, kAll)                          \
  X(Move, "Move", kMove, 2, kAll)                                    \
  X(Interleave, "Interleave", kMove, 1, kAll)                        \
  X(DeInterleave, "DeInterleave", kMove, 1, kAll)                    \
  X(Pack, "Pack", kMove, 1, kNone)                                   \
  X(UnPack, "UnPack", kMove, 1, kNone)                               \
  X(Reduce, "Reduce", kReduce, 1, kWords)                            \
  X(ReduceDataBlock, "ReduceDataBlock", kReduce, 1, kWords)          \
  X(PairReduceElem, "PairReduceElem", kReduce, 1, kFloats)           \
  X(CreateMask, "CreateMask", kMask, 2, kNone)                       \
  X(UpdateMask, "UpdateMask", kMask, 2, kNone)                       \
  X(MaskLogic, "And, Or, Xor, Not, Move or Select", kMask, 2, kNone) \
  X(MaskShuffle, "Pack, UnPack or Interleave", kMask, 1, kNone)      \
  X(MaskFromRegister, "MaskGenWithRegTensor", kMask, 1, kNone)       \
  X(CreateAddrReg, "CreateAddrReg", kMask, 2, kNone)                 \
  X(LoadAlign, "LoadAlign", kLoad, 2, kNone)                         \
  X(LoadAlignTwo, "LoadAlign", kLoad, 1, kNone)                      \
  X(LoadAlignBlocks, "LoadAlign", kLoad, 1, kNone)                   \
  X(LoadMask, "LoadAlign", kLoad, 2, kNone)                          \
  X(LoadUnAlignPre, "LoadUnAlignPre", kLoad, 2, kNone)               \
  X(LoadUnAlign, "LoadUnAlign", kLoad, 2, kNone)                     \
  X(StoreAlign, "StoreAlign", kStore, 1, kNone)                      \
  X(StoreAlignBlocks, "StoreAlign", kStore, 1, kNone)                \
  X(StoreMask, "StoreAlign", kStore, 1, kNone)                       \
  X(StoreUnAlign, "StoreUnAlign", kStore, 1, kNone)                  \
  X(StoreUnAlignPost, "StoreUnAlignPost", kStore, 1, kNone)          \
  X(LocalMemBar, "LocalMemBar", kBarrier, 1, kNone)

enum class RegOp : uint8_t {
#define NORMGRAD_REG_OP(kind, name, type, issue, types) k##kind,
  NORMGRAD_REG_CALLS(NORMGRAD_REG_OP)
#undef NORMGRAD_REG_OP
      kCount,
};

constexpr int kRegOps = static_cast<int>(RegOp::kCount);

struct RegFacts {
  const char* name;
  RegClass type;
  uint8_t issue;
  reg_types::Set types;
};

namespace reg_types {

inline constexpr RegFacts kFacts[] = {
#define NORMGRAD_REG_FACTS(kind, name, type, issue, types) {name, RegClass::type, issue, types},
    NORMGRAD_REG_CALLS(NORMGRAD_REG_FACTS)
#undef NORMGRAD_REG_FACTS
};

}  // namespace reg_types

constexpr const RegFacts& FactsOf(RegOp op) { return reg_types::kFacts[static_cast<int>(op)]; }

template <RegOp op, typename T>
constexpr bool kRegTakes = (FactsOf(op).types & dtypes::Of(kDtypeOf<T>)) != 0;

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_RULES_REG_TABLE_H_
