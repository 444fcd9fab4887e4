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

bool Footprint::MayMeet(const Footprint& other) const {
  if (hull_end() <= other.begin || other.hull_end() <= begin) return false;
  // Stepping alike, side by side inside one step: rows of a tile, halves of a leaf.
  const uint32_t step = outer_stride;
  if (outer_count < 2 || other.outer_count < 2 || step != other.outer_stride || step == 0) {
    return true;
  }
  const uint32_t mine = (inner_count - 1) * inner_stride + length;
  const uint32_t theirs = (other.inner_count - 1) * other.inner_stride + other.length;
  const uint32_t distance = other.begin >= begin ? (other.begin - begin) % step
                                                 : (step - (begin - other.begin) % step) % step;
  return distance < mine || distance + theirs > step;
}

}  // namespace normgrad::twin
