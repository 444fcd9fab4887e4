// What the passes over columns of some rows are told, whoever has brought them into UB.
#ifndef OP_KERNEL_LAYER_NORM_GRAD_V3_ROWS_CHUNK_H_
#define OP_KERNEL_LAYER_NORM_GRAD_V3_ROWS_CHUNK_H_

#include "op_kernel/common/gamma_columns.h"

// Columns of some rows in UB. A value of a row lies in one block or, for registers, is one
// number: rstd and mean as they came, and for the second pass -c1 and -c2 * rstd.
template <typename T>
struct RowsChunk {
  AscendC::LocalTensor<T> x;
  AscendC::LocalTensor<T> dy;
  AscendC::LocalTensor<float> rstd;
  AscendC::LocalTensor<float> mean;
  AscendC::LocalTensor<float> minus_c1;
  AscendC::LocalTensor<float> minus_c2_rstd;
  uint32_t rows;
  uint32_t cols;
  uint32_t overlap;  // how many of them the last block and the one before it have both
  uint32_t pitch;
};

#endif  // OP_KERNEL_LAYER_NORM_GRAD_V3_ROWS_CHUNK_H_
