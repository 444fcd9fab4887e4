// The leaf sums of a chunk of some rows, in registers: what ChunkLeaves of chunk_tree.h is to
// memory-based arithmetic.
#ifndef OP_KERNEL_COMMON_REGBASE_CHUNK_LEAF_LANES_H_
#define OP_KERNEL_COMMON_REGBASE_CHUNK_LEAF_LANES_H_

#include "op_kernel/common/chip.h"
#include "op_kernel/common/regbase/row_means.h"
#include "tiling/norm_grad.h"

// 8 a row, since a chunk has at most eight leaves.
class ChunkLeafLanes {
 public:
  __aicore__ inline void Init(const NormGradTiling& plan, AscendC::TPipe* pipe) {
    pipe->InitBuffer(sums_buf_, plan.ub.leaf_parts);
    elems_ = plan.ub.leaf_parts / static_cast<uint32_t>(sizeof(float));
  }

  // Where a chunk has no leaf there must be zeros.
  __aicore__ inline void BeginChunk() { AscendC::Duplicate(sums_buf_.Get<float>(), 0.0f, elems_); }

  __aicore__ inline AscendC::LocalTensor<float> LeafSums(uint32_t) {
    return sums_buf_.Get<float>();
  }
  __aicore__ inline uint32_t LeafPitch() const { return kBlockElemsFp32; }

  __aicore__ inline uint32_t Terms() const { return 1; }

  // After a first pass: sums[row * 8 + leaf], as many as there are rows in a tile.
  __aicore__ inline void Finish(const CrossLanes&, const AscendC::LocalTensor<float>& sums,
                                uint32_t) {
    AscendC::DataCopy(sums, sums_buf_.Get<float>(), elems_);
  }

  // sums become minus the means.
  __aicore__ static inline void MinusMeans(const AscendC::LocalTensor<float>& sums,
                                           const AscendC::LocalTensor<float>&, uint32_t rows,
                                           uint32_t cols) {
    MinusMeansFromSums(UbOf(sums), UbOf(sums), rows, cols);
  }

  // The same, times rstd.
  __aicore__ static inline void MeansTimesRstd(const AscendC::LocalTensor<float>& sums,
                                               const AscendC::LocalTensor<float>&,
                                               const AscendC::LocalTensor<float>& rstd,
                                               uint32_t rows, uint32_t cols) {
    MeansFromSums(UbOf(sums), UbOf(sums), UbOf(rstd), rows, cols);
  }

  __aicore__ inline void Means(const AscendC::LocalTensor<float>& sums,
                               const AscendC::LocalTensor<float>& spare, uint32_t,
                               const AscendC::LocalTensor<float>& rstd, uint32_t rows,
                               uint32_t cols) {
    MeansTimesRstd(sums, spare, rstd, rows, cols);
  }

 private:
  uint32_t elems_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> sums_buf_;
};

#endif  // OP_KERNEL_COMMON_REGBASE_CHUNK_LEAF_LANES_H_
