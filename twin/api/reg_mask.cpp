// Meaning of mask registers.
#include "twin/api/reg_operand.h"

namespace normgrad::twin {
namespace {

using AscendC::Reg::MaskPattern;
using AscendC::Reg::MaskReg;
using AscendC::Reg::MemType;

// The first `count` elements, `width` bits of the mask apart.
MaskReg FirstElements(uint32_t width, uint32_t count) {
  MaskReg mask;
  mask.bits = RegBits::None();
  for (uint32_t i = 0; i < count; ++i) mask.bits.Set(i * width);
  mask.written = true;
  mask.element_bytes = static_cast<uint8_t>(width);
  return mask;
}

// UpdateMask is asked for in every inner loop, nearly always for a full mask.
const MaskReg& FullMask(uint32_t width) {
  static const MaskReg kFull[4] = {FirstElements(1, kRegBytes), FirstElements(2, kRegBytes / 2),
                                   FirstElements(4, kRegBytes / 4),
                                   FirstElements(8, kRegBytes / 8)};
  return kFull[width == 1 ? 0 : width == 2 ? 1 : width == 4 ? 2 : 3];
}

uint32_t CountOf(MaskPattern pattern, uint32_t lanes) {
  switch (pattern) {
    case MaskPattern::VL1:
      return 1;
    case MaskPattern::VL2:
      return 2;
    case MaskPattern::VL3:
      return 3;
    case MaskPattern::VL4:
      return 4;
    case MaskPattern::VL8:
      return 8;
    case MaskPattern::VL16:
      return 16;
    case MaskPattern::VL32:
      return 32;
    case MaskPattern::VL64:
      return 64;
    case MaskPattern::VL128:
      return 128;
    case MaskPattern::H:
      return lanes / 2;
    case MaskPattern::Q:
      return lanes / 4;
    case MaskPattern::ALLF:
      return 0;
    default:
      return lanes;
  }
}

void Finish(MaskData& dst, const RegBits& bits, uint32_t width) {
  dst.bits = bits;
  dst.written = true;
  dst.element_bytes = static_cast<uint8_t>(width);
}

uint32_t WidthOf(const MaskData& a, const MaskData& b) {
  return a.element_bytes == b.element_bytes ? a.element_bytes : 0;
}

}  // namespace

MaskReg RegCreateMask(uint32_t width, MaskPattern pattern, Site site) {
  VectorFunction& function = VectorFunction::Issue(RegOp::kCreateMask, site);
  if (pattern == MaskPattern::ALL) return FullMask(width);
  const uint32_t lanes = kRegBytes / width;
  const uint32_t count = CountOf(pattern, lanes);
  if (count > lanes) {
    function.Break(Rule::kMaskLimit, RegOp::kCreateMask,
                   "the pattern names " + std::to_string(count) + " elements, a register has " +
                       std::to_string(lanes),
                   site);
  }
  MaskReg mask = FirstElements(width, std::min(count, lanes));
  // One lane, or none, is the same for every width.
  if (count <= 1) mask.element_bytes = 0;
  if (pattern == MaskPattern::M3 || pattern == MaskPattern::M4) {
    const uint32_t step = pattern == MaskPattern::M3 ? 3 : 4;
    mask.bits = RegBits::None();
    for (uint32_t i = 0; i < lanes; i += step) mask.bits.Set(i * width);
  }
  return mask;
}

MaskReg RegUpdateMask(uint32_t width, uint32_t& count, Site site) {
  VectorFunction::Issue(RegOp::kUpdateMask, site);
  const uint32_t lanes = kRegBytes / width;
  if (count >= lanes) {
    count -= lanes;
    return FullMask(width);
  }
  const MaskReg mask = FirstElements(width, count);
  count = 0;
  return mask;
}

void RegMaskLogic(MaskLogic logic, MaskData& dst, const MaskData& a, const MaskData& b,
                  const MaskData* mask, Site site) {
  VectorFunction& function = VectorFunction::Issue(RegOp::kMaskLogic, site);
  function.RequireMask(RegOp::kMaskLogic, a, 0, site);
  function.RequireMask(RegOp::kMaskLogic, b, 0, site);
  if (mask != nullptr) function.RequireMask(RegOp::kMaskLogic, *mask, 0, site);
  const RegBits active = mask == nullptr ? RegBits::All() : mask->bits;
  RegBits bits = a.bits;
  if (logic == MaskLogic::kAnd) bits = a.bits & b.bits;
  if (logic == MaskLogic::kOr) bits = a.bits | b.bits;
  if (logic == MaskLogic::kXor) bits = (a.bits & ~b.bits) | (~a.bits & b.bits);
  if (logic == MaskLogic::kNot) bits = ~a.bits;
  if (logic == MaskLogic::kSelect) bits = (a.bits & active) | (b.bits & ~active);
  Finish(dst, logic == MaskLogic::kSelect ? bits : bits & active, WidthOf(a, b));
}

void RegMaskPack(bool unpack, bool high, MaskData& dst, const MaskData& src, Site site) {
  VectorFunction& function = VectorFunction::Issue(RegOp::kMaskShuffle, site);
  function.RequireMask(RegOp::kMaskShuffle, src, 0, site);
  constexpr uint32_t kHalf = kRegBytes / 2;
  const uint32_t base = high ? kHalf : 0;
  RegBits bits = RegBits::None();
  for (uint32_t i = 0; i < kHalf; ++i) {
    if (unpack ? src.bits.at(base + i) : src.bits.at(2 * i)) bits.Set(unpack ? 2 * i : base + i);
  }
  if (!unpack) {  // the page names one half; what becomes of the other one, the model keeps
    const RegBits other = high ? RegBits::First(kHalf) : ~RegBits::First(kHalf);
    if (dst.written) bits = bits | (dst.bits & other);
  }
  const uint32_t width = src.element_bytes;
  Finish(dst, bits, width == 0 ? 0 : unpack ? width * 2 : width / 2);
}

void RegMaskInterleave(bool back, uint32_t width, MaskData& dst0, MaskData& dst1, const MaskData& a,
                       const MaskData& b, Site site) {
  VectorFunction& function = VectorFunction::Issue(RegOp::kMaskShuffle, site);
  function.RequireMask(RegOp::kMaskShuffle, a, 0, site);
  function.RequireMask(RegOp::kMaskShuffle, b, 0, site);
  const uint32_t lanes = kRegBytes / width;
  RegBits bits[2] = {RegBits::None(), RegBits::None()};
  const RegBits* from[2] = {&a.bits, &b.bits};
  for (uint32_t i = 0; i < 2 * lanes; ++i) {  // i: the place in the joined sequence
    const uint32_t apart = i / 2;
    const uint32_t which = i % 2;
    const RegBits& source = back ? *from[i / lanes] : *from[which];
    RegBits& to = back ? bits[which] : bits[i / lanes];
    for (uint32_t bit = 0; bit < width; ++bit) {
      const uint32_t at = (back ? i % lanes : apart) * width + bit;
      if (source.at(at)) to.Set((back ? apart : i % lanes) * width + bit);
    }
  }
  const uint32_t made_for = WidthOf(a, b);
  Finish(dst0, bits[0], made_for);
  Finish(dst1, bits[1], made_for);
}

void RegMaskFrom(uint32_t width, uint32_t piece, MaskData& dst, const RegData& src, Site site) {
  VectorFunction& function = VectorFunction::Issue(RegOp::kMaskFromRegister, site);
  const uint32_t bytes = kRegBytes / width / 8;
  RegBits used = RegBits::None();
  RegBits bits = RegBits::None();
  for (uint32_t i = 0; i < 8 * bytes; ++i) {
    const uint32_t at = piece * bytes + i / 8;
    used.Set(at);
    if ((src.bytes[at] >> (i % 8) & 1u) == 0) continue;
    for (uint32_t bit = 0; bit < width; ++bit) bits.Set(i * width + bit);
  }
  function.RequireDefined(RegOp::kMaskFromRegister, "src", src, used, site);
  Finish(dst, bits, width);
}

void RegCountAddress(Site site) { VectorFunction::Issue(RegOp::kCreateAddrReg, site); }

void RegBarrier(MemType source, MemType destination, Site site) {
  VectorFunction& function = VectorFunction::Issue(RegOp::kLocalMemBar, site);
  const bool all = source == MemType::VEC_ALL && destination == MemType::VEC_ALL;
  const bool stores = source == MemType::VEC_STORE;
  function.Barrier({all || (stores && destination == MemType::VEC_LOAD),
                    all || (source == MemType::VEC_LOAD && destination == MemType::VEC_STORE),
                    all || (stores && destination == MemType::VEC_STORE)});
}

}  // namespace normgrad::twin
