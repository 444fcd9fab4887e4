// The chip that an operator's host code decides by.
#ifndef NORMGRAD_TWIN_ACL_PLATFORM_H_
#define NORMGRAD_TWIN_ACL_PLATFORM_H_

#include <string>

namespace op {

class PlatformInfo {
 public:
  // "Ascend910B4"; empty: no device is set.
  const std::string& GetSocLongVersion() const { return soc_long_version; }
  std::string soc_long_version;  // the twin's
};

const PlatformInfo& GetCurrentPlatformInfo();

}  // namespace op

#endif  // NORMGRAD_TWIN_ACL_PLATFORM_H_
