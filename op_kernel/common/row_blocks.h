// Values of rows for those of a tile.
#ifndef OP_KERNEL_COMMON_ROW_BLOCKS_H_
#define OP_KERNEL_COMMON_ROW_BLOCKS_H_

#include "op_kernel/common/chip.h"

// A value per row, as a 32 B block each for the rows of a tile and its neighbours: a block of
// values, eight rows, is what is spread at least.
class RowBlocks {
 public:
  __aicore__ inline void Init(uint32_t rows_per_tile, uint32_t bytes, AscendC::TPipe* pipe,
                              const CrossLanes& lanes = CrossLanes()) {
    lanes_ = lanes;
    pipe->InitBuffer(buf_, bytes);
    rows_ = RoundUp(rows_per_tile, kBlockElemsFp32);
  }

  // The blocks of the rows from `row` on. Tiles come in order; values has whole blocks of rows.
  __aicore__ inline AscendC::LocalTensor<float> Of(const AscendC::LocalTensor<float>& values,
                                                   uint32_t row, uint32_t all_rows) {
    const uint32_t in_blocks = row % rows_;
    const AscendC::LocalTensor<float> blocks = buf_.Get<float>();
    if (in_blocks == 0) {
      const uint32_t rows = Smaller(rows_, all_rows - row);
      lanes_.Spread(blocks, values[row], rows);
      AscendC::PipeBarrier<PIPE_V>();
    }
    return blocks[in_blocks * kBlockElemsFp32];
  }

 private:
  CrossLanes lanes_;
  uint32_t rows_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> buf_;
};

#endif  // OP_KERNEL_COMMON_ROW_BLOCKS_H_
