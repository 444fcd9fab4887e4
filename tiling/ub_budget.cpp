#include "tiling/ub_budget.h"

#include <cassert>
#include <cstring>

#include "tiling/align.h"
#include "tiling/chip.h"

namespace normgrad {

namespace {
// A shape that is far too wide asks for more than 32 bits hold; this stays larger than any UB.
constexpr uint64_t kTooManyBytes = 0xFFFFFFE0;
}  // namespace

uint32_t UbBudget::Add(const char* name, uint64_t bytes, uint32_t count) {
  if (bytes == 0 || count == 0) {
    return 0;
  }
  assert(size_ < kMaxBuffers);
  const uint64_t rounded = bytes < kTooManyBytes ? AlignUp(bytes, kBlockBytes) : kTooManyBytes;
  buffers_[size_] = UbBuffer{name, static_cast<uint32_t>(rounded), count};
  ++size_;
  return static_cast<uint32_t>(rounded);
}

void UbBudget::SetCount(const char* name, uint32_t count) {
  for (int i = 0; i < size_; ++i) {
    if (std::strcmp(buffers_[i].name, name) == 0) {
      buffers_[i].count = count;
    }
  }
}

uint64_t UbBudget::TotalBytes() const {
  uint64_t total = 0;
  for (int i = 0; i < size_; ++i) {
    total += static_cast<uint64_t>(buffers_[i].bytes) * buffers_[i].count;
  }
  return total;
}

}  // namespace normgrad
