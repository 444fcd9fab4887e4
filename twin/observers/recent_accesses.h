// The footprints that accesses of one kind had lately, each once, with the newest access that had
// it. Loops use the same few footprints again and again, so that remembering an access is a look-up
// here and writes no mark per block of UB; and of these few, what another pipe does not know of yet
// comes first.
#ifndef NORMGRAD_TWIN_OBSERVERS_RECENT_ACCESSES_H_
#define NORMGRAD_TWIN_OBSERVERS_RECENT_ACCESSES_H_

#include <cstdint>
#include <vector>

#include "twin/machine/footprint.h"

namespace normgrad::twin {

class RecentAccesses {
 public:
  // Twice what an iteration of the kernels in op_kernel/ has of one kind in one pipe.
  static constexpr uint32_t kCapacity = 128;

  // The oldest footprint gives way to a new one: then spill(sequence, footprint) is called, unless
  // SpillAll has handed it out already.
  template <typename F>
  void Add(uint32_t sequence, const Footprint& footprint, F spill) {
    const uint32_t bucket = BucketOf(footprint);
    uint8_t at = count_ == 0 ? kNone : buckets_[bucket];
    while (at != kNone && !(entries_[at].footprint == footprint)) at = entries_[at].next;
    if (at == newest_ && at != kNone) {
      Renew(at, sequence);
      return;
    }
    if (at != kNone) {
      Unlink(at);
    } else {
      at = TakeEntry(spill);
      entries_[at].footprint = footprint;
      entries_[at].end = footprint.hull_end();
      entries_[at].next = buckets_[bucket];
      buckets_[bucket] = at;
    }
    Renew(at, sequence);
    PushNewest(at);
  }

  // Does any access after `known` meet this footprint, whose hull ends at `end`? *all: every access
  // after `known` is still here.
  bool Meets(const Footprint& footprint, uint32_t end, uint32_t known, bool* all) const {
    *all = true;
    if (count_ == 0) return false;
    for (uint8_t at = newest_; at != kNone; at = entries_[at].older) {
      const Entry& entry = entries_[at];
      if (entry.sequence <= known) return false;
      if (footprint.begin >= entry.end || entry.footprint.begin >= end) continue;
      if (footprint.Meets(entry.footprint)) return true;
    }
    *all = false;
    return false;
  }

  // Calls f(begin, end) for the hull of every access after `known` that is still here; true: no
  // other one is.
  template <typename F>
  bool ForEachAfter(uint32_t known, F f) const {
    if (count_ == 0) return true;
    for (uint8_t at = newest_; at != kNone; at = entries_[at].older) {
      if (entries_[at].sequence <= known) return true;
      f(entries_[at].footprint.begin, entries_[at].end);
    }
    return false;
  }

  // Hands out every access, oldest first; each once.
  template <typename F>
  void SpillAll(F spill) {
    if (count_ == 0) return;
    for (uint8_t at = oldest_; at != kNone; at = entries_[at].newer) Spill(entries_[at], spill);
  }

  void Clear();

 private:
  static constexpr uint8_t kNone = 0xFF;
  static constexpr uint32_t kBuckets = 128;

  struct Entry {
    Footprint footprint;
    uint32_t end;  // of the footprint's hull: most questions end here
    uint32_t sequence;
    uint8_t older;
    uint8_t newer;
    uint8_t next;  // in its bucket
    bool spilled;
  };

  static uint32_t BucketOf(const Footprint& f) {
    const uint32_t mixed = f.begin * 0x9E3779B1u + f.length * 0x85EBCA77u + f.outer_count;
    return mixed >> 25;  // 128 buckets
  }

  template <typename F>
  static void Spill(Entry& entry, F spill) {
    if (!entry.spilled) spill(entry.sequence, entry.footprint);
    entry.spilled = true;
  }

  void Renew(uint8_t at, uint32_t sequence) {
    entries_[at].sequence = sequence;
    entries_[at].spilled = false;
  }

  template <typename F>
  uint8_t TakeEntry(F spill) {
    if (count_ < kCapacity) return NewEntry();
    const uint8_t at = oldest_;
    Spill(entries_[at], spill);
    Unlink(at);
    LeaveBucket(at);
    return at;
  }

  uint8_t NewEntry();
  void LeaveBucket(uint8_t at);

  void Unlink(uint8_t at) {
    const Entry& entry = entries_[at];
    (entry.newer == kNone ? newest_ : entries_[entry.newer].older) = entry.older;
    (entry.older == kNone ? oldest_ : entries_[entry.older].newer) = entry.newer;
  }

  void PushNewest(uint8_t at) {
    entries_[at].older = newest_;
    entries_[at].newer = kNone;
    (newest_ == kNone ? oldest_ : entries_[newest_].newer) = at;
    newest_ = at;
  }

  std::vector<Entry> entries_;  // and buckets_: empty until the first access
  std::vector<uint8_t> buckets_;
  uint32_t count_ = 0;
  uint8_t newest_ = kNone;
  uint8_t oldest_ = kNone;
};

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_OBSERVERS_RECENT_ACCESSES_H_
