// The library's reductions of a matrix along one axis, as 3510 has them. Kernels that have room for
// it let the call rewrite its source; the other forms, with a buffer of their own, are left out.
#ifndef NORMGRAD_TWIN_API_PATTERN_REDUCE_H_
#define NORMGRAD_TWIN_API_PATTERN_REDUCE_H_

#include <cstdint>
#include <type_traits>

#include "twin/api/tensor.h"
#include "twin/rules/missing.h"

namespace AscendC {

// A: an axis that stays, R: one that is reduced.
namespace Pattern::Reduce {
struct AR {};
struct RA {};
}  // namespace Pattern::Reduce

}  // namespace AscendC

namespace normgrad::twin {

// Sums of a dense matrix of fp32: of each row, or over the rows.
void VectorSumOfAxis(UbOperand dst, UbOperand src, uint32_t rows, uint32_t cols, bool of_rows,
                     Site site);

}  // namespace normgrad::twin

namespace AscendC {

#ifdef __NPU_ARCH__
template <class T, class pattern, bool is_reuse_source = false>
inline void ReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                      const uint32_t src_shape[], [[maybe_unused]] bool src_inner_pad,
                      NORMGRAD_SITE) {
  static_assert(__NPU_ARCH__ == 3510 && sizeof(T) > 0,
                "AscendC::ReduceSum by a pattern does not exist on __NPU_ARCH__ " NORMGRAD_TEXT(
                    __NPU_ARCH__));
  static_assert(std::is_same_v<T, float>, "AscendC::ReduceSum by a pattern takes float");
  static_assert(is_reuse_source,
                "AscendC::ReduceSum by a pattern is here with isReuseSource alone");
  constexpr bool kOfRows = std::is_same_v<pattern, Pattern::Reduce::AR>;
  static_assert(kOfRows || std::is_same_v<pattern, Pattern::Reduce::RA>,
                "AscendC::ReduceSum has the patterns AR and RA");
  normgrad::twin::VectorSumOfAxis(dst.Operand(), src.Operand(), src_shape[0], src_shape[1], kOfRows,
                                  site);
}
#endif

}  // namespace AscendC

#endif  // NORMGRAD_TWIN_API_PATTERN_REDUCE_H_
