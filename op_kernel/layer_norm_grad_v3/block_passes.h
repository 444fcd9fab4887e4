// The two passes over a block of rows and columns that does not lie in UB as whole rows:
//
//   first   chunk by chunk, for all rows of the block: dgamma and dbeta of the chunk, and the leaf
//           sums of dy * gamma and of p * gamma for whoever adds them up to row sums
//   second  dx, from the last chunk back to the first: what was read last is likely to be in L2
//   still
//
// A chunk's gamma and sums over rows are in UB only while the chunk is: there is room for any
// number of columns. The sums leave UB once per chunk and block.
#ifndef OP_KERNEL_LAYER_NORM_GRAD_V3_BLOCK_PASSES_H_
#define OP_KERNEL_LAYER_NORM_GRAD_V3_BLOCK_PASSES_H_

#include "op_kernel/common/block_tiles.h"
#include "op_kernel/common/gamma_chunks.h"
#include "op_kernel/layer_norm_grad_v3/column_sums.h"
#include "op_kernel/layer_norm_grad_v3/rows_chunk.h"

// rstd and mean of a block's rows, one fp32 each.
template <typename S>
class BlockStats {
 public:
  __aicore__ inline void Init(const NormGradArgs& args, const NormGradTiling& plan,
                              AscendC::TPipe* pipe) {
    all_rows_ = plan.rows;
    half_ = plan.ub.rstd_in / 2 / static_cast<uint32_t>(sizeof(S));
    rstd_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ S*>(args.rstd), plan.rows);
    mean_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ S*>(args.mean), plan.rows);
    pipe->InitBuffer(in_, 1, plan.ub.rstd_in);
    if (plan.ub.stats_wide > 0) pipe->InitBuffer(wide_buf_, plan.ub.stats_wide);
  }

  // Of the next block, up to GiveBack.
  __aicore__ inline void Take(const Block& block) {
    landing_ = in_.template AllocTensor<S>();
    if (block.rows > 0) {
      const uint64_t left = all_rows_ - block.first_row;
      LoadValues(landing_, rstd_gm_[block.first_row], block.rows, left);
      LoadValues(landing_[half_], mean_gm_[block.first_row], block.rows, left);
    }
    in_.EnQue(landing_);
    landing_ = in_.template DeQue<S>();
    if constexpr (sizeof(S) == sizeof(float)) {
      rstd_ = landing_;
    } else {
      rstd_ = wide_buf_.template Get<float>();
      if (block.rows > 0) {
        const uint32_t count = RoundUp(block.rows, kBlockElemsFp32);
        Fp32Edge<S>::Widen(rstd_, landing_, count);
        Fp32Edge<S>::Widen(rstd_[half_], landing_[half_], count);
        AscendC::PipeBarrier<PIPE_V>();
      }
    }
  }

  __aicore__ inline void GiveBack() { in_.FreeTensor(landing_); }

  __aicore__ inline AscendC::LocalTensor<float> Rstd() const { return rstd_; }
  __aicore__ inline AscendC::LocalTensor<float> Mean() const { return rstd_[half_]; }

 private:
  uint64_t all_rows_;
  uint32_t half_;  // where the means begin
  AscendC::GlobalTensor<S> rstd_gm_;
  AscendC::GlobalTensor<S> mean_gm_;
  AscendC::LocalTensor<S> landing_;
  AscendC::LocalTensor<float> rstd_;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> in_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> wide_buf_;
};

// The two sums of each row, by way of RowSums: ChunkTree or LeafExchange.
template <typename RowSums>
struct RowSumPair {
  RowSums terms;     // dy * gamma
  RowSums products;  // p * gamma

  __aicore__ inline void Enter(const Block& block) {
    terms.Enter(block);
    products.Enter(block);
  }
  __aicore__ inline void BeginChunk() {
    terms.BeginChunk();
    products.BeginChunk();
  }
  __aicore__ inline void Add(const TilePlace& place) {
    terms.Add(place);
    products.Add(place);
  }
  __aicore__ inline void EndChunk() {
    terms.EndChunk();
    products.EndChunk();
  }
};

// `Parts` says what adds and multiplies: MemoryParts (memory_parts.h), or its like in registers.
template <typename Parts>
class BlockPasses {
 public:
  using T = typename Parts::Element;
  using G = typename Parts::Gamma;
  using Sums = ColumnSums<G, typename Parts::Sum>;

  __aicore__ inline void Init(const NormGradArgs& args, const NormGradTiling& plan,
                              AscendC::TPipe* pipe) {
    pipe_ = pipe;
    cols_ = plan.cols;
    wants_dx_ = WantsDx(plan);
    reads_x_ = ReadsX(plan);
    tiles_.Init(args, plan, pipe);
    stats_.Init(args, plan, pipe);
    gamma_.Init(args, plan, pipe);
    sums_.Init(args, plan, pipe);
    passes_.Init(plan, pipe);
    lanes_.Init(plan, pipe);
    rstd_blocks_.Init(plan.rows_per_tile, plan.ub.rstd_block, pipe, lanes_);
    mean_blocks_.Init(plan.rows_per_tile, plan.ub.rstd_block, pipe, lanes_);
    c1_blocks_.Init(plan.rows_per_tile, plan.ub.mean_block, pipe, lanes_);
    c2_blocks_.Init(plan.rows_per_tile, plan.ub.mean_block, pipe, lanes_);
  }

