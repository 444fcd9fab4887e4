// Values of rows, in registers: a row's sum from its leaves, and what its mean becomes for dx.
#ifndef OP_KERNEL_COMMON_REGBASE_ROW_MEANS_H_
#define OP_KERNEL_COMMON_REGBASE_ROW_MEANS_H_

#include "op_kernel/common/regbase/lanes.h"

// sums[row] = the row's `leaves` leaf sums, at most 64: 0+1, 2+3, ..., an odd last one as it is.
__aicore__ inline void SumLeaves(__ubuf__ float* sums, __ubuf__ float* leaf, uint32_t leaf_pitch,
                                 uint32_t rows, uint32_t leaves) {
  namespace Reg = AscendC::Reg;
  const uint16_t count = static_cast<uint16_t>(rows);
  uint32_t left = leaves;
  __VEC_SCOPE__ {
    LaneMask mask = Reg::UpdateMask<float>(left);
    for (uint16_t row = 0; row < count; ++row) {
      Lanes sum;
      Reg::LoadAlign(sum, leaf + row * leaf_pitch);
      Reg::Reduce<Reg::ReduceType::SUM>(sum, sum, mask);
      Reg::StoreAlign<float, Reg::StoreDist::DIST_FIRST_ELEMENT_B32>(sums + row, sum, mask);
    }
  }
}

// A division is correctly rounded, and subnormal numbers are kept.
constexpr AscendC::Reg::DivSpecificMode kExactDivision = {
    AscendC::Reg::MaskMergeMode::ZEROING, true, AscendC::DivAlgo::PRECISION_0ULP_FTZ_FALSE};

// means[row] = minus sums[row] / cols. 0 is added to a sum first, since whether one of nothing but
// -0 is -0 depends on how much padding took part.
__aicore__ inline void MinusMeansFromSums(__ubuf__ float* means, __ubuf__ float* sums,
                                          uint32_t rows, uint32_t cols) {
  namespace Reg = AscendC::Reg;
  const float minus_cols = -static_cast<float>(cols);
  const uint16_t count = static_cast<uint16_t>((rows + kLanes - 1) / kLanes);
  uint32_t left = rows;
  __VEC_SCOPE__ {
    Lanes by;
    Reg::Duplicate(by, minus_cols);
    for (uint16_t i = 0; i < count; ++i) {
      Lanes mean;
      LaneMask mask = Reg::UpdateMask<float>(left);
      Reg::LoadAlign(mean, sums + i * kLanes);
      Reg::Adds(mean, mean, 0.0f, mask);
      Reg::Div<float, &kExactDivision>(mean, mean, by, mask);
      Reg::StoreAlign(means + i * kLanes, mean, mask);
    }
  }
}

// means[row] = minus sums[row] / cols times rstd[row], rounded once: what the quotient and the
// product leave over is added. 0 is added to a sum first, as above.
__aicore__ inline void MeansFromSums(__ubuf__ float* means, __ubuf__ float* sums,
                                     __ubuf__ float* rstd, uint32_t rows, uint32_t cols) {
  namespace Reg = AscendC::Reg;
  const float plus_cols = static_cast<float>(cols);
  const uint16_t count = static_cast<uint16_t>((rows + kLanes - 1) / kLanes);
  uint32_t left = rows;
  __VEC_SCOPE__ {
    Lanes by;
    Lanes minus_by;
    Reg::Duplicate(by, -plus_cols);
    Reg::Duplicate(minus_by, plus_cols);
    for (uint16_t i = 0; i < count; ++i) {
      Lanes mean;
      Lanes times;
      Lanes rest;
      Lanes result;
      Lanes lost;
      LaneMask is_finite;
      LaneMask mask = Reg::UpdateMask<float>(left);
      Reg::UnalignRegForLoad between;  // a tile's rstd may begin between two blocks
      Reg::LoadUnAlignPre(between, rstd + i * kLanes);
      Reg::LoadUnAlign(times, between, rstd + i * kLanes);
      Reg::LoadAlign(rest, sums + i * kLanes);
      Reg::Adds(rest, rest, 0.0f, mask);
      Reg::Div<float, &kExactDivision>(mean, rest, by, mask);
      Reg::MulAddDst(rest, mean, minus_by, mask);  // the remainder
      Reg::Div<float, &kExactDivision>(rest, rest, by, mask);
      Reg::Mul(result, mean, times, mask);
      Reg::Muls(lost, result, -1.0f, mask);
      Reg::MulAddDst(lost, mean, times, mask);
      Reg::MulAddDst(lost, rest, times, mask);
      // Of Inf the rest is NaN, which does not count.
      Reg::Sub(rest, result, result, mask);
      Reg::Compare<float, AscendC::CMPMODE::EQ>(is_finite, rest, rest, mask);
      Reg::Add<float, Reg::MaskMergeMode::MERGING>(result, result, lost, is_finite);
      Reg::StoreAlign(means + i * kLanes, result, mask);
    }
  }
}

#endif  // OP_KERNEL_COMMON_REGBASE_ROW_MEANS_H_
