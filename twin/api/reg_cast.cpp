// Meaning of register conversions.
#include "twin/api/formats.h"
#include "twin/api/lanes.h"
#include "twin/api/operations.h"
#include "twin/api/reg_operand.h"
#include "twin/api/reg_operations.h"

namespace normgrad::twin {
namespace {

using AscendC::RoundMode;
using AscendC::Reg::SatMode;

// Element `part` of each group of narrow ones that a wide one covers, close together; or back, with
// zeros beside it.
template <typename Wide, typename Narrow>
NORMGRAD_INLINE void GatherLoop(uint8_t* to, const uint8_t* from, uint32_t part) {
  constexpr uint32_t kLanes = kRegBytes / sizeof(Wide);
  alignas(64) Wide groups[kLanes];
  alignas(64) Narrow picked[kLanes];
  std::memcpy(groups, from, sizeof groups);
  for (uint32_t i = 0; i < kLanes; ++i) {
    picked[i] = static_cast<Narrow>(groups[i] >> (8 * sizeof(Narrow) * part));
  }
  std::memcpy(to, picked, sizeof picked);
}
template <typename Wide, typename Narrow>
NORMGRAD_INLINE void ScatterLoop(uint8_t* to, const uint8_t* from, uint32_t part) {
  constexpr uint32_t kLanes = kRegBytes / sizeof(Wide);
  alignas(64) Wide groups[kLanes];
  alignas(64) Narrow picked[kLanes];
  std::memcpy(picked, from, sizeof picked);
  for (uint32_t i = 0; i < kLanes; ++i) {
    groups[i] = static_cast<Wide>(static_cast<Wide>(picked[i]) << (8 * sizeof(Narrow) * part));
  }
  std::memcpy(to, groups, sizeof groups);
}
#define NORMGRAD_SHUFFLE(name)                                                                 \
  NORMGRAD_CLONES void name##4To2(uint8_t* to, const uint8_t* from, uint32_t part) {           \
    name##Loop<uint32_t, uint16_t>(to, from, part);                                            \
  }                                                                                            \
  NORMGRAD_CLONES void name##4To1(uint8_t* to, const uint8_t* from, uint32_t part) {           \
    name##Loop<uint32_t, uint8_t>(to, from, part);                                             \
  }                                                                                            \
  NORMGRAD_CLONES void name##2To1(uint8_t* to, const uint8_t* from, uint32_t part) {           \
    name##Loop<uint16_t, uint8_t>(to, from, part);                                             \
  }                                                                                            \
  void name(uint32_t wide, uint32_t narrow, uint8_t* to, const uint8_t* from, uint32_t part) { \
    if (wide == 2) return name##2To1(to, from, part);                                          \
    if (narrow == 2) return name##4To2(to, from, part);                                        \
    name##4To1(to, from, part);                                                                \
  }
NORMGRAD_SHUFFLE(Gather)
NORMGRAD_SHUFFLE(Scatter)
#undef NORMGRAD_SHUFFLE

// What the bits say of byte `at` of each group, in the place of its first byte.
MaskData ByteOfGroups(const RegBits& bits, uint32_t at) {
  MaskData first;
  for (uint32_t i = 0; i < kRegWords; ++i) first.bits.words[i] = bits.words[i] >> at;
  return first;
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
  const uint32_t wide = std::max(to, from);
  const uint32_t lanes = kRegBytes / wide;
  alignas(64) uint8_t picked[kRegBytes];
  alignas(64) uint8_t result[kRegBytes];
  const uint8_t* source = src.bytes;
  if (to > from) {
    Gather(to, from, picked, src.bytes, mode.part);
    source = picked;
  }
  const RoundMode round = mode.round == RoundMode::UNKNOWN || mode.round == RoundMode::CAST_NONE
                              ? RoundMode::CAST_RINT
                              : mode.round;
  const CastFn convert = CastOperation(mode.dst, mode.src, round, LimitsOf(function, mode));
  if (to < from) {
    convert(picked, source, lanes, round);
    Scatter(from, to, result, picked, mode.part);
  } else {
    convert(result, source, lanes, round);
  }

  // Groups whose source element is active, and groups of which it means something: both as whole
  // groups of bytes.
  const uint32_t place = to > from ? mode.part * from : 0;
  const RegBits active = ByteOfGroups(mask.bits, place).Lanes(wide);
  RegSources sources(function);
  sources.Add(src);
  RegBits valid = RegBits::All();
  if (!sources.valid().all()) {
    const RegBits defined = WholeElements(sources.valid(), from);
    const RegBits bad = ByteOfGroups(~defined, place).Lanes(wide) & active;
    valid = ~bad;
    if (to < from) {  // its other elements are 0
      uint64_t ones = 0;
      for (uint32_t at = mode.part * to; at < 64; at += wide) ones |= ((1ull << to) - 1) << at;
      for (uint64_t& word : valid.words) word |= ~ones;
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
