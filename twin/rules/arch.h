// Which calls between cores an architecture has; breaking it is a compile error that names the API.
#ifndef NORMGRAD_TWIN_RULES_ARCH_H_
#define NORMGRAD_TWIN_RULES_ARCH_H_

#include <cstdint>
#include <type_traits>

#include "twin/machine/dtype.h"
#include "twin/rules/missing.h"

namespace normgrad::twin {

constexpr int kArch = __NPU_ARCH__;

// Hard SyncAll and flags between cores came with 2201; 1001 and 2002 meet over a workspace in GM.
constexpr bool kHasHardSyncAll = kArch >= 2201;
constexpr bool kHasCrossCoreFlags = kArch >= 2201;

constexpr bool kHasControlRegister = kArch >= 2201;
constexpr bool kHasControlReset = kArch == 3510;

// Atomic additions to GM: fp32 everywhere, 16-bit from 2002 on, bf16 and integers on 2201.
template <typename T>
constexpr bool kHasAtomicAdd =
    std::is_same_v<T, float> ||
    (kArch >= 2002 && (std::is_same_v<T, half> || std::is_same_v<T, int16_t>)) ||
    (kArch >= 2201 &&
     (std::is_same_v<T, bfloat16_t> || std::is_same_v<T, int32_t> || std::is_same_v<T, int8_t>));

// Always true; makes a static_assert wait for the call, so that the error names the kernel's line.
template <auto value>
constexpr bool kAsked = value == value;

}  // namespace normgrad::twin

#define NORMGRAD_ARCH_RULE(exists, api, value)                                     \
  NORMGRAD_MUST_EXIST(normgrad::twin::exists&& normgrad::twin::kAsked<value>, api, \
                      "__NPU_ARCH__ " NORMGRAD_TEXT(__NPU_ARCH__))

#endif  // NORMGRAD_TWIN_RULES_ARCH_H_
