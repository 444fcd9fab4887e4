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
// dx in fp32 has no rounding of its own to hide behind, so its row sums are split: u, the upper 16
// bits of p * gamma, and l = p * gamma - u, exact but for its last bit. The sum of u is exact or
// nearly so, that of l small: a leaf's sum is rounded about once however many columns it has.
// (Worst score of fp32 1000003x3 with a plain sum and c rounded twice: 1.11 of the budget.)
//
// Register instructions per 64 elements of many rows of whole leaves, in 16 bits: 2 loads, 2 casts,
// 3 multiplications, 0.9 for the leaf, 2.6 for the sum over rows, 0.3 for rstd. In fp32 no casts,
// but 4 more for the split.
#ifndef OP_KERNEL_RMS_NORM_GRAD_REGBASE_FIRST_PASS_H_
#define OP_KERNEL_RMS_NORM_GRAD_REGBASE_FIRST_PASS_H_

#include "op_kernel/common/regbase/over_rows.h"
#include "op_kernel/common/row_sum.h"
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
  SumInUb over_rows;
  __ubuf__ float* leaf;  // of leaf l of row r: [r * leaf_pitch + l]
  uint32_t leaf_pitch;
  __ubuf__ float* half;  // 64 lanes per row (of split sums: and as many), for the pass itself
};

// The upper and, of split sums, the lower part of what a row adds up.
struct RowTerms {
  Lanes upper;
  Lanes lower;
};

// What splits a number: its upper 16 bits as bf16 has them, and its sign.
struct SplitBits {
  AscendC::Reg::RegTensor<uint32_t> upper;
  AscendC::Reg::RegTensor<uint32_t> sign;

  __simd_callee__ inline void Set() {
    AscendC::Reg::Duplicate(upper, 0xFFFF0000U);
    AscendC::Reg::Duplicate(sign, 0x80000000U);
  }
};

// terms = a * b.
template <bool kIsSplit>
__simd_callee__ inline void MultiplyTerms(RowTerms& terms, Lanes& a, Lanes& b, SplitBits& bits,
                                          LaneMask& mask) {
  namespace Reg = AscendC::Reg;
  Reg::Mul(terms.upper, a, b, mask);
  if constexpr (kIsSplit) {
    Reg::RegTensor<uint32_t>& upper = reinterpret_cast<Reg::RegTensor<uint32_t>&>(terms.upper);
    Reg::RegTensor<uint32_t>& lower = reinterpret_cast<Reg::RegTensor<uint32_t>&>(terms.lower);
    Reg::And(upper, upper, bits.upper, mask);
    Reg::Xor(lower, upper, bits.sign, mask);
    Reg::MulAddDst(terms.lower, a, b, mask);
  }
}

template <bool kIsSplit>
__simd_callee__ inline void AddTerms(RowTerms& sum, RowTerms& other, LaneMask& mask) {
  AscendC::Reg::Add(sum.upper, sum.upper, other.upper, mask);
  if constexpr (kIsSplit) AscendC::Reg::Add(sum.lower, sum.lower, other.lower, mask);
}

// dx of a dtype that is narrower than the arithmetic does not see how its row sums are rounded.
template <typename T>
inline constexpr bool kSplitsSums = sizeof(T) == sizeof(float);

// Which part of a leaf some registers are.
enum class LeafPart { kWhole, kFirstHalf, kSecondHalf };

// 64 columns of all rows: what they have in registers.
template <typename T, typename G, bool kHasPair>
struct Column {
  uint32_t at;
  LaneMask mask;
  Lanes gamma;
  OverRows<kHasPair> over_rows;

  __simd_callee__ inline void Begin(const RowsInUb<T, G>& in, const FirstSums& out, uint32_t col) {
    at = col;
    uint32_t left = in.cols - col;
    mask = AscendC::Reg::UpdateMask<float>(left);
    LoadLanes(gamma, in.gamma + at, mask);
    over_rows.Begin(out.over_rows, at);
  }

