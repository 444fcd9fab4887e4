// Rounding of counts and sizes. Arguments stay far below 2^64 - step.
#ifndef NORMGRAD_TILING_ALIGN_H_
#define NORMGRAD_TILING_ALIGN_H_

#include <cstdint>

namespace normgrad {

constexpr uint64_t CeilDiv(uint64_t value, uint64_t step) { return (value + step - 1) / step; }
constexpr uint64_t AlignUp(uint64_t value, uint64_t step) { return CeilDiv(value, step) * step; }
constexpr uint64_t AlignDown(uint64_t value, uint64_t step) { return value / step * step; }

}  // namespace normgrad

#endif  // NORMGRAD_TILING_ALIGN_H_
