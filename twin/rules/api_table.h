// Every Ascend C call that issues an instruction: its name in findings and its pipe.
#ifndef NORMGRAD_TWIN_RULES_API_TABLE_H_
#define NORMGRAD_TWIN_RULES_API_TABLE_H_

#include <cstdint>

#include "twin/machine/ids.h"

namespace normgrad::twin {

#define NORMGRAD_APIS(X)            \
  X(Add, PIPE_V)                    \
  X(Sub, PIPE_V)                    \
  X(Mul, PIPE_V)                    \
  X(MulAddDst, PIPE_V)              \
  X(Adds, PIPE_V)                   \
  X(Muls, PIPE_V)                   \
  X(Cast, PIPE_V)                   \
  X(Duplicate, PIPE_V)              \
  X(Brcb, PIPE_V)                   \
  X(WholeReduceSum, PIPE_V)         \
  X(Compare, PIPE_V)                \
  X(Select, PIPE_V)                 \
  X(DataCopyUbToUb, PIPE_V)         \
  X(DataCopyGmToUb, PIPE_MTE2)      \
  X(DataCopyUbToGm, PIPE_MTE3)      \
  X(DataCopyPadGmToUb, PIPE_MTE2)   \
  X(DataCopyPadUbToGm, PIPE_MTE3)   \
  X(LocalGetValue, PIPE_S)          \
  X(LocalSetValue, PIPE_S)          \
  X(GlobalGetValue, PIPE_S)         \
  X(GlobalSetValue, PIPE_S)

enum class Api : uint8_t {
#define NORMGRAD_API(name, pipe) k##name,
  NORMGRAD_APIS(NORMGRAD_API)
#undef NORMGRAD_API
};

struct ApiFacts {
  const char* name;
  pipe_t pipe;
};

inline const ApiFacts& FactsOf(Api api) {
  static const ApiFacts kFacts[] = {
#define NORMGRAD_API(name, pipe) {#name, pipe},
      NORMGRAD_APIS(NORMGRAD_API)
#undef NORMGRAD_API
  };
  return kFacts[static_cast<int>(api)];
}

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_RULES_API_TABLE_H_
