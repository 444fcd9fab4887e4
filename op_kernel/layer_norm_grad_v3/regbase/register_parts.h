// What the strategies that memory-based and register programming share are made of, in registers.
#ifndef OP_KERNEL_LAYER_NORM_GRAD_V3_REGBASE_REGISTER_PARTS_H_
#define OP_KERNEL_LAYER_NORM_GRAD_V3_REGBASE_REGISTER_PARTS_H_

#include "op_kernel/common/regbase/chunk_leaf_lanes.h"
#include "op_kernel/common/regbase/row_places.h"
#include "op_kernel/common/regbase/sum_lanes.h"
#include "op_kernel/layer_norm_grad_v3/regbase/chunk_passes.h"
#include "op_kernel/layer_norm_grad_v3/regbase/row_values.h"

// G: dtype of gamma, dgamma and dbeta; S: of rstd and mean.
template <typename T, typename G, typename S>
struct RegisterParts {
  using Element = T;
  using Gamma = G;
  using Stats = S;
  using Sum = SumLanes;
  using Leaves = ChunkLeafLanes;
  using Passes = ChunkPasses<T, G>;
  using WidePasses = ChunkPasses<T, float>;  // gamma comes in fp32
  using Statistics = RowValues;
  using PerRow = RowPlaces;
};

#endif  // OP_KERNEL_LAYER_NORM_GRAD_V3_REGBASE_REGISTER_PARTS_H_
