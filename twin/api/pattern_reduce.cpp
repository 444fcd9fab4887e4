#include "twin/api/pattern_reduce.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "twin/machine/instruction.h"

namespace normgrad::twin {
namespace {

// The page names no order. Here it is halves: the second half is added to the first, an odd one in
// the middle waits.
void AddHalves(std::vector<float>& values, uint64_t count, uint64_t width) {
  while (count > 1) {
    const uint64_t kept = (count + 1) / 2;
    const uint64_t added = (count - kept) * width;
    for (uint64_t i = 0; i < added; ++i) values[i] += values[kept * width + i];
    count = kept;
  }
}

}  // namespace

void VectorSumOfAxis(UbOperand dst, UbOperand src, uint32_t rows, uint32_t cols, bool of_rows,
                     Site site) {
  constexpr uint64_t kMost = uint64_t{1} << 20;  // more than UB has: the bounds say so
  Instruction in(Api::kPatternReduceSum, site);
  in.RequireAligned(dst, "dst", kBlockBytes);
  in.RequireAligned(src, "src", kBlockBytes);
  const uint64_t elems = std::min(uint64_t{rows} * cols, kMost);
  if (elems == 0) return;
  const uint32_t results = of_rows ? rows : cols;
  const Footprint from = Footprint::Range(src.begin, static_cast<uint32_t>(elems * sizeof(float)));
  const Footprint to = Footprint::Range(dst.begin, results * static_cast<uint32_t>(sizeof(float)));
  in.Require(!to.Meets(from), Rule::kOverlap, dst,
             "dst overlaps src: this call takes them apart only");
  bool carry_out = in.Reads(src, "src", from);
  // The call may leave anything in its source.
  carry_out = in.Writes(src, "src", from) && carry_out;
  carry_out = in.Writes(dst, "dst", to) && carry_out;
  in.CountVector((elems * sizeof(float) + kRepeatBytes - 1) / kRepeatBytes);
  if (!carry_out) return;
  std::vector<float> values(of_rows ? cols : elems);
  std::vector<float> sums(results);
  if (of_rows) {
    for (uint32_t row = 0; row < rows; ++row) {
      std::memcpy(values.data(), in.ub(src.begin) + uint64_t{row} * cols * sizeof(float),
                  cols * sizeof(float));
      AddHalves(values, cols, 1);
      sums[row] = values[0];
    }
  } else {
    std::memcpy(values.data(), in.ub(src.begin), elems * sizeof(float));
    AddHalves(values, rows, cols);
    std::memcpy(sums.data(), values.data(), cols * sizeof(float));
  }
  std::memcpy(in.ub(dst.begin), sums.data(), results * sizeof(float));
  in.Undefines(src.begin, from.hull_end());
}

}  // namespace normgrad::twin
