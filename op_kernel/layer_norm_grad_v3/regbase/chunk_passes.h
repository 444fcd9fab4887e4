// The two passes over columns of some rows that a strategy has brought into UB, in registers:
// chunk_passes.h of the memory-based kernel for vector functions, with the same calls.
#ifndef OP_KERNEL_LAYER_NORM_GRAD_V3_REGBASE_CHUNK_PASSES_H_
#define OP_KERNEL_LAYER_NORM_GRAD_V3_REGBASE_CHUNK_PASSES_H_

#include "op_kernel/common/args.h"
#include "op_kernel/layer_norm_grad_v3/regbase/first_pass.h"
#include "op_kernel/layer_norm_grad_v3/regbase/second_pass.h"
#include "op_kernel/layer_norm_grad_v3/rows_chunk.h"

template <typename T, typename G>
class ChunkPasses {
 public:
  __aicore__ inline void Init(const NormGradTiling& plan, AscendC::TPipe* pipe) {
    outputs_ = plan.outputs;
    wants_dx_ = WantsDx(plan);
    wants_dgamma_ = WantsDgamma(plan);
    wants_dbeta_ = WantsDbeta(plan);
    reads_x_ = ReadsX(plan);
    has_waiting_ = plan.ub.half_rows > 0;
    if (has_waiting_) pipe->InitBuffer(waiting_buf_, plan.ub.half_rows);
  }

  // `col` is the chunk's place in the sums over rows, and in LeafSums.
  template <typename Sums, typename Leaves>
  __aicore__ inline void First(const RowsChunk<T>& chunk, const GammaColumns<G>& gamma,
                               uint32_t col, Sums& sums, Leaves& terms, Leaves& products) {
    FirstSums out = {};
    bool moves = false;  // both sums at once: they take the same tiles
    if (wants_dgamma_) {
      moves = sums.Dgamma().Take(chunk.rows, col);
      out.dgamma = sums.Dgamma().InUb(col);
    }
    if (wants_dbeta_) {
      moves = sums.Dbeta().Take(chunk.rows, col);
      out.dbeta = sums.Dbeta().InUb(col);
    }
    if (wants_dx_) {
      out.leaves = {UbOf(terms.LeafSums(col)), UbOf(products.LeafSums(col)), terms.LeafPitch()};
      out.waiting = has_waiting_ ? UbOf(waiting_buf_.Get<float>()) : nullptr;
    }
    if (moves) {
      FirstOf<true>(InUb(chunk, gamma), out);
    } else {
      FirstOf<false>(InUb(chunk, gamma), out);
    }
  }

  // Registers hold nothing from one chunk to the next.
  static constexpr bool kEndsAtOnce = true;
  template <typename Sums, typename Leaves>
  __aicore__ inline void NextFirst(const RowsChunk<T>& chunk, const GammaColumns<G>& gamma,
                                   uint32_t col, Sums& sums, Leaves& terms, Leaves& products) {
    First(chunk, gamma, col, sums, terms, products);
  }
  template <typename Statistics>
  __aicore__ inline void BeginSecond(const AscendC::LocalTensor<T>&, const RowsChunk<T>&,
                                     const GammaColumns<G>&, Statistics&) {}
  __aicore__ inline void NextSecond(const AscendC::LocalTensor<T>& dx, const RowsChunk<T>& chunk,
                                    const GammaColumns<G>& gamma) {
    Second(dx, chunk, gamma);
  }
  __aicore__ inline void EndSecond() {}

  // dx may lie where x or dy lies; its rows are as far apart as theirs.
  __aicore__ inline void Second(const AscendC::LocalTensor<T>& dx, const RowsChunk<T>& chunk,
                                const GammaColumns<G>& gamma) {
    const MeansInUb means = {UbOf(chunk.minus_c1), UbOf(chunk.minus_c2_rstd)};
    SecondPass<T, G, StoreRounded<T>>(UbOf(dx), chunk.pitch, InUb(chunk, gamma), means);
  }

 private:
  // All outputs at once, or each that is asked for: a pass for each mask would be four times as
  // much code.
  template <bool kHasPair>
  __aicore__ inline void FirstOf(const RowsInUb<T, G>& in, const FirstSums& out) {
    constexpr uint32_t kAll = kWantsDx | kWantsDgamma | kWantsDbeta;
    if (outputs_ == kAll) return FirstPass<T, G, kAll, kHasPair>(in, out);
    if (wants_dx_) FirstPass<T, G, kWantsDx, false>(in, out);
    if (wants_dgamma_) FirstPass<T, G, kWantsDgamma, kHasPair>(in, out);
    if (wants_dbeta_) FirstPass<T, G, kWantsDbeta, kHasPair>(in, out);
  }

  // gamma is in UB as it came: registers widen it as they load it.
  __aicore__ inline RowsInUb<T, G> InUb(const RowsChunk<T>& chunk,
                                        const GammaColumns<G>& gamma) const {
    RowsInUb<T, G> in = {};
    in.dy = UbOf(chunk.dy);
    if (reads_x_) {
      in.x = UbOf(chunk.x);
      in.rstd = UbOf(chunk.rstd);
      in.mean = UbOf(chunk.mean);
    }
    if (wants_dx_) in.gamma = UbOf(gamma.AsItCame());
    in.rows = chunk.rows;
    in.cols = chunk.cols;
    in.pitch = chunk.pitch;
    return in;
  }

  uint32_t outputs_;
  bool wants_dx_;
  bool wants_dgamma_;
  bool wants_dbeta_;
  bool reads_x_;
  bool has_waiting_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> waiting_buf_;  // parts of leaves
};

#endif  // OP_KERNEL_LAYER_NORM_GRAD_V3_REGBASE_CHUNK_PASSES_H_
