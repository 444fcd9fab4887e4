// Cycles that one 256 B repeat of a vector instruction adds ("slope") on arch 2201. Add, Sub, Max,
// Min, Mul, Adds, Muls, Div, Exp, Ln, Sqrt, Rsqrt, Cast, Duplicate, Copy, WholeReduceSum,
// BlockReduceSum: regressions on 910B3 hardware published with pto-isa's cost model. MulAddDst,
// FusedMulAdd, Axpy: as Mul, fixed by this project's budgets. Assumed after the documented
// throughput relative to these: Maxs, Mins, Abs, Relu, Not, And, Or, Reciprocal, Brcb (its own
// entry there is a placeholder), Max and Min reductions, PairReduceSum, Compare, Select,
// TransDataTo5HD. Broadcast counts the repeats of its documented steps, Fill those of a Duplicate.
#ifndef NORMGRAD_TWIN_OBSERVERS_COST_TABLE_H_
#define NORMGRAD_TWIN_OBSERVERS_COST_TABLE_H_

#include <cstdint>

#include "twin/rules/api_table.h"

namespace normgrad::twin {

inline uint32_t SlopeCycles(Api api) {
  switch (api) {
    case Api::kAdd:
    case Api::kSub:
    case Api::kMul:
    case Api::kMax:
    case Api::kMin:
    case Api::kMulAddDst:
    case Api::kFusedMulAdd:
    case Api::kAxpy:
    case Api::kExp:
    case Api::kLn:
    case Api::kSqrt:
      return 2;
    case Api::kDiv:
      return 4;
    case Api::kWholeReduceSum:
    case Api::kWholeReduceMax:
    case Api::kWholeReduceMin:
    case Api::kRepeatReduceSum:
    case Api::kReduceSum:
    case Api::kReduceMax:
    case Api::kReduceMin:
      return 7;
    case Api::kAdds:
    case Api::kMuls:
    case Api::kMaxs:
    case Api::kMins:
    case Api::kAbs:
    case Api::kRelu:
    case Api::kNot:
    case Api::kAnd:
    case Api::kOr:
    case Api::kRsqrt:
    case Api::kReciprocal:
    case Api::kCast:
    case Api::kDuplicate:
    case Api::kBrcb:
    case Api::kCopy:
    case Api::kBroadcast:
    case Api::kFill:
    case Api::kBlockReduceSum:
    case Api::kBlockReduceMax:
    case Api::kBlockReduceMin:
    case Api::kPairReduceSum:
    case Api::kCompare:
    case Api::kCompareScalar:
    case Api::kSelect:
    case Api::kSetCmpMask:
    case Api::kGetCmpMask:
    case Api::kTransDataTo5HD:
    case Api::kDataCopyUbToUb:
      return 1;
    default:
      return 0;  // not a vector instruction
  }
}

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_OBSERVERS_COST_TABLE_H_
