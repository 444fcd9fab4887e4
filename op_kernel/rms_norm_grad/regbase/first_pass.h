// The first pass over rows in UB, in registers: p = x * rstd * dy; the sum over rows takes p, the
// sums of a row's leaves p * gamma.
//
//   leaf of 512 columns   8 registers a row, in the order in which a leaf is halved:
//                         0 4 2 6 | 1 5 3 7; neighbours are added, then pairs, then the two halves
//   rows                  four at a time: (r0 + r1) + (r2 + r3)
//
// Columns are the outer loop, so that gamma and the sums over rows of four registers stay in
// registers for all rows. The half of a leaf that comes first waits in UB, 64 lanes a row.
//
// Register instructions per 64 elements of many rows of whole leaves, in 16 bits: 2 loads, 2 casts,
// 3 multiplications, 0.9 for the leaf, 2.6 for the sum over rows, 0.3 for rstd.
#ifndef OP_KERNEL_RMS_NORM_GRAD_REGBASE_FIRST_PASS_H_
#define OP_KERNEL_RMS_NORM_GRAD_REGBASE_FIRST_PASS_H_

#include "op_kernel/rms_norm_grad/regbase/lanes.h"
#include "tiling/norm_grad.h"

// Rows x columns in UB; the columns begin on a leaf.
template <typename T, typename G>
struct RowsInUb {
  __ubuf__ T* x;
  __ubuf__ T* dy;
  __ubuf__ G* gamma;
  __ubuf__ float* rstd;  // one per row
  uint32_t rows;
  uint32_t cols;
  uint32_t pitch;  // from row to row: whole 32 B blocks
};

// Where a first pass leaves its sums.
struct FirstSums {
  __ubuf__ float* hi;    // over rows, one per column
  __ubuf__ float* lo;    // and what hi can not hold; of one accumulator, that
  __ubuf__ float* leaf;  // of leaf l of row r: [r * leaf_pitch + l]
  uint32_t leaf_pitch;
  __ubuf__ float* half;  // 64 lanes per row, for the pass itself
};

// Which part of a leaf some registers are.
enum class LeafPart { kWhole, kFirstHalf, kSecondHalf };

// 64 columns of all rows: what they have in registers.
template <typename T, typename G, bool kHasPair>
struct Column {
  uint32_t at;
  LaneMask mask;
  Lanes gamma;
  Lanes lo;
  Lanes hi;
  Lanes sum;   // of the first and the second row of four
  Lanes late;  // of the third and the fourth one

  __simd_callee__ inline void Begin(const RowsInUb<T, G>& in, const FirstSums& out, uint32_t col) {
    at = col;
    uint32_t left = in.cols - col;
    mask = AscendC::Reg::UpdateMask<float>(left);
    LoadLanes(gamma, in.gamma + at, mask);
    AscendC::Reg::LoadAlign(lo, out.lo + at);
    if constexpr (kHasPair) AscendC::Reg::LoadAlign(hi, out.hi + at);
  }

  // The `kRow`-th of the rows that are added up: its p goes to the sum, p * gamma is the result.
  template <int kRow>
  __simd_callee__ inline void Row(const RowsInUb<T, G>& in, uint32_t row, Lanes& rstd,
                                  Lanes& weighted) {
    namespace Reg = AscendC::Reg;
    Lanes product;
    LoadLanes(weighted, in.x + row * in.pitch + at, mask);
    LoadLanes(product, in.dy + row * in.pitch + at, mask);
    Reg::Mul(weighted, weighted, rstd, mask);
    if constexpr (kRow == 0) {
      Reg::Mul(sum, weighted, product, mask);
      Reg::Mul(weighted, sum, gamma, mask);
    } else if constexpr (kRow == 2) {
      Reg::Mul(late, weighted, product, mask);
      Reg::Mul(weighted, late, gamma, mask);
    } else {
      Reg::Mul(product, weighted, product, mask);
      Reg::Mul(weighted, product, gamma, mask);
      Lanes& pair = kRow == 1 ? sum : late;
      Reg::Add(pair, pair, product, mask);
    }
  }

