#include "twin/acl/errors.h"

#include "acl/acl.h"

namespace normgrad::acl {
namespace {

thread_local std::string recent;
thread_local std::string taken;

}  // namespace

aclError Fail(aclError code, const std::string& sentence) {
  recent = sentence;
  return code;
}

const char* TakeRecent() {
  taken.swap(recent);
  recent.clear();
  return taken.c_str();
}

}  // namespace normgrad::acl

extern "C" const char* aclGetRecentErrMsg() { return normgrad::acl::TakeRecent(); }
