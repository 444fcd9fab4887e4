#include "twin/observers/ub_races.h"

#include <algorithm>

namespace normgrad::twin {

uint8_t RecentAccesses::NewEntry() {
  if (entries_.empty()) {
    entries_.resize(kCapacity);
    buckets_.assign(kBuckets, kNone);
  }
  return static_cast<uint8_t>(count_++);
}

void RecentAccesses::LeaveBucket(uint8_t at) {
  uint8_t* link = &buckets_[BucketOf(entries_[at].footprint)];
  while (*link != at) link = &entries_[*link].next;
  *link = entries_[at].next;
}

void RecentAccesses::Clear() {
  std::fill(buckets_.begin(), buckets_.end(), kNone);
  count_ = 0;
  newest_ = oldest_ = kNone;
}

bool UbRaces::CheckPipe(bool other_writes, int pipe, const Footprint& footprint, uint32_t end,
                        uint32_t known, UbConflict* conflict) {
  RecentAccesses& recent = recent_[other_writes][pipe];
  bool all = false;
  if (recent.Meets(footprint, end, known, &all)) {
    // A race: its bytes are those of the newest access to each, so all must be in the marks.
    recent.SpillAll([&](uint32_t sequence, const Footprint& spilled) {
      marks_.Mark(other_writes, pipe, sequence, spilled);
    });
  } else if (all || marks_.newest(other_writes, pipe) <= known) {
    return false;
  }
  return marks_.Find(other_writes, pipe, footprint, known, conflict);
}

void UbRaces::Mark(bool write, int pipe, uint32_t sequence, const Footprint& footprint) {
  last_[write][pipe] = sequence;
  recent_[write][pipe].Add(sequence, footprint, [&](uint32_t old, const Footprint& spilled) {
    marks_.Mark(write, pipe, old, spilled);
  });
}

void UbRaces::Forget() {
  for (auto& kind : recent_) {
    for (RecentAccesses& recent : kind) recent.Clear();
  }
  marks_.Forget();
}

}  // namespace normgrad::twin