  // The `kRow`-th of the rows that are added up: its p goes to the sum, p * gamma is the result.
  template <int kRow>
  __simd_callee__ inline void Row(const RowsInUb<T, G>& in, uint32_t row, Lanes& rstd,
                                  SplitBits& bits, RowTerms& weighted) {
    namespace Reg = AscendC::Reg;
    constexpr bool kIsSplit = kSplitsSums<T>;
    Lanes xhat;
    Lanes product;
    LoadLanes(xhat, in.x + row * in.pitch + at, mask);
    LoadLanes(product, in.dy + row * in.pitch + at, mask);
    Reg::Mul(xhat, xhat, rstd, mask);
    if constexpr (kRow == 0) {
      Reg::Mul(over_rows.sum, xhat, product, mask);
      MultiplyTerms<kIsSplit>(weighted, over_rows.sum, gamma, bits, mask);
    } else if constexpr (kRow == 2) {
      Reg::Mul(over_rows.late, xhat, product, mask);
      MultiplyTerms<kIsSplit>(weighted, over_rows.late, gamma, bits, mask);
    } else {
      Reg::Mul(product, xhat, product, mask);
      MultiplyTerms<kIsSplit>(weighted, product, gamma, bits, mask);
      over_rows.template Take<kRow>(product, mask);
    }
  }

  template <int kRows>
  __simd_callee__ inline void AddOverRows() {
    over_rows.template AddUp<kRows>(mask);
  }

  __simd_callee__ inline void End(const FirstSums& out) { over_rows.End(out.over_rows, at, mask); }
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
    if constexpr (kIsSplit) bits_.Set();
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
    Lanes rstd;
    RowTerms sum;
    LoadRowValue(rstd, in.rstd + row);
    c0_.template Row<kRow>(in, row, rstd, bits_, sum);
    if constexpr (kCount > 1) {
      RowTerms other;
      c1_.template Row<kRow>(in, row, rstd, bits_, other);
      AddTerms<kIsSplit>(sum, other, all_);
    }
    if constexpr (kCount > 2) {
      RowTerms late;
      c2_.template Row<kRow>(in, row, rstd, bits_, late);
      if constexpr (kCount > 3) {
        RowTerms other;
        c3_.template Row<kRow>(in, row, rstd, bits_, other);
        AddTerms<kIsSplit>(late, other, all_);
      }
      AddTerms<kIsSplit>(sum, late, all_);
    }
    EndRow(out, leaf, row, sum);
  }

  __simd_callee__ inline void EndRow(const FirstSums& out, uint32_t leaf, uint32_t row,
                                     RowTerms& sum) {
    namespace Reg = AscendC::Reg;
    constexpr uint32_t kTerms = kIsSplit ? 2 : 1;
    __ubuf__ float* const half = out.half + row * kTerms * kLanes;
    if constexpr (kPart == LeafPart::kFirstHalf) {
      Reg::StoreAlign(half, sum.upper, all_);
      if constexpr (kIsSplit) Reg::StoreAlign(half + kLanes, sum.lower, all_);
      return;
    }
    if constexpr (kPart == LeafPart::kSecondHalf) {
      RowTerms first;
      Reg::LoadAlign(first.upper, half);
      Reg::Add(sum.upper, first.upper, sum.upper, all_);
      if constexpr (kIsSplit) {
        Reg::LoadAlign(first.lower, half + kLanes);
        Reg::Add(sum.lower, first.lower, sum.lower, all_);
      }
    }
    Reg::Reduce<Reg::ReduceType::SUM>(sum.upper, sum.upper, all_);
    if constexpr (kIsSplit) {
      // Of Inf the lower part is NaN, which does not count.
      LaneMask is_finite;
      Lanes zero;
      Reg::Reduce<Reg::ReduceType::SUM>(sum.lower, sum.lower, all_);
      Reg::Sub(zero, sum.upper, sum.upper, all_);
      Reg::Compare<float, AscendC::CMPMODE::EQ>(is_finite, zero, zero, all_);
      Reg::Add<float, Reg::MaskMergeMode::MERGING>(sum.upper, sum.upper, sum.lower, is_finite);
    }
    Reg::StoreAlign<float, Reg::StoreDist::DIST_FIRST_ELEMENT_B32>(
        out.leaf + row * out.leaf_pitch + leaf, sum.upper, all_);
  }

  static constexpr bool kIsSplit = kSplitsSums<T>;

  SplitBits bits_;
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
