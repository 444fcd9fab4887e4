// Leaf sums of rows that several cores share, in the workspace, where a core stores whole blocks
// alone: a block per leaf, the eight parts that its sum has one step before (row_sum.h). Whoever
// reads them makes the last step.
#ifndef OP_KERNEL_COMMON_LEAF_PART_ROWS_H_
#define OP_KERNEL_COMMON_LEAF_PART_ROWS_H_

#include "op_kernel/common/chunk_tree.h"

class LeafPartRows {
 public:
  __aicore__ inline void Init(GM_ADDR workspace, uint64_t at, const NormGradTiling& plan,
                              AscendC::TPipe* pipe, const CrossLanes& lanes) {
    lanes_ = lanes;
    pipe_ = pipe;
    pitch_ = plan.leaf_row_pitch;
    all_rows_ = plan.rows;
    leaves_per_copy_ = plan.ub.leaf_in / kBlockBytes;
    gm_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(workspace) + at);
    pipe->InitBuffer(out_, plan.leaf_out_buffers, plan.ub.leaf_sums);
    pipe->InitBuffer(in_buf_, plan.ub.leaf_in);
    pipe->InitBuffer(read_buf_, plan.ub.leaf_read);
  }

  // What `leaves` have summed of a tile whose first row is `row`.
  template <typename Leaves>
  __aicore__ inline void Store(Leaves& leaves, uint64_t row, const TilePlace& place) {
    const uint32_t count = (place.cols + kLeafCols - 1) / kLeafCols;
    for (uint32_t term = 0; term < leaves.Terms(); ++term) {
      AscendC::LocalTensor<float> parts = out_.AllocTensor<float>();
      AscendC::DataCopy(parts, leaves.Parts(term), place.rows * kBlockElemsFp32 * kLeafParts);
      AscendC::PipeBarrier<PIPE_V>();
      out_.EnQue(parts);
      parts = out_.DeQue<float>();
      const uint64_t at = (term * all_rows_ + row) * pitch_ + place.col / kLeafCols;
      StorePart(gm_[at * kLeafParts], parts, place.rows, count * kLeafParts,
                kBlockElemsFp32 * kLeafParts, pitch_ * kLeafParts);
      out_.FreeTensor(parts);
    }
  }

  // Leaf sums of rows, from `leaf` on; in UB a row begins on a block.
  __aicore__ inline AscendC::LocalTensor<float> Read(uint64_t row, uint32_t rows, uint32_t leaf,
                                                     uint32_t leaves) {
    const AscendC::LocalTensor<float> sums = read_buf_.Get<float>();
    const uint32_t ub_pitch = RoundUp(leaves, kBlockElemsFp32);
    AscendC::PipeBarrier<PIPE_V>();  // what was read before is still being summed
    for (uint32_t i = 0; i < rows; ++i) {
      for (uint32_t done = 0; done < leaves; done += leaves_per_copy_) {
        const uint32_t count = Smaller(leaves_per_copy_, leaves - done);
        const uint32_t elems = count * kLeafParts;
        const AscendC::LocalTensor<float> parts = in_buf_.Get<float>();
        const AscendC::TEventID free = pipe_->FetchEventID(AscendC::HardEvent::V_MTE2);
        AscendC::SetFlag<AscendC::HardEvent::V_MTE2>(free);
        AscendC::WaitFlag<AscendC::HardEvent::V_MTE2>(free);
        AscendC::DataCopy(parts, gm_[((row + i) * pitch_ + leaf + done) * kLeafParts], elems);
        const AscendC::TEventID there = pipe_->FetchEventID(AscendC::HardEvent::MTE2_V);
        AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(there);
        AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(there);
        lanes_.SumParts(sums[i * ub_pitch + done], parts, count);
      }
    }
    AscendC::PipeBarrier<PIPE_V>();
    return sums;
  }

  // What was read last is not needed any more.
  __aicore__ inline void GiveBack() {}

 private:
  static constexpr uint32_t kBlockBytes = 32;

  CrossLanes lanes_;
  AscendC::TPipe* pipe_;
  uint32_t pitch_;  // from row to row, in leaves
  uint64_t all_rows_;
  uint32_t leaves_per_copy_;
  AscendC::GlobalTensor<float> gm_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> out_;
  AscendC::TBuf<AscendC::TPosition::VECIN> in_buf_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> read_buf_;
};

#endif  // OP_KERNEL_COMMON_LEAF_PART_ROWS_H_
