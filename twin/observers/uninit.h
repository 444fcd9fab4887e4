// Which bytes of UB have been written: one bit per byte, a 32-bit word per 32 B block, and per 1 KB
// a note that all of it has been, so that a read of a long range looks at few words.
#ifndef NORMGRAD_TWIN_OBSERVERS_UNINIT_H_
#define NORMGRAD_TWIN_OBSERVERS_UNINIT_H_

#include <algorithm>
#include <cstdint>
#include <vector>

namespace normgrad::twin {

class UbInitMap {
 public:
  explicit UbInitMap(uint32_t ub_bytes)
      : words_(ub_bytes / 32, 0), whole_(ub_bytes / kGroupBytes + 1, 0) {}

  void Mark(uint32_t begin, uint32_t end) {
    if (begin >= end || AllWhole(begin, end)) return;
    Edit(begin, end, [](uint32_t& word, uint32_t mask) { word |= mask; });
  }
  void Clear(uint32_t begin, uint32_t end) {
    if (begin >= end) return;
    Edit(begin, end, [](uint32_t& word, uint32_t mask) { word &= ~mask; });
    for (uint32_t group = begin / kGroupBytes; group <= (end - 1) / kGroupBytes; ++group) {
      whole_[group] = 0;
    }
  }

  // First byte in [begin, end) that was never written, or `end`.
  uint32_t FirstUnwritten(uint32_t begin, uint32_t end) const {
    if (begin >= end) return end;
    for (uint32_t group = begin / kGroupBytes; group <= (end - 1) / kGroupBytes; ++group) {
      if (whole_[group] != 0) continue;
      const uint32_t from = std::max(begin, group * kGroupBytes);
      const uint32_t to = std::min(end, (group + 1) * kGroupBytes);
      // Looking at all of a group pays where most of it is asked for.
      if (2 * (to - from) >= kGroupBytes && Whole(group)) continue;
      const uint32_t at = FirstInGroup(from, to);
      if (at != to) return at;
    }
    return end;
  }

 private:
  static constexpr uint32_t kGroupBlocks = 32;
  static constexpr uint32_t kGroupBytes = kGroupBlocks * 32;

  // Once found whole, a group stays so until something of it is cleared.
  bool Whole(uint32_t group) const {
    uint32_t all = ~0u;
    for (uint32_t i = 0; i < kGroupBlocks; ++i) all &= words_[group * kGroupBlocks + i];
    whole_[group] = all == ~0u ? 1 : 0;
    return all == ~0u;
  }

  bool AllWhole(uint32_t begin, uint32_t end) const {
    for (uint32_t group = begin / kGroupBytes; group <= (end - 1) / kGroupBytes; ++group) {
      if (whole_[group] == 0) return false;
    }
    return true;
  }

  uint32_t FirstInGroup(uint32_t begin, uint32_t end) const {
    const uint32_t last = (end - 1) / 32;
    for (uint32_t block = begin / 32; block <= last; ++block) {
      uint32_t mask = ~0u;
      if (block == begin / 32) mask &= MaskFrom(begin);
      if (block == last) mask &= MaskTo(end);
      const uint32_t missing = ~words_[block] & mask;
      if (missing != 0) return block * 32 + static_cast<uint32_t>(__builtin_ctz(missing));
    }
    return end;
  }

  static uint32_t MaskFrom(uint32_t begin) { return ~0u << (begin % 32); }
  static uint32_t MaskTo(uint32_t end) { return ~0u >> (31 - (end - 1) % 32); }

  template <typename F>
  void Edit(uint32_t begin, uint32_t end, F edit) {
    if (begin >= end) return;
    const uint32_t first = begin / 32;
    const uint32_t last = (end - 1) / 32;
    if (first == last) {
      edit(words_[first], MaskFrom(begin) & MaskTo(end));
      return;
    }
    edit(words_[first], MaskFrom(begin));
    for (uint32_t block = first + 1; block < last; ++block) edit(words_[block], ~0u);
    edit(words_[last], MaskTo(end));
  }

  std::vector<uint32_t> words_;
  mutable std::vector<uint8_t> whole_;  // per group
};

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_OBSERVERS_UNINIT_H_
