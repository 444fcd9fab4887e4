// Meaning of the vector instructions: which elements meet which, in the documented order.
#include "twin/api/vector_calls.h"

#include <cstring>

namespace normgrad::twin {
namespace {

constexpr uint32_t kLineBytes = 256;   // all lanes of one repeat of the widest operand

// One source operand, repeat by repeat, as contiguous lanes.
class Source {
 public:
  Source(Instruction& in, uint32_t begin, Stride stride, const Lanes& lanes)
      : in_(in), begin_(begin), stride_(stride), blocks_(lanes.blocks()) {}

  const uint8_t* Repeat(uint32_t repeat) {
    const uint32_t at = begin_ + repeat * stride_.repeat * kBlockBytes;
    if (stride_.block == 1) return in_.ub(at);
    if (repeat > 0 && stride_.repeat == 0) return line_;   // the same blocks as last time
    for (uint32_t block = 0; block < blocks_; ++block) {
      std::memcpy(line_ + block * kBlockBytes, in_.ub(at + block * stride_.block * kBlockBytes),
                  kBlockBytes);
    }
    return line_;
  }

 private:
  Instruction& in_;
  const uint32_t begin_;
  const Stride stride_;
  const uint32_t blocks_;   // up to the last active lane: others may lie outside the buffer
  alignas(64) uint8_t line_[kLineBytes];
};

// Runs f(dst lanes, first lane, lanes) for every repeat and run of active lanes. A destination with
// a block stride is worked on in a line of its own and written back block by block.
template <typename F>
void ForEachDestination(Instruction& in, uint32_t begin, Stride stride, const Lanes& lanes, F f) {
  const uint32_t element = lanes.element_bytes();
  alignas(64) uint8_t line[kLineBytes];
  for (uint32_t repeat = 0; repeat < lanes.repeats(); ++repeat) {
    const uint32_t at = begin + repeat * stride.repeat * kBlockBytes;
    if (stride.block == 1) {
      lanes.ForEachRun(lanes.lanes(), [&](uint32_t lane, uint32_t count) {
        f(repeat, in.ub(at + lane * element), lane, count);
      });
      continue;
    }
    lanes.ForEachRun(kBlockBytes / element, [&](uint32_t lane, uint32_t count) {
      const uint32_t offset = lane * element;
      uint8_t* home = in.ub(at + offset / kBlockBytes * stride.block * kBlockBytes +
                            offset % kBlockBytes);
      std::memcpy(line, home, count * element);
      f(repeat, line, lane, count);
      std::memcpy(home, line, count * element);
    });
  }
}

bool Contiguous(const Lanes& lanes, Stride stride) {
  return lanes.first_n() || (stride.block == 1 && stride.repeat == 8);
}

bool AllActive(const Lanes& lanes) {
  bool all = true;
  lanes.ForEachRun(lanes.lanes(), [&](uint32_t, uint32_t count) { all = count == lanes.lanes(); });
  return all;
}

size_t ElementCount(const Lanes& lanes) {
  return lanes.first_n() ? lanes.count() : size_t{lanes.repeats()} * lanes.lanes();
}

void RequireDstBlockStride(Instruction& in, const Lanes& lanes, const UbOperand& dst, Stride stride) {
  in.Require(lanes.first_n() || stride.block != 0, Rule::kStrideLimit, dst, "dst block stride", 0,
             "1 or more (0 is undefined for a destination)");
}

}  // namespace

void VectorBinary(Api api, Dtype dtype, UbOperand dst, UbOperand src0, UbOperand src1,
                  const Lanes& lanes, const AscendC::BinaryRepeatParams& p, Site site) {
  Instruction in(api, site);
  const Stride to{p.dstBlkStride, p.dstRepStride};
  const Stride from0{p.src0BlkStride, p.src0RepStride};
  const Stride from1{p.src1BlkStride, p.src1RepStride};
  lanes.Require(in, dst);
  RequireDstBlockStride(in, lanes, dst, to);
  in.RequireAligned(dst, "dst", kBlockBytes);
  in.RequireAligned(src0, "src0", kBlockBytes);
  in.RequireAligned(src1, "src1", kBlockBytes);
  if (lanes.empty()) return;
  // The documented way to add repeats up in place: dst is src1, and one of the two does not step.
  if (!lanes.first_n() && dst.begin == src1.begin && (to.repeat == 0 || from1.repeat == 0)) {
    in.AllowAccumulation();
  }
  const bool accumulates = api == Api::kMulAddDst;
  bool carry_out = ReadsLanes(in, lanes, src0, "src0", from0);
  carry_out = ReadsLanes(in, lanes, src1, "src1", from1) && carry_out;
  if (accumulates) carry_out = ReadsLanes(in, lanes, dst, "dst", to) && carry_out;
  carry_out = WritesLanes(in, lanes, dst, "dst", to) && carry_out;
  in.CountVector(lanes.repeats());
  if (!carry_out) return;

  const BinaryFn operation = BinaryOperation(api, dtype);
  if (Contiguous(lanes, to) && Contiguous(lanes, from0) && Contiguous(lanes, from1) &&
      (lanes.first_n() || AllActive(lanes))) {
    operation(in.ub(dst.begin), in.ub(src0.begin), in.ub(src1.begin), ElementCount(lanes));
    return;
  }
  Source a(in, src0.begin, from0, lanes);
  Source b(in, src1.begin, from1, lanes);
  const uint32_t element = lanes.element_bytes();
  ForEachDestination(in, dst.begin, to, lanes,
                     [&](uint32_t repeat, uint8_t* d, uint32_t lane, uint32_t count) {
                       operation(d, a.Repeat(repeat) + lane * element,
                                 b.Repeat(repeat) + lane * element, count);
                     });
}

void VectorScalar(Api api, Dtype dtype, UbOperand dst, UbOperand src, float scalar,
                  const Lanes& lanes, const AscendC::UnaryRepeatParams& p, Site site) {
  Instruction in(api, site);
  const Stride to{p.dstBlkStride, p.dstRepStride};
  const Stride from{p.srcBlkStride, p.srcRepStride};
  lanes.Require(in, dst);
  RequireDstBlockStride(in, lanes, dst, to);
  in.RequireAligned(dst, "dst", kBlockBytes);
  in.RequireAligned(src, "src", kBlockBytes);
  if (lanes.empty()) return;
  bool carry_out = ReadsLanes(in, lanes, src, "src", from);
  carry_out = WritesLanes(in, lanes, dst, "dst", to) && carry_out;
  in.CountVector(lanes.repeats());
  if (!carry_out) return;

  const ScalarFn operation = ScalarOperation(api, dtype);
  if (lanes.first_n()) {
    operation(in.ub(dst.begin), in.ub(src.begin), scalar, lanes.count());
    return;
  }
  Source a(in, src.begin, from, lanes);
  const uint32_t element = lanes.element_bytes();
  ForEachDestination(in, dst.begin, to, lanes,
                     [&](uint32_t repeat, uint8_t* d, uint32_t lane, uint32_t count) {
                       operation(d, a.Repeat(repeat) + lane * element, scalar, count);
                     });
}

void VectorCast(Dtype dst_dtype, Dtype src_dtype, UbOperand dst, UbOperand src,
                AscendC::RoundMode mode, const Lanes& lanes, const AscendC::UnaryRepeatParams& p,
                Site site) {
  Instruction in(Api::kCast, site);
  // A repeat has the lanes of the wider type; the narrower operand covers half of its blocks.
  const Lanes to_lanes = lanes.WithElementBytes(dst_dtype == Dtype::kF32 ? 4 : 2);
  const Lanes from_lanes = lanes.WithElementBytes(src_dtype == Dtype::kF32 ? 4 : 2);
  const Stride to{p.dstBlkStride, p.dstRepStride};
  const Stride from{p.srcBlkStride, p.srcRepStride};
  lanes.Require(in, dst);
  RequireDstBlockStride(in, lanes, dst, to);
  in.RequireAligned(dst, "dst", kBlockBytes);
  in.RequireAligned(src, "src", kBlockBytes);
  const CastFn operation = CastOperation(dst_dtype, src_dtype, mode);
  in.Require(operation != nullptr, Rule::kRoundMode, dst, "the round mode",
             static_cast<uint64_t>(mode), "CAST_NONE to fp32, CAST_RINT from fp32");
  if (lanes.empty() || operation == nullptr) return;
  bool carry_out = ReadsLanes(in, from_lanes, src, "src", from);
  carry_out = WritesLanes(in, to_lanes, dst, "dst", to) && carry_out;
  in.CountVector(lanes.repeats());
  if (!carry_out) return;

  if (lanes.first_n()) {
    operation(in.ub(dst.begin), in.ub(src.begin), lanes.count());
    return;
  }
  Source a(in, src.begin, from, from_lanes);
  ForEachDestination(in, dst.begin, to, to_lanes,
                     [&](uint32_t repeat, uint8_t* d, uint32_t lane, uint32_t count) {
                       operation(d, a.Repeat(repeat) + lane * from_lanes.element_bytes(), count);
                     });
}

void VectorDuplicate(UbOperand dst, const void* value, const Lanes& lanes, Stride stride,
                     Site site) {
  Instruction in(Api::kDuplicate, site);
  lanes.Require(in, dst);
  RequireDstBlockStride(in, lanes, dst, stride);
  in.RequireAligned(dst, "dst", kBlockBytes);
  if (lanes.empty()) return;
  in.CountVector(lanes.repeats());
  if (!WritesLanes(in, lanes, dst, "dst", stride)) return;

  const uint32_t element = lanes.element_bytes();
  const auto fill = [&](uint8_t* d, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) std::memcpy(d + i * element, value, element);
  };
  if (lanes.first_n()) {
    fill(in.ub(dst.begin), lanes.count());
    return;
  }
  ForEachDestination(in, dst.begin, stride, lanes,
                     [&](uint32_t, uint8_t* d, uint32_t, uint32_t count) { fill(d, count); });
}

