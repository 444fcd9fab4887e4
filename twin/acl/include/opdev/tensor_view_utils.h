// Questions about views.
#ifndef NORMGRAD_TWIN_ACL_TENSOR_VIEW_UTILS_H_
#define NORMGRAD_TWIN_ACL_TENSOR_VIEW_UTILS_H_

#include "opdev/common_types.h"

namespace op {

// Whether the elements of the view lie one behind the other; where it begins does not matter.
bool IsContiguous(const aclTensor* tensor);

}  // namespace op

#endif  // NORMGRAD_TWIN_ACL_TENSOR_VIEW_UTILS_H_
