// Conversions between element types of registers.
#ifndef NORMGRAD_TWIN_API_REG_CAST_H_
#define NORMGRAD_TWIN_API_REG_CAST_H_

#include "twin/api/reg_calls.h"
#include "twin/rules/reg_cast_table.h"

namespace normgrad::twin {

// How many narrow elements the wider type has, and which of them `layout` names.
constexpr uint32_t RegParts(uint32_t a_bytes, uint32_t b_bytes) {
  return a_bytes > b_bytes ? a_bytes / b_bytes : b_bytes / a_bytes;
}
constexpr bool HasLayout(AscendC::Reg::RegLayout layout, uint32_t parts) {
  const int part = static_cast<int>(layout);
  return parts == 1 || (part >= 0 && part < static_cast<int>(parts));
}

}  // namespace normgrad::twin

namespace AscendC {
namespace Reg {

// The mask picks elements of the source. Of elements of different width, one of each group of
// narrow ones takes part: the one that the trait's layout names; a narrow result's others become 0.
template <typename T = DefaultType, typename U = DefaultType, const CastTrait& trait = castTrait,
          typename S, typename V>
inline void Cast(S& dst, V& src, MaskReg& mask, NORMGRAD_SITE) {
  using To = typename S::ActualT;
  using From = typename V::ActualT;
  namespace twin = normgrad::twin;
  NORMGRAD_REG_TYPE("Cast", T, To);
  NORMGRAD_REG_TYPE("Cast", U, From);
  static_assert(twin::kRegCasts<From, To>,
                "AscendC::Reg::Cast has no conversion between these element types");
  if constexpr (twin::kRegCasts<From, To>) {
    constexpr uint32_t kParts = twin::RegParts(sizeof(To), sizeof(From));
    static_assert(twin::RegCastRounds<From, To>(trait.roundMode),
                  "AscendC::Reg::Cast has no such round mode between these element types");
    static_assert(twin::HasLayout(trait.layoutMode, kParts),
                  "AscendC::Reg::Cast has no such layout between these element types");
    static_assert(
        trait.mrgMode == MaskMergeMode::ZEROING || trait.mrgMode == MaskMergeMode::MERGING,
        "AscendC::Reg::Cast has the merge modes ZEROING and MERGING only");
    static_assert(trait.mrgMode == MaskMergeMode::ZEROING ||
                      trait.layoutMode == RegLayout::UNKNOWN || trait.layoutMode == RegLayout::ZERO,
                  "AscendC::Reg::Cast merges with the layouts UNKNOWN and ZERO only");
    constexpr uint32_t kPart = kParts == 1 ? 0 : static_cast<uint32_t>(trait.layoutMode);
    twin::RegCast({twin::kDtypeOf<To>, twin::kDtypeOf<From>, trait.roundMode, trait.satMode, kPart,
                   trait.mrgMode == MaskMergeMode::MERGING},
                  dst, src, mask, site);
  }
}

}  // namespace Reg
}  // namespace AscendC

#endif  // NORMGRAD_TWIN_API_REG_CAST_H_
