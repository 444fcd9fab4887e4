// Constants brought to the device.
#ifndef NORMGRAD_TWIN_ACL_FRAMEWORK_OP_H_
#define NORMGRAD_TWIN_ACL_FRAMEWORK_OP_H_

#include "opdev/op_executor.h"

namespace op {

const aclTensor* CopyToNpu(const aclTensor* src, aclOpExecutor* executor);

}  // namespace op

#endif  // NORMGRAD_TWIN_ACL_FRAMEWORK_OP_H_
