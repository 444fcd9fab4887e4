// Meaning of stores from registers to UB.
#include "twin/api/reg_operand.h"

namespace normgrad::twin {
namespace {

using AscendC::Reg::MaskDist;
using AscendC::Reg::StoreDist;

constexpr uint32_t kStoreBlock = 32;
constexpr uint32_t kLineBytes = 2 * kRegBytes;

struct StoreFacts {
  uint32_t width;   // of an element of the register
  uint32_t stored;  // how many bytes of it go to UB
  uint32_t align;
  bool first;  // the first element alone, whatever the mask says
};

// Table 3 of the StoreAlign page, with a vector length of 256 B.
StoreFacts FactsOf(StoreDist dist) {
  switch (dist) {
    case StoreDist::DIST_NORM_B8:
      return {1, 1, kStoreBlock, false};
    case StoreDist::DIST_NORM_B16:
      return {2, 2, kStoreBlock, false};
    case StoreDist::DIST_NORM_B32:
      return {4, 4, kStoreBlock, false};
    case StoreDist::DIST_FIRST_ELEMENT_B8:
      return {1, 1, 1, true};
    case StoreDist::DIST_FIRST_ELEMENT_B16:
      return {2, 2, 2, true};
    case StoreDist::DIST_FIRST_ELEMENT_B32:
      return {4, 4, 4, true};
    case StoreDist::DIST_PACK_B16:
      return {2, 1, kStoreBlock, false};
    case StoreDist::DIST_PACK_B32:
      return {4, 2, kStoreBlock, false};
    case StoreDist::DIST_PACK_B64:
      return {8, 4, kStoreBlock, false};
    case StoreDist::DIST_PACK4_B32:
      return {4, 1, kStoreBlock, false};
    default:  // DIST_NORM of 64-bit elements
      return {8, 8, kStoreBlock, false};
  }
}

// The low part of each element, close together.
template <typename Wide, typename Narrow>
void Narrowed(uint8_t* to, const uint8_t* from) {
  Wide lanes[kRegBytes / sizeof(Wide)];
  Narrow low[kRegBytes / sizeof(Wide)];
  std::memcpy(lanes, from, sizeof lanes);
  for (uint32_t i = 0; i < kRegBytes / sizeof(Wide); ++i) low[i] = static_cast<Narrow>(lanes[i]);
  std::memcpy(to, low, sizeof low);
}

void PackLine(const StoreFacts& facts, uint8_t* to, const uint8_t* from) {
  if (facts.width == 2) return Narrowed<uint16_t, uint8_t>(to, from);
  if (facts.width == 8) return Narrowed<uint64_t, uint32_t>(to, from);
  if (facts.stored == 2) return Narrowed<uint32_t, uint16_t>(to, from);
  Narrowed<uint32_t, uint8_t>(to, from);
}

// Calls f(first, length) for every run of set bits.
template <typename F>
void ForEachRun(const RegBits& bits, F f) {
  for (uint32_t at = bits.FirstSet(); at < kRegBytes;) {
    uint32_t end = at + 1;
    while (end < kRegBytes && bits.at(end)) ++end;
    f(at, end - at);
    at = end;
    while (at < kRegBytes && !bits.at(at)) ++at;
  }
}

struct StoreLine {
  alignas(64) uint8_t bytes[kLineBytes];
  RegBits valid[2] = {RegBits::All(), RegBits::All()};
};

}  // namespace

void RegStore(StoreDist dist, void* address, const RegData& src, const MaskData& mask, Site site) {
  constexpr RegOp kOp = RegOp::kStoreAlign;
  VectorFunction& function = VectorFunction::Issue(kOp, site);
  const StoreFacts facts = FactsOf(dist);
  const uint32_t begin = function.UbAddress(kOp, address, site);
  function.RequireAligned(kOp, begin, facts.align, site);
  const RegBits valid = function.ValidOf(src);
  if (facts.first) {
    function.Store(kOp, begin, facts.stored, src.bytes, 0, valid.all() ? nullptr : &valid,
                   function.OriginOf(src), src.loads, src.id, site);
    return;
  }
  function.RequireMask(kOp, mask, facts.width, site);
  const RegBits lanes = mask.Lanes(facts.width);
  if (facts.width == facts.stored) {
    const RegBits* defined = valid.all() ? nullptr : &valid;
    const auto store = [&](uint32_t first, uint32_t length) {
      function.Store(kOp, begin + first, length, src.bytes, first, defined, function.OriginOf(src),
                     src.loads, src.id, site);
    };
    if (lanes.all()) return store(0, kRegBytes);
    return ForEachRun(lanes, store);
  }
  const uint32_t count = kRegBytes / facts.width;
  const uint32_t active = lanes.FirstClear() / facts.width;
  if (!(lanes & ~RegBits::First(active * facts.width)).none()) {
    function.Break(Rule::kMaskLimit, kOp,
                   "the mask has gaps: the page does not say where the elements behind one go",
                   site);
  }
  StoreLine line;
  PackLine(facts, line.bytes, src.bytes);
  if (!valid.all()) {
    const RegBits whole = WholeElements(valid, facts.width);
    for (uint32_t i = 0; i < count * facts.stored; ++i) {
      if (whole.at(i / facts.stored * facts.width)) continue;
      line.valid[0].words[i / 64] &= ~(1ull << (i % 64));
    }
  }
  if (active == 0) return;
  function.Store(kOp, begin, active * facts.stored, line.bytes, 0,
                 valid.all() ? nullptr : line.valid, function.OriginOf(src), src.loads, src.id,
                 site);
}

// Elements of both registers in turn; the mask does not count.
void RegStoreTwo(StoreDist dist, void* address, const RegData& a, const RegData& b, Site site) {
  constexpr RegOp kOp = RegOp::kStoreAlign;
  VectorFunction& function = VectorFunction::Issue(kOp, site);
  const uint32_t begin = function.UbAddress(kOp, address, site);
  function.RequireAligned(kOp, begin, kStoreBlock, site);
  const uint32_t width = dist == StoreDist::DIST_INTLV_B8    ? 1
                         : dist == StoreDist::DIST_INTLV_B16 ? 2
                                                             : 4;
  const RegData* const from[2] = {&a, &b};
  const RegBits valid[2] = {function.ValidOf(a), function.ValidOf(b)};
  const bool whole = valid[0].all() && valid[1].all();
  StoreLine line;
  for (uint32_t i = 0; i < kLineBytes; ++i) {
    const uint32_t which = i / width % 2;
    const uint32_t at = i / width / 2 * width + i % width;
    line.bytes[i] = from[which]->bytes[at];
    if (whole || valid[which].at(at)) continue;
    line.valid[i / kRegBytes].words[i % kRegBytes / 64] &= ~(1ull << (i % 64));
  }
  function.Store(kOp, begin, kLineBytes, line.bytes, 0, whole ? nullptr : line.valid,
                 function.OriginOf(valid[0].all() ? b : a), a.loads | b.loads, a.id, site);
}

// Active elements of blocks of 32 B, `stride` blocks apart.
void RegStoreBlocks(void* address, const RegData& src, uint32_t stride, const MaskData& mask,
                    Site site) {
  constexpr RegOp kOp = RegOp::kStoreAlignBlocks;
  VectorFunction& function = VectorFunction::Issue(kOp, site);
  const uint32_t width = mask.element_bytes == 0 ? 1 : mask.element_bytes;
  function.RequireMask(kOp, mask, 0, site);
  const uint32_t begin = function.UbAddress(kOp, address, site);
  function.RequireAligned(kOp, begin, kStoreBlock, site);
  const RegBits valid = function.ValidOf(src);
  const RegBits lanes = mask.Lanes(width);
  for (uint32_t block = 0; block < kRegBytes / kStoreBlock; ++block) {
    RegBits here = RegBits::None();
    const uint64_t bits = lanes.words[block / 2] >> (block % 2 * kStoreBlock) & 0xFFFFFFFFull;
    here.words[block / 2] = bits << (block % 2 * kStoreBlock);
    ForEachRun(here, [&](uint32_t first, uint32_t length) {
      const uint32_t at = begin + block * stride * kStoreBlock + first % kStoreBlock;
      function.Store(kOp, at, length, src.bytes, first, valid.all() ? nullptr : &valid,
                     function.OriginOf(src), src.loads, src.id, site);
    });
  }
}

void RegStoreMask(MaskDist dist, void* address, const MaskData& mask, Site site) {
  constexpr RegOp kOp = RegOp::kStoreMask;
  constexpr uint32_t kMaskBytes = kRegBytes / 8;
  VectorFunction& function = VectorFunction::Issue(kOp, site);
  function.RequireMask(kOp, mask, 0, site);
  const uint32_t step = dist == MaskDist::DIST_PACK ? 2 : 1;
  const uint32_t begin = function.UbAddress(kOp, address, site);
  function.RequireAligned(kOp, begin, kMaskBytes / step, site);
  uint8_t bytes[kMaskBytes] = {};
  for (uint32_t i = 0; i < kRegBytes / step; ++i) {
    if (mask.bits.at(step * i)) bytes[i / 8] |= static_cast<uint8_t>(1u << (i % 8));
  }
  function.Store(kOp, begin, kMaskBytes / step, bytes, 0, nullptr, 0, RegBits::None(), 0, site);
}

// The register keeps what does not fill a block of 32 B, for the next call or for
// StoreUnAlignPost.
void RegStoreUnaligned(void* address, const RegData& src, UnalignedData& unaligned, uint32_t bytes,
                       Site site) {
  constexpr RegOp kOp = RegOp::kStoreUnAlign;
  VectorFunction& function = VectorFunction::Issue(kOp, site);
  if (bytes > kRegBytes) {
    function.Break(Rule::kCopyLimit, kOp,
                   std::to_string(bytes) + " bytes are stored; a register has 256", site);
  }
  bytes = std::min(bytes, kRegBytes);
  const uint32_t begin = function.UbAddress(kOp, address, site);
  const bool goes_on = unaligned.begin != unaligned.end;
  if (goes_on && unaligned.end != begin) {
    function.Break(Rule::kUnaligned, kOp,
                   "the unaligned register holds bytes of another place: StoreUnAlignPost comes "
                   "before the store goes elsewhere",
                   site);
  }
  const uint32_t held = goes_on ? unaligned.end - unaligned.begin : 0;
  StoreLine line;
  std::memcpy(line.bytes, unaligned.bytes, held);
  std::memcpy(line.bytes + held, src.bytes, bytes);
  const RegBits valid = function.ValidOf(src);
  for (uint32_t i = 0; i < held + bytes; ++i) {
    const bool means = i < held ? (unaligned.valid >> i & 1u) != 0 : valid.at(i - held);
    if (!means) line.valid[i / kRegBytes].words[i % kRegBytes / 64] &= ~(1ull << (i % 64));
  }
  const uint32_t from = goes_on ? unaligned.begin : begin;
  const uint32_t end = from + held + bytes;
  const uint32_t stored_to = std::max(from, end / kStoreBlock * kStoreBlock);
  const RegBits loads = src.loads | unaligned.loads;
  const uint32_t origin = valid.all() ? unaligned.origin : function.OriginOf(src);
  if (stored_to > from) {
    function.Store(kOp, from, stored_to - from, line.bytes, 0, line.valid, origin, loads, src.id,
                   site);
  }
  unaligned.begin = stored_to;
  unaligned.end = end;
  unaligned.reg = src.id;
  unaligned.loads = loads;
  unaligned.origin = origin;
  unaligned.site = site;
  unaligned.valid = 0;
  for (uint32_t i = 0; i < end - stored_to; ++i) {
    const uint32_t at = stored_to - from + i;
    unaligned.bytes[i] = line.bytes[at];
    if (line.valid[at / kRegBytes].at(at % kRegBytes)) unaligned.valid |= 1u << i;
  }
}

void RegStoreUnalignedPost(void* address, UnalignedData& unaligned, Site site) {
  constexpr RegOp kOp = RegOp::kStoreUnAlignPost;
  VectorFunction& function = VectorFunction::Issue(kOp, site);
  const uint32_t length = unaligned.end - unaligned.begin;
  if (length == 0) return;
  const uint32_t at = address == nullptr ? unaligned.end : function.UbAddress(kOp, address, site);
  if (at != unaligned.end) {
    function.Break(Rule::kUnaligned, kOp, "the address is not where the last StoreUnAlign ended",
                   site);
  }
  RegBits valid = RegBits::None();
  valid.words[0] = unaligned.valid;
  function.Store(kOp, unaligned.begin, length, unaligned.bytes, 0, &valid, unaligned.origin,
                 unaligned.loads, unaligned.reg, site);
  unaligned.begin = unaligned.end = 0;
}

}  // namespace normgrad::twin
