// Which bytes of UB an operand of one instruction covers.
#ifndef NORMGRAD_TWIN_MACHINE_FOOTPRINT_H_
#define NORMGRAD_TWIN_MACHINE_FOOTPRINT_H_

#include <cstdint>

#include "twin/machine/ids.h"

namespace normgrad::twin {

// Bytes of UB in the pattern begin + o * outer_stride + i * inner_stride, `length` bytes each.
struct Footprint {
  uint32_t begin;
  uint32_t length;
  uint32_t inner_count;
  uint32_t inner_stride;
  uint32_t outer_count;
  uint32_t outer_stride;

  static Footprint Range(uint32_t begin, uint32_t length) { return {begin, length, 1, 0, 1, 0}; }
  bool empty() const { return length == 0 || inner_count == 0 || outer_count == 0; }
  uint32_t hull_end() const {
    return begin + (outer_count - 1) * outer_stride + (inner_count - 1) * inner_stride + length;
  }
  bool operator==(const Footprint& other) const {
    return begin == other.begin && length == other.length && inner_count == other.inner_count &&
           inner_stride == other.inner_stride && outer_count == other.outer_count &&
           outer_stride == other.outer_stride;
  }
  // Calls f(begin, end) for every range.
  template <typename F>
  void ForEachRange(F f) const {
    for (uint32_t outer = 0; outer < outer_count; ++outer) {
      for (uint32_t inner = 0; inner < inner_count; ++inner) {
        const uint32_t at = begin + outer * outer_stride + inner * inner_stride;
        f(at, at + length);
      }
    }
  }

  // Have the two a byte in common?
  bool Meets(const Footprint& other) const;

  // Has any range a byte of [from, to)?
  bool MeetsRange(uint32_t from, uint32_t to) const;

  // Merges levels that touch, so that contiguous repeats become one range.
  Footprint Collapsed() const;
};

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_MACHINE_FOOTPRINT_H_
