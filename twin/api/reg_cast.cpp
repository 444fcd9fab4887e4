// Meaning of register conversions.
#include "twin/api/lanes.h"
#include "twin/api/operations.h"
#include "twin/api/reg_operand.h"
#include "twin/api/reg_operations.h"

namespace normgrad::twin {
namespace {

using AscendC::RoundMode;
using AscendC::Reg::SatMode;

// Element `part` of every group of `parts`, close together; or back, the others 0.
template <typename E>
void Gather(uint8_t* to, const uint8_t* from, uint32_t lanes, uint32_t parts, uint32_t part) {
  E source[kRegBytes / sizeof(E)];
  E picked[kRegBytes / sizeof(E)];
  std::memcpy(source, from, kRegBytes);
  for (uint32_t i = 0; i < lanes; ++i) picked[i] = source[i * parts + part];
  std::memcpy(to, picked, lanes * sizeof(E));
}
template <typename E>
void Scatter(uint8_t* to, const uint8_t* from, uint32_t lanes, uint32_t parts, uint32_t part) {
  E picked[kRegBytes / sizeof(E)];
  E result[kRegBytes / sizeof(E)] = {};
  std::memcpy(picked, from, lanes * sizeof(E));
  for (uint32_t i = 0; i < lanes; ++i) result[i * parts + part] = picked[i];
  std::memcpy(to, result, kRegBytes);
}

// Ctrl bits decide, or the call itself.
CastLimits LimitsOf(VectorFunction& function, const RegCastMode& mode) {
  const ControlRegister& control = function.core().control();
  const bool saturates = mode.sat == SatMode::SAT;
  return {control.floats_saturate(saturates), control.conversions_truncate(!saturates)};
}

void Convert(VectorFunction& function, const RegCastMode& mode, RegData& dst, const RegData& src,
             const MaskData& mask) {
  const uint32_t to = BytesOf(mode.dst);
  const uint32_t from = BytesOf(mode.src);
  const uint32_t lanes = kRegBytes / std::max(to, from);
  const uint32_t parts = std::max(to, from) / std::min(to, from);
  const bool narrows = to < from;
  alignas(64) uint8_t picked[kRegBytes];
  alignas(64) uint8_t converted[kRegBytes];
  const uint8_t* source = src.bytes;
  if (to > from) {
    if (from == 1) Gather<uint8_t>(picked, src.bytes, lanes, parts, mode.part);
    if (from == 2) Gather<uint16_t>(picked, src.bytes, lanes, parts, mode.part);
    source = picked;
  }
  const RoundMode round = mode.round == RoundMode::UNKNOWN || mode.round == RoundMode::CAST_NONE
                              ? RoundMode::CAST_RINT
                              : mode.round;
  CastOperation(mode.dst, mode.src, round, LimitsOf(function, mode))(converted, source, lanes,
                                                                     round);
  alignas(64) uint8_t result[kRegBytes];
  if (narrows) {
    if (to == 1) Scatter<uint8_t>(result, converted, lanes, parts, mode.part);
    if (to == 2) Scatter<uint16_t>(result, converted, lanes, parts, mode.part);
  } else {
    std::memcpy(result, converted, kRegBytes);
  }

  // Which bytes of the result come from an active element, and which of those mean something.
  RegSources sources(function);
  sources.Add(src);
  const bool whole = sources.valid().all();
  RegBits active = RegBits::All();
  RegBits valid = RegBits::All();
  const RegBits source_lanes = mask.Lanes(from);
  if (!whole || !source_lanes.all()) {
    const RegBits defined = WholeElements(sources.valid(), from);
    const uint32_t stride = kRegBytes / lanes;
    active = RegBits::None();
    for (uint32_t i = 0; i < lanes; ++i) {
      const uint32_t at = i * stride + (to > from ? mode.part * from : 0);
      const bool on = source_lanes.at(at);
      for (uint32_t byte = 0; byte < stride; ++byte) {
        if (on) active.Set(i * stride + byte);
      }
      if (!on || defined.at(at)) continue;
      const uint32_t place = i * stride + (narrows ? mode.part * to : 0);
      for (uint32_t byte = 0; byte < to; ++byte) {
        valid.words[(place + byte) / 64] &= ~(1ull << ((place + byte) % 64));
      }
    }
  }
  if (!mode.merge) {
    std::memcpy(dst.bytes, result, kRegBytes);
    if (!active.all()) ZeroOutside(dst.bytes, active);
    sources.WriteBytes(dst, valid);
    return;
  }
  MergeInto(dst.bytes, result, active);
  const RegBits old = function.ValidOf(dst);
  sources.Add(dst);
  sources.WriteBytes(dst, (valid & active) | (old & ~active));
}

}  // namespace

void RegCast(const RegCastMode& mode, RegData& dst, const RegData& src, const MaskData& mask,
             Site site) {
  VectorFunction& function = VectorFunction::Issue(RegOp::kCast, site);
  function.RequireMask(RegOp::kCast, mask, 0, site);
  Convert(function, mode, dst, src, mask);
}

void RegMulsCast(uint32_t part, RegData& dst, const RegData& src, float scalar,
                 const MaskData& mask, Site site) {
  constexpr RegOp kOp = RegOp::kMulsCast;
  VectorFunction& function = VectorFunction::Issue(kOp, site);
  function.RequireMask(kOp, mask, sizeof(float), site);
  RegData product;
  RegScalarOperation(RegOp::kMuls, {Dtype::kF32, false, false})(product.bytes, src.bytes, &scalar,
                                                                kRegBytes / sizeof(float));
  function.Wrote(product, function.ValidOf(src), src.loads, src.origin);
  Convert(function, {Dtype::kF16, Dtype::kF32, RoundMode::CAST_ROUND, SatMode::NO_SAT, part, false},
          dst, product, mask);
}

}  // namespace normgrad::twin
