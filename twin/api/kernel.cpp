#include "twin/api/kernel.h"

#include <cstring>
#include <string>

#include "twin/machine/core.h"
#include "twin/rules/missing.h"

namespace normgrad::twin {

bool TilingKeyIs(uint64_t key) {
  Launch& launch = ThisCore().launch();
  const bool matches = launch.options().tiling_key == key;
  if (matches) launch.NoteKeyMatched();
  return matches;
}

void ReadTiling(const uint8_t* address, void* data, uint64_t bytes, Site site) {
  Core& core = ThisCore();
  const Launch& launch = core.launch();
  if (address != launch.tiling() || bytes != launch.tiling_bytes()) {
    core.Report(Rule::kTilingSize, "GET_TILING_DATA", PIPE_S, "GM tiling", 0, bytes, site,
                "the kernel reads " + std::to_string(bytes) +
                    " bytes of tiling data, the host wrote " +
                    std::to_string(launch.tiling_bytes()));
  }
  std::memcpy(data, address, bytes);
}

void SetKernelType(KernelMetaType type) {
  ThisCore().set_kernel_type_mix(type != KERNEL_TYPE_AIV_ONLY && type != KERNEL_TYPE_AIC_ONLY);
}

void ReportMissingApi(const char* api, Site site) {
  Core& core = ThisCore();
  core.Report(Rule::kApiMissing, api, PIPE_S, "", 0, 0, site,
              std::string(api) + " does not exist on arch " +
                  std::to_string(core.options().soc->chip->arch));
  throw KernelStopped();  // Report has thrown: the rule is fatal
}

}  // namespace normgrad::twin
