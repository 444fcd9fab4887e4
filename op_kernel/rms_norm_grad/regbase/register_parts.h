// What the strategies that memory-based and register programming share are made of, in registers.
#ifndef OP_KERNEL_RMS_NORM_GRAD_REGBASE_REGISTER_PARTS_H_
#define OP_KERNEL_RMS_NORM_GRAD_REGBASE_REGISTER_PARTS_H_

#include "op_kernel/rms_norm_grad/regbase/chunk_passes.h"

// The leaf sums of a chunk of some rows: 8 a row, since a chunk has at most eight leaves.
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
  __aicore__ inline void Finish(const AscendC::LocalTensor<float>& sums, uint32_t) {
    AscendC::DataCopy(sums, sums_buf_.Get<float>(), elems_);
  }

  // sums become minus the means times rstd.
  __aicore__ inline void Means(const AscendC::LocalTensor<float>& sums,
                               const AscendC::LocalTensor<float>&, uint32_t,
                               const AscendC::LocalTensor<float>& rstd, uint32_t rows,
                               uint32_t cols) {
    MeansFromSums(UbOf(sums), UbOf(sums), UbOf(rstd), rows, cols);
  }

 private:
  uint32_t elems_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> sums_buf_;
};

// Vector functions spread a row's value as they load it: it lies where it came.
class RowPlaces {
 public:
  __aicore__ inline void Init(uint32_t, uint32_t, AscendC::TPipe*) {}

  __aicore__ inline AscendC::LocalTensor<float> Of(const AscendC::LocalTensor<float>& values,
                                                   uint32_t row, uint32_t) {
    return values[row];
  }
};

template <typename T, typename G>
struct RegisterParts {
  using Element = T;
  using Gamma = G;
  using Sum = SumLanes;
  using Passes = ChunkPasses<T, G>;
  using WidePasses = ChunkPasses<T, float>;  // gamma comes in fp32
  using Statistics = RowValues;
  using PerRow = RowPlaces;
};

#endif  // OP_KERNEL_RMS_NORM_GRAD_REGBASE_REGISTER_PARTS_H_
