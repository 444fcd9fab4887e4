// The two passes over columns of some rows that a strategy has brought into UB, in registers:
// chunk_passes.h of the memory-based kernel for vector functions, with the same calls.
#ifndef OP_KERNEL_RMS_NORM_GRAD_REGBASE_CHUNK_PASSES_H_
#define OP_KERNEL_RMS_NORM_GRAD_REGBASE_CHUNK_PASSES_H_

#include "op_kernel/common/args.h"
#include "op_kernel/common/regbase/sum_lanes.h"
#include "op_kernel/rms_norm_grad/regbase/row_values.h"
#include "op_kernel/rms_norm_grad/regbase/second_pass.h"
#include "op_kernel/rms_norm_grad/rows_chunk.h"

// `Store` says what dx becomes; `kOverX`: it may lie over x.
template <typename T, typename G, typename Store, bool kOverX = false>
class ChunkPasses {
 public:
  __aicore__ inline void Init(const NormGradArgs& args, const NormGradTiling& plan,
                              AscendC::TPipe* pipe) {
    store_.Init(args, plan, pipe);
    has_halves_ = plan.ub.half_rows > 0;
    if (has_halves_) pipe->InitBuffer(half_buf_, plan.ub.half_rows);
  }

  // `col` is the chunk's place in the sums over rows, and in LeafSums.
  template <typename Leaves>
  __aicore__ inline void First(const RowsChunk<T>& chunk, const GammaColumns<G>& gamma,
                               uint32_t col, SumLanes& sum, Leaves& leaves) {
    const bool moves = sum.Take(chunk.rows, col);
    FirstSums sums;
    sums.over_rows = sum.InUb(col);
    sums.leaf = UbOf(leaves.LeafSums(col));
    sums.leaf_pitch = leaves.LeafPitch();
    sums.half = has_halves_ ? UbOf(half_buf_.Get<float>()) : nullptr;
    if (moves) {
      FirstPass<T, G, true>(InUb(chunk, gamma), sums);
    } else {
      FirstPass<T, G, false>(InUb(chunk, gamma), sums);
    }
  }

  // Registers hold nothing from one pass to the next.
  template <typename Statistics>
  __aicore__ inline void BeginSecond(const RowsChunk<T>&, const GammaColumns<G>&, Statistics&) {}

  __aicore__ inline void Second(const AscendC::LocalTensor<typename Store::Element>& dx,
                                const RowsChunk<T>& chunk, const GammaColumns<G>& gamma) {
    store_.template Second<kOverX>(UbOf(dx), chunk.dx_pitch, InUb(chunk, gamma), UbOf(chunk.mean));
  }

 private:
  // gamma is in UB as it came: registers widen it as they load it.
  __aicore__ static inline RowsInUb<T, G> InUb(const RowsChunk<T>& chunk,
                                               const GammaColumns<G>& gamma) {
    return {UbOf(chunk.x), UbOf(chunk.dy), UbOf(gamma.AsItCame()), UbOf(chunk.rstd), chunk.rows,
            chunk.cols,    chunk.pitch};
  }

  Store store_;
  bool has_halves_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> half_buf_;
};

#endif  // OP_KERNEL_RMS_NORM_GRAD_REGBASE_CHUNK_PASSES_H_
