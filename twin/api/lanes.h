// Which elements a vector instruction works on: the first n, or repeats of masked lanes in blocks
// with strides.
#ifndef NORMGRAD_TWIN_API_LANES_H_
#define NORMGRAD_TWIN_API_LANES_H_

#include <algorithm>
#include <cstdint>

#include "twin/api/lane_spec.h"
#include "twin/machine/instruction.h"

namespace normgrad::twin {

constexpr uint32_t BytesOf(Dtype dtype) {
  switch (dtype) {
    case Dtype::kI8:
    case Dtype::kU8:
    case Dtype::kHif8:
      return 1;
    case Dtype::kF16:
    case Dtype::kBf16:
    case Dtype::kI16:
    case Dtype::kU16:
      return 2;
    case Dtype::kI64:
    case Dtype::kU64:
      return 8;
    default:
      return 4;
  }
}

// Strides of one operand in 32 B blocks: between blocks of a repeat, between repeats.
struct Stride {
  uint32_t block;
  uint32_t repeat;
};

class Lanes {
 public:
  static Lanes Full(uint32_t element_bytes, uint32_t repeats);  // every lane of every repeat
  // Reads `spec` against the core's mask register, and leaves the register as the call does.
  static Lanes Of(Core& core, const LaneSpec& spec, uint32_t element_bytes);

  bool first_n() const { return first_n_; }
  uint32_t repeats() const { return repeats_; }
  uint32_t lanes() const { return lanes_; }  // that a repeat has
  uint32_t element_bytes() const { return element_bytes_; }
  const uint64_t* bits(uint32_t repeat) const { return repeat + 1 == repeats_ ? tail_ : bits_; }
  bool active(uint32_t repeat, uint32_t lane) const {
    return (bits(repeat)[lane / 64] >> (lane % 64) & 1u) != 0;
  }
  // All lanes of the repeat are active.
  bool full(uint32_t repeat) const {
    const uint64_t* mask = bits(repeat);
    return lanes_ == 64 ? mask[0] == ~uint64_t{0} : (mask[0] & mask[1]) == ~uint64_t{0};
  }
  uint32_t last_lanes() const;  // of the last repeat, up to its last active one
  // 32 B blocks that a repeat covers, up to its last active lane.
  uint32_t blocks(uint32_t repeat) const;
  bool empty() const { return repeats_ == 0 || (bits_[0] | bits_[1] | tail_[0] | tail_[1]) == 0; }

  // How many elements, if they are contiguous in an operand without gaps; else 0.
  uint64_t contiguous() const { return counted_ ? count_ : ContiguousOfMask(); }
  // In an operand of these strides and element bytes they are, if in any.
  bool contiguous(Stride stride, uint32_t element_bytes) const {
    return first_n_ || (stride.block == 1 &&
                        (repeats_ == 1 || stride.repeat * kBlockBytes == lanes_ * element_bytes));
  }
  bool uniform() const { return bits_[0] == tail_[0] && bits_[1] == tail_[1]; }
  // Active lanes of every repeat, if all repeats have the same first ones; else 0.
  uint32_t same_first() const;

  // A cast works on as many lanes as its wider type has in a repeat; the narrower operand then uses
  // the first part of its blocks.
  Lanes WithElementBytes(uint32_t element_bytes) const;

  // Legality of mask and repeat count; of the latter not being 0.
  void RequireSome(Instruction& in, const UbOperand& operand) const;
  void Require(Instruction& in, const UbOperand& operand) const;

  // Calls f(Footprint) for every piece that an operand of these strides and element bytes covers.
  template <typename F>
  void ForEachFootprint(uint32_t begin, Stride stride, uint32_t element_bytes, F f) const;

  // Calls f(lane, length) for maximal runs of active lanes of a repeat that stay inside one block
  // of `block_lanes` lanes; with block_lanes = lanes() a run may cover the whole repeat.
  template <typename F>
  void ForEachRun(uint32_t repeat, uint32_t block_lanes, F f) const;

 private:
  void SetCounted(uint64_t count);
  uint64_t ContiguousOfMask() const;

  bool first_n_ = false;
  bool counted_ = false;  // the mask counts elements: nothing about it can be wrong
  uint64_t count_ = 0;    // of elements, if counted
  uint32_t repeats_ = 0;
  uint32_t lanes_ = 0;
  uint32_t element_bytes_ = 0;
  uint64_t mask_value_ = 0;  // as the kernel gave it
  uint64_t bits_[2] = {0, 0};
  uint64_t tail_[2] = {0, 0};  // of the last repeat
};

// Reports reads or writes of `operand` by these lanes; false: the call must not be carried out.
bool ReadsLanes(Instruction& in, const Lanes& lanes, const UbOperand& operand, const char* name,
                Stride stride, uint32_t element_bytes);
bool WritesLanes(Instruction& in, const Lanes& lanes, const UbOperand& operand, const char* name,
                 Stride stride, uint32_t element_bytes);
inline bool ReadsLanes(Instruction& in, const Lanes& lanes, const UbOperand& operand,
                       const char* name, Stride stride) {
  return ReadsLanes(in, lanes, operand, name, stride, lanes.element_bytes());
}
inline bool WritesLanes(Instruction& in, const Lanes& lanes, const UbOperand& operand,
                        const char* name, Stride stride) {
  return WritesLanes(in, lanes, operand, name, stride, lanes.element_bytes());
}

template <typename F>
void Lanes::ForEachRun(uint32_t repeat, uint32_t block_lanes, F f) const {
  const uint64_t* mask = bits(repeat);
  uint32_t lane = 0;
  while (lane < lanes_) {
    const uint64_t rest = mask[lane / 64] >> (lane % 64);
    if (rest == 0) {
      lane = (lane / 64 + 1) * 64;
      continue;
    }
    lane += static_cast<uint32_t>(__builtin_ctzll(rest));
    const uint32_t block_end = std::min((lane / block_lanes + 1) * block_lanes, lanes_);
    uint32_t end = lane;
    while (end < block_end) {
      const uint64_t missing = ~(mask[end / 64] >> (end % 64));
      const uint32_t left = 64 - end % 64;
      const uint32_t run = missing == 0 ? 64 : static_cast<uint32_t>(__builtin_ctzll(missing));
      end += std::min(run, left);
      if (run < left) break;
    }
    end = std::min(end, block_end);
    f(lane, end - lane);
    lane = end;
  }
}

template <typename F>
void Lanes::ForEachFootprint(uint32_t begin, Stride stride, uint32_t element_bytes, F f) const {
  if (repeats_ == 0) return;
  if (first_n_) {
    f(Footprint::Range(begin, static_cast<uint32_t>(contiguous()) * element_bytes));
    return;
  }
  const uint32_t block_lanes = stride.block == 1 ? lanes_ : kBlockBytes / element_bytes;
  const auto pieces = [&](uint32_t repeat, uint32_t count) {
    const uint32_t first = begin + repeat * stride.repeat * kBlockBytes;
    ForEachRun(repeat, block_lanes, [&](uint32_t lane, uint32_t length) {
      const uint32_t at = lane * element_bytes;
      const uint32_t offset = at / kBlockBytes * stride.block * kBlockBytes + at % kBlockBytes;
      f(Footprint{first + offset, length * element_bytes, 1, 0, count, stride.repeat * kBlockBytes}
            .Collapsed());
    });
  };
  if (uniform()) {
    pieces(0, repeats_);
    return;
  }
  if (repeats_ > 1) pieces(0, repeats_ - 1);
  pieces(repeats_ - 1, 1);
}

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_API_LANES_H_
