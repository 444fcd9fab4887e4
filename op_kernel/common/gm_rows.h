// Moves whole rows between GM and UB, where a row starts on a 32 B block.
#ifndef OP_KERNEL_COMMON_GM_ROWS_H_
#define OP_KERNEL_COMMON_GM_ROWS_H_

#include "op_kernel/common/chip.h"
#include "op_kernel/common/units.h"

// Rows that lie one after another in GM.
template <typename T>
__aicore__ inline void LoadRows(const AscendC::LocalTensor<T>& dst,
                                const AscendC::GlobalTensor<T>& src, uint32_t rows, uint32_t cols,
                                uint32_t pitch) {
  LoadPart(dst, src, rows, cols, pitch, cols);
}

template <typename T>
__aicore__ inline void StoreRows(const AscendC::GlobalTensor<T>& dst,
                                 const AscendC::LocalTensor<T>& src, uint32_t rows, uint32_t cols,
                                 uint32_t pitch) {
  StorePart(dst, src, rows, cols, pitch, cols);
}

// A value per column, there when the vector unit goes on; `copy_cols` as in the plan.
template <typename T>
__aicore__ inline void LoadColumnsNow(const AscendC::LocalTensor<T>& dst,
                                      const AscendC::GlobalTensor<T>& src, uint32_t cols,
                                      uint32_t pitch, uint32_t copy_cols, AscendC::TPipe* pipe) {
  LoadColumns(dst, src, 1, cols, pitch, cols, copy_cols);
  const AscendC::TEventID event = pipe->FetchEventID(AscendC::HardEvent::MTE2_V);
  AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(event);
  AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(event);
}

#endif  // OP_KERNEL_COMMON_GM_ROWS_H_
