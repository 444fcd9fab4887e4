// RmsNormGrad for vector cores that are programmed in registers (arch 3510): reads the plan, picks
// the strategy.
//
//   xhat = x * rstd
//   dx = (dy * gamma - xhat * mean(dy * gamma * xhat)) * rstd     mean over the columns of a row
//   dgamma = sum over rows of dy * xhat
#include "kernel_operator.h"

#include "op_kernel/common/chunk_tree.h"
#include "op_kernel/common/leaf_exchange.h"
#include "op_kernel/rms_norm_grad/block_passes.h"
#include "op_kernel/rms_norm_grad/dx_few_rows.h"
#include "op_kernel/rms_norm_grad/dx_in_place_row.h"
#include "op_kernel/rms_norm_grad/dx_split_row.h"
#include "op_kernel/rms_norm_grad/regbase/dx_whole_row.h"
#include "tiling/norm_grad.h"

extern "C" __global__ __aicore__ void rms_norm_grad(GM_ADDR dy, GM_ADDR x, GM_ADDR rstd,
                                                    GM_ADDR gamma, GM_ADDR dx, GM_ADDR dgamma,
                                                    GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TYPE_OF_MEETINGS();
  REGISTER_TILING_DEFAULT(NormGradTiling);
  GET_TILING_DATA_WITH_STRUCT(NormGradTiling, plan, tiling);
  const NormGradArgs args = {
      dy, x, rstd, nullptr, gamma, dx, dgamma, nullptr, AscendC::GetUserWorkspace(workspace)};
  using Parts = RegisterParts<DTYPE_DY, DTYPE_GAMMA>;
  AscendC::TPipe pipe;
  if (TILING_KEY_IS(NORM_GRAD_KEY_DX_WHOLE_ROW)) {
    DxWholeRow<Parts> strategy;
    strategy.Init(args, plan, &pipe);
    strategy.Process();
  } else if (TILING_KEY_IS(NORM_GRAD_KEY_DX_IN_PLACE_ROW)) {
    DxInPlaceRow<Parts> strategy;
    strategy.Init(args, plan, &pipe);
    strategy.Process();
  } else if (TILING_KEY_IS(NORM_GRAD_KEY_DX_SPLIT_ROW)) {
    DxSplitRow<BlockPasses<Parts>, ChunkTree<ChunkLeafLanes>> strategy;
    strategy.Init(args, plan, &pipe);
    strategy.Process();
  } else if (TILING_KEY_IS(NORM_GRAD_KEY_DX_FEW_ROWS)) {
    DxFewRows<BlockPasses<Parts>, LeafExchange<ChunkLeafLanes>> strategy;
    strategy.Init(args, plan, &pipe);
    strategy.Process();
  }
}
