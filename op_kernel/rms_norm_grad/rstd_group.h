// rstd for strategies that work on one row at a time: it comes for 32 rows in one copy, since a
// copy of 4 bytes costs as much as one of 128, and the next group is on its way while one is in
// use.
#ifndef OP_KERNEL_RMS_NORM_GRAD_RSTD_GROUP_H_
#define OP_KERNEL_RMS_NORM_GRAD_RSTD_GROUP_H_

#include "op_kernel/common/args.h"
#include "op_kernel/common/gm_rows.h"

class RstdGroup {
 public:
  __aicore__ inline void Init(const NormGradArgs& args, const NormGradTiling& plan,
                              AscendC::TPipe* pipe) {
    rows_ = plan.rstd_rows;
    all_rows_ = plan.rows;
    gm_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(args.rstd), plan.rows);
    pipe->InitBuffer(queue_, 1, plan.ub.rstd_in);
  }

  // Before the core's first row.
  __aicore__ inline void CopyIn(uint64_t row, uint64_t end) {
    if (row >= end) return;
    const uint32_t rows = RowsOfGroup(row, end);
    AscendC::LocalTensor<float> rstd = queue_.AllocTensor<float>();
    LoadValues(rstd, gm_[row], rows, all_rows_ - row);
    queue_.EnQue(rstd);
  }

  // Before work on `row`, the core's row number `done`: its index in `statistics`, which get the
  // next group when it begins.
  template <typename Statistics>
  __aicore__ inline uint32_t Take(uint64_t done, uint64_t row, uint64_t end,
                                  Statistics& statistics) {
    const uint32_t in_group = static_cast<uint32_t>(done % rows_);
    if (in_group == 0) {
      AscendC::LocalTensor<float> rstd = queue_.DeQue<float>();
      statistics.SetRstd(rstd, RowsOfGroup(row, end));
      queue_.FreeTensor(rstd);
      AscendC::PipeBarrier<PIPE_V>();
      CopyIn(row + rows_, end);
    }
    return in_group;
  }

 private:
  __aicore__ inline uint32_t RowsOfGroup(uint64_t row, uint64_t end) const {
    return end - row < rows_ ? static_cast<uint32_t>(end - row) : rows_;
  }

  uint32_t rows_;
  uint64_t all_rows_;
  AscendC::GlobalTensor<float> gm_;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> queue_;
};

#endif  // OP_KERNEL_RMS_NORM_GRAD_RSTD_GROUP_H_
