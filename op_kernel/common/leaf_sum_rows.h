// Leaf sums of rows that several cores share, in the workspace: 4 bytes a leaf, side by side.
#ifndef OP_KERNEL_COMMON_LEAF_SUM_ROWS_H_
#define OP_KERNEL_COMMON_LEAF_SUM_ROWS_H_

#include "op_kernel/common/chunk_tree.h"

class LeafSumRows {
 public:
  __aicore__ inline void Init(GM_ADDR workspace, uint64_t at, const NormGradTiling& plan,
                              AscendC::TPipe* pipe, const CrossLanes& lanes) {
    lanes_ = lanes;
    pitch_ = plan.leaf_row_pitch;
    all_rows_ = plan.rows;
    gm_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(workspace) + at);
    pipe->InitBuffer(out_, kOutBuffers, plan.ub.leaf_sums);
    pipe->InitBuffer(in_, 1, plan.ub.leaf_in);
  }

  // What `leaves` have summed of a tile whose first row is `row`.
  template <typename Leaves>
  __aicore__ inline void Store(Leaves& leaves, uint64_t row, const TilePlace& place) {
    for (uint32_t term = 0; term < leaves.Terms(); ++term) {
      AscendC::LocalTensor<float> sums = out_.AllocTensor<float>();
      leaves.Finish(lanes_, sums, term);
      AscendC::PipeBarrier<PIPE_V>();
      out_.EnQue(sums);
      sums = out_.DeQue<float>();
      StorePart(gm_[(term * all_rows_ + row) * pitch_ + place.col / kLeafCols], sums, place.rows,
                (place.cols + kLeafCols - 1) / kLeafCols, kBlockElemsFp32, pitch_);
      out_.FreeTensor(sums);
    }
  }

  // Leaf sums of rows, from `leaf` on; in UB a row begins on a block.
  __aicore__ inline AscendC::LocalTensor<float> Read(uint64_t row, uint32_t rows, uint32_t leaf,
                                                     uint32_t leaves) {
    read_ = in_.AllocTensor<float>();
    LoadPart(read_, gm_[row * pitch_ + leaf], rows, leaves, RoundUp(leaves, kBlockElemsFp32),
             pitch_);
    in_.EnQue(read_);
    read_ = in_.DeQue<float>();
    return read_;
  }

  // What was read last is not needed any more.
  __aicore__ inline void GiveBack() { in_.FreeTensor(read_); }

 private:
  static constexpr uint32_t kOutBuffers = 2;

  CrossLanes lanes_;
  uint32_t pitch_;  // from row to row, in leaves
  uint64_t all_rows_;
  AscendC::LocalTensor<float> read_;
  AscendC::GlobalTensor<float> gm_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> out_;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> in_;
};

#endif  // OP_KERNEL_COMMON_LEAF_SUM_ROWS_H_
