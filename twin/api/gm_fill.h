// Fill: GM gets one value everywhere.
#ifndef NORMGRAD_TWIN_API_GM_FILL_H_
#define NORMGRAD_TWIN_API_GM_FILL_H_

#include <cstdint>

#include "twin/api/tensor.h"
#include "twin/rules/dtypes.h"

namespace normgrad::twin {

void FillGm(uint8_t* dst, const void* value, Dtype dtype, uint32_t element_bytes, uint64_t count,
            Site site);

}  // namespace normgrad::twin

namespace AscendC {

template <typename T>
inline void Fill(const GlobalTensor<T>& dst, const uint64_t count, const T value, NORMGRAD_SITE) {
  NORMGRAD_DTYPE_RULE(Fill, T);
  normgrad::twin::FillGm(dst.Bytes(), &value, normgrad::twin::kDtypeOf<T>, sizeof(T), count, site);
}

// Its older name.
template <typename T>
inline void InitOutput(const GlobalTensor<T>& dst, const uint32_t count, const T value = 0,
                       NORMGRAD_SITE) {
  Fill(dst, count, value, site);
}

}  // namespace AscendC

#endif  // NORMGRAD_TWIN_API_GM_FILL_H_
