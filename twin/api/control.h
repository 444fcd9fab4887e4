// The control register, as kernels write and read it: saturation above all.
#ifndef NORMGRAD_TWIN_API_CONTROL_H_
#define NORMGRAD_TWIN_API_CONTROL_H_

#include <cstdint>

#include "twin/api/control_calls.h"
#include "twin/rules/arch.h"

namespace normgrad::twin {

// The bits that a kernel may write. Left out on 3510: 6 to 10, the atomic mode, which SetAtomicAdd
// and SetAtomicNone are for.
constexpr bool IsControlBit(int first, int last) {
  if (first != last) return false;
  if (kArch == 2201) return first == 48;
  return first == 45 || first == 48 || first == 50 || first == 53 || first == 59 || first == 60;
}

}  // namespace normgrad::twin

namespace AscendC {

#define NORMGRAD_CONTROL_BITS(api)                                                          \
  static_assert(normgrad::twin::IsControlBit(start_bit, end_bit),                           \
                "AscendC::" api " takes one bit of those that __NPU_ARCH__ " NORMGRAD_TEXT( \
                    __NPU_ARCH__) " has: 48; on 3510 also 45, 50, 53, 59 and 60")

template <int8_t start_bit, int8_t end_bit>
inline void SetCtrlSpr(int64_t value, NORMGRAD_SITE) {
  NORMGRAD_ARCH_RULE(kHasControlRegister, "SetCtrlSpr", start_bit);
  NORMGRAD_CONTROL_BITS("SetCtrlSpr");
  normgrad::twin::SetControlBits(start_bit, end_bit, value, site);
}

template <int8_t start_bit, int8_t end_bit>
inline int64_t GetCtrlSpr([[maybe_unused]] NORMGRAD_SITE) {
  NORMGRAD_ARCH_RULE(kHasControlRegister, "GetCtrlSpr", start_bit);
  static_assert(start_bit >= 0 && start_bit <= end_bit && end_bit < 64,
                "AscendC::GetCtrlSpr takes bits 0 to 63 in ascending order");
  return normgrad::twin::GetControlBits(start_bit, end_bit);
}

template <int8_t start_bit, int8_t end_bit>
inline void ResetCtrlSpr(NORMGRAD_SITE) {
  NORMGRAD_ARCH_RULE(kHasControlReset, "ResetCtrlSpr", start_bit);
  NORMGRAD_CONTROL_BITS("ResetCtrlSpr");
  normgrad::twin::ResetControlBits(start_bit, end_bit, site);
}
#undef NORMGRAD_CONTROL_BITS

}  // namespace AscendC

#endif  // NORMGRAD_TWIN_API_CONTROL_H_
