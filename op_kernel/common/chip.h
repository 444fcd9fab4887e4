// The one place where kernels ask what chip they are for. Three things differ, each with a file for
// either side and the same names in both:
//
//   copies between GM and UB    any length: gm_copies_padded.h    whole blocks: gm_copies_blocks.h
//   a meeting of all cores      by hardware: meeting_hard.h       over GM: meeting_soft.h
//   fp32 across lanes           directly: cross_lanes_direct.h    turned: cross_lanes_turned.h
//
// How whole blocks show in UB, the plan says (copy_cols), so that arithmetic need not ask.
#ifndef OP_KERNEL_COMMON_CHIP_H_
#define OP_KERNEL_COMMON_CHIP_H_

#if __NPU_ARCH__ == 1001 || __NPU_ARCH__ == 2002
#include "op_kernel/common/gm_copies_blocks.h"
#include "op_kernel/common/meeting_soft.h"
#else
#include "op_kernel/common/gm_copies_padded.h"
#include "op_kernel/common/meeting_hard.h"
#endif

#if __NPU_ARCH__ == 1001
#include "op_kernel/common/cross_lanes_turned.h"
#else
#include "op_kernel/common/cross_lanes_direct.h"
#endif

#endif  // OP_KERNEL_COMMON_CHIP_H_
