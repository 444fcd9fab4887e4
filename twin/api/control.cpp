#include "twin/api/control_calls.h"

#include <string>

#include "twin/machine/core.h"

namespace normgrad::twin {
namespace {

uint64_t MaskOf(int first, int last) { return ~uint64_t{0} >> (63 - (last - first)); }

}  // namespace

void SetControlBits(int first, int last, int64_t value, Site site) {
  Core& core = ThisCore();
  const uint64_t mask = MaskOf(first, last);
  if (core.checks() && (static_cast<uint64_t>(value) & ~mask) != 0) {
    core.Report(Rule::kControlValue, "SetCtrlSpr", PIPE_S, "", 0, 0, site,
                "value is " + std::to_string(value) + "; allowed: 0 to " + std::to_string(mask));
  }
  core.SetControl(first, mask, static_cast<uint64_t>(value), site);
}

int64_t GetControlBits(int first, int last) {
  return static_cast<int64_t>(ThisCore().control().bits() >> first & MaskOf(first, last));
}

void ResetControlBits(int first, int last, Site site) {
  const uint64_t mask = MaskOf(first, last);
  ThisCore().SetControl(first, mask, ControlRegister::kReset >> first & mask, site);
}

}  // namespace normgrad::twin
