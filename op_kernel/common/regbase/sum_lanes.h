// Sums over rows whose additions are part of a first pass in registers (over_rows.h): per column a
// (hi, lo) pair, or one accumulator.
//
// Four rows and more are added up first, then hi takes what it can of lo. Fewer rows only go to lo,
// and every fourth time hi takes what it can: hi is neither loaded nor stored in between, which
// saves a fifth of the first pass over single rows.
#ifndef OP_KERNEL_COMMON_REGBASE_SUM_LANES_H_
#define OP_KERNEL_COMMON_REGBASE_SUM_LANES_H_

#include "op_kernel/common/regbase/over_rows.h"
#include "op_kernel/common/sum_places.h"
#include "tiling/norm_grad.h"

class SumLanes : public SumPlaces {
 public:
  __aicore__ inline void Init(const NormGradTiling& plan, AscendC::TPipe* pipe) {
    InitPlaces(plan.ub.sum_hi, plan.ub.sum_lo, plan.sum_places, plan.copy_cols, pipe);
    Clear();
  }

  __aicore__ inline void Clear() {
    ClearPlaces();
    taken_ = 0;
  }
  __aicore__ inline void Renew() { Clear(); }
  __aicore__ inline void RenewFor(const AscendC::LocalTensor<float>&) { Clear(); }
  __aicore__ inline void Next() {}                                  // Take counts
  __aicore__ static inline void TakeTurns(SumLanes&, SumLanes&) {}  // no spare is shared

  // Before the first pass over `rows` rows of the columns from `col` on: rows come one tile after
  // another, each from column 0 on. Whether the pass moves what it can into hi.
  __aicore__ inline bool Take(uint32_t rows, uint32_t col) {
    if (Begins()) Clear();
    if (col == 0) ++taken_;
    return has_lo_ && (rows >= kRowsPerMove || taken_ % kRowsPerMove == 0);
  }

  // From column `col` on.
  __aicore__ inline SumInUb InUb(uint32_t col) const {
    return {UbOf(hi_[col]), UbOf((has_lo_ ? lo_ : hi_)[col])};
  }

  __aicore__ inline void Store(const AscendC::GlobalTensor<float>& dst, uint32_t cols, bool is_last,
                               AscendC::TPipe* pipe) {
    if (Begins()) Clear();
    Finish();
    SendFinished(dst, cols, is_last, pipe);
  }

 private:
  static constexpr uint32_t kRowsPerMove = 4;

  uint32_t taken_;  // tiles
};

#endif  // OP_KERNEL_COMMON_REGBASE_SUM_LANES_H_
