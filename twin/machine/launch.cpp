#include "twin/machine/launch.h"

#include "twin/machine/core.h"

namespace normgrad::twin {

Launch::Launch(const LaunchOptions& options)
    : options_(options),
      schedule_(options.cores, options.host_threads, options.seed),
      reports_(options.cores) {}

void Launch::Run(KernelEntry entry, const std::vector<uint8_t*>& args) {
  schedule_.Run([&](uint32_t core) { RunCore(core, entry, args); });
  if (finished()) CheckKey();
}

void Launch::RunCore(uint32_t index, KernelEntry entry, const std::vector<uint8_t*>& args) {
  Core core(*this, index);
  SetThisCore(&core);
  try {
    entry(args.data());
    core.Finish();
  } catch (const KernelStopped&) {
    schedule_.Stop();
  }
  SetThisCore(nullptr);
  reports_[index] = {core.counters(), core.ub_high_water()};
}

void Launch::CheckKey() {
  if (options_.check == CheckLevel::kOff || key_matched_.load()) return;
  findings_.Add({Rule::kTilingKey,
                 "tiling key " + std::to_string(options_.tiling_key) +
                     " matches no TILING_KEY_IS of this kernel",
                 "TILING_KEY_IS", 0, NameOf(PIPE_S), "", 0, 0, {"", 0}, 1});
}

}  // namespace normgrad::twin
