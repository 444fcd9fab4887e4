// Values of rows for those of a tile: what RowBlocks of row_blocks.h is to memory-based arithmetic.
#ifndef OP_KERNEL_COMMON_REGBASE_ROW_PLACES_H_
#define OP_KERNEL_COMMON_REGBASE_ROW_PLACES_H_

#include "op_kernel/common/chip.h"

// Vector functions spread a row's value as they load it: it lies where it came.
class RowPlaces {
 public:
  __aicore__ inline void Init(uint32_t, uint32_t, AscendC::TPipe*,
                              const CrossLanes& = CrossLanes()) {}

  __aicore__ inline AscendC::LocalTensor<float> Of(const AscendC::LocalTensor<float>& values,
                                                   uint32_t row, uint32_t) {
    return values[row];
  }
};

#endif  // OP_KERNEL_COMMON_REGBASE_ROW_PLACES_H_
