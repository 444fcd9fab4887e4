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
      : words_(ub_bytes / 32, 0), whole_(ub_bytes / kGroupBytes / 64 + 1, 0) {}

  // All of [begin, end), which is not empty, is known to be written. Quick, and sure only of yes.
  bool Whole(uint32_t begin, uint32_t end) const {
    const uint32_t first = begin / kGroupBytes;
    const uint32_t last = (end - 1) / kGroupBytes;
    for (uint32_t at = first / 64; at <= last / 64; ++at) {
      if ((~whole_[at] & GroupsOf(at, first, last)) != 0) return false;
    }
    return true;
  }

  void Mark(uint32_t begin, uint32_t end) {
    if (begin >= end || Whole(begin, end)) return;
    Edit(begin, end, [](uint32_t& word, uint32_t mask) { word |= mask; });
    // Groups that lie in the range with all they have; others are looked at when they are read.
    const uint32_t first = (begin + kGroupBytes - 1) / kGroupBytes;
    const uint32_t past = end / kGroupBytes;
    for (uint32_t at = first / 64; first < past && at <= (past - 1) / 64; ++at) {
      whole_[at] |= GroupsOf(at, first, past - 1);
    }
  }
  void Clear(uint32_t begin, uint32_t end) {
    if (begin >= end) return;
    Edit(begin, end, [](uint32_t& word, uint32_t mask) { word &= ~mask; });
    const uint32_t first = begin / kGroupBytes;
    const uint32_t last = (end - 1) / kGroupBytes;
    for (uint32_t at = first / 64; at <= last / 64; ++at) whole_[at] &= ~GroupsOf(at, first, last);
  }

  // First byte in [begin, end) that was never written, or `end`.
  uint32_t FirstUnwritten(uint32_t begin, uint32_t end) const {
    if (begin >= end || Whole(begin, end)) return end;
    for (uint32_t group = begin / kGroupBytes; group <= (end - 1) / kGroupBytes; ++group) {
      if ((whole_[group / 64] >> (group % 64) & 1u) != 0) continue;
      const uint32_t from = std::max(begin, group * kGroupBytes);
      const uint32_t to = std::min(end, (group + 1) * kGroupBytes);
      // Looking at all of a group pays where most of it is asked for.
      if (2 * (to - from) >= kGroupBytes && LookForWhole(group)) continue;
      const uint32_t at = FirstInGroup(from, to);
      if (at != to) return at;
    }
    return end;
  }

 private:
  static constexpr uint32_t kGroupBlocks = 32;
  static constexpr uint32_t kGroupBytes = kGroupBlocks * 32;

  // The bits of groups first to last in the word `at` of whole_.
  static uint64_t GroupsOf(uint32_t at, uint32_t first, uint32_t last) {
    uint64_t bits = ~uint64_t{0};
    if (at == first / 64) bits &= ~uint64_t{0} << (first % 64);
    if (at == last / 64) bits &= ~uint64_t{0} >> (63 - last % 64);
    return bits;
  }

  // Once found whole, a group stays so until something of it is cleared.
  bool LookForWhole(uint32_t group) const {
    uint32_t all = ~0u;
    for (uint32_t i = 0; i < kGroupBlocks; ++i) all &= words_[group * kGroupBlocks + i];
    if (all != ~0u) return false;
    whole_[group / 64] |= uint64_t{1} << (group % 64);
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
  mutable std::vector<uint64_t> whole_;  // a bit per group
};

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_OBSERVERS_UNINIT_H_
