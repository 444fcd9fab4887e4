// One or two registers of columns of all rows in UB, in registers: u = x - mean, p = u * rstd * dy;
// the sums over rows take p (dgamma) and dy (dbeta), the two sums of a row dy * gamma and p *
// gamma.
//
// gamma and both sums over rows of two registers stay in registers for all rows: 18 of them, and 9
// for a row's values and products. (Four columns at a time would take 36, and there are 32.)
//
// `kOutputs` says what is asked for: what no output needs is neither loaded nor computed, and what
// is left is computed in the same way.
#ifndef OP_KERNEL_LAYER_NORM_GRAD_V3_REGBASE_COLUMNS_H_
#define OP_KERNEL_LAYER_NORM_GRAD_V3_REGBASE_COLUMNS_H_

#include "op_kernel/common/regbase/over_rows.h"
#include "tiling/norm_grad.h"

// Rows x columns in UB; the columns begin on a leaf.
template <typename T, typename G>
struct RowsInUb {
  __ubuf__ T* x;
  __ubuf__ T* dy;
  __ubuf__ G* gamma;
  __ubuf__ float* rstd;  // one per row, as mean
  __ubuf__ float* mean;
  uint32_t rows;
  uint32_t cols;
  uint32_t pitch;  // from row to row: whole 32 B blocks
};

// Where sums of parts of rows go: of row r to [r * pitch].
struct PartsInUb {
  __ubuf__ float* terms;     // dy * gamma
  __ubuf__ float* products;  // p * gamma
  uint32_t pitch;
};

// Where a first pass leaves its sums.
struct FirstSums {
  SumInUb dgamma;
  SumInUb dbeta;
  PartsInUb leaves;         // those of leaf l are l further on
  __ubuf__ float* waiting;  // for the pass itself: 4 x 2 x 64 lanes a row
};

// What the outputs that are asked for need.
template <uint32_t kOutputs>
struct Needs {
  static constexpr bool kDx = (kOutputs & kWantsDx) != 0;
  static constexpr bool kDgamma = (kOutputs & kWantsDgamma) != 0;
  static constexpr bool kDbeta = (kOutputs & kWantsDbeta) != 0;
  static constexpr bool kX = kDx || kDgamma;
};

// What a row has in all lanes.
struct RowStats {
  Lanes rstd;
  Lanes mean;
};

// What a row adds up.
struct RowTerms {
  Lanes term;     // dy * gamma
  Lanes product;  // p * gamma
};

// 64 columns of all rows: what they have in registers.
template <typename T, typename G, uint32_t kOutputs, bool kHasPair>
struct Column {
  using Need = Needs<kOutputs>;

  uint32_t at;
  LaneMask mask;
  Lanes gamma;
  OverRows<kHasPair> dgamma;
  OverRows<kHasPair> dbeta;

  __simd_callee__ inline void Begin(const RowsInUb<T, G>& in, const FirstSums& out, uint32_t col) {
    at = col;
    uint32_t left = in.cols - col;
    mask = AscendC::Reg::UpdateMask<float>(left);
    if constexpr (Need::kDx) LoadLanes(gamma, in.gamma + at, mask);
    if constexpr (Need::kDgamma) dgamma.Begin(out.dgamma, at);
    if constexpr (Need::kDbeta) dbeta.Begin(out.dbeta, at);
  }

  // The `kRow`-th of the rows that are added up.
  template <int kRow>
  __simd_callee__ inline void Row(const RowsInUb<T, G>& in, uint32_t row, RowStats& stats,
                                  RowTerms& weighted) {
    if constexpr (kRow == 0) {
      Compute(in, row, stats, dgamma.sum, dbeta.sum, weighted);
    } else if constexpr (kRow == 2) {
      Compute(in, row, stats, dgamma.late, dbeta.late, weighted);
    } else {
      Lanes product;
      Lanes dy;
      Compute(in, row, stats, product, dy, weighted);
      if constexpr (Need::kDgamma) dgamma.template Take<kRow>(product, mask);
      if constexpr (Need::kDbeta) dbeta.template Take<kRow>(dy, mask);
    }
  }

  template <int kRows>
  __simd_callee__ inline void AddOverRows() {
    if constexpr (Need::kDgamma) dgamma.template AddUp<kRows>(mask);
    if constexpr (Need::kDbeta) dbeta.template AddUp<kRows>(mask);
  }

  __simd_callee__ inline void End(const FirstSums& out) {
    if constexpr (Need::kDgamma) dgamma.End(out.dgamma, at, mask);
    if constexpr (Need::kDbeta) dbeta.End(out.dbeta, at, mask);
  }

