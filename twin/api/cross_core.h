// Order between cores: SyncAll (hard and soft), flags between cores, atomic copies, the data cache.
#ifndef NORMGRAD_TWIN_API_CROSS_CORE_H_
#define NORMGRAD_TWIN_API_CROSS_CORE_H_

#include <cstdint>

#include "twin/api/cross_core_calls.h"
#include "twin/rules/arch.h"

namespace AscendC {

template <bool is_aiv_only = true>
inline void SyncAll(NORMGRAD_SITE) {
  static_assert(is_aiv_only, "AscendC::SyncAll<false> hangs in a kernel without cube cores");
  NORMGRAD_ARCH_RULE(kHasHardSyncAll, "SyncAll() without a workspace", is_aiv_only);
  normgrad::twin::HardSyncAll(site);
}

// `workspace`: 32 bytes per core in GM, zeroed before the launch; `ub_workspace`: as many in UB.
template <bool is_aiv_only = true>
inline void SyncAll(const GlobalTensor<int32_t>& workspace,
                    const LocalTensor<int32_t>& ub_workspace, const int32_t used_cores = 0,
                    NORMGRAD_SITE) {
  normgrad::twin::SoftSyncAll(workspace.Bytes(), ub_workspace.Operand(), used_cores, site);
}

template <uint8_t mode, pipe_t pipe>
inline void CrossCoreSetFlag(uint16_t flag_id, NORMGRAD_SITE) {
  static_assert(mode <= 2, "AscendC::CrossCoreSetFlag has modes 0, 1 and 2 on __NPU_ARCH__ 2201");
  NORMGRAD_ARCH_RULE(kHasCrossCoreFlags, "CrossCoreSetFlag", mode);
  normgrad::twin::CrossSet(mode, pipe, flag_id, site);
}

template <uint8_t mode = 0, pipe_t pipe = PIPE_S>
inline void CrossCoreWaitFlag(uint16_t flag_id, NORMGRAD_SITE) {
  NORMGRAD_ARCH_RULE(kHasCrossCoreFlags, "CrossCoreWaitFlag", mode);
  normgrad::twin::CrossWait(mode, flag_id, site);
}

template <typename T>
inline void SetAtomicAdd(NORMGRAD_SITE) {
  static_assert(
      normgrad::twin::kHasAtomicAdd<T>,
      "AscendC::SetAtomicAdd does not take this element type on __NPU_ARCH__ " NORMGRAD_TEXT(
          __NPU_ARCH__));
  normgrad::twin::AtomicAddOn(normgrad::twin::kDtypeOf<T>, site);
}

inline void SetAtomicNone() { normgrad::twin::AtomicOff(); }

enum class CacheLine : uint64_t { SINGLE_CACHE_LINE = 0, ENTIRE_DATA_CACHE };
enum class DcciDst : uint64_t { CACHELINE_ALL = 0, CACHELINE_UB, CACHELINE_OUT, CACHELINE_ATOMIC };

template <typename T, CacheLine line, DcciDst dst = DcciDst::CACHELINE_ALL>
inline void DataCacheCleanAndInvalid(const GlobalTensor<T>& tensor) {
  normgrad::twin::CleanDataCache(tensor.Bytes(), line == CacheLine::ENTIRE_DATA_CACHE);
}

}  // namespace AscendC

#endif  // NORMGRAD_TWIN_API_CROSS_CORE_H_
