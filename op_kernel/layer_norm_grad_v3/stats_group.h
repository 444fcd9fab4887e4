// rstd and mean in their dtype, for some rows in one copy each, since a copy of 4 bytes costs as
// much as one of 128; the next group is on its way while one is in use.
#ifndef OP_KERNEL_LAYER_NORM_GRAD_V3_STATS_GROUP_H_
#define OP_KERNEL_LAYER_NORM_GRAD_V3_STATS_GROUP_H_

#include "op_kernel/common/args.h"
#include "op_kernel/common/gm_rows.h"

template <typename S>
class StatsGroup {
 public:
  __aicore__ inline void Init(const NormGradArgs& args, const NormGradTiling& plan,
                              AscendC::TPipe* pipe) {
    rows_ = plan.rstd_rows;
    all_rows_ = plan.rows;
    half_ = plan.ub.rstd_in / 2 / static_cast<uint32_t>(sizeof(S));
    rstd_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ S*>(args.rstd), plan.rows);
    mean_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ S*>(args.mean), plan.rows);
    pipe->InitBuffer(queue_, 1, plan.ub.rstd_in);
  }

  // Before the core's first row.
  __aicore__ inline void CopyIn(uint64_t row, uint64_t end) {
    if (row >= end) return;
    const uint32_t rows = RowsOfGroup(row, end);
    AscendC::LocalTensor<S> stats = queue_.template AllocTensor<S>();
    LoadValues(stats, rstd_gm_[row], rows, all_rows_ - row);
    LoadValues(stats[half_], mean_gm_[row], rows, all_rows_ - row);
    queue_.EnQue(stats);
  }

  // Before work on `row`, the core's row number `done`: its index in `statistics`, which get the
  // next group when it begins.
  template <typename Statistics>
  __aicore__ inline uint32_t Take(uint64_t done, uint64_t row, uint64_t end,
                                  Statistics& statistics) {
    const uint32_t in_group = static_cast<uint32_t>(done % rows_);
    if (in_group == 0) {
      AscendC::LocalTensor<S> stats = queue_.template DeQue<S>();
      statistics.SetStats(stats, half_, RowsOfGroup(row, end));
      queue_.FreeTensor(stats);
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
  uint32_t half_;  // where the means begin
  AscendC::GlobalTensor<S> rstd_gm_;
  AscendC::GlobalTensor<S> mean_gm_;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> queue_;
};

#endif  // OP_KERNEL_LAYER_NORM_GRAD_V3_STATS_GROUP_H_
