// Meaning of Broadcast. What the source holds behind its last element does not matter.
#include "twin/api/broadcast.h"

#include <algorithm>
#include <cstring>

#include "twin/api/lanes.h"
#include "twin/api/operations.h"
#include "twin/machine/instruction.h"

namespace normgrad::twin {
namespace {

uint32_t UpTo(uint32_t value, uint32_t factor) { return (value + factor - 1) / factor; }

// Repeats of the documented steps: elements to blocks (eight a repeat) where columns are made, rows
// from them, and a gathering where rows do not fill whole blocks.
uint64_t Repeats(Shape2 shape, int32_t axis, uint32_t bytes) {
  const uint64_t copies = uint64_t{shape.rows} * UpTo(shape.cols * bytes, kRepeatBytes);
  const bool whole_blocks = shape.cols * bytes % kBlockBytes == 0;
  return copies * (whole_blocks ? 1 : 2) + (axis == 1 ? UpTo(shape.rows, 8) : 0);
}

void RequireShapes(Instruction& in, UbOperand dst, Shape2 to, Shape2 from, int32_t axis,
                   uint32_t bytes) {
  const Rule rule = Rule::kBroadcastShape;
  if (axis == 1) {
    in.Require(from.rows == to.rows, rule, dst, "srcShape[0]", from.rows, "as dstShape[0]");
    in.Require(from.cols == 1 || from.cols == to.cols, rule, dst, "the last axis of src", from.cols,
               "1");
    const bool whole = to.rows == 1 || to.rows * bytes % kBlockBytes == 0;
    in.Require(whole || in.core().options().soc->chip->arch != 2002, rule, dst, "srcShape[0]",
               to.rows, "a multiple of 32 B on this chip");
    return;
  }
  in.Require(from.cols == to.cols, rule, dst, "srcShape[1]", from.cols, "as dstShape[1]");
  in.Require(from.rows == 1 || from.rows == to.rows, rule, dst, "srcShape[0]", from.rows, "1");
  in.Require(from.cols * bytes % kBlockBytes == 0, rule, dst, "srcShape[1]", from.cols,
             "a multiple of 32 B");
}

}  // namespace

void VectorBroadcast(Dtype dtype, UbOperand dst, UbOperand src, const UbOperand* tmp,
                     uint32_t tmp_bytes, Shape2 to, Shape2 from, int32_t axis, Site site) {
  Instruction in(Api::kBroadcast, site);
  const uint32_t bytes = BytesOf(dtype);
  in.RequireAligned(dst, "dst", kBlockBytes);
  in.RequireAligned(src, "src", kBlockBytes);
  RequireShapes(in, dst, to, from, axis, bytes);
  const uint32_t read = from.rows * from.cols * bytes;
  const uint32_t written = to.rows * to.cols * bytes;
  const bool apart = dst.begin + written <= src.begin || src.begin + read <= dst.begin;
  in.Require(apart, Rule::kOverlap, dst, "the distance from src to dst in bytes",
             dst.begin > src.begin ? dst.begin - src.begin : src.begin - dst.begin,
             "no byte in common");
  in.AllowAccumulation();  // overlap has been asked about
  bool carry_out = in.Reads(src, "src", Footprint::Range(src.begin, read));
  carry_out = in.Writes(dst, "dst", Footprint::Range(dst.begin, written)) && carry_out;
  if (tmp != nullptr && tmp_bytes > 0) {
    in.RequireAligned(*tmp, "sharedTmpBuffer", kBlockBytes);
    const uint32_t used = std::min(tmp_bytes, UpTo(to.rows, 8) * 8 * kBlockBytes);
    carry_out = in.Writes(*tmp, "sharedTmpBuffer", Footprint::Range(tmp->begin, used)) && carry_out;
    in.Undefines(tmp->begin, tmp->begin + used);
  }
  in.CountVector(Repeats(to, axis, bytes));
  if (!carry_out) return;
  for (uint32_t row = 0; row < to.rows; ++row) {
    uint8_t* out = in.ub(dst.begin) + row * to.cols * bytes;
    const uint32_t from_row = from.rows == 1 ? 0 : std::min(row, from.rows - 1);
    const uint8_t* line = in.ub(src.begin) + from_row * from.cols * bytes;
    if (from.cols == 1) {
      FillElements(out, line, bytes, to.cols);
    } else {
      std::memmove(out, line, std::min(from.cols, to.cols) * bytes);
    }
  }
}

}  // namespace normgrad::twin
