// Races in GM: inside a core, like UB's, but over intervals (GM is large and its accesses are few);
// and between cores, found when all cores have met or ended.
#ifndef NORMGRAD_TWIN_OBSERVERS_GM_RACES_H_
#define NORMGRAD_TWIN_OBSERVERS_GM_RACES_H_

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <vector>

#include "twin/machine/clocks.h"
#include "twin/machine/cross_core.h"
#include "twin/machine/site.h"
#include "twin/rules/api_table.h"

namespace normgrad::twin {

// kLine: the rest of a 64 B line of which a scalar store wrote a part. When the line leaves the
// data cache, all of it is written.
enum class GmAccess : uint8_t { kRead, kWrite, kAtomic, kLine };

struct GmSpan {
  const void* allocation;
  uint64_t begin;
  uint64_t end;
  GmAccess access;
  Api api;
  Site site;
  int pipe;
  uint32_t sequence;  // of the newest access in it
  uint32_t segment;   // of its core: what the core knew of the others then
};

struct GmConflict {
  int pipe;
  uint32_t sequence;
  bool is_write;
  uint64_t begin;
  uint64_t end;
};

// One core's accesses since all its pipes were last known to have finished.
class GmOrder {
 public:
  bool Check(const void* allocation, bool write, uint64_t begin, uint64_t end,
             const PipeTimes& known, GmConflict* conflict) const;
  void Mark(const void* allocation, bool write, int pipe, uint32_t sequence, uint64_t begin,
            uint64_t end);
  void Forget() { marks_.clear(); }

 private:
  struct Mark_ {
    uint64_t end;
    int pipe;
    uint32_t sequence;
  };
  using Intervals = std::map<uint64_t, Mark_>;  // by begin, disjoint
  struct Marks {
    Intervals kinds[2];  // reads, writes
  };

  std::map<const void*, Marks> marks_;
};

// All cores' accesses since all of them last met. Which of two cores comes first is the schedule's
// choice, so any conflict that no flag between the cores orders is a race.
class GmMeeting {
 public:
  // What one core did since the last meeting, and what it knew of the others in each segment.
  void Deposit(uint32_t core, std::vector<GmSpan> spans, std::vector<CoreTimes> segments);

  using Report = std::function<void(uint32_t core, const GmSpan& mine, uint32_t other_core,
                                    const GmSpan& other)>;
  // Until then, cores may overwrite these bytes of each other.
  void Forgive(const void* allocation, uint64_t begin, uint64_t end);
  // Everything deposited so far is compared and forgotten.
  void Resolve(const Report& report);

 private:
  struct Owned {
    GmSpan span;
    uint32_t core;
  };

  struct Forgiven {
    const void* allocation;
    uint64_t begin;
    uint64_t end;
  };

  bool Before(const Owned& first, const Owned& second) const;
  bool IsForgiven(const GmSpan& a, const GmSpan& b) const;

  std::mutex mutex_;
  std::vector<Owned> spans_;
  std::vector<Forgiven> forgiven_;
  std::map<uint32_t, std::vector<CoreTimes>> segments_;  // per core
};

// Appends, merging with the newest span where that says the same.
void AddSpan(std::vector<GmSpan>& spans, const GmSpan& span);

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_OBSERVERS_GM_RACES_H_
