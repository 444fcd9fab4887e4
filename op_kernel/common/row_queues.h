// The way of rows through UB: dy and x in, dx out, each in a queue; and gamma, once.
#ifndef OP_KERNEL_COMMON_ROW_QUEUES_H_
#define OP_KERNEL_COMMON_ROW_QUEUES_H_

#include "op_kernel/common/args.h"
#include "op_kernel/common/gm_rows.h"

// `D` is what dx is stored in.
template <typename T, typename G, typename D = T>
class RowQueues {
 public:
  __aicore__ inline void Init(const NormGradArgs& args, const NormGradTiling& plan,
                              AscendC::TPipe* pipe) {
    cols_ = plan.cols;
    ub_cols_ = plan.ub_cols;
    pitch_ = plan.pitch_cols;
    dx_pitch_ = plan.dx_pitch_cols;
    reads_x_ = ReadsX(plan);
    has_gamma_ = plan.has_gamma != 0;
    const uint64_t elems = plan.rows * plan.cols;
    dy_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(args.dy), elems);
    x_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(args.x), elems);
    gamma_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ G*>(args.gamma), plan.cols);
    dx_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ D*>(args.dx), elems);
    pipe->InitBuffer(dy_in_, plan.in_buffers, plan.ub.dy_in);
    pipe->InitBuffer(x_in_, plan.in_buffers, plan.ub.x_in);
    pipe->InitBuffer(dx_out_, plan.out_buffers, plan.ub.dx_out);
  }

  __aicore__ inline void CopyIn(uint64_t row, uint32_t rows) {
    if (reads_x_) {
      AscendC::LocalTensor<T> x = x_in_.template AllocTensor<T>();
      LoadRows(x, x_gm_[row * cols_], rows, cols_, pitch_);
      x_in_.EnQue(x);
    }
    AscendC::LocalTensor<T> dy = dy_in_.template AllocTensor<T>();
    LoadRows(dy, dy_gm_[row * cols_], rows, cols_, pitch_);
    dy_in_.EnQue(dy);
  }

  __aicore__ inline void CopyOut(uint64_t row, uint32_t rows) {
    AscendC::LocalTensor<D> dx = dx_out_.template DeQue<D>();
    StoreRows(dx_gm_[row * cols_], dx, rows, cols_, dx_pitch_);
    dx_out_.FreeTensor(dx);
  }

  // gamma in fp32. It comes once; in 16 bits, through the queue of x, whose buffers are idle then.
  __aicore__ inline void TakeGamma(const AscendC::LocalTensor<float>& gamma, AscendC::TPipe* pipe) {
    if (!has_gamma_) {
      AscendC::Duplicate(gamma, 1.0f, cols_);
      AscendC::PipeBarrier<PIPE_V>();
      return;
    }
    if constexpr (sizeof(G) == sizeof(float)) {
      LoadRowNow(gamma, gamma_gm_, cols_, RoundUp(cols_, kBlockElemsFp32), pipe);
    } else {
      const uint32_t pitch = RoundUp(cols_, 2 * kBlockElemsFp32);
      AscendC::LocalTensor<T> landing = x_in_.template AllocTensor<T>();
      LoadRows(landing.template ReinterpretCast<G>(), gamma_gm_, 1, cols_, pitch);
      x_in_.EnQue(landing);
      landing = x_in_.template DeQue<T>();
      AscendC::Cast(gamma, landing.template ReinterpretCast<G>(), AscendC::RoundMode::CAST_NONE,
                    ub_cols_);
      x_in_.FreeTensor(landing);
      AscendC::PipeBarrier<PIPE_V>();
    }
  }

  __aicore__ inline AscendC::LocalTensor<T> TakeDy() { return dy_in_.template DeQue<T>(); }
  __aicore__ inline AscendC::LocalTensor<T> TakeX() { return x_in_.template DeQue<T>(); }
  __aicore__ inline AscendC::LocalTensor<D> NewDx() { return dx_out_.template AllocTensor<D>(); }

  __aicore__ inline void GiveBackDy(AscendC::LocalTensor<T>& dy) { dy_in_.FreeTensor(dy); }
  // A dx that is not to be stored.
  __aicore__ inline void GiveBackDx(AscendC::LocalTensor<D>& dx) { dx_out_.FreeTensor(dx); }
  __aicore__ inline void GiveBackX(AscendC::LocalTensor<T>& x) { x_in_.FreeTensor(x); }
  __aicore__ inline void Finished(const AscendC::LocalTensor<D>& dx) { dx_out_.EnQue(dx); }

 private:
  uint32_t cols_;
  uint32_t ub_cols_;
  uint32_t pitch_;
  uint32_t dx_pitch_;
  bool reads_x_;
  bool has_gamma_;
  AscendC::GlobalTensor<T> dy_gm_;
  AscendC::GlobalTensor<T> x_gm_;
  AscendC::GlobalTensor<G> gamma_gm_;
  AscendC::GlobalTensor<D> dx_gm_;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> dy_in_;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> x_in_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> dx_out_;
};

#endif  // OP_KERNEL_COMMON_ROW_QUEUES_H_
