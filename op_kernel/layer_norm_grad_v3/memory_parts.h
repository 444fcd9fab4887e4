// What the strategies that memory-based and register programming share are made of, memory-based.
#ifndef OP_KERNEL_LAYER_NORM_GRAD_V3_MEMORY_PARTS_H_
#define OP_KERNEL_LAYER_NORM_GRAD_V3_MEMORY_PARTS_H_

#include "op_kernel/common/chunk_tree.h"
#include "op_kernel/common/row_blocks.h"
#include "op_kernel/layer_norm_grad_v3/chunk_passes.h"
#include "op_kernel/layer_norm_grad_v3/row_statistics.h"

// G: dtype of gamma, dgamma and dbeta; S: of rstd and mean.
template <typename T, typename G, typename S>
struct MemoryParts {
  using Element = T;
  using Gamma = G;
  using Stats = S;
  using Sum = SumOverRows;
  using Leaves = ChunkLeaves;
  using Passes = ChunkPasses<T, G>;
  using WidePasses = ChunkPasses<T, float>;  // gamma comes in fp32
  using Statistics = RowStatistics;
  using PerRow = RowBlocks;
};

#endif  // OP_KERNEL_LAYER_NORM_GRAD_V3_MEMORY_PARTS_H_