  // lo takes the sum of `kRows` rows, and hi what it can hold of it: a fast two-sum, whose error
  // stays near one rounding however many rows there are. Where hi becomes Inf or NaN nothing is
  // left: Inf - Inf would make NaN of all later sums.
  template <int kRows>
  __simd_callee__ inline void AddOverRows() {
    namespace Reg = AscendC::Reg;
    if constexpr (kRows > 2) Reg::Add(sum, sum, late, mask);
    Reg::Add(lo, lo, sum, mask);
    if constexpr (kHasPair) {
      Lanes total;
      Lanes arrived;
      LaneMask is_finite;
      Reg::Add(total, hi, lo, mask);
      Reg::Sub(arrived, total, total, mask);
      Reg::Compare<float, AscendC::CMPMODE::EQ>(is_finite, arrived, arrived, mask);
      Reg::Sub(arrived, total, hi, mask);
      Reg::Sub(lo, lo, arrived, is_finite);
      Reg::Move(hi, total, mask);
    }
  }

  __simd_callee__ inline void End(const FirstSums& out) {
    AscendC::Reg::StoreAlign(out.lo + at, lo, mask);
    if constexpr (kHasPair) AscendC::Reg::StoreAlign(out.hi + at, hi, mask);
  }
};

// `kCount` registers of a leaf's row, in the order in which they are halved.
template <typename T, typename G, bool kHasPair, int kCount, LeafPart kPart>
class LeafColumns {
 public:
  // Inside of a vector function. The registers begin at column `first` and lie `step` columns
  // apart.
  __simd_callee__ inline void Run(const RowsInUb<T, G>& in, const FirstSums& out, uint32_t leaf,
                                  uint32_t first, uint32_t step) {
    all_ = AscendC::Reg::CreateMask<float>();
    const uint32_t col = leaf * kLeafCols + first;
    c0_.Begin(in, out, col);
    if constexpr (kCount == 2) c1_.Begin(in, out, col + step);
    if constexpr (kCount > 2) c1_.Begin(in, out, col + 2 * step);
    if constexpr (kCount > 2) c2_.Begin(in, out, col + step);
    if constexpr (kCount > 3) c3_.Begin(in, out, col + 3 * step);
    const uint16_t fours = static_cast<uint16_t>(in.rows / 4);
    uint32_t row = 0;
    for (uint16_t i = 0; i < fours; ++i) {
      Rows<4>(in, out, leaf, row);
      row += 4;
    }
    if (in.rows % 4 >= 2) {
      Rows<2>(in, out, leaf, row);
      row += 2;
    }
    if (in.rows % 2 == 1) Rows<1>(in, out, leaf, row);
    c0_.End(out);
    if constexpr (kCount > 1) c1_.End(out);
    if constexpr (kCount > 2) c2_.End(out);
    if constexpr (kCount > 3) c3_.End(out);
  }

 private:
  template <int kRows>
  __simd_callee__ inline void Rows(const RowsInUb<T, G>& in, const FirstSums& out, uint32_t leaf,
                                   uint32_t row) {
    Row<0>(in, out, leaf, row);
    if constexpr (kRows > 1) Row<1>(in, out, leaf, row + 1);
    if constexpr (kRows > 2) Row<2>(in, out, leaf, row + 2);
    if constexpr (kRows > 3) Row<3>(in, out, leaf, row + 3);
    c0_.template AddOverRows<kRows>();
    if constexpr (kCount > 1) c1_.template AddOverRows<kRows>();
    if constexpr (kCount > 2) c2_.template AddOverRows<kRows>();
    if constexpr (kCount > 3) c3_.template AddOverRows<kRows>();
  }

