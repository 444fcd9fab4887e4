// Which bytes of UB have been written: one bit per byte, a 32-bit word per 32 B block.
#ifndef NORMGRAD_TWIN_OBSERVERS_UNINIT_H_
#define NORMGRAD_TWIN_OBSERVERS_UNINIT_H_

#include <cstdint>
#include <vector>

namespace normgrad::twin {

class UbInitMap {
 public:
  explicit UbInitMap(uint32_t ub_bytes) : words_(ub_bytes / 32, 0) {}

  void Mark(uint32_t begin, uint32_t end) {
    Edit(begin, end, [](uint32_t& word, uint32_t mask) { word |= mask; });
  }
  void Clear(uint32_t begin, uint32_t end) {
    Edit(begin, end, [](uint32_t& word, uint32_t mask) { word &= ~mask; });
  }

  // First byte in [begin, end) that was never written, or `end`.
  uint32_t FirstUnwritten(uint32_t begin, uint32_t end) const {
    if (begin >= end) return end;
    uint32_t block = begin / 32;
    const uint32_t last = (end - 1) / 32;
    if (block == last) return First(block, MaskFrom(begin) & MaskTo(end), end);
    uint32_t at = First(block, MaskFrom(begin), end);
    if (at != end) return at;
    // Whole blocks, eight at a time: a scan that the compiler vectorises.
    for (++block; block + 8 <= last; block += 8) {
      uint32_t all = ~0u;
      for (uint32_t i = 0; i < 8; ++i) all &= words_[block + i];
      if (all != ~0u) break;
    }
    for (; block < last; ++block) {
      at = First(block, ~0u, end);
      if (at != end) return at;
    }
    return First(last, MaskTo(end), end);
  }

 private:
  static uint32_t MaskFrom(uint32_t begin) { return ~0u << (begin % 32); }
  static uint32_t MaskTo(uint32_t end) { return ~0u >> (31 - (end - 1) % 32); }

  uint32_t First(uint32_t block, uint32_t mask, uint32_t none) const {
    const uint32_t missing = ~words_[block] & mask;
    if (missing == 0) return none;
    return block * 32 + static_cast<uint32_t>(__builtin_ctz(missing));
  }

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
};

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_OBSERVERS_UNINIT_H_
