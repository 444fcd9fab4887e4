// LayerNormGradV3 for memory-based vector cores (arch 2002, 2201): reads the plan, picks the
// strategy.
//
//   xhat = (x - mean) * rstd
//   dx = (dy * gamma - mean(dy * gamma) - xhat * mean(dy * gamma * xhat)) * rstd
//   dgamma = sum over rows of dy * xhat         dbeta = sum over rows of dy
#include "kernel_operator.h"

#include "op_kernel/layer_norm_grad_v3/dx_few_rows.h"
#include "op_kernel/layer_norm_grad_v3/dx_in_place_row.h"
#include "op_kernel/layer_norm_grad_v3/dx_split_row.h"
#include "op_kernel/layer_norm_grad_v3/dx_whole_row.h"
#include "op_kernel/layer_norm_grad_v3/memory_parts.h"
#include "tiling/norm_grad.h"

extern "C" __global__ __aicore__ void layer_norm_grad_v3(GM_ADDR dy, GM_ADDR x, GM_ADDR rstd,
                                                         GM_ADDR mean, GM_ADDR gamma, GM_ADDR dx,
                                                         GM_ADDR dgamma, GM_ADDR dbeta,
                                                         GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TYPE_OF_MEETINGS();
  REGISTER_TILING_DEFAULT(NormGradTiling);
  GET_TILING_DATA_WITH_STRUCT(NormGradTiling, plan, tiling);
  const NormGradArgs args = {
      dy, x, rstd, mean, gamma, dx, dgamma, dbeta, AscendC::GetUserWorkspace(workspace)};
  // A graph may lack gamma, and then its dtype: that of the sums over rows is the same.
  using Parts = MemoryParts<DTYPE_DY, DTYPE_PD_GAMMA, DTYPE_RSTD>;
  AscendC::TPipe pipe;
  if (TILING_KEY_IS(NORM_GRAD_KEY_DX_WHOLE_ROW)) {
    DxWholeRow<DTYPE_DY, DTYPE_PD_GAMMA, DTYPE_RSTD> strategy;
    strategy.Init(args, plan, &pipe);
    strategy.Process();
  } else if (TILING_KEY_IS(NORM_GRAD_KEY_DX_IN_PLACE_ROW)) {
    DxInPlaceRow<Parts> strategy;
    strategy.Init(args, plan, &pipe);
    strategy.Process();
  } else if (TILING_KEY_IS(NORM_GRAD_KEY_DX_SPLIT_ROW)) {
    DxSplitRow<Parts> strategy;
    strategy.Init(args, plan, &pipe);
    strategy.Process();
  } else if (TILING_KEY_IS(NORM_GRAD_KEY_DX_FEW_ROWS)) {
    DxFewRows<Parts> strategy;
    strategy.Init(args, plan, &pipe);
    strategy.Process();
  }
}
