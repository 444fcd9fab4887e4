#include "twin/rules/overlap.h"

#include <algorithm>

namespace normgrad::twin {
namespace {

// A footprint as repeats: a contiguous range is cut into pieces of 256 B.
struct Repeats {
  uint32_t count;
  uint32_t stride;
  uint32_t length;  // from the first to the last byte of one repeat
};

Repeats RepeatsOf(const Footprint& f) {
  if (f.outer_count == 1 && f.inner_count == 1) {
    return {(f.length + kRepeatBytes - 1) / kRepeatBytes, kRepeatBytes,
            std::min(f.length, kRepeatBytes)};
  }
  return {f.outer_count, f.outer_stride, (f.inner_count - 1) * f.inner_stride + f.length};
}

bool Disjoint(uint32_t a, uint32_t a_length, uint32_t b, uint32_t b_length) {
  return a + a_length <= b || b + b_length <= a;
}

}  // namespace

bool OverlapAllowed(const Footprint& dst, const Footprint& src) {
  if (dst == src || !dst.MayMeet(src)) return true;
  const Repeats d = RepeatsOf(dst);
  const Repeats s = RepeatsOf(src);
  for (uint32_t i = 0; i < d.count; ++i) {
    const uint32_t to = dst.begin + i * d.stride;
    for (uint32_t j = i; j < s.count; ++j) {
      const uint32_t from = src.begin + j * s.stride;
      const bool same = i == j && to == from && d.length == s.length;
      if (!same && !Disjoint(to, d.length, from, s.length)) return false;
    }
  }
  return true;
}

}  // namespace normgrad::twin
