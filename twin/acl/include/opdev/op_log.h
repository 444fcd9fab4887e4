// What an operator's host code says of an error: the sentence of aclGetRecentErrMsg.
#ifndef NORMGRAD_TWIN_ACL_OP_LOG_H_
#define NORMGRAD_TWIN_ACL_OP_LOG_H_

#include "opdev/op_errno.h"

namespace normgrad::acl {

void LogError(int code, const char* format, ...) __attribute__((format(printf, 2, 3)));

}  // namespace normgrad::acl

#define OP_LOGE(code, ...) ::normgrad::acl::LogError(code, __VA_ARGS__)

#define CHECK_RET(condition, value) \
  do {                              \
    if (!(condition)) return value; \
  } while (false)

#endif  // NORMGRAD_TWIN_ACL_OP_LOG_H_
