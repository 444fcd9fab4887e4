// Units of the vector unit and of UB, and arithmetic on counts.
#ifndef OP_KERNEL_COMMON_UNITS_H_
#define OP_KERNEL_COMMON_UNITS_H_

#include "kernel_operator.h"

constexpr uint32_t kBlockElemsFp32 = 8;    // fp32 in a 32 B block
constexpr uint32_t kRepeatElemsFp32 = 64;  // fp32 in a 256 B repeat
constexpr uint32_t kMaxRepeats = 255;      // that one vector instruction takes

__aicore__ inline uint32_t RoundUp(uint32_t value, uint32_t step) {
  return (value + step - 1) / step * step;
}

__aicore__ inline uint32_t Smaller(uint32_t a, uint32_t b) { return a < b ? a : b; }

#endif  // OP_KERNEL_COMMON_UNITS_H_
