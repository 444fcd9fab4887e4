#include "twin/api/lanes.h"

#include <string>

namespace normgrad::twin {
namespace {

void SetFirst(uint64_t* bits, uint64_t count) {
  bits[0] = count >= 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1;
  bits[1] = count <= 64 ? 0 : count >= 128 ? ~uint64_t{0} : (uint64_t{1} << (count - 64)) - 1;
}

}  // namespace

Lanes Lanes::FirstN(int32_t count, uint32_t element_bytes) {
  Lanes lanes;
  lanes.first_n_ = true;
  lanes.count_ = count > 0 ? static_cast<uint32_t>(count) : 0;
  lanes.element_bytes_ = element_bytes;
  lanes.lanes_ = kRepeatBytes / element_bytes;
  lanes.repeats_ = (lanes.count_ + lanes.lanes_ - 1) / lanes.lanes_;
  return lanes;
}

Lanes Lanes::Masked(uint64_t mask, uint32_t repeats, uint32_t element_bytes) {
  Lanes lanes;
  lanes.repeats_ = repeats;
  lanes.element_bytes_ = element_bytes;
  lanes.lanes_ = kRepeatBytes / element_bytes;
  lanes.mask_value_ = mask;
  SetFirst(lanes.bits_, mask < lanes.lanes_ ? mask : lanes.lanes_);
  return lanes;
}

Lanes Lanes::Bits(const uint64_t* mask, uint32_t repeats, uint32_t element_bytes) {
  Lanes lanes = Masked(1, repeats, element_bytes);
  lanes.bits_[0] = mask[0];
  lanes.bits_[1] = lanes.lanes_ > 64 ? mask[1] : 0;
  lanes.mask_value_ = (lanes.bits_[0] | lanes.bits_[1]) == 0 ? 0 : 1;
  return lanes;
}

Lanes Lanes::WithElementBytes(uint32_t element_bytes) const {
  Lanes lanes = *this;
  lanes.element_bytes_ = element_bytes;
  return lanes;
}

uint32_t Lanes::blocks() const {
  const uint32_t end = bits_[1] != 0   ? 128 - static_cast<uint32_t>(__builtin_clzll(bits_[1]))
                       : bits_[0] != 0 ? 64 - static_cast<uint32_t>(__builtin_clzll(bits_[0]))
                                       : 0;
  return (end * element_bytes_ + kBlockBytes - 1) / kBlockBytes;
}

void Lanes::Require(Instruction& in, const UbOperand& operand) const {
  if (first_n_) return;
  in.Require(mask_value_ >= 1 && mask_value_ <= lanes_, Rule::kMaskLimit, operand, "mask",
             mask_value_, lanes_ == 64 ? "1 to 64 lanes" : "1 to 128 lanes");
  in.Require(repeats_ <= 255, Rule::kRepeatLimit, operand, "repeatTime", repeats_, "0 to 255");
}

bool ReadsLanes(Instruction& in, const Lanes& lanes, const UbOperand& operand, const char* name,
                Stride stride) {
  bool carry_out = true;
  lanes.ForEachFootprint(operand.begin, stride, [&](const Footprint& footprint) {
    carry_out = in.Reads(operand, name, footprint) && carry_out;
  });
  return carry_out;
}

bool WritesLanes(Instruction& in, const Lanes& lanes, const UbOperand& operand, const char* name,
                 Stride stride) {
  bool carry_out = true;
  lanes.ForEachFootprint(operand.begin, stride, [&](const Footprint& footprint) {
    carry_out = in.Writes(operand, name, footprint) && carry_out;
  });
  return carry_out;
}

}  // namespace normgrad::twin
