// Meaning of the register instructions that work element by element.
#include <cmath>

#include "twin/api/lanes.h"
#include "twin/api/reg_operand.h"
#include "twin/api/reg_operations.h"

namespace normgrad::twin {
namespace {

bool ReadsDst(RegOp op) {
  return op == RegOp::kMulAddDst || op == RegOp::kMulDstAdd || op == RegOp::kAxpy;
}

// Runs f(dst bytes) and keeps or clears what the mask leaves out.
template <typename F>
void Run(VectorFunction& function, RegOp op, const RegMode& mode, RegData& dst,
         const MaskData& mask, RegSources& sources, Site site, F f) {
  const uint32_t width = BytesOf(mode.dtype);
  function.RequireMask(op, mask, width, site);
  const RegBits lanes = mask.Lanes(width);
  if (ReadsDst(op)) sources.Add(dst);
  if (lanes.all() || !mode.merge) {
    f(dst.bytes);
    if (!lanes.all()) ZeroOutside(dst.bytes, lanes);
  } else {
    alignas(64) uint8_t result[kRegBytes];
    std::memcpy(result, dst.bytes, kRegBytes);
    f(result);
    MergeInto(dst.bytes, result, lanes);
  }
  sources.Write(dst, width, lanes, mode.merge);
}

RegVariant VariantOf(VectorFunction& function, const RegMode& mode) {
  return {mode.dtype, FloatsSaturate(function), mode.flush};
}

uint32_t LanesOf(Dtype dtype) { return kRegBytes / BytesOf(dtype); }

float HalfAt(const RegData& data, uint32_t lane) {
  uint16_t bits;
  std::memcpy(&bits, data.bytes + 2 * lane, sizeof bits);
  return FloatFromHalf(bits);
}

}  // namespace

void RegBinary(RegOp op, const RegMode& mode, RegData& dst, const RegData& a, const RegData& b,
               const MaskData& mask, Site site) {
  VectorFunction& function = VectorFunction::Issue(op, site);
  RegSources sources(function);
  sources.Add(a);
  sources.Add(b);
  const RegBinaryFn f = RegBinaryOperation(op, VariantOf(function, mode));
  Run(function, op, mode, dst, mask, sources, site,
      [&](uint8_t* d) { f(d, a.bytes, b.bytes, LanesOf(mode.dtype)); });
}

void RegUnary(RegOp op, const RegMode& mode, RegData& dst, const RegData& src, const MaskData& mask,
              Site site) {
  VectorFunction& function = VectorFunction::Issue(op, site);
  RegSources sources(function);
  sources.Add(src);
  const RegUnaryFn f = RegUnaryOperation(op, VariantOf(function, mode));
  Run(function, op, mode, dst, mask, sources, site,
      [&](uint8_t* d) { f(d, src.bytes, LanesOf(mode.dtype)); });
}

void RegScalar(RegOp op, const RegMode& mode, RegData& dst, const RegData& src, const void* scalar,
               const MaskData& mask, Site site) {
  VectorFunction& function = VectorFunction::Issue(op, site);
  RegSources sources(function);
  sources.Add(src);
  const RegScalarFn f = RegScalarOperation(op, VariantOf(function, mode));
  Run(function, op, mode, dst, mask, sources, site,
      [&](uint8_t* d) { f(d, src.bytes, scalar, LanesOf(mode.dtype)); });
}

// The mask picks fp16 elements: those of lane 2 i + part, for fp32 lane i.
void RegExpSubHalf(uint32_t part, RegData& dst, const RegData& a, const RegData& b,
                   const MaskData& mask, Site site) {
  VectorFunction& function = VectorFunction::Issue(RegOp::kExpSub, site);
  function.RequireMask(RegOp::kExpSub, mask, 0, site);
  RegSources sources(function);
  sources.Add(a);
  sources.Add(b);
  const RegBits valid = WholeElements(sources.valid(), 2);
  RegBits result = RegBits::All();
  float lanes[kRegBytes / 4];
  for (uint32_t i = 0; i < kRegBytes / 4; ++i) {
    const uint32_t from = 2 * i + part;
    const bool active = mask.bits.at(2 * from);
    const double difference = HalfAt(a, from) - HalfAt(b, from);
    lanes[i] = active ? static_cast<float>(std::exp(difference)) : 0.0f;
    if (active && !valid.at(2 * from)) result.words[i / 16] &= ~(0xFull << (4 * (i % 16)));
  }
  std::memcpy(dst.bytes, lanes, sizeof lanes);
  sources.WriteBytes(dst, result);
}

}  // namespace normgrad::twin
