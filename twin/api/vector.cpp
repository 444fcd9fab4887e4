// Meaning of the instructions that work element by element.
#include <iterator>
#include <string>

#include "twin/api/operations_3510.h"
#include "twin/api/vector_calls.h"
#include "twin/api/vector_operand.h"

namespace normgrad::twin {

bool Announce(Instruction& in, const Lanes& lanes, const VectorOperand& dst, bool reads_dst,
              std::initializer_list<VectorOperand> sources) {
  lanes.Require(in, dst.at);
  in.Require(lanes.first_n() || dst.stride.block != 0, Rule::kStrideLimit, dst.at,
             "dst block stride", 0, "1 or more (0 is undefined for a destination)");
  in.RequireAligned(dst.at, dst.name, kBlockBytes);
  for (const VectorOperand& src : sources) in.RequireAligned(src.at, src.name, kBlockBytes);
  if (lanes.empty()) return false;
  bool carry_out = true;
  for (const VectorOperand& src : sources) {
    carry_out = ReadsLanes(in, lanes, src.at, src.name, src.stride, src.element_bytes) && carry_out;
  }
  if (reads_dst) {
    carry_out = ReadsLanes(in, lanes, dst.at, dst.name, dst.stride, dst.element_bytes) && carry_out;
  }
  carry_out = WritesLanes(in, lanes, dst.at, dst.name, dst.stride, dst.element_bytes) && carry_out;
  in.CountVector(
      lanes.repeats(),
      lanes.first_n() && lanes.contiguous() % (kRepeatBytes / lanes.element_bytes()) != 0);
  return carry_out;
}

namespace {

std::string RoundModeName(AscendC::RoundMode mode) {
  constexpr const char* kNames[] = {"NONE",  "RINT",  "FLOOR", "CEIL",
                                    "ROUND", "TRUNC", "ODD",   "HYBRID"};
  const auto index = static_cast<size_t>(mode);
  return index < std::size(kNames) ? std::string("CAST_") + kNames[index] : std::to_string(index);
}

std::string RoundModeNames(CastModes modes) {
  std::string names;
  for (uint8_t mode = 0; modes >> mode != 0; ++mode) {
    if ((modes >> mode & 1) == 0) continue;
    names += (names.empty() ? "" : ", ") + RoundModeName(static_cast<AscendC::RoundMode>(mode));
  }
  return names.empty() ? "no conversion between these types" : names;
}

void RunBinaryOperation(Instruction& in, const Lanes& lanes, BinaryFn operation, bool reads_dst,
                        const VectorOperand& dst, const VectorOperand& src0,
                        const VectorOperand& src1) {
  if (!Announce(in, lanes, dst, reads_dst, {src0, src1})) return;
  RunBinary(in, lanes, dst, src0, src1, operation);
}

void RunScalarOperation(Instruction& in, const Lanes& lanes, ScalarFn operation, bool reads_dst,
                        const VectorOperand& dst, const VectorOperand& src, const void* scalar) {
  if (!Announce(in, lanes, dst, reads_dst, {src})) return;
  RunUnary(in, lanes, dst, src,
           [&](void* d, const void* s, size_t n) { operation(d, s, scalar, n); });
}

}  // namespace

void VectorBinary(Api api, Dtype dtype, UbOperand dst, UbOperand src0, UbOperand src1,
                  const LaneSpec& spec, const BinaryRepeatParams& p, Site site) {
  Instruction in(api, site);
  const uint32_t bytes = BytesOf(dtype);
  // The documented way to add repeats up in place: dst is src1, and one of the two does not step.
  const bool can_accumulate = api == Api::kAdd || api == Api::kSub || api == Api::kMul ||
                              api == Api::kMax || api == Api::kMin;
  if (can_accumulate && dtype != Dtype::kI16 && spec.kind != LaneSpec::Kind::kFirstN &&
      dst.begin == src1.begin && (p.dstRepStride == 0 || p.src1RepStride == 0)) {
    in.AllowAccumulation();
  }
  RunBinaryOperation(in, Lanes::Of(in.core(), spec, bytes), BinaryOf(in, api, dtype),
                     api == Api::kMulAddDst || api == Api::kFusedMulAdd,
                     {dst, "dst", {p.dstBlkStride, p.dstRepStride}, bytes},
                     {src0, "src0", {p.src0BlkStride, p.src0RepStride}, bytes},
                     {src1, "src1", {p.src1BlkStride, p.src1RepStride}, bytes});
}

void VectorMixedMulAddDst(UbOperand dst, UbOperand src0, UbOperand src1, const LaneSpec& spec,
                          const BinaryRepeatParams& p, Site site) {
  Instruction in(Api::kMulAddDst, site);
  RunBinaryOperation(in, Lanes::Of(in.core(), spec, sizeof(float)), MixedMulAddDst(), true,
                     {dst, "dst", {p.dstBlkStride, p.dstRepStride}, sizeof(float)},
                     {src0, "src0", {p.src0BlkStride, p.src0RepStride}, sizeof(half)},
                     {src1, "src1", {p.src1BlkStride, p.src1RepStride}, sizeof(half)});
}

void VectorUnary(Api api, Dtype dtype, UbOperand dst, UbOperand src, const LaneSpec& spec,
                 const UnaryRepeatParams& p, Site site) {
  Instruction in(api, site);
  const uint32_t bytes = BytesOf(dtype);
  const Lanes lanes = Lanes::Of(in.core(), spec, bytes);
  const VectorOperand to{dst, "dst", {p.dstBlkStride, p.dstRepStride}, bytes};
  const VectorOperand from{src, "src", {p.srcBlkStride, p.srcRepStride}, bytes};
  if (!Announce(in, lanes, to, false, {from})) return;
  RunUnary(in, lanes, to, from, UnaryOf(in, api, dtype));
}

void VectorScalar(Api api, Dtype dtype, UbOperand dst, UbOperand src, const void* scalar,
                  const LaneSpec& spec, const UnaryRepeatParams& p, Site site) {
  Instruction in(api, site);
  const uint32_t bytes = BytesOf(dtype);
  RunScalarOperation(in, Lanes::Of(in.core(), spec, bytes), ScalarOf(in, api, dtype),
                     api == Api::kAxpy, {dst, "dst", {p.dstBlkStride, p.dstRepStride}, bytes},
                     {src, "src", {p.srcBlkStride, p.srcRepStride}, bytes}, scalar);
}

void VectorMixedAxpy(UbOperand dst, UbOperand src, const void* scalar, const LaneSpec& spec,
                     const UnaryRepeatParams& p, Site site) {
  Instruction in(Api::kAxpy, site);
  RunScalarOperation(in, Lanes::Of(in.core(), spec, sizeof(float)), MixedAxpy(), true,
                     {dst, "dst", {p.dstBlkStride, p.dstRepStride}, sizeof(float)},
                     {src, "src", {p.srcBlkStride, p.srcRepStride}, sizeof(half)}, scalar);
}

void VectorCast(Dtype dst_dtype, Dtype src_dtype, UbOperand dst, UbOperand src,
                AscendC::RoundMode mode, const LaneSpec& spec, const UnaryRepeatParams& p,
                Site site) {
  Instruction in(Api::kCast, site);
  // A repeat has the lanes of the wider type; the narrower operand covers the first of its blocks.
  const uint32_t dst_bytes = BytesOf(dst_dtype);
  const uint32_t src_bytes = BytesOf(src_dtype);
  const Lanes lanes = Lanes::Of(in.core(), spec, std::max(dst_bytes, src_bytes));
  const VectorOperand to{dst, "dst", {p.dstBlkStride, p.dstRepStride}, dst_bytes};
  const VectorOperand from{src, "src", {p.srcBlkStride, p.srcRepStride}, src_bytes};
  const uint32_t arch = in.core().options().soc->chip->arch;
  const CastModes modes = CastModesOf(arch, dst_dtype, src_dtype);
  if ((modes >> static_cast<int>(mode) & 1) == 0) {
    in.Require(false, Rule::kRoundMode, dst,
               std::string("Cast from ") + NameOf(src_dtype) + " to " + NameOf(dst_dtype) +
                   " has no round mode " + RoundModeName(mode) +
                   " on this chip; allowed: " + RoundModeNames(modes));
  }
  if (!Announce(in, lanes, to, false, {from})) return;
  const ControlRegister& control = in.core().control();
  // Where each instruction decides for itself, this one saturates (the headers of 3510).
  const CastFn operation =
      CastOperation(dst_dtype, src_dtype, mode,
                    {control.floats_saturate(true), control.conversions_truncate(false)});
  RunUnary(in, lanes, to, from,
           [&](void* d, const void* s, size_t n) { operation(d, s, n, mode); });
}

}  // namespace normgrad::twin
