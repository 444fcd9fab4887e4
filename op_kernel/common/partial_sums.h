// Sums over rows from partial sums, each in a slot of the workspace: a core leaves there that of
// all its rows or, where the bits must not depend on the number of cores, of each of its groups of
// rows. All cores meet, then columns are dealt out in strips, whose slots are added up in a fixed
// tree: blocks of 64 slots by halving, the sums of blocks in the same way, and the sums of 64
// blocks into a (hi, lo) pair. Same bits under any schedule, no atomics.
//
// Bytes: 8 per column and slot. Sync: one SyncAll; with more than one block they are dealt
// to cores first, which leave their sums in the workspace too, and a second SyncAll follows. Per
// strip the queues order MTE2 -> V -> MTE3.
#ifndef OP_KERNEL_COMMON_PARTIAL_SUMS_H_
#define OP_KERNEL_COMMON_PARTIAL_SUMS_H_

#include "op_kernel/common/fp32_edge.h"
#include "op_kernel/common/sum_over_rows.h"

// `Out`: dtype of the results. There are one or two sums of as many columns (dgamma, dbeta), of
// which those are made that the plan asks for.
template <typename Out = float>
class PartialSums {
 public:
  __aicore__ inline void Init(const NormGradArgs& args, const NormGradTiling& plan,
                              AscendC::TPipe* pipe) {
    cols_ = plan.cols;
    // Sums of rows that go element by element come as whole blocks of 16 bits.
    const bool by_element = kCopiesWholeBlocks && plan.copy_cols == 1;
    slot_cols_ = by_element ? RoundUp(cols_, 2 * kBlockElemsFp32) : cols_;
    cores_ = plan.cores;
    slots_ = plan.partial_slots;
    blocks_ = (slots_ + kPartialsPerBlock - 1) / kPartialsPerBlock;
    pitch_ = plan.partial_pitch_cols;
    is_direct_ = plan.sums_are_direct != 0;
    wanted_[0] = WantsDgamma(plan);
    wanted_[1] = WantsDbeta(plan);
    slots_pitch_ = (slots_ + (blocks_ > 1 ? blocks_ : 0)) * pitch_;
    partials_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(args.workspace));
    results_gm_[0].SetGlobalBuffer(reinterpret_cast<__gm__ Out*>(args.dgamma), cols_);
    if (plan.sums > 1) {
      results_gm_[1].SetGlobalBuffer(reinterpret_cast<__gm__ Out*>(args.dbeta), cols_);
    }
    // Counters that nobody meets at would be zeroed by all cores, with nothing to order them.
    const bool meets_for_sums = (wanted_[0] || wanted_[1]) && !is_direct_;
    const bool meets = meets_for_sums || (plan.col_groups != 0 && WantsDx(plan));
    meeting_.Init(args.workspace, plan.counters_at, meets ? plan.cores : 1, pipe);
  }

  // Everything that the cores have stored is there for all of them.
  __aicore__ inline void Meet() { meeting_.Meet(); }

  // Where the sum of a slot goes: straight to the result if there is no other and no cast.
  __aicore__ inline AscendC::GlobalTensor<float> Destination(uint64_t slot,
                                                             uint32_t sum = 0) const {
    if constexpr (sizeof(Out) == sizeof(float)) {
      if (is_direct_) return results_gm_[sum];
    }
    return SlotsOf(sum)[slot * pitch_];
  }

  // How many columns of a sum go there.
  __aicore__ inline uint32_t StoredCols() const { return is_direct_ ? cols_ : slot_cols_; }

  // After the core's sums are stored. All UB buffers of the first phase are given up.
  __aicore__ inline void SumOverPartials(const NormGradTiling& plan, AscendC::TPipe* pipe) {
    if (is_direct_) return;
    Meet();
    SumStrips(plan, pipe);
  }

  // The same for cores that have met since they stored their sums and whose pipes are idle.
  __aicore__ inline void SumStrips(const NormGradTiling& plan, AscendC::TPipe* pipe) {
    if (is_direct_) return;
    pipe->Reset();
    meeting_.Renew(pipe);
    pipe->InitBuffer(partials_in_, plan.partial_buffers, plan.ub.partials_in);
    pipe->InitBuffer(sum_out_, 1, plan.ub.sum_out);
    if (blocks_ > 1) {
      for (uint32_t sum = 0; sum < kMostSums; ++sum) {
        if (wanted_[sum]) SumBlocks(sum, plan.block_strip_cols);
      }
      Meet();
    }
    if (blocks_ > kPartialsPerBlock) {
      blocks_sum_.Init(plan.ub.strip_hi, plan.ub.strip_lo, plan.ub.strip_mask, 1, kUnit, pipe);
    }
    const uint32_t first = AscendC::GetBlockIdx() * plan.strip_cols;
    const uint32_t step = cores_ * plan.strip_cols;
    const uint32_t least = Smaller(kUnit, cols_);
    for (uint32_t sum = 0; sum < kMostSums; ++sum) {
      if (!wanted_[sum]) continue;
      for (uint32_t col = first; col + least <= cols_; col += step) {
        SumOneStrip(sum, col, ColsOfStrip<Out>(cols_ - col, plan.strip_cols));
      }
    }
  }

 private:
  static constexpr uint32_t kMostSums = 2;
  static constexpr uint32_t kUnit = kLeastStore<Out>;

  __aicore__ inline AscendC::GlobalTensor<float> SlotsOf(uint32_t sum) const {
    return partials_gm_[sum * slots_pitch_];
  }

  // Of a strip of which `left` columns are left: the last one takes what is too short to be stored
  // by itself.
  template <typename Dst>
  __aicore__ inline static uint32_t ColsOfStrip(uint32_t left, uint32_t strip_cols) {
    return left < strip_cols + kLeastStore<Dst> ? left : strip_cols;
  }

  // Of at most one block.
  __aicore__ inline uint32_t Rows(uint64_t rows) const {
    return rows < kPartialsPerBlock ? static_cast<uint32_t>(rows) : kPartialsPerBlock;
  }

  // Blocks and, within them, strips, dealt to the cores.
  __aicore__ inline void SumBlocks(uint32_t sum, uint32_t strip_cols) {
    const AscendC::GlobalTensor<float> slots = SlotsOf(sum);
    const AscendC::GlobalTensor<float> sums = slots[slots_ * pitch_];
    const uint64_t strips = (slot_cols_ - kLeastStore<float>) / strip_cols + 1;
    for (uint64_t i = AscendC::GetBlockIdx(); i < blocks_ * strips; i += cores_) {
      const uint64_t block = i / strips;
      const uint32_t col = static_cast<uint32_t>(i % strips) * strip_cols;
      const uint64_t first = block * kPartialsPerBlock;
      const uint32_t cols = ColsOfStrip<float>(slot_cols_ - col, strip_cols);
      AscendC::LocalTensor<float> rows =
          LoadAndHalve<float>(slots[first * pitch_ + col], Rows(slots_ - first), cols);
      Send(sums[block * pitch_ + col], rows, cols);
      partials_in_.FreeTensor(rows);
    }
  }

  // One block, or the sums of as many as make one in turn.
  __aicore__ inline void SumOneStrip(uint32_t sum, uint32_t col, uint32_t cols) {
    const AscendC::GlobalTensor<float> slots = SlotsOf(sum);
    if (blocks_ > kPartialsPerBlock) {
      SumStripOfBlocks(sum, slots[slots_ * pitch_ + col], col, cols);
      return;
    }
    const bool has_blocks = blocks_ > 1;
    AscendC::LocalTensor<float> rows = LoadAndHalve<Out>(
        slots[(has_blocks ? slots_ * pitch_ : 0) + col], Rows(has_blocks ? blocks_ : slots_), cols);
    Send(results_gm_[sum][col], rows, cols);
    partials_in_.FreeTensor(rows);
  }

  // More sums of blocks than make a block in turn.
  __aicore__ inline void SumStripOfBlocks(uint32_t sum, const AscendC::GlobalTensor<float>& src,
                                          uint32_t col, uint32_t cols) {
    blocks_sum_.Clear();
    for (uint64_t block = 0; block < blocks_; block += kPartialsPerBlock) {
      AscendC::LocalTensor<float> strips =
          LoadAndHalve<Out>(src[block * pitch_], Rows(blocks_ - block), cols);
      blocks_sum_.Add(0, strips, strips, UbCols<Out>(cols));
      blocks_sum_.Next();
      if (block + kPartialsPerBlock >= blocks_) {
        blocks_sum_.Finish();
        AscendC::PipeBarrier<PIPE_V>();
        Send(results_gm_[sum][col], blocks_sum_.Hi(), cols);
      }
      partials_in_.FreeTensor(strips);
    }
  }

  // Columns of a strip in UB, on its way to a tensor of Dst.
  template <typename Dst>
  __aicore__ inline static uint32_t UbCols(uint32_t cols) {
    return RoundUp(RoundUp(cols, kLeastStore<Dst>), kBlockElemsFp32);
  }

  // The first row of `rows`, in the dtype of where it goes.
  template <typename Dst>
  __aicore__ inline void Send(const AscendC::GlobalTensor<Dst>& dst,
                              const AscendC::LocalTensor<float>& rows, uint32_t cols) {
    AscendC::LocalTensor<Dst> sum = sum_out_.template AllocTensor<Dst>();
    Fp32Edge<Dst>::Narrow(sum, rows, UbCols<Dst>(cols));
    sum_out_.EnQue(sum);
    sum = sum_out_.template DeQue<Dst>();
    StoreRows(dst, sum, 1, cols, cols);
    sum_out_.FreeTensor(sum);
  }

  // The sum is the first row of the answer, which goes back to its queue. A result of less than a
  // block takes all that its slots hold.
  template <typename Dst>
  __aicore__ inline AscendC::LocalTensor<float> LoadAndHalve(
      const AscendC::GlobalTensor<float>& src, uint32_t rows, uint32_t cols) {
    const uint32_t strip_pitch = UbCols<Dst>(cols);
    AscendC::LocalTensor<float> strips = partials_in_.AllocTensor<float>();
    const uint32_t slot_cols = cols < kLeastStore<Dst> ? strip_pitch : cols;
    LoadColumns(strips, src, rows, slot_cols, strip_pitch, pitch_, kLeastStore<Dst>);
    partials_in_.EnQue(strips);

    strips = partials_in_.DeQue<float>();
    HalveRows(strips, rows, strip_pitch, strip_pitch);
    return strips;
  }

  uint32_t cols_;
  uint32_t slot_cols_;
  uint32_t cores_;
  uint32_t pitch_;
  uint64_t slots_;
  uint64_t blocks_;       // of slots
  uint64_t slots_pitch_;  // from the slots of one sum to those of the next
  bool is_direct_;
  bool wanted_[kMostSums];
  AscendC::GlobalTensor<float> partials_gm_;
  AscendC::GlobalTensor<Out> results_gm_[kMostSums];
  Meeting meeting_;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> partials_in_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> sum_out_;
  SumOverRows blocks_sum_;
};

#endif  // OP_KERNEL_COMMON_PARTIAL_SUMS_H_
