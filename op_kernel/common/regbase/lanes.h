// Where UB meets the fp32 lanes of a register, the dtype of all arithmetic: 64 elements a register,
// whatever their dtype in UB. What a vector function computes between a load and a store knows
// neither dtype.
#ifndef OP_KERNEL_COMMON_REGBASE_LANES_H_
#define OP_KERNEL_COMMON_REGBASE_LANES_H_

#include "kernel_operator.h"

constexpr uint32_t kLanes = 64;  // fp32 of a register

using Lanes = AscendC::Reg::RegTensor<float>;
using LaneMask = AscendC::Reg::MaskReg;

// 64 elements from a 32 B block on. Lanes behind the data hold what lies there: the first
// multiplication has a mask.
template <typename T>
__simd_callee__ inline void LoadLanes(Lanes& lanes, __ubuf__ T* at, LaneMask& mask) {
  namespace Reg = AscendC::Reg;
  if constexpr (sizeof(T) == sizeof(float)) {
    Reg::LoadAlign(lanes, at);
  } else {
    // Each element lands in the lower half of a lane, which the layout ZERO reads.
    constexpr static Reg::CastTrait kWiden = {Reg::RegLayout::ZERO, Reg::SatMode::UNKNOWN,
                                              Reg::MaskMergeMode::ZEROING,
                                              AscendC::RoundMode::UNKNOWN};
    Reg::RegTensor<T> narrow;
    Reg::LoadAlign<T, Reg::LoadDist::DIST_UNPACK_B16>(narrow, at);
    Reg::Cast<float, T, kWiden>(lanes, narrow, mask);
  }
}

// One value of a row, in all lanes.
__simd_callee__ inline void LoadRowValue(Lanes& lanes, __ubuf__ float* at) {
  AscendC::Reg::LoadAlign<float, AscendC::Reg::LoadDist::DIST_BRC_B32>(lanes, at);
}

// The edge of a vector function that rounds results to their dtype and does nothing else. Another
// operator brings an edge of its own, with the same members.
template <typename T>
struct StoreRounded {
  using Element = T;
  struct Place {};  // of what it reads from UB

  __simd_callee__ inline void Begin(const Place&) {}

  // 64 results, from a 32 B block on; `lanes` is used up.
  __simd_callee__ static inline void Store(__ubuf__ T* at, Lanes& lanes, LaneMask& mask) {
    namespace Reg = AscendC::Reg;
    if constexpr (sizeof(T) == sizeof(float)) {
      Reg::StoreAlign(at, lanes, mask);
    } else {
      constexpr static Reg::CastTrait kNarrow = {Reg::RegLayout::ZERO, Reg::SatMode::NO_SAT,
                                                 Reg::MaskMergeMode::ZEROING,
                                                 AscendC::RoundMode::CAST_RINT};
      Reg::RegTensor<T> narrow;
      Reg::Cast<T, float, kNarrow>(narrow, lanes, mask);
      Reg::StoreAlign<T, Reg::StoreDist::DIST_PACK_B32>(at, narrow, mask);
    }
  }
};

// `count` numbers, one after another, in fp32.
template <typename T>
__aicore__ inline void WidenValues(__ubuf__ float* dst, __ubuf__ T* src, uint32_t count) {
  const uint16_t registers = static_cast<uint16_t>((count + kLanes - 1) / kLanes);
  uint32_t left = count;
  __VEC_SCOPE__ {
    for (uint16_t i = 0; i < registers; ++i) {
      Lanes values;
      LaneMask mask = AscendC::Reg::UpdateMask<float>(left);
      LoadLanes(values, src + i * kLanes, mask);
      AscendC::Reg::StoreAlign(dst + i * kLanes, values, mask);
    }
  }
}

// UB of a tensor, for registers.
template <typename T>
__aicore__ inline __ubuf__ T* UbOf(const AscendC::LocalTensor<T>& tensor) {
  return reinterpret_cast<__ubuf__ T*>(tensor.GetPhyAddr());
}

#endif  // OP_KERNEL_COMMON_REGBASE_LANES_H_
