// Meaning of the instructions that fill, broadcast and copy inside UB, and of the mask register.
#include "twin/api/vector_calls.h"
#include "twin/api/vector_operand.h"

namespace normgrad::twin {

void VectorDuplicate(Dtype dtype, UbOperand dst, const void* value, const LaneSpec& spec,
                     uint32_t block_stride, uint32_t repeat_stride, Site site) {
  Instruction in(Api::kDuplicate, site);
  const uint32_t bytes = BytesOf(dtype);
  const Lanes lanes = Lanes::Of(in.core(), spec, bytes);
  const VectorOperand to{dst, "dst", {block_stride, repeat_stride}, bytes};
  if (!Announce(in, lanes, to, false, {})) return;
  if (Contiguous(lanes, {to})) {
    FillElements(in.ub(dst.begin), value, bytes, lanes.contiguous());
    return;
  }
  ForEachDestination(in, to, lanes, [&](uint32_t, uint8_t* d, uint32_t, uint32_t n) {
    FillElements(d, value, bytes, n);
  });
}

void VectorBrcb(Dtype dtype, UbOperand dst, UbOperand src, uint32_t repeats,
                const AscendC::BrcbRepeatParams& p, Site site) {
  Instruction in(Api::kBrcb, site);
  const uint32_t bytes = BytesOf(dtype);
  in.Require(p.dstBlkStride != 0, Rule::kStrideLimit, dst, "dst block stride", 0, "1 or more");
  in.RequireAligned(dst, "dst", kBlockBytes);
  in.RequireAligned(src, "src", kBlockBytes);
  if (repeats == 0) return;
  // Eight elements a repeat, each filling one block.
  bool carry_out = in.Reads(src, "src", Footprint::Range(src.begin, repeats * 8 * bytes));
  const Footprint to = Footprint{dst.begin, kBlockBytes,
                                 8,         p.dstBlkStride * kBlockBytes,
                                 repeats,   p.dstRepStride * kBlockBytes}
                           .Collapsed();
  carry_out = in.Writes(dst, "dst", to) && carry_out;
  in.CountVector(repeats);
  if (!carry_out) return;

  for (uint32_t i = 0; i < repeats * 8; ++i) {
    const uint32_t block = i / 8 * p.dstRepStride + i % 8 * p.dstBlkStride;
    uint64_t value;  // a copy: the block may cover its own source
    std::memcpy(&value, in.ub(src.begin + i * bytes), bytes);
    FillElements(in.ub(dst.begin + block * kBlockBytes), &value, bytes, kBlockBytes / bytes);
  }
}

void VectorCopy(Dtype dtype, UbOperand dst, UbOperand src, const LaneSpec& spec,
                const AscendC::CopyRepeatParams& p, Site site) {
  Instruction in(Api::kCopy, site);
  const uint32_t bytes = BytesOf(dtype);
  const Lanes lanes = Lanes::Of(in.core(), spec, bytes);
  const VectorOperand to{dst, "dst", {p.dstStride, p.dstRepeatSize}, bytes};
  const VectorOperand from{src, "src", {p.srcStride, p.srcRepeatSize}, bytes};
  in.Require(p.dstRepeatSize <= 4095 && p.srcRepeatSize <= 4095, Rule::kStrideLimit, dst,
             "repeat stride", std::max(p.dstRepeatSize, p.srcRepeatSize), "0 to 4095 blocks");
  if (!Announce(in, lanes, to, false, {from})) return;
  RunUnary(in, lanes, to, from,
           [&](void* d, const void* s, size_t n) { std::memmove(d, s, n * bytes); });
}

void SetMaskMode(bool counter) { ThisCore().vector_registers().counter_mode = counter; }

void SetMaskRegister(uint64_t high, uint64_t low) {
  VectorRegisters& registers = ThisCore().vector_registers();
  registers.mask[0] = low;
  registers.mask[1] = high;
}

void SetMaskLanes(uint64_t count, uint32_t element_bytes) {
  VectorRegisters& registers = ThisCore().vector_registers();
  const uint64_t lanes = std::min<uint64_t>(count, kRepeatBytes / element_bytes);
  const auto first = [](uint64_t n) { return n >= 64 ? ~uint64_t{0} : (uint64_t{1} << n) - 1; };
  registers.mask[0] = registers.counter_mode ? count : first(lanes);
  registers.mask[1] = registers.counter_mode || lanes <= 64 ? 0 : first(lanes - 64);
}

}  // namespace normgrad::twin
