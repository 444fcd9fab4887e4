// One kernel launch: what was asked for, what is shared by its cores, what came out.
#ifndef NORMGRAD_TWIN_MACHINE_LAUNCH_H_
#define NORMGRAD_TWIN_MACHINE_LAUNCH_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tiling/chip.h"
#include "twin/machine/cross_core.h"
#include "twin/machine/finding.h"
#include "twin/machine/gm.h"
#include "twin/machine/pages.h"
#include "twin/machine/schedule.h"
#include "twin/observers/counters.h"
#include "twin/observers/gm_races.h"
#include "twin/observers/launch_time.h"

namespace normgrad::twin {

class Core;

enum class CheckLevel {
  kOff,   // bounds only: nothing may write outside the machine
  kFast,  // and queues, flags, alignment, limits
  kAll,   // and uninitialised bytes and races
};

enum class SyncMode {
  kStrict,    // what is written must suffice
  kAutosync,  // the compiler adds what it adds in the standard operator project
};

struct LaunchOptions {
  const Soc* soc = nullptr;
  uint32_t cores = 1;
  // Those that run; empty: all. The others come to every meeting at once and do nothing.
  std::vector<uint32_t> cores_run;
  uint32_t ub_bytes = 0;
  uint64_t tiling_key = 0;
  CheckLevel check = CheckLevel::kAll;
  SyncMode sync = SyncMode::kStrict;
  uint64_t seed = 0;
  uint32_t host_threads = 1;
  CycleMode cycles = CycleMode::kOn;  // but off if some cores stay away: they share the memory
};

using KernelEntry = void (*)(uint8_t* const* args);

struct CoreReport {
  Counters counters;
  uint32_t ub_high_water_bytes = 0;
};

class Launch {
 public:
  explicit Launch(const LaunchOptions& options);

  // Runs `entry` on every core. `args` are the kernel's arguments in order.
  void Run(KernelEntry entry, const std::vector<uint8_t*>& args);

  const LaunchOptions& options() const { return options_; }
  Gm& gm() { return gm_; }
  Schedule& schedule() { return schedule_; }
  FindingLog& findings() { return findings_; }
  GmMeeting& meeting() { return meeting_; }
  const std::vector<CoreReport>& cores() const { return reports_; }
  const std::vector<CoreTime>& core_times() const { return core_times_; }
  bool finished() const { return !schedule_.stopped(); }
  bool Runs(uint32_t core) const;
  // How many of the cores [first, first + count) run: so many arrivals make a meeting of them.
  uint32_t RunningAmong(uint32_t first, uint32_t count) const;

  void set_tiling(const uint8_t* address, uint64_t bytes) {
    tiling_ = address;
    tiling_bytes_ = bytes;
  }
  const uint8_t* tiling() const { return tiling_; }
  uint64_t tiling_bytes() const { return tiling_bytes_; }
  CrossFlags& cross_flags() { return cross_flags_; }
  Rendezvous& rendezvous(const void* place) { return rendezvous_[place]; }
  // UB of a core that begins. All of them live as long as the launch: a page that is given back
  // interrupts every thread.
  Pages& MakeUb(uint32_t core);
  // All cores are here: their GM accesses are compared and forgotten.
  void ResolveMeeting();
  void NoteKeyMatched() { key_matched_.store(true, std::memory_order_relaxed); }

 private:
  void RunCore(uint32_t index, KernelEntry entry, const std::vector<uint8_t*>& args);
  void CheckKey();
  void CheckCrossFlags();

  const LaunchOptions options_;
  Gm gm_;
  FindingLog findings_;
  GmMeeting meeting_;
  CrossFlags cross_flags_;
  std::map<const void*, Rendezvous> rendezvous_;  // by the place where cores meet
  Schedule schedule_;
  std::vector<std::unique_ptr<Pages>> ubs_;
  std::vector<Core*> alive_;  // those that have begun and not ended
  std::vector<CoreReport> reports_;
  std::vector<CoreTime> core_times_;
  const uint8_t* tiling_ = nullptr;
  uint64_t tiling_bytes_ = 0;
  std::atomic<bool> key_matched_{false};
};

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_MACHINE_LAUNCH_H_
