// dgamma across cores: every core leaves its sum in the workspace, all meet once, then the columns
// are dealt out again in strips; a core adds up the cores' sums of its strips in a fixed tree. Same
// bits under any schedule, no atomics; 8 bytes of traffic per column and core.
//
// Sync: one SyncAll. Per strip the queue orders MTE2 -> V -> MTE3.
#ifndef OP_KERNEL_RMS_NORM_GRAD_DGAMMA_PARTIALS_H_
#define OP_KERNEL_RMS_NORM_GRAD_DGAMMA_PARTIALS_H_

#include "op_kernel/rms_norm_grad/dgamma_sum.h"

class DgammaPartials {
 public:
  __aicore__ inline void Init(const RmsNormGradArgs& args, const RmsNormGradTiling& plan) {
    cols_ = plan.cols;
    cores_ = plan.cores;
    pitch_ = plan.partial_pitch_cols;
    strip_cols_ = plan.strip_cols;
    partials_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(args.workspace));
    dgamma_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(args.dgamma), cols_);
  }

  // Where this core's sum goes: straight to dgamma if there is no other core.
  __aicore__ inline AscendC::GlobalTensor<float> Destination() const {
    return cores_ == 1 ? dgamma_gm_ : partials_gm_[AscendC::GetBlockIdx() * pitch_];
  }

  // After the core's sum is stored. All UB buffers of the first phase are given up.
  __aicore__ inline void SumOverCores(const RmsNormGradTiling& plan, AscendC::TPipe* pipe) {
    if (cores_ == 1) return;
    AscendC::SyncAll();
    pipe->Reset();
    pipe->InitBuffer(partials_in_, 1, plan.ub.partials_in);
    pipe->InitBuffer(dgamma_out_, 1, plan.ub.dgamma_out);
    const uint32_t step = cores_ * strip_cols_;
    for (uint32_t col = AscendC::GetBlockIdx() * strip_cols_; col < cols_; col += step) {
      SumStrip(col, Smaller(strip_cols_, cols_ - col));
    }
  }

 private:
  __aicore__ inline void SumStrip(uint32_t col, uint32_t cols) {
    const uint32_t strip_pitch = RoundUp(cols, kBlockElemsFp32);
    AscendC::LocalTensor<float> partials = partials_in_.AllocTensor<float>();
    AscendC::DataCopyExtParams copy;
    copy.blockCount = static_cast<uint16_t>(cores_);
    copy.blockLen = cols * static_cast<uint32_t>(sizeof(float));
    copy.srcStride = (pitch_ - cols) * static_cast<uint32_t>(sizeof(float));
    copy.dstStride = 0;
    copy.rsv = 0;
    AscendC::DataCopyPadExtParams<float> pad;
    pad.isPad = true;
    pad.leftPadding = 0;
    pad.rightPadding = static_cast<uint8_t>(strip_pitch - cols);
    pad.paddingValue = 0.0f;
    AscendC::DataCopyPad(partials, partials_gm_[col], copy, pad);
    partials_in_.EnQue(partials);

    partials = partials_in_.DeQue<float>();
    HalveRows(partials, cores_, strip_pitch, strip_pitch);
    AscendC::LocalTensor<float> dgamma = dgamma_out_.AllocTensor<float>();
    AscendC::DataCopy(dgamma, partials, strip_pitch);
    partials_in_.FreeTensor(partials);
    dgamma_out_.EnQue(dgamma);

    dgamma = dgamma_out_.DeQue<float>();
    StoreRows(dgamma_gm_[col], dgamma, 1, cols, cols);
    dgamma_out_.FreeTensor(dgamma);
  }

  uint32_t cols_;
  uint32_t cores_;
  uint32_t pitch_;
  uint32_t strip_cols_;
  AscendC::GlobalTensor<float> partials_gm_;
  AscendC::GlobalTensor<float> dgamma_gm_;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> partials_in_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> dgamma_out_;
};

#endif  // OP_KERNEL_RMS_NORM_GRAD_DGAMMA_PARTIALS_H_
