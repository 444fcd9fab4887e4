// Lanes of register instructions. For the .cpp files of the library only.
#ifndef NORMGRAD_TWIN_API_REG_OPERAND_H_
#define NORMGRAD_TWIN_API_REG_OPERAND_H_

#include <cstring>

#include "twin/api/reg_calls.h"
#include "twin/machine/vector_function.h"

namespace normgrad::twin {

inline bool FloatsSaturate(VectorFunction& function) {
  return function.core().control().arithmetic_saturates();
}

// An element of which one byte means nothing, means nothing.
inline RegBits WholeElements(const RegBits& bytes, uint32_t width) {
  RegBits whole = bytes;
  for (uint32_t i = 0; i < kRegWords; ++i) {
    uint64_t bad = ~bytes.words[i];
    if (width >= 2) bad |= (bad >> 1 & 0x5555555555555555ull) | (bad << 1 & 0xAAAAAAAAAAAAAAAAull);
    if (width >= 4) bad |= (bad >> 2 & 0x3333333333333333ull) | (bad << 2 & 0xCCCCCCCCCCCCCCCCull);
    if (width >= 8) bad |= (bad >> 4 & 0x0F0F0F0F0F0F0F0Full) | (bad << 4 & 0xF0F0F0F0F0F0F0F0ull);
    whole.words[i] = ~bad;
  }
  return whole;
}

// Bytes that `lanes` leaves out become 0.
inline void ZeroOutside(uint8_t* bytes, const RegBits& lanes) {
  for (uint32_t word = 0; word < kRegWords; ++word) {
    const uint64_t bits = lanes.words[word];
    uint8_t* at = bytes + 64 * word;
    if (bits == ~0ull) continue;
    if ((bits & (bits + 1)) == 0) {  // the first ones, or none
      const uint32_t kept = bits == 0 ? 0 : 64 - static_cast<uint32_t>(__builtin_clzll(bits));
      std::memset(at + kept, 0, 64 - kept);
      continue;
    }
    for (uint32_t i = 0; i < 64; ++i) at[i] = (bits >> i & 1u) != 0 ? at[i] : uint8_t{0};
  }
}

// Bytes of `lanes` come from `from`.
inline void MergeInto(uint8_t* bytes, const uint8_t* from, const RegBits& lanes) {
  for (uint32_t word = 0; word < kRegWords; ++word) {
    const uint64_t bits = lanes.words[word];
    const uint32_t base = 64 * word;
    if (bits == ~0ull) std::memcpy(bytes + base, from + base, 64);
    if (bits == ~0ull || bits == 0) continue;
    for (uint32_t i = 0; i < 64; ++i) {
      bytes[base + i] = (bits >> i & 1u) != 0 ? from[base + i] : bytes[base + i];
    }
  }
}

// What an instruction knows of its sources, all together.
class RegSources {
 public:
  explicit RegSources(const VectorFunction& function) : function_(function) {}

  void Add(const RegData& data) {
    const RegBits valid = function_.ValidOf(data);
    if (!valid.all() && origin_ == 0) origin_ = data.function != 0 ? data.origin : 0;
    valid_ = valid_ & valid;
    loads_ = loads_ | data.loads;
  }
  const RegBits& valid() const { return valid_; }

  // `dst` got elements of `width` bytes in `lanes`, and kept the rest or not.
  void Write(RegData& dst, uint32_t width, const RegBits& lanes, bool merge) const {
    RegBits valid = valid_.all() ? valid_ : WholeElements(valid_, width);
    RegBits loads = loads_;
    uint32_t origin = origin_;
    if (merge) {
      const RegBits old = function_.ValidOf(dst);
      valid = (valid & lanes) | (old & ~lanes);
      loads = loads | dst.loads;
      origin = origin == 0 ? dst.origin : origin;
    } else {
      valid = valid | ~lanes;
    }
    function_.Wrote(dst, valid, loads, origin);
  }
  // `dst` got bytes of which `valid` mean something.
  void WriteBytes(RegData& dst, const RegBits& valid) const {
    function_.Wrote(dst, valid, loads_, origin_);
  }

 private:
  const VectorFunction& function_;
  RegBits valid_ = RegBits::All();
  RegBits loads_ = RegBits::None();
  uint32_t origin_ = 0;
};

// A byte per byte of a register, 0xFF where it means something: so that what moves lanes can move
// this along.
struct RegShadow {
  alignas(64) uint8_t bytes[kRegBytes];
  explicit RegShadow(const RegBits& bits) {
    for (uint32_t i = 0; i < kRegBytes; ++i) bytes[i] = bits.at(i) ? 0xFF : 0;
  }
  RegShadow() = default;
  RegBits Bits() const {
    RegBits bits = RegBits::None();
    for (uint32_t i = 0; i < kRegBytes; ++i) {
      if (bytes[i] != 0) bits.Set(i);
    }
    return bits;
  }
};

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_API_REG_OPERAND_H_
