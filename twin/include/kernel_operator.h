// The header that every Ascend C kernel includes, as the twin has it.
#ifndef NORMGRAD_TWIN_INCLUDE_KERNEL_OPERATOR_H_
#define NORMGRAD_TWIN_INCLUDE_KERNEL_OPERATOR_H_

#ifndef __NPU_ARCH__
#error "__NPU_ARCH__ must name the architecture, for example -D__NPU_ARCH__=2201"
#endif

#include "twin/api/arithmetic.h"
#include "twin/api/broadcast.h"
#include "twin/api/cast.h"
#include "twin/api/compare.h"
#include "twin/api/compat.h"
#include "twin/api/control.h"
#include "twin/api/cross_core.h"
#include "twin/api/data_copy.h"
#include "twin/api/fill.h"
#include "twin/api/gm_fill.h"
#include "twin/api/kernel.h"
#include "twin/api/pattern_reduce.h"
#include "twin/api/pipe.h"
#include "twin/api/reduce.h"
#include "twin/api/scalar_values.h"
#include "twin/api/sync.h"
#include "twin/api/tensor.h"

#if __NPU_ARCH__ == 3510
#include "twin/api/reg.h"
#endif

#endif  // NORMGRAD_TWIN_INCLUDE_KERNEL_OPERATOR_H_
