// The first pass over whole leaves of a single row in UB, in registers: a leaf is added up in the
// order in which it is halved, and no more than three parts of it wait in registers at a time.
//
// Register instructions per 64 elements of whole leaves, in 16 bits: 3 loads, 3 casts, 5 for u and
// the products, 2.1 for the leaf, 6 for the sums over rows and, every fourth time, 16 more.
#ifndef OP_KERNEL_LAYER_NORM_GRAD_V3_REGBASE_ONE_ROW_H_
#define OP_KERNEL_LAYER_NORM_GRAD_V3_REGBASE_ONE_ROW_H_

#include "op_kernel/common/row_sum.h"
#include "op_kernel/layer_norm_grad_v3/regbase/columns.h"

template <typename T, typename G, uint32_t kOutputs, bool kHasPair>
class LeafOfOneRow {
 public:
  // Inside of a vector function.
  __simd_callee__ static inline void Run(const RowsInUb<T, G>& in, const FirstSums& out,
                                         uint32_t leaf, RowStats& stats) {
    LaneMask all = AscendC::Reg::CreateMask<float>();
    RowTerms sum;
    Add<0, 1>(in, out, leaf, stats, sum, all);
    StoreSumOfLanes(out.leaves.terms + leaf, sum.term, all);
    StoreSumOfLanes(out.leaves.products + leaf, sum.product, all);
  }

 private:
  static constexpr int kRegisters = static_cast<int>(kLeafCols / kLanes);

  // The sum of the registers kFirst, kFirst + kStep, ...: that of every second one of them, and of
  // the others.
  template <int kFirst, int kStep>
  __simd_callee__ static inline void Add(const RowsInUb<T, G>& in, const FirstSums& out,
                                         uint32_t leaf, RowStats& stats, RowTerms& sum,
                                         LaneMask& all) {
    if constexpr (kStep == kRegisters) {
      Column<T, G, kOutputs, kHasPair> column;
      column.Begin(in, out, leaf * kLeafCols + kFirst * kLanes);
      column.template Row<0>(in, 0, stats, sum);
      column.template AddOverRows<1>();
      column.End(out);
    } else {
      RowTerms other;
      Add<kFirst, 2 * kStep>(in, out, leaf, stats, sum, all);
      Add<kFirst + kStep, 2 * kStep>(in, out, leaf, stats, other, all);
      AscendC::Reg::Add(sum.term, sum.term, other.term, all);
      AscendC::Reg::Add(sum.product, sum.product, other.product, all);
    }
  }
};

template <typename T, typename G, uint32_t kOutputs, bool kHasPair>
__aicore__ inline void PassLeavesOfOneRow(const RowsInUb<T, G>& in, const FirstSums& out,
                                          uint32_t leaves) {
  const uint16_t count = static_cast<uint16_t>(leaves);
  __VEC_SCOPE__ {
    RowStats stats;
    LoadRowValue(stats.rstd, in.rstd);
    LoadRowValue(stats.mean, in.mean);
    for (uint16_t leaf = 0; leaf < count; ++leaf) {
      LeafOfOneRow<T, G, kOutputs, kHasPair>::Run(in, out, leaf, stats);
    }
  }
}

#endif  // OP_KERNEL_LAYER_NORM_GRAD_V3_REGBASE_ONE_ROW_H_
