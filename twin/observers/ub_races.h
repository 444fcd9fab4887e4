// Races in UB: two accesses to a byte, at least one of them a write, that nothing orders.
//
// Accesses are numbered per pipe. What a pipe did lately is kept as footprints; what no longer fits
// there, and whatever a finding has to be exact about, is kept as marks per byte. A check first
// asks whether another pipe has done anything new at all, then looks at the few footprints that are
// new, and only if there may be a conflict, or more is new than is remembered, at marks.
#ifndef NORMGRAD_TWIN_OBSERVERS_UB_RACES_H_
#define NORMGRAD_TWIN_OBSERVERS_UB_RACES_H_

#include <cstdint>

#include "twin/machine/clocks.h"
#include "twin/machine/footprint.h"
#include "twin/observers/recent_accesses.h"
#include "twin/observers/ub_marks.h"

namespace normgrad::twin {

class UbRaces {
 public:
  explicit UbRaces(uint32_t ub_bytes) : marks_(ub_bytes) {}

  // Does anything that `known` does not cover conflict with this access, whose hull ends at `end`?
  // Yes: fills *conflict.
  bool Check(bool write, const Footprint& footprint, uint32_t end, const PipeTimes& known,
             UbConflict* conflict) {
    for (const bool other_writes : {true, false}) {
      if (!write && !other_writes) continue;  // two reads
      for (int pipe = 0; pipe < kPipes; ++pipe) {
        if (last_[other_writes][pipe] <= known.finished[pipe]) continue;
        if (CheckPipe(other_writes, pipe, footprint, end, known.finished[pipe], conflict)) {
          return true;
        }
      }
    }
    return false;
  }

  bool Check(bool write, const Footprint& footprint, const PipeTimes& known, UbConflict* conflict) {
    return Check(write, footprint, footprint.hull_end(), known, conflict);
  }

  void Mark(bool write, int pipe, uint32_t sequence, const Footprint& footprint);

  // Calls f(begin, end) for hulls of everything that conflicts with an access and that `known` does
  // not cover.
  template <typename F>
  void ForEachUnknown(bool write, const PipeTimes& known, F f) const {
    for (const bool other_writes : {true, false}) {
      if (!write && !other_writes) continue;
      for (int pipe = 0; pipe < kPipes; ++pipe) {
        const uint32_t finished = known.finished[pipe];
        if (last_[other_writes][pipe] <= finished) continue;
        const bool all = recent_[other_writes][pipe].ForEachAfter(finished, f);
        if (!all && marks_.newest(other_writes, pipe) > finished) f(0u, ~0u);
      }
    }
  }

  // Every instruction so far is known to every pipe.
  void Forget();

 private:
  bool CheckPipe(bool other_writes, int pipe, const Footprint& footprint, uint32_t end,
                 uint32_t known, UbConflict* conflict);

  uint32_t last_[2][kPipes] = {};  // newest access of each kind: reads, writes
  RecentAccesses recent_[2][kPipes];
  UbMarks marks_;  // of what recent_ has handed out
};

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_OBSERVERS_UB_RACES_H_
