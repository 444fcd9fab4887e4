// Who decides how conversions saturate: the control register for all, as a kernel finds it, or each
// cast for itself, as a kernel needs whose results must not depend on the host's mode.
#ifndef OP_KERNEL_RMS_NORM_GRAD_QUANT_REGBASE_OWN_SATURATION_H_
#define OP_KERNEL_RMS_NORM_GRAD_QUANT_REGBASE_OWN_SATURATION_H_

#include "kernel_operator.h"

class OwnSaturation {
 public:
  __aicore__ inline void Begin() {
    found_ = AscendC::GetCtrlSpr<kGlobal, kGlobal>();
    AscendC::SetCtrlSpr<kGlobal, kGlobal>(0);
  }

  // Before the kernel ends: the next one finds what this one found.
  __aicore__ inline void End() { AscendC::SetCtrlSpr<kGlobal, kGlobal>(found_); }

 private:
  static constexpr int8_t kGlobal = 60;  // of the control register: 1: it decides for all

  int64_t found_;
};

#endif  // OP_KERNEL_RMS_NORM_GRAD_QUANT_REGBASE_OWN_SATURATION_H_
