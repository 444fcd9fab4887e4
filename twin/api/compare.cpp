// Meaning of Compare and Select.
#include <cstring>

#include "twin/api/vector_calls.h"

namespace normgrad::twin {
namespace {

constexpr uint32_t kLanes = kRepeatBytes / sizeof(float);

bool Holds(AscendC::CMPMODE mode, float a, float b) {
  switch (mode) {
    case AscendC::CMPMODE::LT:
      return a < b;
    case AscendC::CMPMODE::GT:
      return a > b;
    case AscendC::CMPMODE::EQ:
      return a == b;
    case AscendC::CMPMODE::LE:
      return a <= b;
    case AscendC::CMPMODE::GE:
      return a >= b;
    case AscendC::CMPMODE::NE:
      return a != b;
  }
  return false;
}

float FloatAt(const uint8_t* base, uint32_t index) {
  float value;
  std::memcpy(&value, base + index * sizeof value, sizeof value);
  return value;
}

uint32_t Repeats(uint32_t count) { return (count + kLanes - 1) / kLanes; }

}  // namespace

void VectorCompare(UbOperand dst, UbOperand src0, UbOperand src1, AscendC::CMPMODE mode,
                   uint32_t count, Site site) {
  Instruction in(Api::kCompare, site);
  in.RequireAligned(dst, "dst", kBlockBytes);
  in.RequireAligned(src0, "src0", kBlockBytes);
  in.RequireAligned(src1, "src1", kBlockBytes);
  in.Require(count % kLanes == 0, Rule::kMaskLimit, dst, "count", count,
             "whole 256 B repeats, that is multiples of 64 for fp32");
  const uint32_t whole = count / kLanes * kLanes;   // the rest takes no part
  const uint32_t bytes = whole * sizeof(float);
  bool carry_out = in.Reads(src0, "src0", Footprint::Range(src0.begin, bytes));
  carry_out = in.Reads(src1, "src1", Footprint::Range(src1.begin, bytes)) && carry_out;
  carry_out = in.Writes(dst, "dst", Footprint::Range(dst.begin, whole / 8)) && carry_out;
  in.CountVector(Repeats(whole));
  if (!carry_out) return;
  for (uint32_t i = 0; i < whole; i += 8) {
    uint8_t bits = 0;
    for (uint32_t bit = 0; bit < 8; ++bit) {
      const bool holds =
          Holds(mode, FloatAt(in.ub(src0.begin), i + bit), FloatAt(in.ub(src1.begin), i + bit));
      bits = static_cast<uint8_t>(bits | (holds ? 1u << bit : 0u));
    }
    *in.ub(dst.begin + i / 8) = bits;
  }
}

void VectorSelectScalar(UbOperand dst, UbOperand mask, UbOperand src0, float src1,
                        AscendC::SELMODE mode, uint32_t count, Site site) {
  Instruction in(Api::kSelect, site);
  in.RequireAligned(dst, "dst", kBlockBytes);
  in.RequireAligned(mask, "selMask", kBlockBytes);
  in.RequireAligned(src0, "src0", kBlockBytes);
  in.Require(mode == AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, Rule::kSelectMode, dst, "selMode",
             static_cast<uint64_t>(mode), "VSEL_TENSOR_SCALAR_MODE (1) with a scalar src1");
  const uint32_t bytes = count * static_cast<uint32_t>(sizeof(float));
  bool carry_out = in.Reads(src0, "src0", Footprint::Range(src0.begin, bytes));
  carry_out =
      in.Reads(mask, "selMask", Footprint::Range(mask.begin, (count + 7) / 8)) && carry_out;
  carry_out = in.Writes(dst, "dst", Footprint::Range(dst.begin, bytes)) && carry_out;
  in.CountVector(Repeats(count));
  if (!carry_out) return;
  for (uint32_t i = 0; i < count; ++i) {
    const bool chosen = (*in.ub(mask.begin + i / 8) >> (i % 8) & 1) != 0;
    const float value = chosen ? FloatAt(in.ub(src0.begin), i) : src1;
    std::memcpy(in.ub(dst.begin) + i * sizeof value, &value, sizeof value);
  }
}

}  // namespace normgrad::twin
