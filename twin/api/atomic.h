// Additions that copies to GM make in atomic mode.
#ifndef NORMGRAD_TWIN_API_ATOMIC_H_
#define NORMGRAD_TWIN_API_ATOMIC_H_

#include <cstdint>

#include "twin/machine/dtype.h"

namespace normgrad::twin {

// to[i] += from[i], rounded to the type, over `bytes` bytes.
using AddFn = void (*)(uint8_t* to, const uint8_t* from, uint64_t bytes);
AddFn AtomicAdd(Dtype dtype);

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_API_ATOMIC_H_
