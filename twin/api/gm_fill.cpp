// Meaning of Fill: the value is spread in UB that no buffer holds, and stored from there as often
// as it takes. The call orders its own two steps, nothing else: whoever uses this UB next must wait
// for the transfer pipe.
#include "twin/api/gm_fill.h"

#include <algorithm>
#include <cstring>

#include "twin/api/data_copy.h"
#include "twin/api/operations.h"
#include "twin/machine/instruction.h"

namespace normgrad::twin {
namespace {

constexpr uint32_t kFillBytes = 8192;  // of UB, if there is that much

// Another Fill with this value has left it here.
bool Holds(Core& core, const Buffer& rest, const void* value, uint32_t element_bytes) {
  const uint32_t end = rest.begin + rest.bytes;
  if (!core.checks_all() || core.init().FirstUnwritten(rest.begin, end) != end) return false;
  for (uint32_t at = rest.begin; at < end; at += element_bytes) {
    if (std::memcmp(core.ub() + at, value, element_bytes) != 0) return false;
  }
  return true;
}

}  // namespace

void FillGm(uint8_t* dst, const void* value, Dtype dtype, uint32_t element_bytes, uint64_t count,
            Site site) {
  Core& core = ThisCore();
  if (core.checks() && core.HasBuffers()) {
    core.Report(Rule::kFillLate, "Fill", PIPE_V, "", 0, 0, site,
                "Fill works in UB of its own and may be called before the first InitBuffer only");
  }
  const uint16_t id = core.LendRest(kFillBytes, site);
  const Buffer rest = core.buffer(id);
  const UbOperand ub{rest.begin, id};
  core.Barrier(PipeIndex(PIPE_V));  // two calls in a row do not race in their own pipe
  {
    Instruction in(Api::kFill, site);
    in.CountVector((rest.bytes + kRepeatBytes - 1) / kRepeatBytes);
    // Writing what is there already disturbs no transfer that still reads it.
    if (!Holds(core, rest, value, element_bytes)) {
      in.Writes(ub, "dst", Footprint::Range(rest.begin, rest.bytes));
      FillElements(in.ub(rest.begin), value, element_bytes, rest.bytes / element_bytes);
    }
  }
  ++core.counters().flags_set;
  ++core.counters().flags_waited;
  core.Order(PipeIndex(PIPE_V), PipeIndex(PIPE_MTE3));
  for (uint64_t done = 0, bytes = count * element_bytes; done < bytes;) {
    const auto length = static_cast<uint32_t>(std::min<uint64_t>(rest.bytes, bytes - done));
    CopyPadUbToGm(dst + done, ub, {1, length, 0, 0}, element_bytes, dtype, site, Api::kFillStore);
    done += length;
  }
  core.ReturnRest();
}

}  // namespace normgrad::twin
