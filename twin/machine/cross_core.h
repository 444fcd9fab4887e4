// Where cores meet: SyncAll, and flags that one core sets and others wait for. All of it is shared;
// it is only touched while the schedule is held.
#ifndef NORMGRAD_TWIN_MACHINE_CROSS_CORE_H_
#define NORMGRAD_TWIN_MACHINE_CROSS_CORE_H_

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "twin/machine/clocks.h"
#include "twin/machine/site.h"
#include "twin/observers/cycles.h"

namespace normgrad::twin {

// What a core knows to have finished, on every core.
using CoreTimes = std::vector<PipeTimes>;

// One rendezvous that is used again and again: arrivals 0..n-1 are the first meeting, and so on.
class Rendezvous {
 public:
  // True when this arrival completes a meeting.
  bool Arrive(uint32_t members) { return ++arrived_ % members == 0; }
  // The meeting that a core which arrives next takes part in, and whether it is complete.
  uint64_t Next(uint32_t members) const { return arrived_ / members; }
  bool Complete(uint64_t meeting, uint32_t members) const { return arrived_ / members > meeting; }

 private:
  uint64_t arrived_ = 0;
};

// CrossCoreSetFlag / CrossCoreWaitFlag. A flag of a group of cores counts up once all members have
// set it; each member's wait then takes one count.
class CrossFlags {
 public:
  struct Key {
    uint32_t group;  // members share a group: all cores, or the two of one AI core
    uint32_t id;
    bool operator<(const Key& other) const {
      return std::pair(group, id) < std::pair(other.group, other.id);
    }
  };

  // What the sets of one round say, joined over the members.
  struct Round {
    CoreTimes times;
    Cycles::Shared moment;
  };

  void Set(const Key& key, uint32_t core, uint32_t members, const Round& mine, Site site);
  bool CanWait(const Key& key, uint32_t core) const;
  // Takes one count; returns what the members' sets said.
  const Round& Wait(const Key& key, uint32_t core);
  // Calls f(key, core, count, site of the last set) for what was set and never waited for.
  template <typename F>
  void ForEachLeft(F f) const {
    for (const auto& [key, flag] : flags_) {
      for (const auto& [core, sets] : flag.sets) {
        const auto waits = flag.waits.find(core);
        const uint64_t waited = waits == flag.waits.end() ? 0 : waits->second;
        if (sets > waited) f(key, core, sets - waited, flag.sites.at(core));
      }
    }
  }

 private:
  struct Flag {
    std::map<uint32_t, uint64_t> sets;   // per core
    std::map<uint32_t, Site> sites;      // of the last set, per core
    std::map<uint32_t, uint64_t> waits;  // per core
    std::vector<Round> rounds;           // of the members that have set so far
    uint64_t complete = 0;               // rounds that all members have set
  };
  std::map<Key, Flag> flags_;
};

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_MACHINE_CROSS_CORE_H_
