// What the templates of cross_core.h call: the meeting of cores in the prebuilt library.
#ifndef NORMGRAD_TWIN_API_CROSS_CORE_CALLS_H_
#define NORMGRAD_TWIN_API_CROSS_CORE_CALLS_H_

#include <cstdint>

#include "twin/api/tensor.h"

namespace normgrad::twin {

void HardSyncAll(Site site);
void SoftSyncAll(uint8_t* workspace, UbOperand ub, int32_t used_cores, Site site);
void CrossSet(uint32_t mode, pipe_t pipe, uint32_t id, Site site);
void CrossWait(uint32_t mode, uint32_t id, Site site);
void AtomicAddOn(Dtype dtype, Site site);
void AtomicOff();
void CleanDataCache(uint8_t* address, bool whole_cache);

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_API_CROSS_CORE_CALLS_H_
