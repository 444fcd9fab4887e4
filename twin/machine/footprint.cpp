#include "twin/machine/footprint.h"

namespace normgrad::twin {

Footprint Footprint::Collapsed() const {
  Footprint f = *this;
  if (f.inner_count > 1 && f.inner_stride == f.length) {
    f.length *= f.inner_count;
    f.inner_count = 1;
  } else if (f.inner_count > 1 && f.inner_stride == 0) {
    f.inner_count = 1;  // the same block again
  }
  if (f.outer_count > 1 && f.outer_stride == 0) f.outer_count = 1;
  if (f.inner_count == 1 && f.outer_count > 1 && f.outer_stride == f.length) {
    f.length *= f.outer_count;
    f.outer_count = 1;
  }
  return f;
}

namespace {

// The first of the ranges [begin + i * stride, begin + i * stride + length) that ends after `from`.
uint32_t FirstAfter(uint32_t begin, uint32_t length, uint32_t stride, uint32_t from) {
  if (begin + length > from) return 0;
  return stride == 0 ? ~0u : (from - begin - length) / stride + 1;
}

}  // namespace

bool Footprint::MeetsRange(uint32_t from, uint32_t to) const {
  const uint32_t step_bytes = (inner_count - 1) * inner_stride + length;
  const uint32_t first = FirstAfter(begin, step_bytes, outer_stride, from);
  for (uint32_t outer = first; outer < outer_count; ++outer) {
    const uint32_t at = begin + outer * outer_stride;
    if (at >= to) return false;
    const uint32_t inner = FirstAfter(at, length, inner_stride, from);
    if (inner < inner_count && at + inner * inner_stride < to) return true;
  }
  return false;
}

bool Footprint::Meets(const Footprint& other) const {
  if (hull_end() <= other.begin || other.hull_end() <= begin) return false;
  // Stepping alike, side by side inside one step: rows of a tile, halves of a leaf.
  const uint32_t step = outer_stride;
  if (outer_count >= 2 && other.outer_count >= 2 && step == other.outer_stride && step != 0) {
    const uint32_t mine = (inner_count - 1) * inner_stride + length;
    const uint32_t theirs = (other.inner_count - 1) * other.inner_stride + other.length;
    const uint32_t distance = other.begin >= begin ? (other.begin - begin) % step
                                                   : (step - (begin - other.begin) % step) % step;
    if (distance >= mine && distance + theirs <= step) return false;
  }
  const bool fewer = inner_count * outer_count <= other.inner_count * other.outer_count;
  const Footprint& few = fewer ? *this : other;
  const Footprint& many = fewer ? other : *this;
  bool meets = false;
  few.ForEachRange([&](uint32_t from, uint32_t to) { meets = meets || many.MeetsRange(from, to); });
  return meets;
}

}  // namespace normgrad::twin
