// Names that the vendor's compiler and headers offer beside the API, as far as kernels use them.
#ifndef NORMGRAD_TWIN_API_COMPAT_H_
#define NORMGRAD_TWIN_API_COMPAT_H_

#include <cassert>  // the vendor's headers bring assert
#include <cstdint>
#include <type_traits>

// What the vendor's compiler defines per architecture. A source that asks before it includes
// anything needs it on the command line.
#ifndef __CCE_AICORE__
#if __NPU_ARCH__ == 1001
#define __CCE_AICORE__ 100
#elif __NPU_ARCH__ == 2002
#define __CCE_AICORE__ 200
#elif __NPU_ARCH__ == 3510
#define __CCE_AICORE__ 310
#else
#define __CCE_AICORE__ 220
#endif
#endif
#if __NPU_ARCH__ == 2201 && !defined(__DAV_C220_VEC__)
#define __DAV_C220_VEC__
#endif

#define __ubuf__
#define __local_mem__

// Brings code into the instruction cache ahead of time: no meaning, and no time here.
#define PRELOAD(kilobytes) static_cast<void>(kilobytes)

#ifndef likely
#define likely(condition) __builtin_expect(!!(condition), 1)
#define unlikely(condition) __builtin_expect(!!(condition), 0)
#endif

namespace AscendC {

// This machine has vector cores only; on 1001 and 2002 there is one kind of core.
constexpr int32_t AIC = 0;
constexpr int32_t AIV = 1;
constexpr int32_t MIX = 2;
constexpr int32_t g_coreType = AIV;

#if __NPU_ARCH__ == 3510
constexpr uint32_t VECTOR_REG_WIDTH = 256;
#endif

template <typename T, typename U>
struct IsSameType {
  static constexpr bool value = std::is_same_v<T, U>;
};

}  // namespace AscendC

#define ASCEND_IS_AIV constexpr(::AscendC::g_coreType == ::AscendC::AIV)
#define ASCEND_IS_AIC constexpr(::AscendC::g_coreType == ::AscendC::AIC)

#endif  // NORMGRAD_TWIN_API_COMPAT_H_