  // `rows` get the leaves of every tile; the sums over the block's rows go to `slot`.
  template <typename RowSums>
  __aicore__ inline void First(const Block& block, uint64_t slot, RowSumPair<RowSums>& rows) {
    tiles_.Enter(block);
    rows.Enter(block);
    if (reads_x_) stats_.Take(block);
    const uint32_t chunks = tiles_.Chunks();
    for (uint32_t chunk = 0; chunk < chunks; ++chunk) {
      GammaColumns<float> gamma = {};
      if (wants_dx_) {
        gamma = Gamma(chunk);
        if (chunk + 1 < chunks) {
          gamma_.Fetch(tiles_.ChunkCol(chunk + 1), tiles_.ChunkCols(chunk + 1));
        }
        rows.BeginChunk();
      }
      sums_.Renew(tiles_.RowTiles() > 0);
      for (uint32_t tile = 0; tile < tiles_.RowTiles(); ++tile) {
        const TilePlace place = tiles_.PlaceOf(chunk, tile);
        tiles_.Take(place, true);
        passes_.First(ChunkOf(place), gamma, 0, sums_, rows.terms.LeafSums(),
                      rows.products.LeafSums());
        if (wants_dx_) rows.Add(place);
        sums_.Next();
        tiles_.GiveBack();
      }
      if (wants_dx_) rows.EndChunk();
      StoreSums(slot, chunk);
    }
  }

  // `terms` and `products`: sums of every row of the block of First, with room for as many in
  // `spare`.
  __aicore__ inline void Second(const AscendC::LocalTensor<float>& terms,
                                const AscendC::LocalTensor<float>& products,
                                const AscendC::LocalTensor<float>& spare) {
    const uint32_t rows = tiles_.CurrentBlock().rows;
    if (rows > 0) {
      Parts::Leaves::MinusMeans(terms, spare, rows, cols_);
      Parts::Leaves::MeansTimesRstd(products, spare, stats_.Rstd(), rows, cols_);
    }
    for (uint32_t left = tiles_.Chunks(); left > 0; --left) {
      const uint32_t chunk = left - 1;
      const GammaColumns<float> gamma = Gamma(chunk);
      if (chunk > 0) gamma_.Fetch(tiles_.ChunkCol(chunk - 1), tiles_.ChunkCols(chunk - 1));
      for (uint32_t tile = 0; tile < tiles_.RowTiles(); ++tile) {
        const TilePlace place = tiles_.PlaceOf(chunk, tile);
        tiles_.Take(place, false);
        const AscendC::LocalTensor<T> dx = tiles_.template NewOut<T>();
        RowsChunk<T> chunk_rows = ChunkOf(place);
        chunk_rows.minus_c1 = c1_blocks_.Of(terms, place.row, rows);
        chunk_rows.minus_c2_rstd = c2_blocks_.Of(products, place.row, rows);
        passes_.Second(dx, chunk_rows, gamma);
        tiles_.GiveBack();
        tiles_.CopyOut(place, dx);
      }
    }
  }

  // After a block.
  __aicore__ inline void Leave() {
    if (reads_x_) stats_.GiveBack();
  }

  // After the last block.
  __aicore__ inline void Release() { tiles_.Release(pipe_); }

  __aicore__ inline Sums& SumsOverRows() { return sums_; }
  __aicore__ inline const CrossLanes& Lanes() const { return lanes_; }

 private:
  static constexpr uint32_t kSums = 2;

  __aicore__ inline GammaColumns<float> Gamma(uint32_t chunk) {
    GammaColumns<float> gamma;
    gamma.is_wide = true;
    gamma.wide = gamma_.Take(tiles_.ChunkCol(chunk), tiles_.ChunkCols(chunk));
    return gamma;
  }

  __aicore__ inline RowsChunk<T> ChunkOf(const TilePlace& place) {
    const uint32_t rows = tiles_.CurrentBlock().rows;
    RowsChunk<T> chunk;
    chunk.dy = tiles_.Dy();
    if (reads_x_) {
      chunk.x = tiles_.X();
      chunk.rstd = rstd_blocks_.Of(stats_.Rstd(), place.row, rows);
      chunk.mean = mean_blocks_.Of(stats_.Mean(), place.row, rows);
    }
    chunk.rows = place.rows;
    chunk.cols = place.ub_cols;
    chunk.overlap = place.ub_cols - place.cols;
    chunk.pitch = place.pitch;
    return chunk;
  }

  __aicore__ inline void StoreSums(uint64_t slot, uint32_t chunk) {
    for (uint32_t sum = 0; sum < kSums; ++sum) {
      if (!sums_.Wants(sum)) continue;
      const AscendC::LocalTensor<float> total = tiles_.template NewOut<float>();
      sums_.SumAt(sum).Total(total, tiles_.ChunkUbCols(chunk));
      const AscendC::GlobalTensor<float> dst = sums_.Partials().Destination(slot, sum);
      tiles_.CopyOutSum(dst[tiles_.ChunkCol(chunk)], total, tiles_.ChunkCols(chunk));
    }
  }

  AscendC::TPipe* pipe_;
  uint32_t cols_;
  bool wants_dx_;
  bool reads_x_;
  BlockTiles<T> tiles_;
  BlockStats<typename Parts::Stats> stats_;
  GammaChunks<G> gamma_;
  Sums sums_;
  typename Parts::WidePasses passes_;
  CrossLanes lanes_;
  typename Parts::PerRow rstd_blocks_;
  typename Parts::PerRow mean_blocks_;
  typename Parts::PerRow c1_blocks_;
  typename Parts::PerRow c2_blocks_;
};

#endif  // OP_KERNEL_LAYER_NORM_GRAD_V3_BLOCK_PASSES_H_
