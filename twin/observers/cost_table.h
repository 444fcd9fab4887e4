// Cycles that one 256 B repeat of a vector instruction adds ("slope") on arch 2201. Figures:
// regressions on 910B3 hardware published with pto-isa's cost model; Brcb's own entry there is a
// placeholder, so one cycle is assumed for it.
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
    case Api::kMulAddDst:
      return 2;
    case Api::kWholeReduceSum:
      return 7;
    case Api::kAdds:
    case Api::kMuls:
    case Api::kCast:
    case Api::kDuplicate:
    case Api::kBrcb:
    case Api::kCompare:
    case Api::kSelect:
    case Api::kDataCopyUbToUb:
      return 1;
    default:
      return 0;  // not a vector instruction
  }
}

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_OBSERVERS_COST_TABLE_H_