 private:
  __simd_callee__ inline void Compute(const RowsInUb<T, G>& in, uint32_t row, RowStats& stats,
                                      Lanes& product, Lanes& dy, RowTerms& weighted) {
    namespace Reg = AscendC::Reg;
    LoadLanes(dy, in.dy + row * in.pitch + at, mask);
    if constexpr (Need::kX) {
      LoadLanes(product, in.x + row * in.pitch + at, mask);
      Reg::Sub(product, product, stats.mean, mask);
      Reg::Mul(product, product, stats.rstd, mask);
      Reg::Mul(product, product, dy, mask);
    }
    if constexpr (Need::kDx) {
      Reg::Mul(weighted.term, dy, gamma, mask);
      Reg::Mul(weighted.product, product, gamma, mask);
    }
  }
};

// The sum of 64 lanes, as one number.
__simd_callee__ inline void StoreSumOfLanes(__ubuf__ float* at, Lanes& lanes, LaneMask& all) {
  namespace Reg = AscendC::Reg;
  Reg::Reduce<Reg::ReduceType::SUM>(lanes, lanes, all);
  Reg::StoreAlign<float, Reg::StoreDist::DIST_FIRST_ELEMENT_B32>(at, lanes, all);
}

// One or two registers of all rows. `kIsLeaf`: they are all of a leaf; else part of one.
template <typename T, typename G, uint32_t kOutputs, bool kHasPair, int kCount, bool kIsLeaf>
class Columns {
 public:
  // Inside of a vector function. The registers begin at column `first` and lie `step` columns
  // apart; `parts` is where the rows' sums go.
  __simd_callee__ inline void Run(const RowsInUb<T, G>& in, const FirstSums& out, uint32_t first,
                                  uint32_t step, const PartsInUb& parts) {
    all_ = AscendC::Reg::CreateMask<float>();
    c0_.Begin(in, out, first);
    if constexpr (kCount > 1) c1_.Begin(in, out, first + step);
    const uint16_t fours = static_cast<uint16_t>(in.rows / 4);
    uint32_t row = 0;
    for (uint16_t i = 0; i < fours; ++i) {
      Rows<4>(in, parts, row);
      row += 4;
    }
    if (in.rows % 4 >= 2) {
      Rows<2>(in, parts, row);
      row += 2;
    }
    if (in.rows % 2 == 1) Rows<1>(in, parts, row);
    c0_.End(out);
    if constexpr (kCount > 1) c1_.End(out);
  }

 private:
  using Need = Needs<kOutputs>;

  template <int kRows>
  __simd_callee__ inline void Rows(const RowsInUb<T, G>& in, const PartsInUb& parts, uint32_t row) {
    Row<0>(in, parts, row);
    if constexpr (kRows > 1) Row<1>(in, parts, row + 1);
    if constexpr (kRows > 2) Row<2>(in, parts, row + 2);
    if constexpr (kRows > 3) Row<3>(in, parts, row + 3);
    c0_.template AddOverRows<kRows>();
    if constexpr (kCount > 1) c1_.template AddOverRows<kRows>();
  }

  template <int kRow>
  __simd_callee__ inline void Row(const RowsInUb<T, G>& in, const PartsInUb& parts, uint32_t row) {
    namespace Reg = AscendC::Reg;
    RowStats stats;
    RowTerms sum;
    if constexpr (Need::kX) {
      LoadRowValue(stats.rstd, in.rstd + row);
      LoadRowValue(stats.mean, in.mean + row);
    }
    c0_.template Row<kRow>(in, row, stats, sum);
    if constexpr (kCount > 1) {
      RowTerms other;
      c1_.template Row<kRow>(in, row, stats, other);
      if constexpr (Need::kDx) {
        Reg::Add(sum.term, sum.term, other.term, all_);
        Reg::Add(sum.product, sum.product, other.product, all_);
      }
    }
    if constexpr (Need::kDx) {
      __ubuf__ float* const term = parts.terms + row * parts.pitch;
      __ubuf__ float* const product = parts.products + row * parts.pitch;
      if constexpr (kIsLeaf) {
        StoreSumOfLanes(term, sum.term, all_);
        StoreSumOfLanes(product, sum.product, all_);
      } else {
        Reg::StoreAlign(term, sum.term, all_);
        Reg::StoreAlign(product, sum.product, all_);
      }
    }
  }

  LaneMask all_;
  Column<T, G, kOutputs, kHasPair> c0_;
  Column<T, G, kOutputs, kHasPair> c1_;
};

#endif  // OP_KERNEL_LAYER_NORM_GRAD_V3_REGBASE_COLUMNS_H_
