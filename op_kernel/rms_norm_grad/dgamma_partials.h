// dgamma over partial sums, each in a slot of the workspace: a core leaves there the sum of all its
// rows or, where the bits must not depend on the number of cores, of each of its groups of rows.
// All cores meet, then columns are dealt out in strips, whose slots are added up in a fixed tree:
// blocks of 64 slots by halving, the sums of blocks in the same way, and the sums of 64 blocks into
// a (hi, lo) pair. Same bits under any schedule, no atomics.
//
// Bytes: 8 per column and slot. Sync: one SyncAll; with more than one block they are dealt
// to cores first, which leave their sums in the workspace too, and a second SyncAll follows. Per
// strip the queues order MTE2 -> V -> MTE3.
#ifndef OP_KERNEL_RMS_NORM_GRAD_DGAMMA_PARTIALS_H_
#define OP_KERNEL_RMS_NORM_GRAD_DGAMMA_PARTIALS_H_

#include "op_kernel/rms_norm_grad/dgamma_sum.h"

class DgammaPartials {
 public:
  __aicore__ inline void Init(const RmsNormGradArgs& args, const RmsNormGradTiling& plan,
                              AscendC::TPipe* pipe) {
    cols_ = plan.cols;
    cores_ = plan.cores;
    slots_ = plan.partial_slots;
    blocks_ = (slots_ + kPartialsPerBlock - 1) / kPartialsPerBlock;
    pitch_ = plan.partial_pitch_cols;
    partials_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(args.workspace));
    dgamma_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(args.dgamma), cols_);
    meeting_.Init(args.workspace, plan.counters_at, plan.cores, pipe);
  }

  // Everything that the cores have stored is there for all of them.
  __aicore__ inline void Meet() { meeting_.Meet(); }

  // Where the sum of a slot goes: straight to dgamma if there is no other.
  __aicore__ inline AscendC::GlobalTensor<float> Destination(uint64_t slot) const {
    return slots_ == 1 ? dgamma_gm_ : partials_gm_[slot * pitch_];
  }

  // After the core's sums are stored. All UB buffers of the first phase are given up.
  __aicore__ inline void SumOverPartials(const RmsNormGradTiling& plan, AscendC::TPipe* pipe) {
    if (slots_ == 1) return;
    Meet();
    SumStrips(plan, pipe);
  }

  // The same for cores that have met since they stored their sums and whose pipes are idle.
  __aicore__ inline void SumStrips(const RmsNormGradTiling& plan, AscendC::TPipe* pipe) {
    if (slots_ == 1) return;
    pipe->Reset();
    meeting_.Renew(pipe);
    pipe->InitBuffer(partials_in_, plan.partial_buffers, plan.ub.partials_in);
    pipe->InitBuffer(dgamma_out_, 1, plan.ub.dgamma_out);
    AscendC::GlobalTensor<float> rows = partials_gm_;
    if (blocks_ > 1) {
      const AscendC::GlobalTensor<float> block_sums = partials_gm_[slots_ * pitch_];
      SumBlocks(block_sums, plan.block_strip_cols);
      Meet();
      rows = block_sums;
    }
    const uint32_t first = AscendC::GetBlockIdx() * plan.strip_cols;
    const uint32_t step = cores_ * plan.strip_cols;
    if (blocks_ > kPartialsPerBlock && first + kLeastStoreFp32 <= cols_) {
      blocks_sum_.Init(plan.ub.strip_hi, plan.ub.strip_lo, plan.ub.strip_mask, 1, kLeastStoreFp32,
                       pipe);
    }
    for (uint32_t col = first; col + kLeastStoreFp32 <= cols_; col += step) {
      const uint32_t cols = ColsOfStrip(col, plan.strip_cols);
      if (blocks_ > kPartialsPerBlock) {
        SumStripOfBlocks(rows[col], col, cols, col + step + kLeastStoreFp32 > cols_, pipe);
      } else {
        SumStrip(dgamma_gm_[col], rows[col], Rows(blocks_ > 1 ? blocks_ : slots_), cols);
      }
    }
  }

 private:
  // Of the strip at `col`: the last one takes what is too short to be stored by itself.
  __aicore__ inline uint32_t ColsOfStrip(uint32_t col, uint32_t strip_cols) const {
    const uint32_t left = cols_ - col;
    return left < strip_cols + kLeastStoreFp32 ? left : strip_cols;
  }

  // Of at most one block.
  __aicore__ inline uint32_t Rows(uint64_t rows) const {
    return rows < kPartialsPerBlock ? static_cast<uint32_t>(rows) : kPartialsPerBlock;
  }

  // Blocks and, within them, strips, dealt to the cores.
  __aicore__ inline void SumBlocks(const AscendC::GlobalTensor<float>& sums, uint32_t strip_cols) {
    const uint64_t strips = (cols_ - kLeastStoreFp32) / strip_cols + 1;
    for (uint64_t i = AscendC::GetBlockIdx(); i < blocks_ * strips; i += cores_) {
      const uint64_t block = i / strips;
      const uint32_t col = static_cast<uint32_t>(i % strips) * strip_cols;
      const uint64_t first = block * kPartialsPerBlock;
      SumStrip(sums[block * pitch_ + col], partials_gm_[first * pitch_ + col], Rows(slots_ - first),
               ColsOfStrip(col, strip_cols));
    }
  }

  __aicore__ inline void SumStrip(const AscendC::GlobalTensor<float>& dst,
                                  const AscendC::GlobalTensor<float>& src, uint32_t rows,
                                  uint32_t cols) {
    AscendC::LocalTensor<float> strips = LoadAndHalve(src, rows, cols);
    AscendC::LocalTensor<float> sum = dgamma_out_.AllocTensor<float>();
    AscendC::DataCopy(sum, strips, RoundUp(cols, kBlockElemsFp32));
    partials_in_.FreeTensor(strips);
    dgamma_out_.EnQue(sum);

    sum = dgamma_out_.DeQue<float>();
    StoreRows(dst, sum, 1, cols, cols);
    dgamma_out_.FreeTensor(sum);
  }

  // More sums of blocks than make a block in turn. `is_last`: the core's last strip.
  __aicore__ inline void SumStripOfBlocks(const AscendC::GlobalTensor<float>& src, uint32_t col,
                                          uint32_t cols, bool is_last, AscendC::TPipe* pipe) {
    for (uint64_t block = 0; block < blocks_; block += kPartialsPerBlock) {
      AscendC::LocalTensor<float> strips =
          LoadAndHalve(src[block * pitch_], Rows(blocks_ - block), cols);
      blocks_sum_.Add(0, strips, strips, RoundUp(cols, kBlockElemsFp32));
      blocks_sum_.Next();
      if (block + kPartialsPerBlock >= blocks_) {
        blocks_sum_.Store(dgamma_gm_[col], cols, strips, blocks_sum_.PaddedCols(), is_last, pipe);
      }
      partials_in_.FreeTensor(strips);
    }
  }

  // The sum is the first row of the answer, which goes back to its queue.
  __aicore__ inline AscendC::LocalTensor<float> LoadAndHalve(
      const AscendC::GlobalTensor<float>& src, uint32_t rows, uint32_t cols) {
    const uint32_t strip_pitch = RoundUp(cols, kBlockElemsFp32);
    AscendC::LocalTensor<float> strips = partials_in_.AllocTensor<float>();
    LoadPart(strips, src, rows, cols, strip_pitch, pitch_);
    partials_in_.EnQue(strips);

    strips = partials_in_.DeQue<float>();
    HalveRows(strips, rows, strip_pitch, strip_pitch);
    return strips;
  }

  uint32_t cols_;
  uint32_t cores_;
  uint32_t pitch_;
  uint64_t slots_;
  uint64_t blocks_;  // of slots
  AscendC::GlobalTensor<float> partials_gm_;
  AscendC::GlobalTensor<float> dgamma_gm_;
  Meeting meeting_;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> partials_in_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> dgamma_out_;
  DgammaSum blocks_sum_;
};

#endif  // OP_KERNEL_RMS_NORM_GRAD_DGAMMA_PARTIALS_H_
