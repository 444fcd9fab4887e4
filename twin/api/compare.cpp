// Meaning of Compare and Select.
#include "twin/api/vector_calls.h"
#include "twin/api/vector_operand.h"

namespace normgrad::twin {
namespace {

constexpr char kWholeRepeats[] = "whole 256 B repeats";

// Compare and Select use one bit per element, packed over all repeats of a call.
uint32_t BitBytes(uint64_t elements) { return static_cast<uint32_t>((elements + 7) / 8); }

// Compares take part in whole repeats; the bits of masked lanes are not defined, so masks are full.
bool WholeRepeats(Instruction& in, const Lanes& lanes, const LaneSpec& spec, UbOperand dst,
                  uint32_t* repeats) {
  const uint64_t count = lanes.contiguous();
  const bool counted = spec.kind == LaneSpec::Kind::kFirstN;
  if (counted) {
    in.Require(count % lanes.lanes() == 0, Rule::kMaskLimit, dst, "count", count,
               lanes.lanes() == 64 ? "whole 256 B repeats, that is multiples of 64 for 4-byte types"
                                   : "whole 256 B repeats, that is multiples of 128 for half");
  } else {
    lanes.Require(in, dst);
    in.Require(count == uint64_t{lanes.repeats()} * lanes.lanes(), Rule::kMaskLimit, dst, "mask",
               count, kWholeRepeats);
  }
  *repeats = counted ? static_cast<uint32_t>(count / lanes.lanes()) : lanes.repeats();
  return *repeats != 0;
}

Footprint RepeatsAt(const VectorOperand& operand, uint32_t repeats) {
  return Footprint{operand.at.begin,
                   kBlockBytes,
                   8,
                   operand.stride.block * kBlockBytes,
                   repeats,
                   operand.stride.repeat * kBlockBytes}
      .Collapsed();
}

void RunCompare(Instruction& in, Dtype dtype, UbOperand dst, const VectorOperand& src0,
                const VectorOperand* src1, const void* scalar, AscendC::CMPMODE mode,
                const LaneSpec& spec) {
  const Lanes lanes = Lanes::Of(in.core(), spec, src0.element_bytes);
  in.Require(dtype != Dtype::kI32 || mode == AscendC::CMPMODE::EQ, Rule::kSelectMode, dst,
             "cmpMode", static_cast<uint64_t>(mode), "EQ (2) for int32");
  in.RequireAligned(dst, "dst", kBlockBytes);
  in.RequireAligned(src0.at, src0.name, kBlockBytes);
  if (src1 != nullptr) in.RequireAligned(src1->at, src1->name, kBlockBytes);
  uint32_t repeats = 0;
  if (!WholeRepeats(in, lanes, spec, dst, &repeats)) return;
  bool carry_out = in.Reads(src0.at, src0.name, RepeatsAt(src0, repeats));
  if (src1 != nullptr) {
    carry_out = in.Reads(src1->at, src1->name, RepeatsAt(*src1, repeats)) && carry_out;
  }
  const uint32_t bytes = BitBytes(lanes.lanes());
  carry_out = in.Writes(dst, "dst", Footprint::Range(dst.begin, repeats * bytes)) && carry_out;
  in.CountVector(repeats);
  if (!carry_out) return;
  const Lanes full = Lanes::Full(src0.element_bytes, repeats);
  if (Contiguous(full, {src0, src1 != nullptr ? *src1 : src0})) {
    CompareElements(dtype, mode, in.ub(dst.begin), in.ub(src0.at.begin),
                    src1 != nullptr ? in.ub(src1->at.begin) : scalar, src1 == nullptr,
                    full.contiguous());
    return;
  }
  Source a(in, src0, full);
  Source b(in, src1 != nullptr ? *src1 : src0, full);
  for (uint32_t repeat = 0; repeat < repeats; ++repeat) {
    CompareElements(dtype, mode, in.ub(dst.begin + repeat * bytes), a.Repeat(repeat),
                    src1 != nullptr ? b.Repeat(repeat) : scalar, src1 == nullptr, lanes.lanes());
  }
}

// src1 == null: the scalar. `mask_bits` is where the bits of repeat 0 are, `step` bytes per repeat.
void RunSelect(Instruction& in, const Lanes& lanes, const VectorOperand& dst,
               const VectorOperand& src0, const VectorOperand* src1, const void* scalar,
               const uint8_t* mask_bits, uint32_t step) {
  const uint32_t bytes = dst.element_bytes;
  const bool scalar_only = src1 == nullptr;
  if (Contiguous(lanes, {dst, src0, scalar_only ? src0 : *src1}) &&
      (lanes.repeats() == 1 || step * 8 == lanes.lanes())) {
    SelectElements(bytes, in.ub(dst.at.begin), in.ub(src0.at.begin),
                   scalar_only ? scalar : in.ub(src1->at.begin), scalar_only, mask_bits,
                   lanes.contiguous());
    return;
  }
  Source a(in, src0, lanes);
  Source b(in, src1 != nullptr ? *src1 : src0, lanes);
  ForEachDestination(in, dst, lanes, [&](uint32_t repeat, uint8_t* d, uint32_t lane, uint32_t n) {
    const uint8_t* bits = mask_bits + repeat * step;
    const uint8_t* from0 = a.Repeat(repeat) + lane * bytes;
    const uint8_t* from1 = src1 != nullptr ? b.Repeat(repeat) + lane * bytes : nullptr;
    for (uint32_t i = 0; i < n; ++i) {
      const uint32_t at = lane + i;
      const bool first = (bits[at / 8] >> (at % 8) & 1) != 0;
      const uint8_t* other =
          from1 != nullptr ? from1 + i * bytes : static_cast<const uint8_t*>(scalar);
      std::memmove(d + i * bytes, first ? from0 + i * bytes : other, bytes);
    }
  });
}

void Select(Instruction& in, Dtype dtype, UbOperand dst_at, UbOperand mask, UbOperand src0_at,
            const UbOperand* src1_at, const void* scalar, bool same_bits, const LaneSpec& spec,
            const BinaryRepeatParams& p) {
  const uint32_t bytes = BytesOf(dtype);
  const Lanes lanes = Lanes::Of(in.core(), spec, bytes);
  const VectorOperand dst{dst_at, "dst", {p.dstBlkStride, p.dstRepStride}, bytes};
  const VectorOperand src0{src0_at, "src0", {p.src0BlkStride, p.src0RepStride}, bytes};
  const VectorOperand src1{
      src1_at != nullptr ? *src1_at : src0_at, "src1", {p.src1BlkStride, p.src1RepStride}, bytes};
  in.RequireAligned(mask, "selMask", kBlockBytes);
  const uint32_t step = same_bits ? 0 : BitBytes(lanes.lanes());
  if (!lanes.empty()) {
    const uint32_t last = static_cast<uint32_t>(BitBytes(lanes.last_lanes()));
    const uint32_t used = same_bits
                              ? BitBytes(lanes.repeats() > 1 ? lanes.lanes() : lanes.last_lanes())
                              : (lanes.repeats() - 1) * step + last;
    if (!in.Reads(mask, "selMask", Footprint::Range(mask.begin, used))) return;
  }
  const bool carry_out = src1_at != nullptr ? Announce(in, lanes, dst, false, {src0, src1})
                                            : Announce(in, lanes, dst, false, {src0});
  if (!carry_out) return;
  RunSelect(in, lanes, dst, src0, src1_at != nullptr ? &src1 : nullptr, scalar, in.ub(mask.begin),
            step);
}

}  // namespace

void VectorCompare(Dtype dtype, UbOperand dst, UbOperand src0, UbOperand src1,
                   AscendC::CMPMODE mode, const LaneSpec& spec, const BinaryRepeatParams& p,
                   Site site) {
  Instruction in(Api::kCompare, site);
  const VectorOperand b{src1, "src1", {p.src1BlkStride, p.src1RepStride}, BytesOf(dtype)};
  RunCompare(in, dtype, dst, {src0, "src0", {p.src0BlkStride, p.src0RepStride}, BytesOf(dtype)}, &b,
             nullptr, mode, spec);
}

void VectorCompareScalar(Dtype dtype, UbOperand dst, UbOperand src, const void* scalar,
                         AscendC::CMPMODE mode, const LaneSpec& spec, const UnaryRepeatParams& p,
                         Site site) {
  Instruction in(Api::kCompareScalar, site);
  RunCompare(in, dtype, dst, {src, "src0", {p.srcBlkStride, p.srcRepStride}, BytesOf(dtype)},
             nullptr, scalar, mode, spec);
}

void VectorCompareToRegister(Dtype dtype, UbOperand src0, UbOperand src1, AscendC::CMPMODE mode,
                             const LaneSpec& spec, const BinaryRepeatParams& p, Site site) {
  Instruction in(Api::kCompare, site);
  const uint32_t bytes = BytesOf(dtype);
  const VectorOperand a{src0, "src0", {p.src0BlkStride, p.src0RepStride}, bytes};
  const VectorOperand b{src1, "src1", {p.src1BlkStride, p.src1RepStride}, bytes};
  const Lanes lanes = Lanes::Of(in.core(), spec, bytes);
  lanes.Require(in, src0);
  in.RequireAligned(src0, "src0", kBlockBytes);
  in.RequireAligned(src1, "src1", kBlockBytes);
  if (lanes.empty()) return;
  bool carry_out = ReadsLanes(in, lanes, src0, "src0", a.stride);
  carry_out = ReadsLanes(in, lanes, src1, "src1", b.stride) && carry_out;
  in.CountVector(1);
  if (!carry_out) return;
  Source left(in, a, lanes);
  Source right(in, b, lanes);
  uint8_t bits[16] = {};
  CompareElements(dtype, mode, bits, left.Repeat(0), right.Repeat(0), false, lanes.lanes());
  uint8_t* result = in.core().vector_registers().compare;
  for (uint32_t lane = 0; lane < lanes.lanes(); ++lane) {
    if (!lanes.active(0, lane)) continue;  // masked lanes keep their bit
    const uint8_t bit = static_cast<uint8_t>(1u << lane % 8);
    result[lane / 8] = static_cast<uint8_t>((result[lane / 8] & ~bit) | (bits[lane / 8] & bit));
  }
}

void VectorSelect(Dtype dtype, UbOperand dst, UbOperand mask, UbOperand src0, UbOperand src1,
                  AscendC::SELMODE mode, const LaneSpec& spec, const BinaryRepeatParams& p,
                  Site site) {
  using AscendC::SELMODE;
  Instruction in(Api::kSelect, site);
  const bool first_chip = in.core().options().soc->chip->arch == 1001;
  in.Require(mode == SELMODE::VSEL_CMPMASK_SPR ||
                 (mode == SELMODE::VSEL_TENSOR_TENSOR_MODE && !first_chip),
             Rule::kSelectMode, dst, "selMode", static_cast<uint64_t>(mode),
             first_chip ? "VSEL_CMPMASK_SPR (0) on this chip"
                        : "VSEL_CMPMASK_SPR (0) or VSEL_TENSOR_TENSOR_MODE (2) with a tensor src1");
  Select(in, dtype, dst, mask, src0, &src1, nullptr, mode == SELMODE::VSEL_CMPMASK_SPR, spec, p);
}

void VectorSelectScalar(Dtype dtype, UbOperand dst, UbOperand mask, UbOperand src0,
                        const void* scalar, AscendC::SELMODE mode, const LaneSpec& spec,
                        const BinaryRepeatParams& p, Site site) {
  Instruction in(Api::kSelect, site);
  const bool first_chip = in.core().options().soc->chip->arch == 1001;
  in.Require(mode == AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE && !first_chip, Rule::kSelectMode,
             dst, "selMode", static_cast<uint64_t>(mode),
             first_chip ? "none with a scalar src1 on this chip"
                        : "VSEL_TENSOR_SCALAR_MODE (1) with a scalar src1");
  Select(in, dtype, dst, mask, src0, nullptr, scalar, false, spec, p);
}

void VectorSelectByRegister(Dtype dtype, UbOperand dst, UbOperand src0, UbOperand src1,
                            uint32_t repeats, const BinaryRepeatParams& p, Site site) {
  Instruction in(Api::kSelect, site);
  const uint32_t bytes = BytesOf(dtype);
  const Lanes lanes = Lanes::Of(in.core(), LaneSpec::Count(0, repeats, false), bytes);
  const VectorOperand to{dst, "dst", {p.dstBlkStride, p.dstRepStride}, bytes};
  const VectorOperand a{src0, "src0", {p.src0BlkStride, p.src0RepStride}, bytes};
  const VectorOperand b{src1, "src1", {p.src1BlkStride, p.src1RepStride}, bytes};
  if (!Announce(in, lanes, to, false, {a, b})) return;
  RunSelect(in, lanes, to, a, &b, nullptr, in.core().vector_registers().compare, 0);
}

void SetCompareRegister(UbOperand src, Site site) {
  Instruction in(Api::kSetCmpMask, site);
  uint8_t* bits = in.core().vector_registers().compare;
  in.RequireAligned(src, "src", 16);
  if (in.Reads(src, "src", Footprint::Range(src.begin, 16)))
    std::memcpy(bits, in.ub(src.begin), 16);
}

void GetCompareRegister(UbOperand dst, Site site) {
  Instruction in(Api::kGetCmpMask, site);
  const uint8_t* bits = in.core().vector_registers().compare;
  in.RequireAligned(dst, "dst", 16);
  if (in.Writes(dst, "dst", Footprint::Range(dst.begin, 16)))
    std::memcpy(in.ub(dst.begin), bits, 16);
}

}  // namespace normgrad::twin
