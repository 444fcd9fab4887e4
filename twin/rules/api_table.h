// Every kind of instruction that an Ascend C call issues: the call's name in a kernel's source, and
// the pipe.
#ifndef NORMGRAD_TWIN_RULES_API_TABLE_H_
#define NORMGRAD_TWIN_RULES_API_TABLE_H_

#include <cstdint>

#include "twin/machine/ids.h"

namespace normgrad::twin {

#define NORMGRAD_APIS(X)                         \
  X(Add, "Add", PIPE_V)                          \
  X(Sub, "Sub", PIPE_V)                          \
  X(Mul, "Mul", PIPE_V)                          \
  X(Div, "Div", PIPE_V)                          \
  X(Max, "Max", PIPE_V)                          \
  X(Min, "Min", PIPE_V)                          \
  X(And, "And", PIPE_V)                          \
  X(Or, "Or", PIPE_V)                            \
  X(MulAddDst, "MulAddDst", PIPE_V)              \
  X(FusedMulAdd, "FusedMulAdd", PIPE_V)          \
  X(Abs, "Abs", PIPE_V)                          \
  X(Exp, "Exp", PIPE_V)                          \
  X(Ln, "Ln", PIPE_V)                            \
  X(Sqrt, "Sqrt", PIPE_V)                        \
  X(Rsqrt, "Rsqrt", PIPE_V)                      \
  X(Reciprocal, "Reciprocal", PIPE_V)            \
  X(Relu, "Relu", PIPE_V)                        \
  X(Not, "Not", PIPE_V)                          \
  X(Adds, "Adds", PIPE_V)                        \
  X(Muls, "Muls", PIPE_V)                        \
  X(Maxs, "Maxs", PIPE_V)                        \
  X(Mins, "Mins", PIPE_V)                        \
  X(Axpy, "Axpy", PIPE_V)                        \
  X(Cast, "Cast", PIPE_V)                        \
  X(Duplicate, "Duplicate", PIPE_V)              \
  X(Brcb, "Brcb", PIPE_V)                        \
  X(Copy, "Copy", PIPE_V)                        \
  X(Broadcast, "Broadcast", PIPE_V)              \
  X(Fill, "Fill", PIPE_V)                        \
  X(FillStore, "Fill", PIPE_MTE3)                \
  X(WholeReduceSum, "WholeReduceSum", PIPE_V)    \
  X(WholeReduceMax, "WholeReduceMax", PIPE_V)    \
  X(WholeReduceMin, "WholeReduceMin", PIPE_V)    \
  X(BlockReduceSum, "BlockReduceSum", PIPE_V)    \
  X(BlockReduceMax, "BlockReduceMax", PIPE_V)    \
  X(BlockReduceMin, "BlockReduceMin", PIPE_V)    \
  X(PairReduceSum, "PairReduceSum", PIPE_V)      \
  X(RepeatReduceSum, "RepeatReduceSum", PIPE_V)  \
  X(ReduceSum, "ReduceSum", PIPE_V)              \
  X(ReduceMax, "ReduceMax", PIPE_V)              \
  X(PatternReduceSum, "ReduceSum", PIPE_V)       \
  X(ReduceMin, "ReduceMin", PIPE_V)              \
  X(Compare, "Compare", PIPE_V)                  \
  X(CompareScalar, "CompareScalar", PIPE_V)      \
  X(Select, "Select", PIPE_V)                    \
  X(SetCmpMask, "SetCmpMask", PIPE_V)            \
  X(GetCmpMask, "GetCmpMask", PIPE_V)            \
  X(TransDataTo5HD, "TransDataTo5HD", PIPE_V)    \
  X(ReduceSumStore, "ReduceSum", PIPE_S)         \
  X(DataCopyUbToUb, "DataCopy", PIPE_V)          \
  X(DataCopyGmToUb, "DataCopy", PIPE_MTE2)       \
  X(DataCopyUbToGm, "DataCopy", PIPE_MTE3)       \
  X(DataCopyPadGmToUb, "DataCopyPad", PIPE_MTE2) \
  X(DataCopyPadUbToGm, "DataCopyPad", PIPE_MTE3) \
  X(LocalGetValue, "GetValue", PIPE_S)           \
  X(LocalSetValue, "SetValue", PIPE_S)           \
  X(GlobalGetValue, "GetValue", PIPE_S)          \
  X(GlobalSetValue, "SetValue", PIPE_S)          \
  X(VectorFunction, "__VEC_SCOPE__", PIPE_V)

enum class Api : uint8_t {
#define NORMGRAD_API(name, text, pipe) k##name,
  NORMGRAD_APIS(NORMGRAD_API)
#undef NORMGRAD_API
};

#define NORMGRAD_API(name, text, pipe) +1
constexpr int kApiCount = 0 NORMGRAD_APIS(NORMGRAD_API);
#undef NORMGRAD_API

struct ApiFacts {
  const char* name;
  pipe_t pipe;
};

inline const ApiFacts& FactsOf(Api api) {
  static const ApiFacts kFacts[] = {
#define NORMGRAD_API(name, text, pipe) {text, pipe},
      NORMGRAD_APIS(NORMGRAD_API)
#undef NORMGRAD_API
  };
  return kFacts[static_cast<int>(api)];
}

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_RULES_API_TABLE_H_
