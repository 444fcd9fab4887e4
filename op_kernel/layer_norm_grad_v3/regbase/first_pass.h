// The first pass over rows in UB, in registers (columns.h), leaf by leaf.
//
//   leaf of 512 columns   8 registers a row, two at a time, in the order in which a leaf is halved:
//                         0 4 | 2 6 | 1 5 | 3 7; each pair is added up and waits in UB, 64 lanes a
//                         row and sum, until the leaf has come: (0 4 + 2 6) + (1 5 + 3 7)
//   rows                  four at a time: (r0 + r1) + (r2 + r3)
//
// Columns are the outer loop, rows the inner one. A row alone needs nothing to stay in registers:
// its whole leaves are added up as they come (one_row.h).
//
// Register instructions per 64 elements of many rows of whole leaves, in 16 bits: 2 loads, 2 casts,
// 5 for u and the products, 4.3 for the leaf, 5 for the sums over rows, 1 for rstd and mean.
#ifndef OP_KERNEL_LAYER_NORM_GRAD_V3_REGBASE_FIRST_PASS_H_
#define OP_KERNEL_LAYER_NORM_GRAD_V3_REGBASE_FIRST_PASS_H_

#include "op_kernel/common/row_sum.h"
#include "op_kernel/layer_norm_grad_v3/regbase/one_row.h"

// The sums of a leaf from its `kParts` parts, 2 or 4, which lie 64 lanes apart, for each row.
template <int kParts>
__simd_callee__ inline void SumWaiting(__ubuf__ float* sums, uint32_t sums_pitch,
                                       __ubuf__ float* parts, uint32_t pitch, uint16_t rows) {
  namespace Reg = AscendC::Reg;
  LaneMask all = Reg::CreateMask<float>();
  for (uint16_t row = 0; row < rows; ++row) {
    __ubuf__ float* const at = parts + row * pitch;
    Lanes sum;
    Lanes other;
    Reg::LoadAlign(sum, at);
    Reg::LoadAlign(other, at + kLanes);
    Reg::Add(sum, sum, other, all);
    if constexpr (kParts > 2) {
      Lanes late;
      Reg::LoadAlign(late, at + 2 * kLanes);
      Reg::LoadAlign(other, at + 3 * kLanes);
      Reg::Add(late, late, other, all);
      Reg::Add(sum, sum, late, all);
    }
    StoreSumOfLanes(sums + row * sums_pitch, sum, all);
  }
}

// Leaves of `kRegisters` registers; what is missing of a power of two of them is left out.
template <typename T, typename G, uint32_t kOutputs, bool kHasPair, int kRegisters>
class Leaf {
 public:
  // Inside of a vector function.
  __simd_callee__ static inline void Run(const RowsInUb<T, G>& in, const FirstSums& out,
                                         uint32_t leaf) {
    namespace Reg = AscendC::Reg;
    const PartsInUb sums = {out.leaves.terms + leaf, out.leaves.products + leaf, out.leaves.pitch};
    if constexpr (kParts == 1) {
      Part<0>(in, out, leaf, sums);
      return;
    }
    const PartsInUb parts = {out.waiting, out.waiting + kParts * kLanes, 2 * kParts * kLanes};
    Part<0>(in, out, leaf, From(parts, 0));
    if constexpr (kParts == 4) Part<2>(in, out, leaf, From(parts, 1));
    Part<1>(in, out, leaf, From(parts, kParts / 2));
    if constexpr (kParts == 4) Part<3>(in, out, leaf, From(parts, 3));
    Reg::LocalMemBar<Reg::MemType::VEC_STORE, Reg::MemType::VEC_LOAD>();
    const uint16_t rows = static_cast<uint16_t>(in.rows);
    SumWaiting<kParts>(sums.terms, sums.pitch, parts.terms, parts.pitch, rows);
    SumWaiting<kParts>(sums.products, sums.pitch, parts.products, parts.pitch, rows);
    Reg::LocalMemBar<Reg::MemType::VEC_LOAD, Reg::MemType::VEC_STORE>();
  }

