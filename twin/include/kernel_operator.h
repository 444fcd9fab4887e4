// The header that every Ascend C kernel includes, as the twin has it.
#ifndef NORMGRAD_TWIN_INCLUDE_KERNEL_OPERATOR_H_
#define NORMGRAD_TWIN_INCLUDE_KERNEL_OPERATOR_H_

#include "twin/api/compare.h"
#include "twin/api/cross_core.h"
#include "twin/api/data_copy.h"
#include "twin/api/kernel.h"
#include "twin/api/pipe.h"
#include "twin/api/sync.h"
#include "twin/api/tensor.h"
#include "twin/api/vector.h"

#endif  // NORMGRAD_TWIN_INCLUDE_KERNEL_OPERATOR_H_
