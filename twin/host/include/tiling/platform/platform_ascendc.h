// Host API, on this computer: the device as a tiling function sees it.
#ifndef NORMGRAD_TWIN_HOST_TILING_PLATFORM_PLATFORM_ASCENDC_H_
#define NORMGRAD_TWIN_HOST_TILING_PLATFORM_PLATFORM_ASCENDC_H_

#include "exe_graph/runtime/tiling_context.h"

namespace platform_ascendc {

enum class CoreMemType { UB = 5 };

// Values as upstream, where 4 has had two names.
enum class SocVersion {
  ASCEND910 = 0,
  ASCEND910B = 1,  // A2 and A3
  ASCEND310P = 2,
  ASCEND310B = 3,
  RESERVED_VERSION = 99999,
};

class PlatformAscendC {
 public:
  explicit PlatformAscendC(fe::PlatFormInfos* infos) : infos_(infos) {}

  SocVersion GetSocVersion() const {
    switch (infos_->arch) {
      case 1001:
        return SocVersion::ASCEND910;
      case 2201:
        return SocVersion::ASCEND910B;
      case 2002:
        return SocVersion::ASCEND310P;
      case 3002:
        return SocVersion::ASCEND310B;
      case 3510:
        return static_cast<SocVersion>(4);
      default:
        return SocVersion::RESERVED_VERSION;
    }
  }
  uint32_t GetCoreNumAiv() const { return infos_->cores; }
  void GetCoreMemSize(const CoreMemType&, uint64_t& size) const {
    constexpr uint64_t kKept = 256;  // of UB, by the framework, on 2201 (platform_ascendc.cpp)
    size = infos_->ub_bytes - (infos_->arch == 2201 ? kKept : 0);
  }
  // What the framework keeps of the workspace (platform_ascendc.cpp).
  uint32_t GetLibApiWorkSpaceSize() const {
    constexpr uint32_t kMiB = 1024 * 1024;
    return (infos_->arch == 2201 || infos_->arch == 3510 ? 16 : 2) * kMiB;
  }

 private:
  fe::PlatFormInfos* infos_;
};

}  // namespace platform_ascendc

#endif  // NORMGRAD_TWIN_HOST_TILING_PLATFORM_PLATFORM_ASCENDC_H_
