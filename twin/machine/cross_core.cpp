#include "twin/machine/cross_core.h"

#include <algorithm>

namespace normgrad::twin {

void CrossFlags::Set(const Key& key, uint32_t core, uint32_t members, const Round& mine,
                     Site site) {
  Flag& flag = flags_[key];
  flag.sites[core] = site;
  const uint64_t round = flag.sets[core]++;
  if (flag.rounds.size() <= round) flag.rounds.resize(round + 1);
  CoreTimes& joined = flag.rounds[round].times;
  joined.resize(std::max(joined.size(), mine.times.size()));
  for (size_t i = 0; i < mine.times.size(); ++i) joined[i].Join(mine.times[i]);
  flag.rounds[round].moment.Join(mine.moment);
  if (flag.sets.size() < members) return;
  flag.complete = flag.sets.begin()->second;
  for (const auto& [member, sets] : flag.sets) flag.complete = std::min(flag.complete, sets);
}

bool CrossFlags::CanWait(const Key& key, uint32_t core) const {
  const auto flag = flags_.find(key);
  if (flag == flags_.end()) return false;
  const auto waits = flag->second.waits.find(core);
  return flag->second.complete > (waits == flag->second.waits.end() ? 0 : waits->second);
}

const CrossFlags::Round& CrossFlags::Wait(const Key& key, uint32_t core) {
  Flag& flag = flags_[key];
  return flag.rounds[flag.waits[core]++];
}

}  // namespace normgrad::twin
