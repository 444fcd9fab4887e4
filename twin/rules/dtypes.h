// Which element types an API takes on which architecture; breaking it is a compile error that names
// the API. Arch 2201, from the support tables of the vendor's API pages.
#ifndef NORMGRAD_TWIN_RULES_DTYPES_H_
#define NORMGRAD_TWIN_RULES_DTYPES_H_

#include <cstdint>
#include <type_traits>

#include "twin/machine/dtype.h"

#ifndef __NPU_ARCH__
#error "__NPU_ARCH__ must name the architecture, for example -D__NPU_ARCH__=2201"
#endif

#if __NPU_ARCH__ != 2201
#error "this version of the machine knows __NPU_ARCH__ 2201 only"
#endif

namespace normgrad::twin {

template <typename T, typename... Allowed>
constexpr bool kOneOf = (std::is_same_v<T, Allowed> || ...);

template <typename T>
struct AllowedDtypes {
  static constexpr bool kArithmetic = kOneOf<T, float, half>;
  static constexpr bool kFill =
      kOneOf<T, float, half, bfloat16_t, int16_t, uint16_t, int32_t, uint32_t>;
  static constexpr bool kAdd = kArithmetic;
  static constexpr bool kSub = kArithmetic;
  static constexpr bool kMul = kArithmetic;
  static constexpr bool kMulAddDst = kArithmetic;
  static constexpr bool kAdds = kArithmetic;
  static constexpr bool kMuls = kArithmetic;
  static constexpr bool kDuplicate = kFill;
  static constexpr bool kBrcb = kFill;
  static constexpr bool kCompare = kOneOf<T, float>;
  static constexpr bool kSelect = kOneOf<T, float>;
  static constexpr bool kWholeReduceSum = kOneOf<T, float>;
};

template <typename Dst, typename Src>
constexpr bool kCastExists = (kOneOf<Dst, float> && kOneOf<Src, half, bfloat16_t>) ||
                             (kOneOf<Dst, half, bfloat16_t> && kOneOf<Src, float>);

}  // namespace normgrad::twin

#define NORMGRAD_DTYPE_RULE(api, T)                                \
  static_assert(normgrad::twin::AllowedDtypes<T>::k##api,          \
                "AscendC::" #api " does not take this element type on __NPU_ARCH__ 2201")
#define NORMGRAD_CAST_RULE(Dst, Src)                      \
  static_assert((normgrad::twin::kCastExists<Dst, Src>),  \
                "AscendC::Cast has no conversion between these element types on __NPU_ARCH__ 2201")

#endif  // NORMGRAD_TWIN_RULES_DTYPES_H_