 private:
  static constexpr int kParts = kRegisters > 4 ? 4 : kRegisters > 2 ? 2 : 1;

  __simd_callee__ static inline PartsInUb From(const PartsInUb& parts, uint32_t part) {
    return {parts.terms + part * kLanes, parts.products + part * kLanes, parts.pitch};
  }

  // Register kFirst and the one that halving adds to it.
  template <int kFirst>
  __simd_callee__ static inline void Part(const RowsInUb<T, G>& in, const FirstSums& out,
                                          uint32_t leaf, const PartsInUb& sums) {
    constexpr int kCount = kFirst + kParts < kRegisters ? 2 : 1;
    Columns<T, G, kOutputs, kHasPair, kCount, kParts == 1> columns;
    columns.Run(in, out, leaf * kLeafCols + kFirst * kLanes, kParts * kLanes, sums);
  }
};

template <typename T, typename G, uint32_t kOutputs, bool kHasPair, int kRegisters>
__aicore__ inline void PassLeaves(const RowsInUb<T, G>& in, const FirstSums& out, uint32_t leaf,
                                  uint32_t leaves) {
  const uint16_t count = static_cast<uint16_t>(leaves);
  __VEC_SCOPE__ {
    for (uint16_t i = 0; i < count; ++i) {
      Leaf<T, G, kOutputs, kHasPair, kRegisters>::Run(in, out, leaf + i);
    }
  }
}

// Without dx rows have no sums.
template <typename T, typename G, uint32_t kOutputs, bool kHasPair>
__aicore__ inline void PassColumns(const RowsInUb<T, G>& in, const FirstSums& out) {
  const uint32_t registers = (in.cols + kLanes - 1) / kLanes;
  const uint16_t pairs = static_cast<uint16_t>(registers / 2);
  __VEC_SCOPE__ {
    for (uint16_t i = 0; i < pairs; ++i) {
      Columns<T, G, kOutputs, kHasPair, 2, false> two;
      two.Run(in, out, i * 2 * kLanes, kLanes, out.leaves);
    }
    if (registers % 2 == 1) {
      Columns<T, G, kOutputs, kHasPair, 1, false> one;
      one.Run(in, out, pairs * 2 * kLanes, kLanes, out.leaves);
    }
  }
}

template <typename T, typename G, uint32_t kOutputs, bool kHasPair>
__aicore__ inline void FirstPass(const RowsInUb<T, G>& in, const FirstSums& out) {
  if constexpr (!Needs<kOutputs>::kDx) {
    PassColumns<T, G, kOutputs, kHasPair>(in, out);
  } else {
    const uint32_t leaves = in.cols / kLeafCols;
    if (leaves > 0 && in.rows == 1) {
      PassLeavesOfOneRow<T, G, kOutputs, kHasPair>(in, out, leaves);
    } else if (leaves > 0) {
      PassLeaves<T, G, kOutputs, kHasPair, 8>(in, out, 0, leaves);
    }
    switch ((in.cols % kLeafCols + kLanes - 1) / kLanes) {
      case 1:
        return PassLeaves<T, G, kOutputs, kHasPair, 1>(in, out, leaves, 1);
      case 2:
        return PassLeaves<T, G, kOutputs, kHasPair, 2>(in, out, leaves, 1);
      case 3:
        return PassLeaves<T, G, kOutputs, kHasPair, 3>(in, out, leaves, 1);
      case 4:
        return PassLeaves<T, G, kOutputs, kHasPair, 4>(in, out, leaves, 1);
      case 5:
        return PassLeaves<T, G, kOutputs, kHasPair, 5>(in, out, leaves, 1);
      case 6:
        return PassLeaves<T, G, kOutputs, kHasPair, 6>(in, out, leaves, 1);
      case 7:
        return PassLeaves<T, G, kOutputs, kHasPair, 7>(in, out, leaves, 1);
      case 8:
        return PassLeaves<T, G, kOutputs, kHasPair, 8>(in, out, leaves, 1);
      default:
        return;
    }
  }
}

#endif  // OP_KERNEL_LAYER_NORM_GRAD_V3_REGBASE_FIRST_PASS_H_
