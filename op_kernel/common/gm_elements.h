// Rows of less than a 32 B block between GM and UB, on chips whose copies move whole blocks:
// element by element, by the scalar unit. Right, not fast. What is stored goes through the data
// cache, in lines of 64 bytes, each of which a core must have for itself: rows are dealt in groups
// that make whole lines.
//
// Sync: these calls wait for the vector unit and it waits for them; the copy engines have no part.
#ifndef OP_KERNEL_COMMON_GM_ELEMENTS_H_
#define OP_KERNEL_COMMON_GM_ELEMENTS_H_

#include "op_kernel/common/units.h"

// The scalar unit goes on when the vector unit has come here.
__aicore__ inline void ScalarWaitsForVector() {
  const AscendC::TEventID event = GetTPipePtr()->FetchEventID(AscendC::HardEvent::V_S);
  AscendC::SetFlag<AscendC::HardEvent::V_S>(event);
  AscendC::WaitFlag<AscendC::HardEvent::V_S>(event);
}

// And the other way round.
__aicore__ inline void VectorWaitsForScalar() {
  const AscendC::TEventID event = GetTPipePtr()->FetchEventID(AscendC::HardEvent::S_V);
  AscendC::SetFlag<AscendC::HardEvent::S_V>(event);
  AscendC::WaitFlag<AscendC::HardEvent::S_V>(event);
}

// rows x cols, of rows that are `row_cols` long in GM; zeros up to the pitch.
template <typename T>
__aicore__ inline void LoadElements(const AscendC::LocalTensor<T>& dst,
                                    const AscendC::GlobalTensor<T>& src, uint32_t rows,
                                    uint32_t cols, uint32_t pitch, uint32_t row_cols) {
  ScalarWaitsForVector();
  for (uint32_t row = 0; row < rows; ++row) {
    for (uint32_t col = 0; col < pitch; ++col) {
      const uint64_t at = uint64_t{row} * row_cols + col;
      dst.SetValue(row * pitch + col, col < cols ? src.GetValue(at) : static_cast<T>(0.0f));
    }
  }
  VectorWaitsForScalar();
}

template <typename T>
__aicore__ inline void StoreElements(const AscendC::GlobalTensor<T>& dst,
                                     const AscendC::LocalTensor<T>& src, uint32_t rows,
                                     uint32_t cols, uint32_t pitch, uint32_t row_cols) {
  ScalarWaitsForVector();
  AscendC::GlobalTensor<T> to = dst;
  for (uint32_t row = 0; row < rows; ++row) {
    for (uint32_t col = 0; col < cols; ++col) {
      to.SetValue(uint64_t{row} * row_cols + col, src.GetValue(row * pitch + col));
    }
  }
  AscendC::DataCacheCleanAndInvalid<T, AscendC::CacheLine::ENTIRE_DATA_CACHE>(to);
  VectorWaitsForScalar();
}

#endif  // OP_KERNEL_COMMON_GM_ELEMENTS_H_
