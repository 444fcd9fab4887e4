// Meaning of loads from UB into registers.
#include "twin/api/reg_operand.h"

namespace normgrad::twin {
namespace {

using AscendC::Reg::LoadDist;
using AscendC::Reg::MaskDist;

constexpr uint32_t kLoadBlock = 32;

// Lane i of a register comes from element of(i) of UB; below 0: from nowhere.
template <typename E, typename F>
void Spread(uint8_t* to, const uint8_t* from, uint8_t nothing, F of) {
  for (uint32_t i = 0; i < kRegBytes / sizeof(E); ++i) {
    const int32_t at = of(static_cast<int32_t>(i));
    if (at >= 0) {
      std::memcpy(to + i * sizeof(E), from + static_cast<uint32_t>(at) * sizeof(E), sizeof(E));
    } else {
      std::memset(to + i * sizeof(E), nothing, sizeof(E));
    }
  }
}

// Each element into one of twice (or `by` times) the width, with zeros behind it.
template <typename Narrow, typename Wide>
void Widen(uint8_t* to, const uint8_t* from, uint8_t nothing) {
  constexpr uint32_t kBy = sizeof(Wide) / sizeof(Narrow);
  const Wide above = nothing == 0 ? Wide{0} : static_cast<Wide>(~Wide{static_cast<Narrow>(~0ull)});
  alignas(64) Narrow source[kRegBytes / sizeof(Wide)];
  alignas(64) Wide lanes[kRegBytes / sizeof(Wide)];
  std::memcpy(source, from, sizeof source);
  static_assert(sizeof source * kBy == sizeof lanes);
  for (uint32_t i = 0; i < kRegBytes / sizeof(Wide); ++i) {
    lanes[i] = static_cast<Wide>(source[i] | above);
  }
  std::memcpy(to, lanes, sizeof lanes);
}

template <typename E>
void Broadcast(uint8_t* to, const uint8_t* from) {
  E value;
  std::memcpy(&value, from, sizeof value);
  alignas(64) E lanes[kRegBytes / sizeof(E)];
  for (E& lane : lanes) lane = value;
  std::memcpy(to, lanes, sizeof lanes);
}

struct DistFacts {
  uint32_t bytes;  // of UB
  uint32_t align;
};

// Table 3 and 6 of the LoadAlign page, with a vector length of 256 B.
DistFacts FactsOf(LoadDist dist) {
  switch (dist) {
    case LoadDist::DIST_BRC_B8:
      return {1, 1};
    case LoadDist::DIST_BRC_B16:
      return {2, 2};
    case LoadDist::DIST_BRC_B32:
      return {4, 4};
    case LoadDist::DIST_US_B8:
    case LoadDist::DIST_US_B16:
    case LoadDist::DIST_UNPACK_B8:
    case LoadDist::DIST_UNPACK_B16:
    case LoadDist::DIST_UNPACK_B32:
      return {kRegBytes / 2, kLoadBlock};
    case LoadDist::DIST_UNPACK4_B8:
      return {kRegBytes / 4, kLoadBlock};
    case LoadDist::DIST_BLK:
      return {kLoadBlock, kLoadBlock};
    case LoadDist::DIST_E2B_B16:
      return {kRegBytes / kLoadBlock * 2, kRegBytes / 16};
    case LoadDist::DIST_E2B_B32:
      return {kRegBytes / kLoadBlock * 4, kRegBytes / 8};
    case LoadDist::DIST_NORM:
      return {kRegBytes, kLoadBlock};
    default:  // DS and DINTLV
      return {2 * kRegBytes, kLoadBlock};
  }
}

// `nothing`: what is put where no element goes, 0 for data.
void Distribute(LoadDist dist, uint8_t* to, const uint8_t* from, uint8_t nothing) {
  constexpr int32_t kB16 = kLoadBlock / 2;
  constexpr int32_t kB32 = kLoadBlock / 4;
  switch (dist) {
    case LoadDist::DIST_NORM:
      std::memcpy(to, from, kRegBytes);
      return;
    case LoadDist::DIST_BRC_B8:
      return Broadcast<uint8_t>(to, from);
    case LoadDist::DIST_BRC_B16:
      return Broadcast<uint16_t>(to, from);
    case LoadDist::DIST_BRC_B32:
      return Broadcast<uint32_t>(to, from);
    case LoadDist::DIST_UNPACK_B8:
      return Widen<uint8_t, uint16_t>(to, from, nothing);
    case LoadDist::DIST_UNPACK_B16:
      return Widen<uint16_t, uint32_t>(to, from, nothing);
    case LoadDist::DIST_UNPACK_B32:
      return Widen<uint32_t, uint64_t>(to, from, nothing);
    case LoadDist::DIST_UNPACK4_B8:
      return Widen<uint8_t, uint32_t>(to, from, nothing);
    case LoadDist::DIST_US_B8:
      return Spread<uint8_t>(to, from, nothing, [](int32_t i) { return i / 2; });
    case LoadDist::DIST_US_B16:
      return Spread<uint16_t>(to, from, nothing, [](int32_t i) { return i / 2; });
    case LoadDist::DIST_DS_B8:
      return Spread<uint8_t>(to, from, nothing, [](int32_t i) { return 2 * i; });
    case LoadDist::DIST_DS_B16:
      return Spread<uint16_t>(to, from, nothing, [](int32_t i) { return 2 * i; });
    case LoadDist::DIST_BLK:
      for (uint32_t i = 0; i < kRegBytes; i += kLoadBlock) std::memcpy(to + i, from, kLoadBlock);
      return;
    case LoadDist::DIST_E2B_B16:
      return Spread<uint16_t>(to, from, nothing, [](int32_t i) { return i / kB16; });
    case LoadDist::DIST_E2B_B32:
      return Spread<uint32_t>(to, from, nothing, [](int32_t i) { return i / kB32; });
    default:
      return;
  }
}

// Of two registers the one with the even elements, or the odd ones.
void Deinterleave(LoadDist dist, int32_t odd, uint8_t* to, const uint8_t* from) {
  const auto of = [odd](int32_t i) { return 2 * i + odd; };
  if (dist == LoadDist::DIST_DINTLV_B8) Spread<uint8_t>(to, from, 0, of);
  if (dist == LoadDist::DIST_DINTLV_B16) Spread<uint16_t>(to, from, 0, of);
  if (dist == LoadDist::DIST_DINTLV_B32) Spread<uint32_t>(to, from, 0, of);
}

// A byte per byte of UB, 0xFF where it means something.
struct LoadShadow {
  uint8_t bytes[2 * kRegBytes];
  explicit LoadShadow(const VectorFunction::Loaded& loaded) {
    for (uint32_t i = 0; i < 2 * kRegBytes; ++i) {
      bytes[i] = loaded.valid[i / kRegBytes].at(i % kRegBytes) ? 0xFF : 0;
    }
  }
};

}  // namespace

void RegLoad(LoadDist dist, RegData& dst, const void* address, Site site) {
  constexpr RegOp kOp = RegOp::kLoadAlign;
  const bool two = dist == LoadDist::DIST_DS_B8 || dist == LoadDist::DIST_DS_B16;
  VectorFunction& function = VectorFunction::Issue(two ? RegOp::kLoadAlignTwo : kOp, site);
  const DistFacts facts = FactsOf(dist);
  const uint32_t begin = function.UbAddress(kOp, address, site);
  function.RequireAligned(kOp, begin, facts.align, site);
  const VectorFunction::Loaded loaded =
      function.Load(kOp, begin, facts.bytes, dst.id, dst.id, site);
  Distribute(dist, dst.bytes, function.core().ub() + begin, 0);
  RegBits valid = RegBits::All();
  if (!loaded.whole) {
    const LoadShadow shadow(loaded);
    RegShadow moved;
    Distribute(dist, moved.bytes, shadow.bytes, 0xFF);
    valid = moved.Bits();
  }
  function.Wrote(dst, valid, loaded.loads, loaded.origin);
}

void RegLoadTwo(LoadDist dist, RegData& dst0, RegData& dst1, const void* address, Site site) {
  constexpr RegOp kOp = RegOp::kLoadAlignTwo;
  VectorFunction& function = VectorFunction::Issue(kOp, site);
  const uint32_t begin = function.UbAddress(kOp, address, site);
  function.RequireAligned(kOp, begin, kLoadBlock, site);
  const VectorFunction::Loaded loaded =
      function.Load(kOp, begin, 2 * kRegBytes, dst0.id, dst1.id, site);
  const uint8_t* from = function.core().ub() + begin;
  RegData* const registers[2] = {&dst0, &dst1};
  for (int32_t odd = 0; odd < 2; ++odd) {
    RegData& dst = *registers[odd];
    Deinterleave(dist, odd, dst.bytes, from);
    RegBits valid = RegBits::All();
    if (!loaded.whole) {
      const LoadShadow shadow(loaded);
      RegShadow moved;
      Deinterleave(dist, odd, moved.bytes, shadow.bytes);
      valid = moved.Bits();
    }
    function.Wrote(dst, valid, loaded.loads, loaded.origin);
  }
}

// Blocks of 32 B, `stride` blocks apart; one of which no element is active is not read and becomes
// 0.
void RegLoadBlocks(RegData& dst, const void* address, uint32_t stride, const MaskData& mask,
                   Site site) {
  constexpr RegOp kOp = RegOp::kLoadAlignBlocks;
  VectorFunction& function = VectorFunction::Issue(kOp, site);
  function.RequireMask(kOp, mask, 0, site);
  const uint32_t begin = function.UbAddress(kOp, address, site);
  function.RequireAligned(kOp, begin, kLoadBlock, site);
  RegBits valid = RegBits::All();
  RegBits loads = RegBits::None();
  uint32_t origin = 0;
  for (uint32_t block = 0; block < kRegBytes / kLoadBlock; ++block) {
    uint8_t* to = dst.bytes + block * kLoadBlock;
    if ((mask.bits.words[block / 2] >> (block % 2 * kLoadBlock) & 0xFFFFFFFFull) == 0) {
      std::memset(to, 0, kLoadBlock);
      continue;
    }
    const uint32_t at = begin + block * stride * kLoadBlock;
    const VectorFunction::Loaded loaded = function.Load(kOp, at, kLoadBlock, dst.id, dst.id, site);
    std::memcpy(to, function.core().ub() + at, kLoadBlock);
    loads = loads | loaded.loads;
    if (loaded.whole) continue;
    origin = loaded.origin;
    const uint64_t missing = ~loaded.valid[0].words[0] & 0xFFFFFFFFull;
    valid.words[block / 2] &= ~(missing << (block % 2 * kLoadBlock));
  }
  function.Wrote(dst, valid, loads, origin);
}

void RegLoadMask(MaskDist dist, MaskData& dst, const void* address, Site site) {
  constexpr RegOp kOp = RegOp::kLoadMask;
  constexpr uint32_t kMaskBytes = kRegBytes / 8;
  VectorFunction& function = VectorFunction::Issue(kOp, site);
  const uint32_t begin = function.UbAddress(kOp, address, site);
  const uint32_t bytes = dist == MaskDist::DIST_US   ? kMaskBytes / 2
                         : dist == MaskDist::DIST_DS ? kMaskBytes * 2
                                                     : kMaskBytes;
  function.RequireAligned(kOp, begin, std::min(bytes, kLoadBlock), site);
  const VectorFunction::Loaded loaded = function.Load(kOp, begin, bytes, 0, 0, site);
  RegData content;
  function.Wrote(content, loaded.valid[0], loaded.loads, loaded.origin);
  if (!loaded.whole) {
    function.RequireDefined(kOp, "the mask", content, RegBits::First(bytes), site);
  }
  const uint8_t* from = function.core().ub() + begin;
  dst.bits = RegBits::None();
  for (uint32_t i = 0; i < kRegBytes; ++i) {
    const uint32_t at = dist == MaskDist::DIST_US ? i / 2 : dist == MaskDist::DIST_DS ? 2 * i : i;
    if ((from[at / 8] >> (at % 8) & 1u) != 0) dst.bits.Set(i);
  }
  dst.written = true;
  dst.element_bytes = 0;
}

// The block of 32 B around the address.
void RegLoadUnalignedPre(UnalignedData& unaligned, const void* address, Site site) {
  constexpr RegOp kOp = RegOp::kLoadUnAlignPre;
  VectorFunction& function = VectorFunction::Issue(kOp, site);
  unaligned.block = function.UbAddress(kOp, address, site) / kLoadBlock;
}

void RegLoadUnaligned(RegData& dst, UnalignedData& unaligned, const void* address,
                      uint32_t step_bytes, Site site) {
  constexpr RegOp kOp = RegOp::kLoadUnAlign;
  VectorFunction& function = VectorFunction::Issue(kOp, site);
  const uint32_t begin = function.UbAddress(kOp, address, site);
  if (unaligned.block != begin / kLoadBlock) {
    function.Break(Rule::kUnaligned, kOp,
                   "the unaligned register does not hold the block where the load starts: "
                   "LoadUnAlignPre prepares it, and the last load's end",
                   site);
  }
  const VectorFunction::Loaded loaded = function.Load(kOp, begin, kRegBytes, dst.id, dst.id, site);
  std::memcpy(dst.bytes, function.core().ub() + begin, kRegBytes);
  unaligned.block = (begin + step_bytes) / kLoadBlock;
  function.Wrote(dst, loaded.whole ? RegBits::All() : loaded.valid[0], loaded.loads, loaded.origin);
}

}  // namespace normgrad::twin
