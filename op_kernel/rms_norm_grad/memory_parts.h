// What the strategies that memory-based and register programming share are made of, memory-based.
#ifndef OP_KERNEL_RMS_NORM_GRAD_MEMORY_PARTS_H_
#define OP_KERNEL_RMS_NORM_GRAD_MEMORY_PARTS_H_

#include "op_kernel/common/row_blocks.h"
#include "op_kernel/rms_norm_grad/chunk_passes.h"
#include "op_kernel/rms_norm_grad/row_statistics.h"

template <typename T, typename G>
struct MemoryParts {
  using Element = T;
  using Dx = T;
  using Gamma = G;
  using Sum = SumOverRows;
  using Passes = ChunkPasses<T, G>;
  using WidePasses = ChunkPasses<T, float>;  // gamma comes in fp32
  using Statistics = RowStatistics;
  using PerRow = RowBlocks;
};

#endif  // OP_KERNEL_RMS_NORM_GRAD_MEMORY_PARTS_H_
