#include "twin/rules/overlap.h"

#include <algorithm>

namespace normgrad::twin {
namespace {

// A footprint as repeats.
struct Repeats {
  uint32_t count;
  uint32_t stride;
  uint32_t length;  // from the first to the last byte of one repeat
};

bool IsRange(const Footprint& f) { return f.outer_count == 1 && f.inner_count == 1; }

// A contiguous range is cut into pieces of 256 B. Where two ranges differ in length, the elements
// of one are wider: the longer one fills its repeats, and the other one gets its share of them.
Repeats RepeatsOf(const Footprint& f, const Footprint& other) {
  if (!IsRange(f)) {
    return {f.outer_count, f.outer_stride, (f.inner_count - 1) * f.inner_stride + f.length};
  }
  uint32_t piece = kRepeatBytes;
  if (IsRange(other) && other.length > f.length) {
    piece = static_cast<uint32_t>(uint64_t{kRepeatBytes} * f.length / other.length);
    piece = std::max(piece, 1u);
  }
  return {(f.length + piece - 1) / piece, piece, std::min(f.length, piece)};
}

bool Disjoint(uint32_t a, uint32_t a_length, uint32_t b, uint32_t b_length) {
  return a + a_length <= b || b + b_length <= a;
}

}  // namespace

bool OverlapAllowed(const Footprint& dst, const Footprint& src) {
  if (dst == src || !dst.Meets(src)) return true;
  const Repeats d = RepeatsOf(dst, src);
  const Repeats s = RepeatsOf(src, dst);
  for (uint32_t i = 0; i < d.count; ++i) {
    const uint32_t to = dst.begin + i * d.stride;
    for (uint32_t j = i; j < s.count; ++j) {
      const uint32_t from = src.begin + j * s.stride;
      const bool same = i == j && to == from && d.length <= s.length;
      if (!same && !Disjoint(to, d.length, from, s.length)) return false;
    }
  }
  return true;
}

}  // namespace normgrad::twin
