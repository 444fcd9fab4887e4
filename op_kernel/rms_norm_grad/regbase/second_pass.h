// The second pass over rows in UB, in registers: dx = (dy * gamma + x * c) * rstd, with c = minus
// the row's mean times rstd; x * c + ... rounds once.
//
// Register instructions per 64 elements in 16 bits: 2 loads, 2 casts, 3 for the arithmetic, a cast
// and a store, half for the values of a row, and gamma once for all rows.
#ifndef OP_KERNEL_RMS_NORM_GRAD_REGBASE_SECOND_PASS_H_
#define OP_KERNEL_RMS_NORM_GRAD_REGBASE_SECOND_PASS_H_

#include "op_kernel/rms_norm_grad/regbase/first_pass.h"

// dx of 64 columns of a row. `Edge` stores it.
template <typename T, typename G, typename Edge>
__simd_callee__ inline void StoreDx(__ubuf__ typename Edge::Element* dx, const RowsInUb<T, G>& in,
                                    uint32_t at, Lanes& gamma, Lanes& mean, Lanes& rstd,
                                    LaneMask& mask) {
  namespace Reg = AscendC::Reg;
  Lanes x;
  Lanes result;
  LoadLanes(x, in.x + at, mask);
  LoadLanes(result, in.dy + at, mask);
  Reg::Mul(result, result, gamma, mask);
  Reg::MulAddDst(result, x, mean, mask);
  Reg::Mul(result, result, rstd, mask);
  Edge::Store(dx, result, mask);
}

// `kCount` registers of all rows: 4 whole ones, or one of which `mask` has the columns that exist.
template <typename T, typename G, typename Edge, int kCount>
__simd_callee__ inline void DxColumns(__ubuf__ typename Edge::Element* dx, uint32_t dx_pitch,
                                      const RowsInUb<T, G>& in, __ubuf__ float* means, uint32_t col,
                                      LaneMask& mask) {
  Lanes gamma0;
  Lanes gamma1;
  Lanes gamma2;
  Lanes gamma3;
  LoadLanes(gamma0, in.gamma + col, mask);
  if constexpr (kCount > 1) {
    LoadLanes(gamma1, in.gamma + col + kLanes, mask);
    LoadLanes(gamma2, in.gamma + col + 2 * kLanes, mask);
    LoadLanes(gamma3, in.gamma + col + 3 * kLanes, mask);
  }
  const uint16_t rows = static_cast<uint16_t>(in.rows);
  for (uint16_t row = 0; row < rows; ++row) {
    const uint32_t at = row * in.pitch + col;
    __ubuf__ typename Edge::Element* const to = dx + row * dx_pitch + col;
    Lanes mean;
    Lanes rstd;
    LoadRowValue(mean, means + row);
    LoadRowValue(rstd, in.rstd + row);
    StoreDx<T, G, Edge>(to, in, at, gamma0, mean, rstd, mask);
    if constexpr (kCount > 1) {
      StoreDx<T, G, Edge>(to + kLanes, in, at + kLanes, gamma1, mean, rstd, mask);
      StoreDx<T, G, Edge>(to + 2 * kLanes, in, at + 2 * kLanes, gamma2, mean, rstd, mask);
      StoreDx<T, G, Edge>(to + 3 * kLanes, in, at + 3 * kLanes, gamma3, mean, rstd, mask);
    }
  }
}

// `means` has c of every row. dx may lie over x or dy.
template <typename T, typename G, typename Edge>
__aicore__ inline void SecondPass(__ubuf__ typename Edge::Element* dx, uint32_t dx_pitch,
                                  const RowsInUb<T, G>& in, __ubuf__ float* means) {
  constexpr uint32_t kCount = 4;
  const uint16_t fours = static_cast<uint16_t>(in.cols / (kCount * kLanes));
  uint32_t left = in.cols % (kCount * kLanes);
  const uint16_t ones = static_cast<uint16_t>((left + kLanes - 1) / kLanes);
  __VEC_SCOPE__ {
    LaneMask all = AscendC::Reg::CreateMask<float>();
    for (uint16_t i = 0; i < fours; ++i) {
      DxColumns<T, G, Edge, kCount>(dx, dx_pitch, in, means, i * kCount * kLanes, all);
    }
    for (uint16_t i = 0; i < ones; ++i) {
      LaneMask mask = AscendC::Reg::UpdateMask<float>(left);
      DxColumns<T, G, Edge, 1>(dx, dx_pitch, in, means, (fours * kCount + i) * kLanes, mask);
    }
  }
}

#endif  // OP_KERNEL_RMS_NORM_GRAD_REGBASE_SECOND_PASS_H_
