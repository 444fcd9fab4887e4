// Rows of few columns: dy is multiplied by gamma before it is by xhat. So dgamma alone needs the
// products dy * xhat, and half of them are added where they are made: one slope cycle per 64
// elements less than with p = dy * xhat first and p * gamma for the rows' sums.
//
// DxInPlaceRow, whose chunk of 512 columns has the room, does the same: dx has the same bits
// whatever the strategy. The others take no row that short.
#ifndef OP_KERNEL_RMS_NORM_GRAD_GAMMA_FIRST_H_
#define OP_KERNEL_RMS_NORM_GRAD_GAMMA_FIRST_H_

#include "op_kernel/common/grid.h"

constexpr uint32_t kMostColsOfGammaFirst = 128;

__aicore__ inline bool MultipliesGammaFirst(uint32_t cols) { return cols <= kMostColsOfGammaFirst; }

// dst += a * b, on the columns that exist
struct AddProductEach {
  AscendC::LocalTensor<float> dst;
  AscendC::LocalTensor<float> a;
  AscendC::LocalTensor<float> b;
  __aicore__ inline void operator()(GridPiece& p) const {
    AscendC::MulAddDst(dst[p.offset], a[p.offset], b[p.offset], p.mask, p.repeats, SameSteps(p));
  }
};

// half = a * b of the first half of the rows + a * b of the second, an odd last row on top of the
// first; one row is half itself. Returns the rows of half.
__aicore__ inline uint32_t AddHalvesOfProducts(const AscendC::LocalTensor<float>& half,
                                               const AscendC::LocalTensor<float>& a,
                                               const AscendC::LocalTensor<float>& b, uint32_t rows,
                                               uint32_t cols, uint32_t pitch) {
  const uint32_t kept = rows > 1 ? rows / 2 : 1;
  MulRows(half, a, b, kept, cols, pitch);
  AscendC::PipeBarrier<PIPE_V>();
  if (rows == 1) return kept;
  ForGrid(kept, cols, pitch, AddProductEach{half, a[kept * pitch], b[kept * pitch]});
  AscendC::PipeBarrier<PIPE_V>();
  if (rows % 2 != 0) {
    const uint32_t last = (rows - 1) * pitch;
    ForGrid(1, cols, pitch, AddProductEach{half, a[last], b[last]});
    AscendC::PipeBarrier<PIPE_V>();
  }
  return kept;
}

#endif  // OP_KERNEL_RMS_NORM_GRAD_GAMMA_FIRST_H_
