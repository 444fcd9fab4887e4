// What a register of arch 3510 holds, and what the machine knows of it. 256 B of lanes, with a bit
// per byte that says whether the byte means anything.
#ifndef NORMGRAD_TWIN_MACHINE_REGISTERS_H_
#define NORMGRAD_TWIN_MACHINE_REGISTERS_H_

#include <cstdint>

#include "twin/machine/site.h"

namespace normgrad::twin {

constexpr uint32_t kRegBytes = 256;  // VL, the vector length
constexpr uint32_t kRegWords = kRegBytes / 64;

// One bit per byte of a register.
struct RegBits {
  uint64_t words[kRegWords];

  static constexpr RegBits All() { return {{~0ull, ~0ull, ~0ull, ~0ull}}; }
  static constexpr RegBits None() { return {{0, 0, 0, 0}}; }
  static RegBits First(uint32_t count) {
    RegBits bits = None();
    for (uint32_t word = 0; word < kRegWords && count > 64 * word; ++word) {
      const uint32_t left = count - 64 * word;
      bits.words[word] = left >= 64 ? ~0ull : (1ull << left) - 1;
    }
    return bits;
  }

  bool all() const { return (words[0] & words[1] & words[2] & words[3]) == ~0ull; }
  bool none() const { return (words[0] | words[1] | words[2] | words[3]) == 0; }
  bool at(uint32_t bit) const { return (words[bit / 64] >> (bit % 64) & 1u) != 0; }
  void Set(uint32_t bit) { words[bit / 64] |= 1ull << (bit % 64); }
  void Clear(uint32_t bit) { words[bit / 64] &= ~(1ull << (bit % 64)); }
  uint32_t FirstSet() const;    // kRegBytes if there is none
  uint32_t FirstClear() const;  // kRegBytes if there is none

  RegBits operator&(const RegBits& o) const {
    return Joined(o, [](auto a, auto b) { return a & b; });
  }
  RegBits operator|(const RegBits& o) const {
    return Joined(o, [](auto a, auto b) { return a | b; });
  }
  RegBits operator~() const { return {{~words[0], ~words[1], ~words[2], ~words[3]}}; }
  bool operator==(const RegBits& o) const {
    return ((words[0] ^ o.words[0]) | (words[1] ^ o.words[1]) | (words[2] ^ o.words[2]) |
            (words[3] ^ o.words[3])) == 0;
  }

 private:
  template <typename F>
  RegBits Joined(const RegBits& o, F f) const {
    return {{f(words[0], o.words[0]), f(words[1], o.words[1]), f(words[2], o.words[2]),
             f(words[3], o.words[3])}};
  }
};

inline uint32_t RegBits::FirstSet() const {
  for (uint32_t word = 0; word < kRegWords; ++word) {
    if (words[word] != 0) return 64 * word + static_cast<uint32_t>(__builtin_ctzll(words[word]));
  }
  return kRegBytes;
}
inline uint32_t RegBits::FirstClear() const { return (~*this).FirstSet(); }

// A vector register. `loads`: the loads of this vector function that its content depends on, by
// their number modulo 256 (what collides counts as a dependence: the machine then misses a finding,
// never invents one). `origin`: why some bytes mean nothing, if they do.
struct RegData {
  alignas(64) uint8_t bytes[kRegBytes];
  RegBits valid;
  RegBits loads;
  uint32_t id;            // its place: what a loop declares inside is one register in all rounds
  uint32_t function = 0;  // the vector function that wrote it last; 0: none has
  uint32_t origin;

  RegData();  // holds nothing
  RegData(const RegData& other);
  RegData& operator=(const RegData& other);
};

// A mask register: a bit per byte of a vector register, of which the lowest one of each element
// counts.
struct MaskData {
  RegBits bits;
  bool written = false;
  // What it was made for: bytes of an element; 0: unknown, or the same for every width.
  uint8_t element_bytes = 0;

  // The bytes of the lanes that it names, for elements of this width. One way out and the same
  // arithmetic for every width: the result stays in vector registers of the host.
  RegBits Lanes(uint32_t width) const {
    const uint64_t lowest = width == 1   ? ~0ull
                            : width == 2 ? 0x5555555555555555ull
                            : width == 4 ? 0x1111111111111111ull
                                         : 0x0101010101010101ull;
    RegBits lanes;
    for (uint32_t i = 0; i < kRegWords; ++i) {
      const uint64_t named = bits.words[i] & lowest;
      lanes.words[i] = (named << width) - named;
    }
    return lanes;
  }
};

// 32 B between UB and a vector register, for addresses that are not aligned.
struct UnalignedData {
  UnalignedData() = default;
  ~UnalignedData();  // reports bytes that were never stored
  UnalignedData(const UnalignedData&) = delete;
  UnalignedData& operator=(const UnalignedData&) = delete;

  // Loads: the block of UB that it holds.
  static constexpr uint32_t kNoBlock = ~0u;
  uint32_t block = kNoBlock;
  // Stores: bytes [begin, end) of UB, not yet stored, and where they came from.
  uint32_t begin = 0;
  uint32_t end = 0;
  uint8_t bytes[32];
  uint32_t valid = 0;
  uint32_t origin = 0;
  uint32_t reg = 0;
  RegBits loads = RegBits::None();
  Site site{};
};

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_MACHINE_REGISTERS_H_
