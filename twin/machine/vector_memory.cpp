#include "twin/machine/vector_memory.h"

#include <algorithm>

#include "twin/machine/clones.h"

namespace normgrad::twin {
namespace {

constexpr uint32_t kMostUbBytes = 256 << 10;

NORMGRAD_CLONES uint32_t NewestOf(const uint32_t* marks, uint32_t count) {
  uint32_t newest = 0;
  for (uint32_t i = 0; i < count; ++i) newest = marks[i] > newest ? marks[i] : newest;
  return newest;
}

}  // namespace

VectorMemory::VectorMemory() {
  for (auto& marks : marks_) marks.assign(kMostUbBytes / kGranule, 0);
}

VectorMemory& VectorMemory::Here() {
  static thread_local VectorMemory memory;
  return memory;
}

uint32_t VectorMemory::NewFunction() {
  first_ = next_access();
  accesses_.clear();
  pieces_.clear();
  origins_.clear();
  return ++functions_;
}

uint32_t VectorMemory::Newest(bool write, uint32_t first, uint32_t count) const {
  return NewestOf(marks_[write].data() + first, count);
}

uint32_t VectorMemory::Add(bool write, const Access& access, uint32_t begin, uint32_t end) {
  const uint32_t number = next_access();
  accesses_.push_back(access);
  const uint32_t first = (begin + kGranule - 1) / kGranule;
  const uint32_t last = end / kGranule;
  if (first > last) {  // inside of one granule
    pieces_.push_back({begin, end, number, write});
    return number;
  }
  std::fill(marks_[write].begin() + first, marks_[write].begin() + last, number);
  if (begin < first * kGranule) pieces_.push_back({begin, first * kGranule, number, write});
  if (last * kGranule < end) pieces_.push_back({last * kGranule, end, number, write});
  return number;
}

}  // namespace normgrad::twin
