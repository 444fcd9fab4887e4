// Mask and address registers.
#ifndef NORMGRAD_TWIN_API_REG_MASK_H_
#define NORMGRAD_TWIN_API_REG_MASK_H_

#include "twin/api/reg_calls.h"

namespace AscendC {
namespace Reg {

template <typename T, MaskPattern mode = MaskPattern::ALL,
          const RegTrait& regTrait = RegTraitNumOne>
inline MaskReg CreateMask(NORMGRAD_SITE) {
  static_assert(regTrait.REG_NUM == 1, "AscendC::Reg::CreateMask: the twin has one register each");
  return normgrad::twin::RegCreateMask(sizeof(T), mode, site);
}

// The first `count` elements, as many as a register has of T; `count` becomes what is left.
template <typename T, const RegTrait& regTrait = RegTraitNumOne>
inline MaskReg UpdateMask(uint32_t& count, NORMGRAD_SITE) {
  static_assert(regTrait.REG_NUM == 1, "AscendC::Reg::UpdateMask: the twin has one register each");
  return normgrad::twin::RegUpdateMask(sizeof(T), count, site);
}

#define NORMGRAD_MASK_LOGIC(name)                                                              \
  inline void name(MaskReg& dst, MaskReg& src0, MaskReg& src1, MaskReg& mask, NORMGRAD_SITE) { \
    namespace twin = normgrad::twin;                                                           \
    twin::RegMaskLogic(twin::MaskLogic::k##name, dst, src0, src1, &mask, site);                \
  }
NORMGRAD_MASK_LOGIC(And)
NORMGRAD_MASK_LOGIC(Or)
NORMGRAD_MASK_LOGIC(Xor)
NORMGRAD_MASK_LOGIC(Select)
#undef NORMGRAD_MASK_LOGIC
inline void Not(MaskReg& dst, MaskReg& src, MaskReg& mask, NORMGRAD_SITE) {
  normgrad::twin::RegMaskLogic(normgrad::twin::MaskLogic::kNot, dst, src, src, &mask, site);
}
inline void Move(MaskReg& dst, MaskReg& src, MaskReg& mask, NORMGRAD_SITE) {
  normgrad::twin::RegMaskLogic(normgrad::twin::MaskLogic::kMove, dst, src, src, &mask, site);
}
inline void Move(MaskReg& dst, MaskReg& src, NORMGRAD_SITE) {
  normgrad::twin::RegMaskLogic(normgrad::twin::MaskLogic::kMove, dst, src, src, nullptr, site);
}

// Every second bit into one half; each bit of one half into two, of which the second is 0.
template <HighLowPart part = HighLowPart::LOWEST>
inline void Pack(MaskReg& dst, MaskReg& src, NORMGRAD_SITE) {
  normgrad::twin::RegMaskPack(false, part == HighLowPart::HIGHEST, dst, src, site);
}
template <HighLowPart part = HighLowPart::LOWEST>
inline void UnPack(MaskReg& dst, MaskReg& src, NORMGRAD_SITE) {
  normgrad::twin::RegMaskPack(true, part == HighLowPart::HIGHEST, dst, src, site);
}

template <typename T>
inline void Interleave(MaskReg& dst0, MaskReg& dst1, MaskReg& src0, MaskReg& src1, NORMGRAD_SITE) {
  static_assert(sizeof(T) <= 4, "AscendC::Reg::Interleave takes elements of 1, 2 and 4 bytes");
  normgrad::twin::RegMaskInterleave(false, sizeof(T), dst0, dst1, src0, src1, site);
}
template <typename T>
inline void DeInterleave(MaskReg& dst0, MaskReg& dst1, MaskReg& src0, MaskReg& src1,
                         NORMGRAD_SITE) {
  static_assert(sizeof(T) <= 4, "AscendC::Reg::DeInterleave takes elements of 1, 2 and 4 bytes");
  normgrad::twin::RegMaskInterleave(true, sizeof(T), dst0, dst1, src0, src1, site);
}

// Bits of piece `offset` of a register, one for each element of a mask.
template <typename T = DefaultType, int16_t offset, typename U>
inline void MaskGenWithRegTensor(MaskReg& dst, U& src, NORMGRAD_SITE) {
  using Actual = typename U::ActualT;
  NORMGRAD_REG_TYPE("MaskGenWithRegTensor", T, Actual);
  static_assert(sizeof(Actual) == 2 || sizeof(Actual) == 4,
                "AscendC::Reg::MaskGenWithRegTensor takes elements of 2 and 4 bytes");
  static_assert(offset >= 0 && offset < (sizeof(Actual) == 2 ? 16 : 32),
                "AscendC::Reg::MaskGenWithRegTensor has no such piece of a register");
  normgrad::twin::RegMaskFrom(sizeof(Actual), offset, dst, src, site);
}

// The sum of index x stride, in elements of T.
template <typename T>
inline AddrReg CreateAddrReg(uint16_t index0, uint32_t stride0, uint16_t index1, uint32_t stride1,
                             uint16_t index2, uint32_t stride2, uint16_t index3, uint32_t stride3,
                             NORMGRAD_SITE) {
  normgrad::twin::RegCountAddress(site);
  const uint32_t elems = index0 * stride0 + index1 * stride1 + index2 * stride2 + index3 * stride3;
  return {elems * static_cast<uint32_t>(sizeof(T)), true};
}
template <typename T>
inline AddrReg CreateAddrReg(uint16_t index0, uint32_t stride0, uint16_t index1, uint32_t stride1,
                             uint16_t index2, uint32_t stride2, NORMGRAD_SITE) {
  return CreateAddrReg<T>(index0, stride0, index1, stride1, index2, stride2, 0, 0, site);
}
template <typename T>
inline AddrReg CreateAddrReg(uint16_t index0, uint32_t stride0, uint16_t index1, uint32_t stride1,
                             NORMGRAD_SITE) {
  return CreateAddrReg<T>(index0, stride0, index1, stride1, 0, 0, 0, 0, site);
}
template <typename T>
inline AddrReg CreateAddrReg(uint16_t index0, uint32_t stride0, NORMGRAD_SITE) {
  return CreateAddrReg<T>(index0, stride0, 0, 0, 0, 0, 0, 0, site);
}

// What a LocalMemBar makes wait for what.
template <MemType src, MemType dst>
inline void LocalMemBar(NORMGRAD_SITE) {
  constexpr bool kAll = src == MemType::VEC_ALL || src == MemType::SCALAR_ALL;
  constexpr bool kBothAll = dst == MemType::VEC_ALL || dst == MemType::SCALAR_ALL;
  constexpr bool kVector =
      src == MemType::VEC_STORE || src == MemType::VEC_LOAD || src == MemType::VEC_ALL;
  constexpr bool kToVector =
      dst == MemType::VEC_STORE || dst == MemType::VEC_LOAD || dst == MemType::VEC_ALL;
  constexpr bool kStores = src == MemType::VEC_STORE || src == MemType::SCALAR_STORE;
  constexpr bool kLoadsTo = dst == MemType::VEC_LOAD || dst == MemType::SCALAR_LOAD;
  static_assert(kAll == kBothAll && (kVector || kToVector) && (kAll || kStores || !kLoadsTo),
                "AscendC::Reg::LocalMemBar has no such pair");
  normgrad::twin::RegBarrier(src, dst, site);
}

}  // namespace Reg
}  // namespace AscendC

#endif  // NORMGRAD_TWIN_API_REG_MASK_H_
