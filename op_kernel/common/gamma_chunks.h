// gamma, a chunk of columns at a time, in fp32. The next chunk comes while one is worked on; the
// one that is there already is not read again.
#ifndef OP_KERNEL_COMMON_GAMMA_CHUNKS_H_
#define OP_KERNEL_COMMON_GAMMA_CHUNKS_H_

#include "op_kernel/common/args.h"
#include "op_kernel/common/fp32_edge.h"
#include "op_kernel/common/gm_rows.h"

template <typename G>
class GammaChunks {
 public:
  __aicore__ inline void Init(const NormGradArgs& args, const NormGradTiling& plan,
                              AscendC::TPipe* pipe) {
    gm_.SetGlobalBuffer(reinterpret_cast<__gm__ G*>(args.gamma), plan.cols);
    pipe->InitBuffer(in_, 1, plan.ub.gamma_in);
    pipe->InitBuffer(wide_buf_, plan.ub.gamma);
    all_cols_ = plan.cols;
    copy_cols_ = plan.copy_cols;
    here_ = kNone;
    coming_ = kNone;
    has_gamma_ = plan.has_gamma != 0;
    if (!has_gamma_) {
      AscendC::Duplicate(wide_buf_.template Get<float>(), 1.0f,
                         static_cast<int32_t>(plan.chunk_cols));
      AscendC::PipeBarrier<PIPE_V>();
    }
  }

  // Sends for the chunk at `col`.
  __aicore__ inline void Fetch(uint32_t col, uint32_t cols) {
    if (!has_gamma_ || here_ == col || coming_ == col) return;
    AscendC::LocalTensor<G> landing = in_.template AllocTensor<G>();
    LoadColumns(landing, gm_[col], 1, cols, UbCols(cols), all_cols_, copy_cols_);
    in_.EnQue(landing);
    coming_ = col;
  }

  // Only what was fetched last, or what is here. Nothing may still read what was taken before.
  __aicore__ inline AscendC::LocalTensor<float> Take(uint32_t col, uint32_t cols) {
    Fetch(col, cols);
    const AscendC::LocalTensor<float> wide = wide_buf_.template Get<float>();
    if (has_gamma_ && here_ != col) {
      AscendC::LocalTensor<G> landing = in_.template DeQue<G>();
      Fp32Edge<G>::Widen(wide, landing, UbCols(cols));
      in_.FreeTensor(landing);
      AscendC::PipeBarrier<PIPE_V>();
      here_ = col;
      coming_ = kNone;
    }
    return wide;
  }

 private:
  static constexpr uint32_t kNone = 0xFFFFFFFF;
  static constexpr uint32_t kBlockElems = 32 / static_cast<uint32_t>(sizeof(G));

  __aicore__ inline uint32_t UbCols(uint32_t cols) const {
    return RoundUp(RoundUp(cols, copy_cols_), kBlockElems);
  }

  uint32_t all_cols_;
  uint32_t copy_cols_;
  bool has_gamma_;   // else it is 1
  uint32_t here_;    // first column of what is in wide_buf_
  uint32_t coming_;  // and of what is in the queue
  AscendC::GlobalTensor<G> gm_;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> in_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> wide_buf_;
};

#endif  // OP_KERNEL_COMMON_GAMMA_CHUNKS_H_
