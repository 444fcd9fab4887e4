// The second pass over rows in UB, in registers: with u = x - mean, and -c1 and -c2 * rstd of the
// row, dx = (u * -(c2 * rstd) - c1 + dy * gamma) * rstd; either product is added unrounded.
//
// Register instructions per 64 elements in 16 bits: 2 loads, 2 casts, 4 for the arithmetic, a cast
// and a store, one for the values of a row, and gamma once for all rows.
#ifndef OP_KERNEL_LAYER_NORM_GRAD_V3_REGBASE_SECOND_PASS_H_
#define OP_KERNEL_LAYER_NORM_GRAD_V3_REGBASE_SECOND_PASS_H_

#include "op_kernel/layer_norm_grad_v3/regbase/columns.h"

// What a row has for dx, one per row in UB.
struct MeansInUb {
  __ubuf__ float* minus_c1;
  __ubuf__ float* minus_c2_rstd;
};

// The same in all lanes.
struct RowMeans {
  Lanes minus_c1;
  Lanes minus_c2_rstd;
};

// dx of 64 columns of a row. `Edge` stores it.
template <typename T, typename G, typename Edge>
__simd_callee__ inline void StoreDx(__ubuf__ typename Edge::Element* dx, const RowsInUb<T, G>& in,
                                    uint32_t at, Lanes& gamma, RowStats& stats, RowMeans& means,
                                    LaneMask& mask) {
  namespace Reg = AscendC::Reg;
  Lanes result;
  Lanes dy;
  LoadLanes(result, in.x + at, mask);
  LoadLanes(dy, in.dy + at, mask);
  Reg::Sub(result, result, stats.mean, mask);
  Reg::MulDstAdd(result, means.minus_c2_rstd, means.minus_c1, mask);
  Reg::MulAddDst(result, dy, gamma, mask);
  Reg::Mul(result, result, stats.rstd, mask);
  Edge::Store(dx, result, mask);
}

// `kCount` registers of all rows: 4 whole ones, or one of which `mask` has the columns that exist.
template <typename T, typename G, typename Edge, int kCount>
__simd_callee__ inline void DxColumns(__ubuf__ typename Edge::Element* dx, uint32_t dx_pitch,
                                      const RowsInUb<T, G>& in, const MeansInUb& means,
                                      uint32_t col, LaneMask& mask) {
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
    RowStats stats;
    RowMeans of_row;
    LoadRowValue(stats.rstd, in.rstd + row);
    LoadRowValue(stats.mean, in.mean + row);
    LoadRowValue(of_row.minus_c1, means.minus_c1 + row);
    LoadRowValue(of_row.minus_c2_rstd, means.minus_c2_rstd + row);
    StoreDx<T, G, Edge>(to, in, at, gamma0, stats, of_row, mask);
    if constexpr (kCount > 1) {
      StoreDx<T, G, Edge>(to + kLanes, in, at + kLanes, gamma1, stats, of_row, mask);
      StoreDx<T, G, Edge>(to + 2 * kLanes, in, at + 2 * kLanes, gamma2, stats, of_row, mask);
      StoreDx<T, G, Edge>(to + 3 * kLanes, in, at + 3 * kLanes, gamma3, stats, of_row, mask);
    }
  }
}

// dx may lie over x or dy.
template <typename T, typename G, typename Edge>
__aicore__ inline void SecondPass(__ubuf__ typename Edge::Element* dx, uint32_t dx_pitch,
                                  const RowsInUb<T, G>& in, const MeansInUb& means) {
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

#endif  // OP_KERNEL_LAYER_NORM_GRAD_V3_REGBASE_SECOND_PASS_H_
