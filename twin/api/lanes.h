// Which elements a vector instruction works on: the first n, or repeats of masked lanes in blocks
// with strides.
#ifndef NORMGRAD_TWIN_API_LANES_H_
#define NORMGRAD_TWIN_API_LANES_H_

#include <cstdint>

#include "twin/machine/instruction.h"

namespace normgrad::twin {

// Strides of one operand in 32 B blocks: between blocks of a repeat, between repeats.
struct Stride {
  uint32_t block;
  uint32_t repeat;
};

class Lanes {
 public:
  // tensor-front-n form: `count` elements, contiguous in every operand.
  static Lanes FirstN(int32_t count, uint32_t element_bytes);
  // High-dimension form with a mask that counts lanes.
  static Lanes Masked(uint64_t mask, uint32_t repeats, uint32_t element_bytes);
  // High-dimension form with one bit per lane; for 4-byte types only mask[0] exists.
  static Lanes Bits(const uint64_t* mask, uint32_t repeats, uint32_t element_bytes);

  bool first_n() const { return first_n_; }
  uint32_t count() const { return count_; }       // first-n form
  uint32_t repeats() const { return repeats_; }   // of at most lanes() elements
  uint32_t lanes() const { return lanes_; }       // that a repeat has
  uint32_t element_bytes() const { return element_bytes_; }
  bool active(uint32_t lane) const { return (bits_[lane / 64] >> (lane % 64) & 1u) != 0; }
  uint32_t blocks() const;   // of 32 B that a repeat covers, up to its last active lane
  bool empty() const { return repeats_ == 0 || (bits_[0] == 0 && bits_[1] == 0 && !first_n_); }

  // A cast works on as many lanes as its wider type has in a repeat; the narrower operand then uses
  // the first half of its blocks.
  Lanes WithElementBytes(uint32_t element_bytes) const;

  // Legality of mask and repeat count.
  void Require(Instruction& in, const UbOperand& operand) const;

  // Calls f(Footprint) for every piece that an operand of these strides covers.
  template <typename F>
  void ForEachFootprint(uint32_t begin, Stride stride, F f) const;

  // Calls f(lane, length) for maximal runs of active lanes that stay inside one block of
  // `block_lanes` lanes; with block_lanes = lanes() a run may cover the whole repeat.
  template <typename F>
  void ForEachRun(uint32_t block_lanes, F f) const;

 private:
  bool first_n_ = false;
  uint32_t count_ = 0;
  uint32_t repeats_ = 0;
  uint32_t lanes_ = 0;
  uint32_t element_bytes_ = 0;
  uint64_t mask_value_ = 0;   // as the kernel gave it
  uint64_t bits_[2] = {0, 0};
};

// Reports reads or writes of `operand` by these lanes; false: the call must not be carried out.
bool ReadsLanes(Instruction& in, const Lanes& lanes, const UbOperand& operand, const char* name,
                Stride stride);
bool WritesLanes(Instruction& in, const Lanes& lanes, const UbOperand& operand, const char* name,
                 Stride stride);

template <typename F>
void Lanes::ForEachRun(uint32_t block_lanes, F f) const {
  uint32_t lane = 0;
  while (lane < lanes_) {
    if (!active(lane)) {
      ++lane;
      continue;
    }
    const uint32_t block_end = (lane / block_lanes + 1) * block_lanes;
    uint32_t end = lane + 1;
    while (end < block_end && end < lanes_ && active(end)) ++end;
    f(lane, end - lane);
    lane = end;
  }
}

template <typename F>
void Lanes::ForEachFootprint(uint32_t begin, Stride stride, F f) const {
  if (first_n_) {
    f(Footprint::Range(begin, count_ * element_bytes_));
    return;
  }
  const uint32_t block_lanes = stride.block == 1 ? lanes_ : kBlockBytes / element_bytes_;
  ForEachRun(block_lanes, [&](uint32_t lane, uint32_t length) {
    const uint32_t at = lane * element_bytes_;
    const uint32_t offset = at / kBlockBytes * stride.block * kBlockBytes + at % kBlockBytes;
    f(Footprint{begin + offset, length * element_bytes_, 1, 0, repeats_,
                stride.repeat * kBlockBytes}
          .Collapsed());
  });
}

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_API_LANES_H_
