// What the passes over columns of some rows are told, whoever has brought them into UB.
#ifndef OP_KERNEL_RMS_NORM_GRAD_ROWS_CHUNK_H_
#define OP_KERNEL_RMS_NORM_GRAD_ROWS_CHUNK_H_

#include "op_kernel/common/gamma_columns.h"

// Columns of some rows in UB. rstd, and minus the mean times rstd that only the second pass reads,
// have one block per row or, for registers, one value.
template <typename T>
struct RowsChunk {
  AscendC::LocalTensor<T> x;
  AscendC::LocalTensor<T> dy;
  AscendC::LocalTensor<float> rstd;
  AscendC::LocalTensor<float> mean;
  uint32_t rows;
  uint32_t cols;
  uint32_t overlap;  // how many of them the last block and the one before it have both
  uint32_t pitch;
  uint32_t dx_pitch;  // registers alone store dx in rows of their own
};

#endif  // OP_KERNEL_RMS_NORM_GRAD_ROWS_CHUNK_H_
