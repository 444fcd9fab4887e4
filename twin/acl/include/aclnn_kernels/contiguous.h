// Views made contiguous before a kernel, and results copied into views after it.
#ifndef NORMGRAD_TWIN_ACL_CONTIGUOUS_H_
#define NORMGRAD_TWIN_ACL_CONTIGUOUS_H_

#include "opdev/op_executor.h"

namespace l0op {

const aclTensor* Contiguous(const aclTensor* x, aclOpExecutor* executor);
const aclTensor* ViewCopy(const aclTensor* x, const aclTensor* y, aclOpExecutor* executor);

}  // namespace l0op

#endif  // NORMGRAD_TWIN_ACL_CONTIGUOUS_H_
