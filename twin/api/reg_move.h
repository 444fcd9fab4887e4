// Register calls that fill, move, choose and compare.
#ifndef NORMGRAD_TWIN_API_REG_MOVE_H_
#define NORMGRAD_TWIN_API_REG_MOVE_H_

#include "twin/api/compare.h"
#include "twin/api/reg_compute.h"

namespace normgrad::twin {

template <typename T, typename = void>
struct IsRegImpl : std::false_type {};
template <typename T>
struct IsRegImpl<T, std::void_t<typename T::ActualT>> : std::true_type {};

// Unsigned, or signed, with half the width.
template <typename To, typename From>
constexpr bool kPacks = std::is_integral_v<From> && sizeof(From) == 2 * sizeof(To) &&
                        std::is_integral_v<To> && std::is_unsigned_v<To> && sizeof(From) <= 4;
template <typename To, typename From>
constexpr bool kUnpacks =
    std::is_integral_v<From> && std::is_integral_v<To> && sizeof(To) == 2 * sizeof(From) &&
    std::is_signed_v<To> == std::is_signed_v<From> && sizeof(To) <= 4;

}  // namespace normgrad::twin

namespace AscendC {
namespace Reg {

template <typename T = DefaultType, typename U, typename S,
          typename = std::enable_if_t<!normgrad::twin::IsRegImpl<U>::value>>
inline void Duplicate(S& dst, U scalar, NORMGRAD_SITE) {
  using Actual = typename S::ActualT;
  NORMGRAD_REG_TYPE("Duplicate", T, Actual);
  NORMGRAD_REG_TAKES(Duplicate, Actual);
  const Actual value = normgrad::twin::RegScalarOf<Actual>(scalar);
  normgrad::twin::RegFill(sizeof(Actual), false, dst, &value, nullptr, site);
}
template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename U,
          typename S, typename = std::enable_if_t<!normgrad::twin::IsRegImpl<U>::value>>
inline void Duplicate(S& dst, U scalar, MaskReg& mask, NORMGRAD_SITE) {
  using Actual = typename S::ActualT;
  NORMGRAD_REG_TYPE("Duplicate", T, Actual);
  NORMGRAD_REG_TAKES(Duplicate, Actual);
  NORMGRAD_REG_MERGING("Duplicate", mode);
  const Actual value = normgrad::twin::RegScalarOf<Actual>(scalar);
  normgrad::twin::RegFill(sizeof(Actual), mode == MaskMergeMode::MERGING, dst, &value, &mask, site);
}
template <typename T = DefaultType, HighLowPart pos = HighLowPart::LOWEST,
          MaskMergeMode mode = MaskMergeMode::ZEROING, typename S,
          typename Actual = typename S::ActualT>
inline void Duplicate(S& dst, S& src, MaskReg& mask, NORMGRAD_SITE) {
  NORMGRAD_REG_TYPE("Duplicate", T, Actual);
  NORMGRAD_REG_TAKES(Duplicate, Actual);
  NORMGRAD_REG_MERGING("Duplicate", mode);
  static_assert(pos == HighLowPart::LOWEST, "AscendC::Reg::Duplicate spreads LOWEST only");
  normgrad::twin::RegSpread(sizeof(Actual), mode == MaskMergeMode::MERGING, dst, src, mask, site);
}

#define NORMGRAD_REG_MOVES(name)                                                               \
  template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::MERGING, typename U, \
            typename Actual = typename U::ActualT>                                             \
  inline void name(U& dst, U& src, MaskReg mask, NORMGRAD_SITE) {                              \
    NORMGRAD_REG_TYPE(#name, T, Actual);                                                       \
    NORMGRAD_REG_TAKES(Move, Actual);                                                          \
    static_assert(mode == MaskMergeMode::MERGING, "AscendC::Reg::" #name                       \
                                                  " has the mode MERGING "                     \
                                                  "only");                                     \
    normgrad::twin::RegMove(sizeof(Actual), dst, src, &mask, site);                            \
  }                                                                                            \
  template <typename T = DefaultType, typename U, typename Actual = typename U::ActualT>       \
  inline void name(U& dst, U& src, NORMGRAD_SITE) {                                            \
    NORMGRAD_REG_TYPE(#name, T, Actual);                                                       \
    NORMGRAD_REG_TAKES(Move, Actual);                                                          \
    normgrad::twin::RegMove(sizeof(Actual), dst, src, nullptr, site);                          \
  }
NORMGRAD_REG_MOVES(Move)
NORMGRAD_REG_MOVES(Copy)
#undef NORMGRAD_REG_MOVES

template <typename T = DefaultType, typename U, typename Actual = typename U::ActualT>
inline void Select(U& dst, U& src0, U& src1, MaskReg& mask, NORMGRAD_SITE) {
  NORMGRAD_REG_TYPE("Select", T, Actual);
  NORMGRAD_REG_TAKES(Select, Actual);
  normgrad::twin::RegSelect(sizeof(Actual), dst, src0, src1, mask, site);
}

template <typename T = DefaultType, CMPMODE mode = CMPMODE::EQ, typename U,
          typename Actual = typename U::ActualT>
inline void Compare(MaskReg& dst, U& src0, U& src1, MaskReg& mask, NORMGRAD_SITE) {
  NORMGRAD_REG_TYPE("Compare", T, Actual);
  NORMGRAD_REG_TAKES(Compare, Actual);
  normgrad::twin::RegCompare(normgrad::twin::kDtypeOf<Actual>, mode, dst, src0, src1, mask, site);
}

#define NORMGRAD_REG_COMPARES(name)                                                            \
  template <typename T = DefaultType, CMPMODE mode = CMPMODE::EQ, typename U, typename S,      \
            typename Actual = typename U::ActualT>                                             \
  inline void name(MaskReg& dst, U& src, S scalar, MaskReg& mask, NORMGRAD_SITE) {             \
    NORMGRAD_REG_TYPE(#name, T, Actual);                                                       \
    NORMGRAD_REG_TAKES(Compares, Actual);                                                      \
    const Actual value = normgrad::twin::RegScalarOf<Actual>(scalar);                          \
    normgrad::twin::RegCompareScalar(normgrad::twin::kDtypeOf<Actual>, mode, dst, src, &value, \
                                     mask, site);                                              \
  }
NORMGRAD_REG_COMPARES(Compares)
NORMGRAD_REG_COMPARES(CompareScalar)
#undef NORMGRAD_REG_COMPARES

#define NORMGRAD_REG_INTERLEAVES(name, back)                                             \
  template <typename T = DefaultType, typename U, typename Actual = typename U::ActualT> \
  inline void name(U& dst0, U& dst1, U& src0, U& src1, NORMGRAD_SITE) {                  \
    NORMGRAD_REG_TYPE(#name, T, Actual);                                                 \
    NORMGRAD_REG_TAKES(name, Actual);                                                    \
    normgrad::twin::RegInterleave(back, sizeof(Actual), dst0, dst1, src0, src1, site);   \
  }
NORMGRAD_REG_INTERLEAVES(Interleave, false)
NORMGRAD_REG_INTERLEAVES(DeInterleave, true)
#undef NORMGRAD_REG_INTERLEAVES

template <typename T = DefaultType, typename U = DefaultType,
          HighLowPart part = HighLowPart::LOWEST, typename S, typename V,
          typename To = typename S::ActualT, typename From = typename V::ActualT>
inline void Pack(S& dst, V& src, NORMGRAD_SITE) {
  NORMGRAD_REG_TYPE("Pack", T, To);
  NORMGRAD_REG_TYPE("Pack", U, From);
  static_assert(normgrad::twin::kPacks<To, From>,
                "AscendC::Reg::Pack has no such pair of element types");
  normgrad::twin::RegPack(sizeof(From), part == HighLowPart::HIGHEST, dst, src, site);
}
template <typename T = DefaultType, typename U = DefaultType,
          HighLowPart part = HighLowPart::LOWEST, typename S, typename V,
          typename To = typename S::ActualT, typename From = typename V::ActualT>
inline void UnPack(S& dst, V& src, NORMGRAD_SITE) {
  NORMGRAD_REG_TYPE("UnPack", T, To);
  NORMGRAD_REG_TYPE("UnPack", U, From);
  static_assert(normgrad::twin::kUnpacks<To, From>,
                "AscendC::Reg::UnPack has no such pair of element types");
  normgrad::twin::RegUnpack(sizeof(To), std::is_signed_v<From>, part == HighLowPart::HIGHEST, dst,
                            src, site);
}

}  // namespace Reg
}  // namespace AscendC

#endif  // NORMGRAD_TWIN_API_REG_MOVE_H_