void VectorBrcb(UbOperand dst, UbOperand src, uint32_t element_bytes, uint32_t repeats,
                const AscendC::BrcbRepeatParams& p, Site site) {
  Instruction in(Api::kBrcb, site);
  in.Require(p.dstBlkStride != 0, Rule::kStrideLimit, dst, "dst block stride", 0, "1 or more");
  in.RequireAligned(dst, "dst", kBlockBytes);
  in.RequireAligned(src, "src", kBlockBytes);
  if (repeats == 0) return;
  // Eight elements a repeat, each filling one block.
  bool carry_out = in.Reads(src, "src", Footprint::Range(src.begin, repeats * 8 * element_bytes));
  const Footprint to = Footprint{dst.begin, kBlockBytes, 8, p.dstBlkStride * kBlockBytes, repeats,
                                 p.dstRepStride * kBlockBytes}
                           .Collapsed();
  carry_out = in.Writes(dst, "dst", to) && carry_out;
  in.CountVector(repeats);
  if (!carry_out) return;

  for (uint32_t i = 0; i < repeats * 8; ++i) {
    uint8_t* block = in.ub(dst.begin + (i / 8 * p.dstRepStride + i % 8 * p.dstBlkStride) * kBlockBytes);
    for (uint32_t at = 0; at < kBlockBytes; at += element_bytes) {
      std::memcpy(block + at, in.ub(src.begin + i * element_bytes), element_bytes);
    }
  }
}

