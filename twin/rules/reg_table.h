// Every kind of register instruction of arch 3510: the call's name in a kernel's source, what it is
// counted as, what it costs to issue, and the element types it takes. The types follow the data
// type section of each call's page (SIMD-API, register programming), without 64-bit and complex
// elements. Cycles: half of one where the appendix on single and dual issue says two a cycle; 4
// where the appendix on throughput says 16 fp32 elements a cycle.
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

// X(kind, name, class, cycles of the issue, element types)
#define NORMGRAD_REG_CALLS(X)                                          \
  X(Add, "Add", kArithmetic, 0.5, kAll)                                \
  X(Sub, "Sub", kArithmetic, 0.5, kAll)                                \
  X(Mul, "Mul", kArithmetic, 0.5, kWordsBf16)                          \
  X(Div, "Div", kArithmetic, 4, kFloats)                               \
  X(Max, "Max", kArithmetic, 0.5, kAll)                                \
  X(Min, "Min", kArithmetic, 0.5, kAll)                                \
  X(And, "And", kArithmetic, 0.5, kInts)                               \
  X(Or, "Or", kArithmetic, 0.5, kInts)                                 \
  X(Xor, "Xor", kArithmetic, 0.5, kInts)                               \
  X(ShiftLeft, "ShiftLeft", kArithmetic, 0.5, kInts)                   \
  X(ShiftRight, "ShiftRight", kArithmetic, 0.5, kInts)                 \
  X(MulAddDst, "MulAddDst", kArithmetic, 0.5, kWordsBf16)              \
  X(MulDstAdd, "MulDstAdd", kArithmetic, 0.5, kFloatsBf16)             \
  X(AbsSub, "AbsSub", kArithmetic, 0.5, kFloats)                       \
  X(ExpSub, "ExpSub", kArithmetic, 4, kFloats)                         \
  X(Abs, "Abs", kArithmetic, 0.5, kSigned)                             \
  X(Neg, "Neg", kArithmetic, 0.5, kSigned)                             \
  X(Not, "Not", kArithmetic, 0.5, kInts | kFloats)                     \
  X(Relu, "Relu", kArithmetic, 0.5, kRelu)                             \
  X(Exp, "Exp", kArithmetic, 4, kFloats)                               \
  X(Ln, "Ln", kArithmetic, 4, kFloats)                                 \
  X(Sqrt, "Sqrt", kArithmetic, 4, kFloats)                             \
  X(Adds, "Adds", kArithmetic, 0.5, kAll)                              \
  X(Muls, "Muls", kArithmetic, 0.5, kWords)                            \
  X(Maxs, "Maxs", kArithmetic, 0.5, kAll)                              \
  X(Mins, "Mins", kArithmetic, 0.5, kAll)                              \
  X(ShiftLefts, "ShiftLefts", kArithmetic, 0.5, kInts)                 \
  X(ShiftRights, "ShiftRights", kArithmetic, 0.5, kInts)               \
  X(Axpy, "Axpy", kArithmetic, 0.5, kFloats)                           \
  X(MulsCast, "MulsCast", kCast, 0.5, kNone)                           \
  X(Cast, "Cast", kCast, 0.5, kNone)                                   \
  X(Compare, "Compare", kArithmetic, 0.5, kAll)                        \
  X(Compares, "Compares", kArithmetic, 0.5, kAll)                      \
  X(Select, "Select", kArithmetic, 0.5, kAll)                          \
  X(Duplicate, "Duplicate", kMove, 0.5, kAll)                          \
  X(Move, "Move", kMove, 0.5, kAll)                                    \
  X(Interleave, "Interleave", kMove, 1, kAll)                          \
  X(DeInterleave, "DeInterleave", kMove, 1, kAll)                      \
  X(Pack, "Pack", kMove, 1, kNone)                                     \
  X(UnPack, "UnPack", kMove, 1, kNone)                                 \
  X(Reduce, "Reduce", kReduce, 1, kWords)                              \
  X(ReduceDataBlock, "ReduceDataBlock", kReduce, 1, kWords)            \
  X(PairReduceElem, "PairReduceElem", kReduce, 1, kFloats)             \
  X(CreateMask, "CreateMask", kMask, 0.5, kNone)                       \
  X(UpdateMask, "UpdateMask", kMask, 0.5, kNone)                       \
  X(MaskLogic, "And, Or, Xor, Not, Move or Select", kMask, 0.5, kNone) \
  X(MaskShuffle, "Pack, UnPack or Interleave", kMask, 1, kNone)        \
  X(MaskFromRegister, "MaskGenWithRegTensor", kMask, 1, kNone)         \
  X(CreateAddrReg, "CreateAddrReg", kMask, 0.5, kNone)                 \
  X(LoadAlign, "LoadAlign", kLoad, 0.5, kNone)                         \
  X(LoadAlignTwo, "LoadAlign", kLoad, 1, kNone)                        \
  X(LoadAlignBlocks, "LoadAlign", kLoad, 1, kNone)                     \
  X(LoadMask, "LoadAlign", kLoad, 0.5, kNone)                          \
  X(LoadUnAlignPre, "LoadUnAlignPre", kLoad, 0.5, kNone)               \
  X(LoadUnAlign, "LoadUnAlign", kLoad, 0.5, kNone)                     \
  X(StoreAlign, "StoreAlign", kStore, 1, kNone)                        \
  X(StoreAlignBlocks, "StoreAlign", kStore, 1, kNone)                  \
  X(StoreMask, "StoreAlign", kStore, 1, kNone)                         \
  X(StoreUnAlign, "StoreUnAlign", kStore, 1, kNone)                    \
  X(StoreUnAlignPost, "StoreUnAlignPost", kStore, 1, kNone)            \
  X(LocalMemBar, "LocalMemBar", kBarrier, 1, kNone)

enum class RegOp : uint8_t {
#define NORMGRAD_REG_OP(kind, name, type, cycles, types) k##kind,
  NORMGRAD_REG_CALLS(NORMGRAD_REG_OP)
#undef NORMGRAD_REG_OP
      kCount,
};

constexpr int kRegOps = static_cast<int>(RegOp::kCount);

struct RegFacts {
  const char* name;
  RegClass type;
  double cycles;
  reg_types::Set types;
};

namespace reg_types {

inline constexpr RegFacts kFacts[] = {
#define NORMGRAD_REG_FACTS(kind, name, type, cycles, types) {name, RegClass::type, cycles, types},
    NORMGRAD_REG_CALLS(NORMGRAD_REG_FACTS)
#undef NORMGRAD_REG_FACTS
};

}  // namespace reg_types

constexpr const RegFacts& FactsOf(RegOp op) { return reg_types::kFacts[static_cast<int>(op)]; }

template <RegOp op, typename T>
constexpr bool kRegTakes = (FactsOf(op).types & dtypes::Of(kDtypeOf<T>)) != 0;

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_RULES_REG_TABLE_H_
