// Meaning of reductions inside a register.
#include <cmath>
#include <limits>

#include "twin/api/lanes.h"
#include "twin/api/operations.h"
#include "twin/api/reg_operand.h"

namespace normgrad::twin {
namespace {

constexpr uint32_t kReduceBlock = 32;

// Sums of `per` neighbours each, as a tree with a rounding per step.
void SumGroups(Dtype dtype, bool saturates, uint32_t per, uint8_t* values, uint32_t lanes) {
  const TreeFn tree = SumTree(dtype, saturates);
  const uint32_t width = BytesOf(dtype);
  for (uint32_t group = 0; group * per < lanes; ++group) {
    uint8_t* at = values + group * per * width;
    tree(at, per, 1);
    std::memmove(values + group * width, at, width);
  }
}

// Integers wrap; 16 bits are summed in 32.
template <typename From, typename To>
void SumIntegers(uint32_t per, const uint8_t* values, uint32_t lanes, uint8_t* result) {
  for (uint32_t group = 0; group * per < lanes; ++group) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < per; ++i) {
      From value;
      std::memcpy(&value, values + (group * per + i) * sizeof value, sizeof value);
      sum += static_cast<uint32_t>(static_cast<To>(value));
    }
    std::memcpy(result + group * sizeof sum, &sum, sizeof sum);
  }
}

void SumInto(Dtype dtype, bool saturates, uint32_t per, uint8_t* values, uint32_t lanes,
             uint8_t* result) {
  switch (dtype) {
    case Dtype::kI16:
      return SumIntegers<int16_t, int32_t>(per, values, lanes, result);
    case Dtype::kU16:
      return SumIntegers<uint16_t, uint32_t>(per, values, lanes, result);
    case Dtype::kI32:
    case Dtype::kU32:
      return SumIntegers<uint32_t, uint32_t>(per, values, lanes, result);
    default:
      SumGroups(dtype, saturates, per, values, lanes);
      std::memcpy(result, values, lanes / per * BytesOf(dtype));
  }
}

// An element as a number that orders as it does: -0 below +0, and NaN.
template <typename T>
double OrderOf(const uint8_t* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  if constexpr (std::is_same_v<T, half>) {
    return static_cast<double>(FloatFromHalf(value.bits));
  } else {
    return static_cast<double>(value);
  }
}

double NumberAt(Dtype dtype, const uint8_t* at) {
  switch (dtype) {
    case Dtype::kF16:
      return OrderOf<half>(at);
    case Dtype::kI16:
      return OrderOf<int16_t>(at);
    case Dtype::kU16:
      return OrderOf<uint16_t>(at);
    case Dtype::kI32:
      return OrderOf<int32_t>(at);
    case Dtype::kU32:
      return OrderOf<uint32_t>(at);
    default:
      return OrderOf<float>(at);
  }
}

bool Beats(bool max, double a, double b) {
  if (a == 0.0 && b == 0.0)
    return max ? !std::signbit(a) && std::signbit(b) : std::signbit(a) && !std::signbit(b);
  return max ? a > b : a < b;
}

// What a masked element counts as: the least number of the type, or the greatest.
void ExtremeOf(Dtype dtype, bool max, uint8_t* to) {
  const auto put = [to](auto value) { std::memcpy(to, &value, sizeof value); };
  switch (dtype) {
    case Dtype::kF16:
      return put(static_cast<uint16_t>(max ? 0xFC00 : 0x7C00));
    case Dtype::kI16:
      return put(max ? std::numeric_limits<int16_t>::min() : std::numeric_limits<int16_t>::max());
    case Dtype::kU16:
      return put(max ? uint16_t{0} : std::numeric_limits<uint16_t>::max());
    case Dtype::kI32:
      return put(max ? std::numeric_limits<int32_t>::min() : std::numeric_limits<int32_t>::max());
    case Dtype::kU32:
      return put(max ? uint32_t{0} : std::numeric_limits<uint32_t>::max());
    default:
      return put(max ? -std::numeric_limits<float>::infinity()
                     : std::numeric_limits<float>::infinity());
  }
}

// The first lane of [first, first + count) that has the extreme; the first NaN, if there is one;
// kRegBytes if no lane is active.
uint32_t ExtremeLane(Dtype dtype, bool max, const uint8_t* bytes, const RegBits& lanes,
                     uint32_t first, uint32_t count) {
  const uint32_t width = BytesOf(dtype);
  uint32_t best = kRegBytes;
  double most = 0.0;
  for (uint32_t lane = first; lane < first + count; ++lane) {
    if (!lanes.at(lane * width)) continue;
    const double value = NumberAt(dtype, bytes + lane * width);
    if (value != value) return lane;
    if (best == kRegBytes || Beats(max, value, most)) {
      best = lane;
      most = value;
    }
  }
  return best;
}

}  // namespace

void RegReduce(RegGroup group, RegReduction reduction, Dtype dtype, RegData& dst,
               const RegData& src, const MaskData& mask, Site site) {
  const RegOp op = group == RegGroup::kAll     ? RegOp::kReduce
                   : group == RegGroup::kBlock ? RegOp::kReduceDataBlock
                                               : RegOp::kPairReduceElem;
  VectorFunction& function = VectorFunction::Issue(op, site);
  const uint32_t width = BytesOf(dtype);
  function.RequireMask(op, mask, width, site);
  const RegBits active = mask.Lanes(width);
  function.RequireDefined(op, "src", src, active, site);
  const uint32_t lanes = kRegBytes / width;
  const uint32_t per = group == RegGroup::kAll     ? lanes
                       : group == RegGroup::kBlock ? kReduceBlock / width
                                                   : 2;
  alignas(64) uint8_t result[kRegBytes] = {};
  if (reduction == RegReduction::kSum) {
    alignas(64) uint8_t values[kRegBytes];
    std::memcpy(values, src.bytes, kRegBytes);
    if (!active.all()) ZeroOutside(values, active);
    SumInto(dtype, FloatsSaturate(function), per, values, lanes, result);
  } else {
    const bool max = reduction == RegReduction::kMax;
    for (uint32_t at = 0; at * per < lanes; ++at) {
      const uint32_t lane = ExtremeLane(dtype, max, src.bytes, active, at * per, per);
      uint8_t* to = result + at * width;
      if (lane == kRegBytes) {
        ExtremeOf(dtype, max, to);
      } else {
        std::memcpy(to, src.bytes + lane * width, width);
      }
      if (group == RegGroup::kAll && lane != kRegBytes) std::memcpy(to + width, &lane, width);
    }
  }
  std::memcpy(dst.bytes, result, kRegBytes);
  function.Wrote(dst, RegBits::All(), src.loads, 0);
}

}  // namespace normgrad::twin
