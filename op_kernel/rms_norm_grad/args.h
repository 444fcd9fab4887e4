// What every strategy of RmsNormGrad is given, and which rows are this core's.
#ifndef OP_KERNEL_RMS_NORM_GRAD_ARGS_H_
#define OP_KERNEL_RMS_NORM_GRAD_ARGS_H_

#include "kernel_operator.h"
#include "tiling/rms_norm_grad.h"

struct RmsNormGradArgs {
  GM_ADDR dy;
  GM_ADDR x;
  GM_ADDR rstd;
  GM_ADDR gamma;
  GM_ADDR dx;
  GM_ADDR dgamma;
  GM_ADDR workspace;
};

struct RowSpan {
  uint64_t begin;
  uint64_t end;
};

// Rows are dealt in order; the first cores_with_one_more cores have one row more.
__aicore__ inline RowSpan RowsOfThisCore(const RmsNormGradTiling& plan) {
  const uint64_t core = AscendC::GetBlockIdx();
  const uint64_t one_more = plan.cores_with_one_more;
  const uint64_t extra_before = core < one_more ? core : one_more;
  RowSpan span;
  span.begin = core * plan.rows_per_core + extra_before;
  span.end = span.begin + plan.rows_per_core + (core < one_more ? 1 : 0);
  return span;
}

#endif  // OP_KERNEL_RMS_NORM_GRAD_ARGS_H_
