#include "twin/machine/callers.h"

#include <dlfcn.h>
#include <execinfo.h>

namespace normgrad::twin {

std::vector<uint64_t> CallersIn(const void* symbol) {
  constexpr int kMaxFrames = 32;
  void* frames[kMaxFrames];
  Dl_info unit{};
  std::vector<uint64_t> found;
  if (symbol == nullptr || dladdr(symbol, &unit) == 0) return found;
  const int count = backtrace(frames, kMaxFrames);
  for (int i = 0; i < count; ++i) {
    Dl_info of{};
    if (dladdr(frames[i], &of) == 0 || of.dli_fbase != unit.dli_fbase) continue;
    const auto* call = static_cast<const uint8_t*>(frames[i]) - 1;
    found.push_back(static_cast<uint64_t>(call - static_cast<const uint8_t*>(of.dli_fbase)));
  }
  return found;
}

}  // namespace normgrad::twin
