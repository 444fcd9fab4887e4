// What stands around a kernel: qualifiers, tiling data and keys, the kernel's type.
#ifndef NORMGRAD_TWIN_API_KERNEL_H_
#define NORMGRAD_TWIN_API_KERNEL_H_

#include <cstdint>

#include "twin/machine/site.h"

#define __aicore__
#define __global__
#define __gm__

using GM_ADDR = __gm__ uint8_t*;

// Values of the vendor's kernel types; a hard SyncAll asks for a mix type.
enum KernelMetaType : int32_t {
  KERNEL_TYPE_AIV_ONLY,
  KERNEL_TYPE_AIC_ONLY,
  KERNEL_TYPE_MIX_AIV_1_0,
  KERNEL_TYPE_MIX_AIC_1_0,
  KERNEL_TYPE_MIX_AIC_1_1,
  KERNEL_TYPE_MIX_AIC_1_2,
};

namespace normgrad::twin {

bool TilingKeyIs(uint64_t key);
// Copies the launch's tiling data to `data`; host and kernel must agree on its size.
void ReadTiling(const uint8_t* address, void* data, uint64_t bytes, Site site);
void SetKernelType(KernelMetaType type);

}  // namespace normgrad::twin

namespace AscendC {

// Our kernels get the user's part of the workspace directly.
inline GM_ADDR GetUserWorkspace(GM_ADDR workspace) { return workspace; }

}  // namespace AscendC

#define REGISTER_TILING_DEFAULT(type) static_assert(sizeof(type) > 0, "tiling data")
#define GET_TILING_DATA_WITH_STRUCT(type, name, address) \
  type name;                                             \
  ::normgrad::twin::ReadTiling(address, &name, sizeof(type), ::normgrad::twin::Site::Here())
#define TILING_KEY_IS(key) (::normgrad::twin::TilingKeyIs(key))
#define KERNEL_TASK_TYPE_DEFAULT(type) ::normgrad::twin::SetKernelType(type)

#endif  // NORMGRAD_TWIN_API_KERNEL_H_
