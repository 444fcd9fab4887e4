// Meaning of register calls that fill, move, choose and compare.
#include "twin/api/lanes.h"
#include "twin/api/operations.h"
#include "twin/api/reg_formats.h"
#include "twin/api/reg_operand.h"

namespace normgrad::twin {
namespace {

using AscendC::CMPMODE;

// `dst` gets `value` in `lanes`.
void Put(RegData& dst, const uint8_t* value, const RegBits& lanes, bool merge) {
  if (merge) return MergeInto(dst.bytes, value, lanes);
  std::memcpy(dst.bytes, value, kRegBytes);
  if (!lanes.all()) ZeroOutside(dst.bytes, lanes);
}

template <typename E>
void InterleaveLanes(bool back, uint8_t* to0, uint8_t* to1, const uint8_t* a, const uint8_t* b) {
  constexpr uint32_t kLanes = kRegBytes / sizeof(E);
  E joined[2 * kLanes];
  E out[2 * kLanes];
  std::memcpy(joined, a, kRegBytes);
  std::memcpy(joined + kLanes, b, kRegBytes);
  for (uint32_t i = 0; i < kLanes; ++i) {
    out[back ? i : 2 * i] = joined[back ? 2 * i : i];
    out[back ? kLanes + i : 2 * i + 1] = joined[back ? 2 * i + 1 : kLanes + i];
  }
  std::memcpy(to0, out, kRegBytes);
  std::memcpy(to1, out + kLanes, kRegBytes);
}

void InterleaveBytes(bool back, uint32_t width, uint8_t* to0, uint8_t* to1, const uint8_t* a,
                     const uint8_t* b) {
  if (width == 1) return InterleaveLanes<uint8_t>(back, to0, to1, a, b);
  if (width == 2) return InterleaveLanes<uint16_t>(back, to0, to1, a, b);
  InterleaveLanes<uint32_t>(back, to0, to1, a, b);
}

template <typename V>
bool Holds(CMPMODE mode, V a, V b) {
  switch (mode) {
    case CMPMODE::LT:
      return a < b;
    case CMPMODE::GT:
      return a > b;
    case CMPMODE::EQ:
      return a == b;
    case CMPMODE::LE:
      return a <= b;
    case CMPMODE::GE:
      return a >= b;
    default:
      return a != b;
  }
}

template <typename F>
RegBits CompareLanes(CMPMODE mode, const uint8_t* a, const uint8_t* b, uint32_t step,
                     const RegBits& active) {
  using E = typename F::Storage;
  RegBits bits = RegBits::None();
  for (uint32_t i = 0; i < kRegBytes / sizeof(E); ++i) {
    E left, right;
    std::memcpy(&left, a + i * sizeof(E), sizeof(E));
    std::memcpy(&right, b + i * step * sizeof(E), sizeof(E));
    const uint32_t bit = i * static_cast<uint32_t>(sizeof(E));
    if (active.at(bit) && Holds(mode, F::Load(left), F::Load(right))) bits.Set(bit);
  }
  return bits;
}

RegBits CompareAs(Dtype dtype, CMPMODE mode, const uint8_t* a, const uint8_t* b, uint32_t step,
                  const RegBits& active) {
  switch (dtype) {
    case Dtype::kF16:
      return CompareLanes<F16>(mode, a, b, step, active);
    case Dtype::kBf16:
      return CompareLanes<Bf16>(mode, a, b, step, active);
    case Dtype::kI8:
      return CompareLanes<I8>(mode, a, b, step, active);
    case Dtype::kU8:
      return CompareLanes<U8>(mode, a, b, step, active);
    case Dtype::kI16:
      return CompareLanes<I16>(mode, a, b, step, active);
    case Dtype::kU16:
      return CompareLanes<U16>(mode, a, b, step, active);
    case Dtype::kI32:
      return CompareLanes<I32>(mode, a, b, step, active);
    case Dtype::kU32:
      return CompareLanes<U32>(mode, a, b, step, active);
    default:
      return CompareLanes<F32>(mode, a, b, step, active);
  }
}

void Decide(MaskData& dst, const RegBits& bits, uint32_t width) {
  dst.bits = bits;
  dst.written = true;
  dst.element_bytes = static_cast<uint8_t>(width);
}

}  // namespace

void RegCompare(Dtype dtype, CMPMODE mode, MaskData& dst, const RegData& a, const RegData& b,
                const MaskData& mask, Site site) {
  constexpr RegOp kOp = RegOp::kCompare;
  VectorFunction& function = VectorFunction::Issue(kOp, site);
  const uint32_t width = BytesOf(dtype);
  function.RequireMask(kOp, mask, width, site);
  const RegBits active = mask.Lanes(width);
  function.RequireDefined(kOp, "src0", a, active, site);
  function.RequireDefined(kOp, "src1", b, active, site);
  Decide(dst, CompareAs(dtype, mode, a.bytes, b.bytes, 1, active), width);
}

void RegCompareScalar(Dtype dtype, CMPMODE mode, MaskData& dst, const RegData& a,
                      const void* scalar, const MaskData& mask, Site site) {
  constexpr RegOp kOp = RegOp::kCompares;
  VectorFunction& function = VectorFunction::Issue(kOp, site);
  const uint32_t width = BytesOf(dtype);
  function.RequireMask(kOp, mask, width, site);
  const RegBits active = mask.Lanes(width);
  function.RequireDefined(kOp, "src", a, active, site);
  Decide(dst, CompareAs(dtype, mode, a.bytes, static_cast<const uint8_t*>(scalar), 0, active),
         width);
}

void RegSelect(uint32_t width, RegData& dst, const RegData& a, const RegData& b,
               const MaskData& mask, Site site) {
  VectorFunction& function = VectorFunction::Issue(RegOp::kSelect, site);
  function.RequireMask(RegOp::kSelect, mask, width, site);
  const RegBits lanes = mask.Lanes(width);
  RegSources sources(function);
  sources.Add(a);
  sources.Add(b);
  const RegBits valid = (function.ValidOf(a) & lanes) | (function.ValidOf(b) & ~lanes);
  alignas(64) uint8_t result[kRegBytes];
  std::memcpy(result, b.bytes, kRegBytes);
  MergeInto(result, a.bytes, lanes);
  std::memcpy(dst.bytes, result, kRegBytes);
  sources.WriteBytes(dst, valid);
}

void RegFill(uint32_t width, bool merge, RegData& dst, const void* scalar, const MaskData* mask,
             Site site) {
  VectorFunction& function = VectorFunction::Issue(RegOp::kDuplicate, site);
  if (mask != nullptr) function.RequireMask(RegOp::kDuplicate, *mask, width, site);
  alignas(64) uint8_t value[kRegBytes];
  FillElements(value, scalar, width, kRegBytes / width);
  const RegBits lanes = mask == nullptr ? RegBits::All() : mask->Lanes(width);
  Put(dst, value, lanes, merge);
  RegSources(function).Write(dst, width, lanes, merge);
}

void RegSpread(uint32_t width, bool merge, RegData& dst, const RegData& src, const MaskData& mask,
               Site site) {
  VectorFunction& function = VectorFunction::Issue(RegOp::kDuplicate, site);
  function.RequireMask(RegOp::kDuplicate, mask, width, site);
  alignas(64) uint8_t value[kRegBytes];
  FillElements(value, src.bytes, width, kRegBytes / width);
  const RegBits lanes = mask.Lanes(width);
  Put(dst, value, lanes, merge);
  const bool means = (RegBits::First(width) & ~function.ValidOf(src)).none();
  RegSources sources(function);
  sources.Add(src);
  const RegBits valid = means ? RegBits::All() : RegBits::None();
  const RegBits outside = merge ? function.ValidOf(dst) : RegBits::All();
  if (merge) sources.Add(dst);
  sources.WriteBytes(dst, (valid & lanes) | (outside & ~lanes));
}

void RegMove(uint32_t width, RegData& dst, const RegData& src, const MaskData* mask, Site site) {
  VectorFunction& function = VectorFunction::Issue(RegOp::kMove, site);
  if (mask != nullptr) function.RequireMask(RegOp::kMove, *mask, width, site);
  const RegBits lanes = mask == nullptr ? RegBits::All() : mask->Lanes(width);
  RegSources sources(function);
  sources.Add(src);
  MergeInto(dst.bytes, src.bytes, lanes);
  sources.Write(dst, width, lanes, !lanes.all());
}

void RegInterleave(bool back, uint32_t width, RegData& dst0, RegData& dst1, const RegData& a,
                   const RegData& b, Site site) {
  const RegOp op = back ? RegOp::kDeInterleave : RegOp::kInterleave;
  VectorFunction& function = VectorFunction::Issue(op, site);
  if (dst0.id == dst1.id) {
    function.Break(Rule::kOverlap, op, "dst0 and dst1 are one register", site);
  }
  RegSources sources(function);
  sources.Add(a);
  sources.Add(b);
  RegBits valid[2] = {RegBits::All(), RegBits::All()};
  if (!sources.valid().all()) {
    const RegShadow from0(function.ValidOf(a));
    const RegShadow from1(function.ValidOf(b));
    RegShadow to0;
    RegShadow to1;
    InterleaveBytes(back, width, to0.bytes, to1.bytes, from0.bytes, from1.bytes);
    valid[0] = to0.Bits();
    valid[1] = to1.Bits();
  }
  alignas(64) uint8_t second[kRegBytes];
  alignas(64) uint8_t first[kRegBytes];
  InterleaveBytes(back, width, first, second, a.bytes, b.bytes);
  std::memcpy(dst0.bytes, first, kRegBytes);
  std::memcpy(dst1.bytes, second, kRegBytes);
  sources.WriteBytes(dst0, valid[0]);
  sources.WriteBytes(dst1, valid[1]);
}

// The low half of each element, in the low or the high half of the register. The page does not say
// what becomes of the other half: it means nothing.
void RegPack(uint32_t width, bool high, RegData& dst, const RegData& src, Site site) {
  VectorFunction& function = VectorFunction::Issue(RegOp::kPack, site);
  constexpr uint32_t kHalf = kRegBytes / 2;
  const uint32_t base = high ? kHalf : 0;
  const uint32_t narrow = width / 2;
  const RegBits from = WholeElements(function.ValidOf(src), width);
  RegSources sources(function);
  sources.Add(src);
  RegBits valid = RegBits::None();
  alignas(64) uint8_t result[kRegBytes];
  std::memcpy(result, dst.bytes, kRegBytes);
  for (uint32_t i = 0; i < kHalf; ++i) {
    const uint32_t at = i / narrow * width + i % narrow;
    result[base + i] = src.bytes[at];
    if (from.at(at)) valid.Set(base + i);
  }
  std::memcpy(dst.bytes, result, kRegBytes);
  sources.WriteBytes(dst, valid);
}

void RegUnpack(uint32_t width, bool sign, bool high, RegData& dst, const RegData& src, Site site) {
  VectorFunction& function = VectorFunction::Issue(RegOp::kUnPack, site);
  const uint32_t narrow = width / 2;
  const uint32_t base = high ? kRegBytes / 2 : 0;
  const RegBits from = WholeElements(function.ValidOf(src), narrow);
  RegSources sources(function);
  sources.Add(src);
  RegBits valid = RegBits::None();
  alignas(64) uint8_t result[kRegBytes];
  for (uint32_t i = 0; i < kRegBytes; ++i) {
    const uint32_t element = base + i / width * narrow;
    const uint32_t byte = i % width;
    const bool negative = sign && (src.bytes[element + narrow - 1] & 0x80u) != 0;
    const uint8_t above = negative ? 0xFF : 0;
    result[i] = byte < narrow ? src.bytes[element + byte] : above;
    if (from.at(element)) valid.Set(i);
  }
  std::memcpy(dst.bytes, result, kRegBytes);
  sources.WriteBytes(dst, valid);
}

}  // namespace normgrad::twin
