#include "twin/api/lanes.h"

namespace normgrad::twin {
namespace {

void SetFirst(uint64_t* bits, uint64_t count) {
  bits[0] = count >= 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1;
  bits[1] = count <= 64 ? 0 : count >= 128 ? ~uint64_t{0} : (uint64_t{1} << (count - 64)) - 1;
}

// Number of active lanes if they are the first ones, else 0.
uint32_t Prefix(const uint64_t* bits) {
  const uint64_t* word = bits[0] == ~uint64_t{0} ? bits + 1 : bits;
  if ((*word & (*word + 1)) != 0 || (word == bits && bits[1] != 0)) return 0;
  const uint32_t before = word == bits ? 0 : 64;
  return before + (*word == ~uint64_t{0} ? 64 : static_cast<uint32_t>(__builtin_ctzll(~*word)));
}

// One more than the last active lane.
uint32_t LastActive(const uint64_t* mask) {
  if (mask[1] != 0) return 128 - static_cast<uint32_t>(__builtin_clzll(mask[1]));
  return mask[0] != 0 ? 64 - static_cast<uint32_t>(__builtin_clzll(mask[0])) : 0;
}

}  // namespace

Lanes Lanes::Full(uint32_t element_bytes, uint32_t repeats) {
  Lanes lanes;
  lanes.element_bytes_ = element_bytes;
  lanes.lanes_ = kRepeatBytes / element_bytes;
  lanes.SetCounted(uint64_t{repeats} * lanes.lanes_);
  return lanes;
}

void Lanes::SetCounted(uint64_t count) {
  counted_ = true;
  count_ = count;
  repeats_ = static_cast<uint32_t>((count + lanes_ - 1) / lanes_);
  SetFirst(bits_, lanes_);
  const uint64_t last = repeats_ == 0 ? 0 : count - uint64_t{repeats_ - 1} * lanes_;
  SetFirst(tail_, last);
}

Lanes Lanes::Of(Core& core, const LaneSpec& spec, uint32_t element_bytes) {
  VectorRegisters& registers = core.vector_registers();
  Lanes lanes;
  lanes.element_bytes_ = element_bytes;
  // One-byte elements exist in casts alone, where the wider type decides.
  lanes.lanes_ = std::min(kRepeatBytes / element_bytes, 128u);
  if (spec.kind == LaneSpec::Kind::kFirstN && spec.set_mask) {
    // The call counts elements and leaves the mask full and in normal mode.
    registers.counter_mode = false;
    registers.mask[0] = registers.mask[1] = ~uint64_t{0};
    lanes.first_n_ = true;
    lanes.SetCounted(spec.mask[0]);
    return lanes;
  }
  if (spec.set_mask) {
    const bool count_lanes = spec.kind == LaneSpec::Kind::kCount && !registers.counter_mode;
    if (count_lanes) {
      SetFirst(registers.mask, std::min<uint64_t>(spec.mask[0], lanes.lanes_));
    } else {
      registers.mask[0] = spec.mask[0];
      registers.mask[1] = spec.mask[1];
    }
  }
  if (registers.counter_mode) {
    lanes.first_n_ = spec.kind == LaneSpec::Kind::kFirstN;
    lanes.SetCounted(registers.mask[0]);
    return lanes;
  }
  lanes.repeats_ = spec.kind == LaneSpec::Kind::kFirstN ? 1 : spec.repeats;
  lanes.bits_[0] = registers.mask[0];
  if (lanes.lanes_ < 64) lanes.bits_[0] &= (uint64_t{1} << lanes.lanes_) - 1;
  lanes.bits_[1] = lanes.lanes_ > 64 ? registers.mask[1] : 0;
  lanes.tail_[0] = lanes.bits_[0];
  lanes.tail_[1] = lanes.bits_[1];
  const bool any = (lanes.bits_[0] | lanes.bits_[1]) != 0;
  const bool counts = spec.set_mask && spec.kind == LaneSpec::Kind::kCount;
  lanes.mask_value_ = counts ? spec.mask[0] : any;
  return lanes;
}

Lanes Lanes::WithElementBytes(uint32_t element_bytes) const {
  Lanes lanes = *this;
  lanes.element_bytes_ = element_bytes;
  return lanes;
}

uint32_t Lanes::blocks(uint32_t repeat) const {
  return (LastActive(bits(repeat)) * element_bytes_ + kBlockBytes - 1) / kBlockBytes;
}

uint32_t Lanes::last_lanes() const { return LastActive(tail_); }

uint64_t Lanes::ContiguousOfMask() const {
  if (repeats_ == 0) return 0;
  const uint32_t last = Prefix(tail_);
  if (repeats_ == 1 || last == 0) return repeats_ == 1 ? last : 0;
  return Prefix(bits_) == lanes_ ? uint64_t{repeats_ - 1} * lanes_ + last : 0;
}

void Lanes::RequireSome(Instruction& in, const UbOperand& operand) const {
  // Elsewhere nothing happens then; the pages do not promise it for 3510.
  in.Require(repeats_ != 0 || in.core().options().soc->chip->arch != 3510, Rule::kRepeatLimit,
             operand, "the count of elements or repeats", 0, "1 or more on this chip");
}

uint32_t Lanes::same_first() const { return uniform() ? Prefix(bits_) : 0; }

void Lanes::Require(Instruction& in, const UbOperand& operand) const {
  RequireSome(in, operand);
  if (counted_) return;
  in.Require(mask_value_ >= 1 && mask_value_ <= lanes_, Rule::kMaskLimit, operand, "mask",
             mask_value_, lanes_ == 64 ? "1 to 64 lanes" : "1 to 128 lanes");
  in.Require(repeats_ <= 255, Rule::kRepeatLimit, operand, "repeatTime", repeats_, "0 to 255");
}

bool ReadsLanes(Instruction& in, const Lanes& lanes, const UbOperand& operand, const char* name,
                Stride stride, uint32_t element_bytes) {
  bool carry_out = true;
  lanes.ForEachFootprint(operand.begin, stride, element_bytes, [&](const Footprint& footprint) {
    carry_out = in.Reads(operand, name, footprint) && carry_out;
  });
  return carry_out;
}

bool WritesLanes(Instruction& in, const Lanes& lanes, const UbOperand& operand, const char* name,
                 Stride stride, uint32_t element_bytes) {
  bool carry_out = true;
  lanes.ForEachFootprint(operand.begin, stride, element_bytes, [&](const Footprint& footprint) {
    carry_out = in.Writes(operand, name, footprint) && carry_out;
  });
  return carry_out;
}

}  // namespace normgrad::twin
