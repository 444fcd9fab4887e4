// A sum over rows of 64 columns while it is in registers: per column a (hi, lo) pair, or one
// accumulator, which is lo then. Rows are added up four at a time, (r0 + r1) + (r2 + r3), before lo
// takes their sum.
#ifndef OP_KERNEL_COMMON_REGBASE_OVER_ROWS_H_
#define OP_KERNEL_COMMON_REGBASE_OVER_ROWS_H_

#include "op_kernel/common/regbase/lanes.h"

// In UB, one per column.
struct SumInUb {
  __ubuf__ float* hi;
  __ubuf__ float* lo;  // what hi can not hold; of one accumulator, that
};

// `kHasPair`: hi takes what it can of lo each time.
template <bool kHasPair>
struct OverRows {
  Lanes lo;
  Lanes hi;
  Lanes sum;   // of the first and the second row of four: the first one is computed here ...
  Lanes late;  // of the third and the fourth one: ... and the third one here

  __simd_callee__ inline void Begin(const SumInUb& from, uint32_t at) {
    AscendC::Reg::LoadAlign(lo, from.lo + at);
    if constexpr (kHasPair) AscendC::Reg::LoadAlign(hi, from.hi + at);
  }

  // The second or the fourth row (1, 3).
  template <int kRow>
  __simd_callee__ inline void Take(Lanes& value, LaneMask& mask) {
    Lanes& pair = kRow == 1 ? sum : late;
    AscendC::Reg::Add(pair, pair, value, mask);
  }

  // lo takes the sum of `kRows` rows, and hi what it can hold of it: a fast two-sum, whose error
  // stays near one rounding however many rows there are. Where hi becomes Inf or NaN nothing is
  // left: Inf - Inf would make NaN of all later sums.
  template <int kRows>
  __simd_callee__ inline void AddUp(LaneMask& mask) {
    namespace Reg = AscendC::Reg;
    if constexpr (kRows > 2) Reg::Add(sum, sum, late, mask);
    Reg::Add(lo, lo, sum, mask);
    if constexpr (kHasPair) {
      Lanes total;
      Lanes arrived;
      LaneMask is_finite;
      Reg::Add(total, hi, lo, mask);
      Reg::Sub(arrived, total, total, mask);
      Reg::Compare<float, AscendC::CMPMODE::EQ>(is_finite, arrived, arrived, mask);
      Reg::Sub(arrived, total, hi, mask);
      Reg::Sub(lo, lo, arrived, is_finite);
      Reg::Move(hi, total, mask);
    }
  }

  __simd_callee__ inline void End(const SumInUb& to, uint32_t at, LaneMask& mask) {
    AscendC::Reg::StoreAlign(to.lo + at, lo, mask);
    if constexpr (kHasPair) AscendC::Reg::StoreAlign(to.hi + at, hi, mask);
  }
};

#endif  // OP_KERNEL_COMMON_REGBASE_OVER_ROWS_H_
