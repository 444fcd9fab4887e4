// The second pass over rows in UB, in registers: dx = (dy * gamma + x * c) * rstd, with c = minus
// the row's mean times rstd; x * c + ... rounds once.
//
// Register instructions per 64 elements in 16 bits: 2 loads, 2 casts, 3 for the arithmetic, a cast
// and a store, half for the values of a row, and gamma once for all rows.
#ifndef OP_KERNEL_RMS_NORM_GRAD_REGBASE_SECOND_PASS_H_
#define OP_KERNEL_RMS_NORM_GRAD_REGBASE_SECOND_PASS_H_

#include "op_kernel/common/args.h"
#include "op_kernel/rms_norm_grad/regbase/first_pass.h"

// dx of 64 columns of a row, in fp32; x of them is loaded into `x`.
template <typename T, typename G>
__simd_callee__ inline void DxOf(Lanes& dx, Lanes& x, const RowsInUb<T, G>& in, uint32_t at,
                                 Lanes& gamma, Lanes& mean, Lanes& rstd, LaneMask& mask) {
  namespace Reg = AscendC::Reg;
  LoadLanes(x, in.x + at, mask);
  LoadLanes(dx, in.dy + at, mask);
  Reg::Mul(dx, dx, gamma, mask);
  Reg::MulAddDst(dx, x, mean, mask);
  Reg::Mul(dx, dx, rstd, mask);
}

// `kCount` registers of all rows: 4 whole ones, or one of which `mask` has the columns that exist.
// `kOverX`: dx lies over x in narrower elements, so that what is stored covers x of columns before,
// of this call or of an earlier one, whose loads must be through.
template <bool kOverX, int kCount, typename T, typename G, typename Edge>
__simd_callee__ inline void DxColumns(Edge& edge, __ubuf__ typename Edge::Element* dx,
                                      uint32_t dx_pitch, const RowsInUb<T, G>& in,
                                      __ubuf__ float* means, uint32_t col, LaneMask& mask) {
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
    Lanes dx0;
    Lanes dx1;
    Lanes dx2;
    Lanes dx3;
    Lanes x0;
    Lanes x1;
    Lanes x2;
    Lanes x3;
    LoadRowValue(mean, means + row);
    LoadRowValue(rstd, in.rstd + row);
    DxOf(dx0, x0, in, at, gamma0, mean, rstd, mask);
    if constexpr (kCount > 1) {
      DxOf(dx1, x1, in, at + kLanes, gamma1, mean, rstd, mask);
      DxOf(dx2, x2, in, at + 2 * kLanes, gamma2, mean, rstd, mask);
      DxOf(dx3, x3, in, at + 3 * kLanes, gamma3, mean, rstd, mask);
    }
    if constexpr (kOverX && sizeof(typename Edge::Element) < sizeof(T)) {
      AscendC::Reg::LocalMemBar<AscendC::Reg::MemType::VEC_LOAD,
                                AscendC::Reg::MemType::VEC_STORE>();
    }
    edge.Store(to, dx0, mask);
    if constexpr (kCount > 1) {
      edge.Store(to + kLanes, dx1, mask);
      edge.Store(to + 2 * kLanes, dx2, mask);
      edge.Store(to + 3 * kLanes, dx3, mask);
    }
  }
}

// `means` has c of every row. dx may lie over x with `kOverX`, one row at a time if it is narrower,
// and over x or dy if it is not.
template <bool kOverX, typename Edge, typename T, typename G>
__aicore__ inline void SecondPass(__ubuf__ typename Edge::Element* dx, uint32_t dx_pitch,
                                  const RowsInUb<T, G>& in, __ubuf__ float* means,
                                  const typename Edge::Place& place) {
  constexpr uint32_t kCount = 4;
  const uint16_t fours = static_cast<uint16_t>(in.cols / (kCount * kLanes));
  uint32_t left = in.cols % (kCount * kLanes);
  const uint16_t ones = static_cast<uint16_t>((left + kLanes - 1) / kLanes);
  __VEC_SCOPE__ {
    LaneMask all = AscendC::Reg::CreateMask<float>();
    Edge edge;
    edge.Begin(place);
    for (uint16_t i = 0; i < fours; ++i) {
      DxColumns<kOverX, kCount>(edge, dx, dx_pitch, in, means, i * kCount * kLanes, all);
    }
    for (uint16_t i = 0; i < ones; ++i) {
      LaneMask mask = AscendC::Reg::UpdateMask<float>(left);
      DxColumns<kOverX, 1>(edge, dx, dx_pitch, in, means, (fours * kCount + i) * kLanes, mask);
    }
  }
}

// How dx is stored that is rounded to the dtype of dy. Another operator brings a store of its own.
template <typename T>
class PlainStore {
 public:
  using Element = T;

  __aicore__ inline void Init(const NormGradArgs&, const NormGradTiling&, AscendC::TPipe*) {}

  template <bool kOverX, typename G>
  __aicore__ inline void Second(__ubuf__ T* dx, uint32_t dx_pitch, const RowsInUb<T, G>& in,
                                __ubuf__ float* means) {
    SecondPass<kOverX, StoreRounded<T>>(dx, dx_pitch, in, means, {});
  }
};

#endif  // OP_KERNEL_RMS_NORM_GRAD_REGBASE_SECOND_PASS_H_
