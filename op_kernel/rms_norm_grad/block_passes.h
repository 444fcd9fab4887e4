// The two passes over a block of rows and columns that does not lie in UB as whole rows:
//
//   first   chunk by chunk, for all rows of the block: p = x * rstd * dy, the chunk's dgamma, and
//           the leaf sums of p * gamma for whoever adds them up to row sums
//   second  dx = (dy * gamma - x * c) * rstd, from the last chunk back to the first: what was read
//           last is likely to be in L2 still
//
// A chunk's gamma and dgamma are in UB only while the chunk is: there is room for any number of
// columns. dgamma leaves UB once per chunk and block.
#ifndef OP_KERNEL_RMS_NORM_GRAD_BLOCK_PASSES_H_
#define OP_KERNEL_RMS_NORM_GRAD_BLOCK_PASSES_H_

#include "op_kernel/common/block_tiles.h"
#include "op_kernel/common/gamma_chunks.h"
#include "op_kernel/rms_norm_grad/rows_chunk.h"

// `Parts` says what adds and multiplies: MemoryParts (memory_parts.h), or its like in registers.
template <typename Parts>
class BlockPasses {
 public:
  using T = typename Parts::Element;
  using G = typename Parts::Gamma;
  using D = typename Parts::Dx;

  __aicore__ inline void Init(const NormGradArgs& args, const NormGradTiling& plan,
                              AscendC::TPipe* pipe) {
    pipe_ = pipe;
    all_rows_ = plan.rows;
    tiles_.Init(args, plan, pipe);
    rstd_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(args.rstd), plan.rows);
    pipe->InitBuffer(rstd_in_, 1, plan.ub.rstd_in);
    gamma_.Init(args, plan, pipe);
    sum_.Init(plan, pipe);
    passes_.Init(args, plan, pipe);
    rstd_blocks_.Init(plan.rows_per_tile, plan.ub.rstd_block, pipe);
    mean_blocks_.Init(plan.rows_per_tile, plan.ub.mean_block, pipe);
  }

  // `sums` get the leaves of p * gamma of every tile, `dgamma` the sum over the block's rows.
  template <typename Sums>
  __aicore__ inline void First(const Block& block, const AscendC::GlobalTensor<float>& dgamma,
                               Sums& sums) {
    tiles_.Enter(block);
    sums.Enter(block);
    rstd_ = rstd_in_.template AllocTensor<float>();
    if (block.rows > 0) {
      LoadValues(rstd_, rstd_gm_[block.first_row], block.rows, all_rows_ - block.first_row);
    }
    rstd_in_.EnQue(rstd_);
    rstd_ = rstd_in_.template DeQue<float>();
    const uint32_t chunks = tiles_.Chunks();
    for (uint32_t chunk = 0; chunk < chunks; ++chunk) {
      const GammaColumns<float> gamma = Gamma(chunk);
      if (chunk + 1 < chunks) {
        gamma_.Fetch(tiles_.ChunkCol(chunk + 1), tiles_.ChunkCols(chunk + 1));
      }
      const AscendC::LocalTensor<float> total = tiles_.template NewOut<float>();
      if (tiles_.RowTiles() > 0) {
        sum_.RenewFor(total);
      } else {
        sum_.Clear();  // the empty sum
      }
      sums.BeginChunk();
      for (uint32_t tile = 0; tile < tiles_.RowTiles(); ++tile) {
        const TilePlace place = tiles_.PlaceOf(chunk, tile);
        tiles_.Take(place, true);
        passes_.First(ChunkOf(place), gamma, 0, sum_, sums.LeafSums());
        sums.Add(place);
        if (tile % kTilesPerMove + 2 >= kTilesPerMove) sum_.Next();
        tiles_.GiveBack();
      }
      sums.EndChunk();
      sum_.Total(total, tiles_.ChunkUbCols(chunk));
      tiles_.CopyOutSum(dgamma[tiles_.ChunkCol(chunk)], total, tiles_.ChunkCols(chunk));
    }
  }

  // `means`: minus the mean times rstd of every row of the block of First.
  __aicore__ inline void Second(const AscendC::LocalTensor<float>& means) {
    for (uint32_t left = tiles_.Chunks(); left > 0; --left) {
      const uint32_t chunk = left - 1;
      const GammaColumns<float> gamma = Gamma(chunk);
      if (chunk > 0) gamma_.Fetch(tiles_.ChunkCol(chunk - 1), tiles_.ChunkCols(chunk - 1));
      for (uint32_t tile = 0; tile < tiles_.RowTiles(); ++tile) {
        const TilePlace place = tiles_.PlaceOf(chunk, tile);
        tiles_.Take(place, false);
        const AscendC::LocalTensor<D> dx = tiles_.template NewOut<D>();
        RowsChunk<T> rows = ChunkOf(place);
        rows.mean = mean_blocks_.Of(means, place.row, tiles_.CurrentBlock().rows);
        passes_.Second(dx, rows, gamma);
        tiles_.GiveBack();
        tiles_.CopyOut(place, dx);
      }
    }
    rstd_in_.FreeTensor(rstd_);
  }

  // rstd of the block's rows, from First to Second.
  __aicore__ inline AscendC::LocalTensor<float> Rstd() const { return rstd_; }

  // After the last block.
  __aicore__ inline void Release() { tiles_.Release(pipe_); }

 private:
  // lo takes the sums of four tiles before what fits is moved into hi: the sum is due from the end
  // of the third to that of the fourth. In 16 bits this is 21.7 slope cycles instead of 22.3.
  static constexpr uint32_t kTilesPerMove = 4;

  __aicore__ inline GammaColumns<float> Gamma(uint32_t chunk) {
    GammaColumns<float> gamma;
    gamma.is_wide = true;
    gamma.wide = gamma_.Take(tiles_.ChunkCol(chunk), tiles_.ChunkCols(chunk));
    return gamma;
  }

  __aicore__ inline RowsChunk<T> ChunkOf(const TilePlace& place) {
    RowsChunk<T> chunk;
    chunk.x = tiles_.X();
    chunk.dy = tiles_.Dy();
    chunk.rstd = rstd_blocks_.Of(rstd_, place.row, tiles_.CurrentBlock().rows);
    chunk.rows = place.rows;
    chunk.cols = place.ub_cols;
    chunk.overlap = place.ub_cols - place.cols;
    chunk.pitch = place.pitch;
    chunk.dx_pitch = place.dx_pitch;
    return chunk;
  }

  AscendC::TPipe* pipe_;
  uint64_t all_rows_;
  BlockTiles<T, D> tiles_;
  GammaChunks<G> gamma_;
  typename Parts::Sum sum_;
  typename Parts::WidePasses passes_;
  typename Parts::PerRow rstd_blocks_;
  typename Parts::PerRow mean_blocks_;
  AscendC::LocalTensor<float> rstd_;
  AscendC::GlobalTensor<float> rstd_gm_;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> rstd_in_;
};

#endif  // OP_KERNEL_RMS_NORM_GRAD_BLOCK_PASSES_H_
