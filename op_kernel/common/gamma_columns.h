// gamma of all columns in UB for the whole of a launch, in fp32 or, where there is no room for
// that, as it came.
#ifndef OP_KERNEL_COMMON_GAMMA_COLUMNS_H_
#define OP_KERNEL_COMMON_GAMMA_COLUMNS_H_

#include "op_kernel/common/args.h"
#include "op_kernel/common/fp32_edge.h"
#include "op_kernel/common/gm_rows.h"

// gamma of some columns, in fp32 or as it came.
template <typename G>
struct GammaColumns {
  bool is_wide;
  AscendC::LocalTensor<float> wide;
  AscendC::LocalTensor<G> narrow;

  __aicore__ inline GammaColumns operator[](uint32_t col) const {
    return is_wide ? GammaColumns{true, wide[col], narrow} : GammaColumns{false, wide, narrow[col]};
  }

  __aicore__ inline AscendC::LocalTensor<G> AsItCame() const {
    if constexpr (sizeof(G) == sizeof(float)) {
      return wide;
    } else {
      return narrow;
    }
  }

  // fp32 of the first `count` columns, in `spare` if they have to be widened.
  __aicore__ inline AscendC::LocalTensor<float> Widened(const AscendC::LocalTensor<float>& spare,
                                                        uint32_t count) const {
    if constexpr (sizeof(G) < sizeof(float)) {
      if (!is_wide) {
        AscendC::Cast(spare, narrow, AscendC::RoundMode::CAST_NONE, count);
        return spare;
      }
    }
    return wide;
  }
};

// gamma in `place`. 16 bits are widened from `landing`, which may be written again afterwards.
template <typename G>
__aicore__ inline GammaColumns<G> TakeGammaColumns(const NormGradArgs& args,
                                                   const NormGradTiling& plan,
                                                   const AscendC::LocalTensor<G>& place,
                                                   const AscendC::LocalTensor<G>& landing,
                                                   AscendC::TPipe* pipe) {
  constexpr bool kWideInGm = sizeof(G) == sizeof(float);
  constexpr uint32_t kBlockElems = 32 / static_cast<uint32_t>(sizeof(G));
  GammaColumns<G> gamma;
  gamma.is_wide = kWideInGm || plan.gamma_is_wide != 0;
  gamma.wide = place.template ReinterpretCast<float>();
  gamma.narrow = place;
  if (plan.has_gamma == 0) {
    if (gamma.is_wide) {
      AscendC::Duplicate(gamma.wide, 1.0f, plan.ub_cols);
    } else {
      AscendC::Duplicate(gamma.narrow, static_cast<G>(1.0f), plan.ub_cols);
    }
    AscendC::PipeBarrier<PIPE_V>();
    return gamma;
  }
  AscendC::GlobalTensor<G> gamma_gm;
  gamma_gm.SetGlobalBuffer(reinterpret_cast<__gm__ G*>(args.gamma), plan.cols);
  const uint32_t pitch = RoundUp(plan.ub_cols, kBlockElems);
  if (kWideInGm || !gamma.is_wide) {
    LoadColumnsNow(gamma.narrow, gamma_gm, plan.cols, pitch, plan.copy_cols, pipe);
    return gamma;
  }
  if constexpr (!kWideInGm) {
    LoadColumnsNow(landing, gamma_gm, plan.cols, pitch, plan.copy_cols, pipe);
    AscendC::Cast(gamma.wide, landing, AscendC::RoundMode::CAST_NONE, plan.ub_cols);
    AscendC::PipeBarrier<PIPE_V>();
    const AscendC::TEventID event = pipe->FetchEventID(AscendC::HardEvent::V_MTE2);
    AscendC::SetFlag<AscendC::HardEvent::V_MTE2>(event);
    AscendC::WaitFlag<AscendC::HardEvent::V_MTE2>(event);
  }
  return gamma;
}

#endif  // OP_KERNEL_COMMON_GAMMA_COLUMNS_H_
