// Comparisons that yield one bit per element, and the choice by such bits.
#ifndef NORMGRAD_TWIN_API_COMPARE_H_
#define NORMGRAD_TWIN_API_COMPARE_H_

#include <cstdint>

#include "twin/api/vector_calls.h"
#include "twin/rules/dtypes.h"

namespace AscendC {

// `count` elements must fill whole 256 B repeats.
template <typename T, typename U>
inline void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0,
                    const LocalTensor<T>& src1, CMPMODE mode, uint32_t count, NORMGRAD_SITE) {
  NORMGRAD_DTYPE_RULE(Compare, T);
  static_assert(sizeof(U) == 1, "AscendC::Compare writes its bits to int8_t or uint8_t");
  normgrad::twin::VectorCompare(dst.Operand(), src0.Operand(), src1.Operand(), mode, count, site);
}

template <typename T, typename U>
inline void Select(const LocalTensor<T>& dst, const LocalTensor<U>& mask,
                   const LocalTensor<T>& src0, T src1, SELMODE mode, uint32_t count,
                   NORMGRAD_SITE) {
  NORMGRAD_DTYPE_RULE(Select, T);
  normgrad::twin::VectorSelectScalar(dst.Operand(), mask.Operand(), src0.Operand(), src1, mode,
                                     count, site);
}

}  // namespace AscendC

#endif  // NORMGRAD_TWIN_API_COMPARE_H_
