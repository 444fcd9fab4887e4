// Published kernels include this inner header of the vendor's; what they use of it is in the API.
#ifndef NORMGRAD_TWIN_INCLUDE_IMPL_DAV_C220_KERNEL_OPERATOR_REG_OTHERS_IMPL_H_
#define NORMGRAD_TWIN_INCLUDE_IMPL_DAV_C220_KERNEL_OPERATOR_REG_OTHERS_IMPL_H_

#include "kernel_operator.h"

#endif  // NORMGRAD_TWIN_INCLUDE_IMPL_DAV_C220_KERNEL_OPERATOR_REG_OTHERS_IMPL_H_