  template <int kRow>
  __simd_callee__ inline void Row(const RowsInUb<T, G>& in, const FirstSums& out, uint32_t leaf,
                                  uint32_t row) {
    namespace Reg = AscendC::Reg;
    Lanes rstd;
    Lanes sum;
    LoadRowValue(rstd, in.rstd + row);
    c0_.template Row<kRow>(in, row, rstd, sum);
    if constexpr (kCount > 1) {
      Lanes other;
      c1_.template Row<kRow>(in, row, rstd, other);
      Reg::Add(sum, sum, other, all_);
    }
    if constexpr (kCount > 2) {
      Lanes late;
      c2_.template Row<kRow>(in, row, rstd, late);
      if constexpr (kCount > 3) {
        Lanes other;
        c3_.template Row<kRow>(in, row, rstd, other);
        Reg::Add(late, late, other, all_);
      }
      Reg::Add(sum, sum, late, all_);
    }
    if constexpr (kPart == LeafPart::kFirstHalf) {
      Reg::StoreAlign(out.half + row * kLanes, sum, all_);
      return;
    }
    if constexpr (kPart == LeafPart::kSecondHalf) {
      Lanes first;
      Reg::LoadAlign(first, out.half + row * kLanes);
      Reg::Add(sum, first, sum, all_);
    }
    Reg::Reduce<Reg::ReduceType::SUM>(sum, sum, all_);
    Reg::StoreAlign<float, Reg::StoreDist::DIST_FIRST_ELEMENT_B32>(
        out.leaf + row * out.leaf_pitch + leaf, sum, all_);
  }

  LaneMask all_;
  Column<T, G, kHasPair> c0_;
  Column<T, G, kHasPair> c1_;
  Column<T, G, kHasPair> c2_;
  Column<T, G, kHasPair> c3_;
};

// `kEarly` and `kLate` registers of `leaves` leaves from `leaf` on, of all rows.
template <typename T, typename G, bool kHasPair, int kEarly, int kLate>
__aicore__ inline void PassLeaves(const RowsInUb<T, G>& in, const FirstSums& out, uint32_t leaf,
                                  uint32_t leaves) {
  const uint16_t count = static_cast<uint16_t>(leaves);
  __VEC_SCOPE__ {
    for (uint16_t i = 0; i < count; ++i) {
      if constexpr (kLate == 0) {
        LeafColumns<T, G, kHasPair, kEarly, LeafPart::kWhole> whole;
        whole.Run(in, out, leaf + i, 0, kLanes);
      } else {
        LeafColumns<T, G, kHasPair, kEarly, LeafPart::kFirstHalf> early;
        LeafColumns<T, G, kHasPair, kLate, LeafPart::kSecondHalf> late;
        early.Run(in, out, leaf + i, 0, 2 * kLanes);
        AscendC::Reg::LocalMemBar<AscendC::Reg::MemType::VEC_STORE,
                                  AscendC::Reg::MemType::VEC_LOAD>();
        late.Run(in, out, leaf + i, kLanes, 2 * kLanes);
        AscendC::Reg::LocalMemBar<AscendC::Reg::MemType::VEC_LOAD,
                                  AscendC::Reg::MemType::VEC_STORE>();
      }
    }
  }
}

template <typename T, typename G, bool kHasPair>
__aicore__ inline void FirstPass(const RowsInUb<T, G>& in, const FirstSums& out) {
  const uint32_t leaves = in.cols / kLeafCols;
  if (leaves > 0) PassLeaves<T, G, kHasPair, 4, 4>(in, out, 0, leaves);
  // A last leaf is halved as if it had the next power of two of registers; what is missing is left
  // out.
  switch ((in.cols % kLeafCols + kLanes - 1) / kLanes) {
    case 1:
      return PassLeaves<T, G, kHasPair, 1, 0>(in, out, leaves, 1);
    case 2:
      return PassLeaves<T, G, kHasPair, 2, 0>(in, out, leaves, 1);
    case 3:
      return PassLeaves<T, G, kHasPair, 3, 0>(in, out, leaves, 1);
    case 4:
      return PassLeaves<T, G, kHasPair, 4, 0>(in, out, leaves, 1);
    case 5:
      return PassLeaves<T, G, kHasPair, 3, 2>(in, out, leaves, 1);
    case 6:
      return PassLeaves<T, G, kHasPair, 3, 3>(in, out, leaves, 1);
    case 7:
      return PassLeaves<T, G, kHasPair, 4, 3>(in, out, leaves, 1);
    case 8:
      return PassLeaves<T, G, kHasPair, 4, 4>(in, out, leaves, 1);
    default:
      return;
  }
}

#endif  // OP_KERNEL_RMS_NORM_GRAD_REGBASE_FIRST_PASS_H_
