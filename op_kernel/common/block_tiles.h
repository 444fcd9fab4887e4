// A block of rows and columns in UB, tile by tile, twice. Tiles follow each other down the rows,
// then along the columns: chunk by chunk. Either both passes read a tile from GM, through queues,
// or the whole block stays in UB between them.
//
// Sync: streaming, the queues' own. Resident, one MTE2_V flag per tile out of three in turn, so
// that two tiles are on their way while one is worked on.
#ifndef OP_KERNEL_COMMON_BLOCK_TILES_H_
#define OP_KERNEL_COMMON_BLOCK_TILES_H_

#include "op_kernel/common/args.h"
#include "op_kernel/common/gm_rows.h"

// What a core works on between two meetings.
struct Block {
  uint64_t first_row;
  uint32_t rows;
  uint32_t first_col;
  uint32_t cols;
};

// Rows [row, row + rows) of a block, columns [col, col + cols) of the tensor, which are ub_cols in
// UB.
struct TilePlace {
  uint32_t index;
  uint32_t row;
  uint32_t rows;
  uint32_t col;
  uint32_t cols;
  uint32_t ub_cols;
  uint32_t pitch;
  uint32_t dx_pitch;
};

// `D` is what dx is stored in.
template <typename T, typename D = T>
class BlockTiles {
 public:
  __aicore__ inline void Init(const NormGradArgs& args, const NormGradTiling& plan,
                              AscendC::TPipe* pipe) {
    cols_ = plan.cols;
    copy_cols_ = plan.copy_cols;
    tile_rows_ = plan.rows_per_tile;
    chunk_cols_ = plan.chunk_cols;
    is_resident_ = plan.is_resident != 0;
    reads_x_ = ReadsX(plan);
    const uint64_t elems = plan.rows * plan.cols;
    dy_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(args.dy), elems);
    x_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(args.x), elems);
    dx_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ D*>(args.dx), elems);
    if (is_resident_) {
      pipe->InitBuffer(dy_buf_, plan.ub.dy_in);
      pipe->InitBuffer(x_buf_, plan.ub.x_in);
      for (uint32_t i = 0; i < kFlags; ++i) {
        arrived_[i] = pipe->template AllocEventID<AscendC::HardEvent::MTE2_V>();
      }
    } else {
      dy_at_ = plan.ub.x_in / static_cast<uint32_t>(sizeof(T));
      pipe->InitBuffer(in_, plan.in_buffers, plan.ub.x_in + plan.ub.dy_in);
    }
    pipe->InitBuffer(out_, plan.out_buffers, plan.ub.dx_out);
  }

  // Before the first pass over a block. A resident block is the only one of its core.
  __aicore__ inline void Enter(const Block& block) {
    block_ = block;
    row_tiles_ = (block.rows + tile_rows_ - 1) / tile_rows_;
    tiles_ = row_tiles_ * Chunks();
    copied_ = 0;
  }

  __aicore__ inline uint32_t Chunks() const {
    return (block_.cols + chunk_cols_ - 1) / chunk_cols_;
  }
  __aicore__ inline uint32_t RowTiles() const { return row_tiles_; }
  __aicore__ inline const Block& CurrentBlock() const { return block_; }

  __aicore__ inline uint32_t ChunkCol(uint32_t chunk) const {
    return block_.first_col + chunk * chunk_cols_;
  }
  __aicore__ inline uint32_t ChunkCols(uint32_t chunk) const {
    return Smaller(chunk_cols_, block_.cols - chunk * chunk_cols_);
  }
  __aicore__ inline uint32_t ChunkUbCols(uint32_t chunk) const {
    return RoundUp(ChunkCols(chunk), copy_cols_);
  }

  __aicore__ inline TilePlace PlaceOf(uint32_t chunk, uint32_t row_tile) const {
    TilePlace place;
    place.index = chunk * row_tiles_ + row_tile;
    place.row = row_tile * tile_rows_;
    place.rows = Smaller(tile_rows_, block_.rows - place.row);
    place.col = ChunkCol(chunk);
    place.cols = ChunkCols(chunk);
    place.ub_cols = ChunkUbCols(chunk);
    place.pitch = RoundUp(place.cols, kBlockElems<T>);
    place.dx_pitch = RoundUp(place.cols, kBlockElems<D>);
    return place;
  }

  // x and dy of a tile, there when the vector unit goes on.
  __aicore__ inline void Take(const TilePlace& place, bool is_first_pass) {
    if (!is_resident_) {
      x_ = in_.template AllocTensor<T>();
      dy_ = x_[dy_at_];
      Load(place);
      in_.EnQue(x_);
      x_ = in_.template DeQue<T>();
      dy_ = x_[dy_at_];
      return;
    }
    if (is_first_pass) {
      for (; copied_ < tiles_ && copied_ < place.index + kFlags; ++copied_) {
        const TilePlace coming = PlaceOf(copied_ / row_tiles_, copied_ % row_tiles_);
        Locate(coming);
        Load(coming);
        AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(arrived_[copied_ % kFlags]);
      }
      AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(arrived_[place.index % kFlags]);
    }
    Locate(place);
  }

  __aicore__ inline const AscendC::LocalTensor<T>& X() const { return x_; }
  __aicore__ inline const AscendC::LocalTensor<T>& Dy() const { return dy_; }

  __aicore__ inline void GiveBack() {
    if (!is_resident_) in_.FreeTensor(x_);
  }

  template <typename Out>
  __aicore__ inline AscendC::LocalTensor<Out> NewOut() {
    return out_.template AllocTensor<Out>();
  }

  __aicore__ inline void CopyOut(const TilePlace& place, const AscendC::LocalTensor<D>& result) {
    out_.EnQue(result);
    AscendC::LocalTensor<D> dx = out_.template DeQue<D>();
    StorePart(dx_gm_[At(place)], dx, place.rows, place.cols, place.dx_pitch, cols_);
    out_.FreeTensor(dx);
  }

  // A sum over rows takes the way of dx, which is idle in the first pass.
  __aicore__ inline void CopyOutSum(const AscendC::GlobalTensor<float>& dst,
                                    const AscendC::LocalTensor<float>& result, uint32_t cols) {
    out_.EnQue(result);
    AscendC::LocalTensor<float> sum = out_.template DeQue<float>();
    StoreSums(dst, sum, cols, copy_cols_);
    out_.FreeTensor(sum);
  }

  // After the last block.
  __aicore__ inline void Release(AscendC::TPipe* pipe) {
    for (uint32_t i = 0; is_resident_ && i < kFlags; ++i) {
      pipe->template ReleaseEventID<AscendC::HardEvent::MTE2_V>(arrived_[i]);
    }
  }

 private:
  static constexpr uint32_t kFlags = 3;
  template <typename Element>
  static constexpr uint32_t kBlockElems = 32 / static_cast<uint32_t>(sizeof(Element));

  __aicore__ inline uint64_t At(const TilePlace& place) const {
    return (block_.first_row + place.row) * cols_ + place.col;
  }

  // Where a resident tile lies.
  __aicore__ inline void Locate(const TilePlace& place) {
    const uint32_t at = place.index * tile_rows_ * chunk_cols_;
    x_ = x_buf_.template Get<T>()[at];
    dy_ = dy_buf_.template Get<T>()[at];
  }

  __aicore__ inline void Load(const TilePlace& place) {
    if (reads_x_) {
      LoadPart(x_, x_gm_[At(place)], place.rows, place.cols, place.pitch, cols_);
    }
    LoadPart(dy_, dy_gm_[At(place)], place.rows, place.cols, place.pitch, cols_);
  }

  uint32_t cols_;
  uint32_t copy_cols_;
  uint32_t tile_rows_;
  uint32_t chunk_cols_;
  uint32_t dy_at_;
  bool is_resident_;
  bool reads_x_;
  Block block_;
  uint32_t row_tiles_;
  uint32_t tiles_;
  uint32_t copied_;
  AscendC::TEventID arrived_[kFlags];
  AscendC::GlobalTensor<T> dy_gm_;
  AscendC::GlobalTensor<T> x_gm_;
  AscendC::GlobalTensor<D> dx_gm_;
  AscendC::LocalTensor<T> x_;
  AscendC::LocalTensor<T> dy_;
  AscendC::TBuf<AscendC::TPosition::VECIN> dy_buf_;
  AscendC::TBuf<AscendC::TPosition::VECIN> x_buf_;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> in_;  // x and dy of a tile in one buffer
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> out_;
};

#endif  // OP_KERNEL_COMMON_BLOCK_TILES_H_
