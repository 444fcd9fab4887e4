// The way of rows through UB: x and dy in, in one queue, since a queue's buffers take event ids; dx
// out in another; and gamma, once.
#ifndef OP_KERNEL_COMMON_ROW_QUEUES_H_
#define OP_KERNEL_COMMON_ROW_QUEUES_H_

#include "op_kernel/common/args.h"
#include "op_kernel/common/gm_rows.h"

// x and dy of some rows, in one buffer.
template <typename T>
struct RowsIn {
  AscendC::LocalTensor<T> buffer;
  AscendC::LocalTensor<T> x;
  AscendC::LocalTensor<T> dy;
};

// `D` is what dx is stored in.
template <typename T, typename G, typename D = T>
class RowQueues {
 public:
  __aicore__ inline void Init(const NormGradArgs& args, const NormGradTiling& plan,
                              AscendC::TPipe* pipe) {
    cols_ = plan.cols;
    copy_cols_ = plan.copy_cols;
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
    dy_at_ = plan.ub.x_in / static_cast<uint32_t>(sizeof(T));
    pipe->InitBuffer(in_, plan.in_buffers, plan.ub.x_in + plan.ub.dy_in);
    pipe->InitBuffer(dx_out_, plan.out_buffers, plan.ub.dx_out);
  }

  __aicore__ inline void CopyIn(uint64_t row, uint32_t rows) {
    AscendC::LocalTensor<T> buffer = in_.template AllocTensor<T>();
    if (reads_x_) LoadRows(buffer, x_gm_[row * cols_], rows, cols_, pitch_);
    LoadRows(buffer[dy_at_], dy_gm_[row * cols_], rows, cols_, pitch_);
    in_.EnQue(buffer);
  }

  __aicore__ inline void CopyOut(uint64_t row, uint32_t rows) {
    AscendC::LocalTensor<D> dx = dx_out_.template DeQue<D>();
    StoreRows(dx_gm_[row * cols_], dx, rows, cols_, dx_pitch_);
    dx_out_.FreeTensor(dx);
  }

  // gamma in fp32. It comes once; in 16 bits, through the queue of rows, whose buffers are idle
  // then.
  __aicore__ inline void TakeGamma(const AscendC::LocalTensor<float>& gamma, AscendC::TPipe* pipe) {
    if (!has_gamma_) {
      AscendC::Duplicate(gamma, 1.0f, ub_cols_);
      AscendC::PipeBarrier<PIPE_V>();
      return;
    }
    if constexpr (sizeof(G) == sizeof(float)) {
      LoadColumnsNow(gamma, gamma_gm_, cols_, RoundUp(ub_cols_, kBlockElemsFp32), copy_cols_, pipe);
    } else {
      const uint32_t pitch = RoundUp(cols_, 2 * kBlockElemsFp32);
      AscendC::LocalTensor<T> landing = in_.template AllocTensor<T>();
      LoadColumns(landing.template ReinterpretCast<G>(), gamma_gm_, 1, cols_, pitch, cols_,
                  copy_cols_);
      in_.EnQue(landing);
      landing = in_.template DeQue<T>();
      AscendC::Cast(gamma, landing.template ReinterpretCast<G>(), AscendC::RoundMode::CAST_NONE,
                    ub_cols_);
      in_.FreeTensor(landing);
      AscendC::PipeBarrier<PIPE_V>();
    }
  }

  // Nothing is where x belongs if it is not read.
  __aicore__ inline RowsIn<T> Take() {
    const AscendC::LocalTensor<T> buffer = in_.template DeQue<T>();
    return {buffer, buffer, buffer[dy_at_]};
  }
  __aicore__ inline void GiveBack(RowsIn<T>& rows) { in_.FreeTensor(rows.buffer); }
  __aicore__ inline AscendC::LocalTensor<D> NewDx() { return dx_out_.template AllocTensor<D>(); }

  // A dx that is not to be stored.
  __aicore__ inline void GiveBackDx(AscendC::LocalTensor<D>& dx) { dx_out_.FreeTensor(dx); }
  __aicore__ inline void Finished(const AscendC::LocalTensor<D>& dx) { dx_out_.EnQue(dx); }

 private:
  uint32_t cols_;
  uint32_t copy_cols_;
  uint32_t ub_cols_;
  uint32_t pitch_;
  uint32_t dx_pitch_;
  uint32_t dy_at_;  // in a buffer
  bool reads_x_;
  bool has_gamma_;
  AscendC::GlobalTensor<T> dy_gm_;
  AscendC::GlobalTensor<T> x_gm_;
  AscendC::GlobalTensor<G> gamma_gm_;
  AscendC::GlobalTensor<D> dx_gm_;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> in_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> dx_out_;
};

#endif  // OP_KERNEL_COMMON_ROW_QUEUES_H_
