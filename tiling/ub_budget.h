// UB of a plan as a list of named buffers: declared once, summed here, checked against the chip,
// printed by `normgrad plan`.
#ifndef NORMGRAD_TILING_UB_BUDGET_H_
#define NORMGRAD_TILING_UB_BUDGET_H_

#include <cstdint>

namespace normgrad {

struct UbBuffer {
  const char* name;
  uint32_t bytes;  // of one buffer, a multiple of 32
  uint32_t count;  // 2 for double buffering
};

class UbBudget {
 public:
  // Rounds `bytes` up to the 32 B block, as TPipe::InitBuffer does, and returns the rounded value,
  // so that a planner writes the same figure into the tiling data. No bytes or no count: nothing.
  uint32_t Add(const char* name, uint64_t bytes, uint32_t count = 1);

  // How many there are of a buffer that is in the budget.
  void SetCount(const char* name, uint32_t count);

  uint64_t TotalBytes() const;
  bool Fits(uint32_t ub_bytes) const { return TotalBytes() <= ub_bytes; }
  int size() const { return size_; }
  const UbBuffer& operator[](int i) const { return buffers_[i]; }

 private:
  static constexpr int kMaxBuffers = 24;
  UbBuffer buffers_[kMaxBuffers] = {};
  int size_ = 0;
};

}  // namespace normgrad

#endif  // NORMGRAD_TILING_UB_BUDGET_H_