void VectorWholeReduceSum(Dtype, UbOperand dst, UbOperand src, const Lanes& lanes,
                          uint32_t dst_stride_elems, Stride src_stride, Site site) {
  Instruction in(Api::kWholeReduceSum, site);
  const uint32_t element = lanes.element_bytes();
  lanes.Require(in, dst);
  in.Require(dst_stride_elems <= 65535, Rule::kStrideLimit, dst, "dst repeat stride",
             dst_stride_elems, "0 to 65535 elements");
  in.Require(src_stride.block <= 65535 && src_stride.repeat <= 65535, Rule::kStrideLimit, src,
             "src stride", src_stride.repeat, "0 to 65535 blocks");
  in.RequireAligned(dst, "dst", element);
  in.RequireAligned(src, "src", kBlockBytes);
  if (lanes.empty()) return;
  bool carry_out = ReadsLanes(in, lanes, src, "src", src_stride);
  const Footprint to =
      Footprint{dst.begin, element, 1, 0, lanes.repeats(), dst_stride_elems * element}.Collapsed();
  carry_out = in.Writes(dst, "dst", to) && carry_out;
  in.CountVector(lanes.repeats());
  if (!carry_out) return;

  Source a(in, src.begin, src_stride, lanes);
  for (uint32_t repeat = 0; repeat < lanes.repeats(); ++repeat) {
    float values[kLineBytes / sizeof(float)] = {};   // masked lanes count as 0
    const uint8_t* line = a.Repeat(repeat);
    lanes.ForEachRun(lanes.lanes(), [&](uint32_t lane, uint32_t count) {
      std::memcpy(values + lane, line + lane * element, count * element);
    });
    const float sum = SumTree(values, lanes.lanes());
    std::memcpy(in.ub(dst.begin + repeat * dst_stride_elems * element), &sum, sizeof sum);
  }
}

}  // namespace normgrad::twin
