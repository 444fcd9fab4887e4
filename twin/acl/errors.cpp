#include "twin/acl/errors.h"

#include <cstdlib>

#include "acl/acl.h"
#include "tiling/problem.h"

namespace normgrad::acl {
namespace {

thread_local std::string recent;
thread_local std::string taken;

}  // namespace

aclError Fail(aclError code, const std::string& sentence) {
  recent = sentence;
  if (code == kNotOnThisChip && std::getenv("NORMGRAD_SOC") == nullptr) {  // the default one
    recent += " with NORMGRAD_SOC, or `normgrad client ... --soc`";
  }
  return code;
}

const char* TakeRecent() {
  taken.swap(recent);
  recent.clear();
  return taken.c_str();
}

}  // namespace normgrad::acl

extern "C" const char* aclGetRecentErrMsg() { return normgrad::acl::TakeRecent(); }
