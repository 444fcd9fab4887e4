// What the strategies that memory-based and register programming share are made of, in registers.
#ifndef OP_KERNEL_RMS_NORM_GRAD_REGBASE_REGISTER_PARTS_H_
#define OP_KERNEL_RMS_NORM_GRAD_REGBASE_REGISTER_PARTS_H_

#include "op_kernel/common/regbase/chunk_leaf_lanes.h"
#include "op_kernel/common/regbase/row_places.h"
#include "op_kernel/rms_norm_grad/regbase/chunk_passes.h"

// `Store` says what dx becomes on its way to UB.
template <typename T, typename G, typename Store = PlainStore<T>>
struct RegisterParts {
  using Element = T;
  using Gamma = G;
  using Dx = typename Store::Element;
  using Sum = SumLanes;
  using Passes = ChunkPasses<T, G, Store, true>;  // dx over x
  using TilePasses = ChunkPasses<T, G, Store>;
  using WidePasses = ChunkPasses<T, float, Store>;  // gamma comes in fp32
  using Statistics = RowValues;
  using PerRow = RowPlaces;
};

#endif  // OP_KERNEL_RMS_NORM_GRAD_REGBASE_REGISTER_PARTS_H_
