#include "twin/machine/launch.h"

#include <algorithm>

#include "twin/machine/core.h"

namespace normgrad::twin {

Launch::Launch(const LaunchOptions& options)
    : options_(options),
      schedule_(options.cores, options.host_threads, options.seed),
      ubs_(options.cores),
      alive_(options.cores),
      reports_(options.cores),
      core_times_(options.cores) {}

void Launch::Run(KernelEntry entry, const std::vector<uint8_t*>& args) {
  findings_.set_unit(reinterpret_cast<const void*>(entry));
  schedule_.Run(
      [&](uint32_t core) {
        if (Runs(core)) RunCore(core, entry, args);
      },
      [&](uint32_t core) { SetThisCore(alive_[core]); });
  ResolveMeeting();
  if (!finished()) return;
  CheckKey();
  CheckCrossFlags();
}

bool Launch::Runs(uint32_t core) const {
  const std::vector<uint32_t>& listed = options_.cores_run;
  return listed.empty() || std::find(listed.begin(), listed.end(), core) != listed.end();
}

uint32_t Launch::RunningAmong(uint32_t first, uint32_t count) const {
  uint32_t running = 0;
  for (uint32_t core = first; core < first + count; ++core) running += Runs(core) ? 1 : 0;
  return running;
}

Pages& Launch::MakeUb(uint32_t core) {
  ubs_[core] = std::make_unique<Pages>(options_.soc->chip->ub_bytes);
  MakePagesToWrite(ubs_[core]->begin(), options_.ub_bytes);
  return *ubs_[core];
}

void Launch::RunCore(uint32_t index, KernelEntry entry, const std::vector<uint8_t*>& args) {
  Core core(*this, index);
  alive_[index] = &core;
  SetThisCore(&core);
  try {
    entry(args.data());
    core.Finish();
    core.Meet();
    core_times_[index] = core.cycles().Release();
  } catch (const KernelStopped&) {
    schedule_.Stop();
  }
  reports_[index] = {core.counters(), core.ub_high_water()};
}

void Launch::ResolveMeeting() {
  meeting_.Resolve(
      [this](uint32_t core, const GmSpan& mine, uint32_t other_core, const GmSpan& other) {
        const auto& allocation = *static_cast<const GmAllocation*>(mine.allocation);
        const uint64_t begin = std::max(mine.begin, other.begin);
        const uint64_t end = std::min(mine.end, other.end);
        const auto verb = [](GmAccess access) {
          switch (access) {
            case GmAccess::kRead:
              return "reads";
            case GmAccess::kWrite:
              return "writes";
            case GmAccess::kAtomic:
              return "adds to";
            case GmAccess::kLine:
              break;
          }
          return "writes back, with its 64-byte line,";
        };
        findings_.Add({Rule::kRaceCores,
                       "core " + std::to_string(core) + " " + verb(mine.access) + " bytes " +
                           std::to_string(begin) + " to " + std::to_string(end) + " of " +
                           allocation.name + " that core " + std::to_string(other_core) + " " +
                           verb(other.access) + " by " + FactsOf(other.api).name + " in " +
                           PlaceOf(other.site) + ", and nothing orders the two",
                       FactsOf(mine.api).name, core, NameOf(FactsOf(mine.api).pipe),
                       "GM " + allocation.name, begin, end, mine.site, 1});
      });
}

void Launch::CheckCrossFlags() {
  if (options_.check == CheckLevel::kOff) return;
  cross_flags_.ForEachLeft(
      [this](const CrossFlags::Key& key, uint32_t core, uint64_t count, Site site) {
        findings_.Add({Rule::kCrossFlagLeft,
                       "flag " + std::to_string(key.id) + " is set " + std::to_string(count) +
                           " times more than core " + std::to_string(core) + " has waited for it",
                       "CrossCoreSetFlag", core, NameOf(PIPE_S), "", 0, 0, site, 1});
      });
}

void Launch::CheckKey() {
  if (options_.check == CheckLevel::kOff || key_matched_.load()) return;
  findings_.Add({Rule::kTilingKey,
                 "tiling key " + std::to_string(options_.tiling_key) +
                     " matches no TILING_KEY_IS of this kernel",
                 "TILING_KEY_IS",
                 0,
                 NameOf(PIPE_S),
                 "",
                 0,
                 0,
                 {"", 0},
                 1});
}

}  // namespace normgrad::twin
