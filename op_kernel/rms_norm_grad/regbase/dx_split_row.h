// Strategy DxSplitRow in register programming: rows of any width, read twice.
//
//   first   p = x * rstd * dy;  dgamma += p;  row sums of p * gamma
//   second  dx = (dy * gamma - x * c) * rstd          c = mean * rstd
//
// Regime: more columns than DxInPlaceRow takes, at least as many rows as cores. Chunks of columns
// are the outer loop and the rows of a group the inner one, as in the memory-based kernel, whose
// dx_split_row.h has the picture. Bytes per row: reads 4 x cols x sizeof(T) + 4, writes
// cols x sizeof(T): 1.67 times the minimum. Per core and group gamma is read twice and dgamma
// written once.
// Sync: queues order MTE2 -> V -> MTE3 per tile, two buffers in, so that the copies of the
// neighbouring tiles run beside the arithmetic. Rows that fit UB between the passes (is_resident)
// are read once. The scalar unit reads nothing.
#ifndef OP_KERNEL_RMS_NORM_GRAD_REGBASE_DX_SPLIT_ROW_H_
#define OP_KERNEL_RMS_NORM_GRAD_REGBASE_DX_SPLIT_ROW_H_
