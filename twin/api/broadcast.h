// Broadcast: a column or a row, repeated until it fills a matrix. A call of the vendor's library,
// of one or two dimensions.
#ifndef NORMGRAD_TWIN_API_BROADCAST_H_
#define NORMGRAD_TWIN_API_BROADCAST_H_

#include <cstdint>

#include "twin/api/tensor.h"
#include "twin/rules/dtypes.h"

namespace normgrad::twin {

struct Shape2 {
  uint32_t rows;
  uint32_t cols;
};

// Without `tmp` the call takes what it needs from UB that no buffer holds.
void VectorBroadcast(Dtype dtype, UbOperand dst, UbOperand src, const UbOperand* tmp,
                     uint32_t tmp_bytes, Shape2 dst_shape, Shape2 src_shape, int32_t axis,
                     Site site);

template <int32_t dim, int32_t axis>
constexpr int32_t BroadcastAxis() {
  static_assert(dim == 1 || dim == 2, "AscendC::Broadcast takes one or two dimensions");
  static_assert(axis == 0 || axis == 1, "AscendC::Broadcast repeats along axis 0 or 1");
  return dim == 1 ? 1 : axis;  // one dimension is a row, and its element is repeated
}
template <int32_t dim>
constexpr Shape2 ShapeOf(const uint32_t* shape) {
  return dim == 1 ? Shape2{1, shape[0]} : Shape2{shape[0], shape[dim - 1]};
}

}  // namespace normgrad::twin

namespace AscendC {

#define NORMGRAD_BROADCAST_API(name)                                                              \
  template <typename T, int32_t dim, int32_t axis, bool is_reuse_source = false>                  \
  inline void name(const LocalTensor<T>& dst, const LocalTensor<T>& src,                          \
                   const uint32_t dst_shape[dim], const uint32_t src_shape[dim],                  \
                   LocalTensor<uint8_t>& tmp, NORMGRAD_SITE) {                                    \
    NORMGRAD_DTYPE_RULE(Broadcast, T);                                                            \
    namespace twin = normgrad::twin;                                                              \
    const twin::UbOperand scratch = tmp.Operand();                                                \
    twin::VectorBroadcast(twin::kDtypeOf<T>, dst.Operand(), src.Operand(), &scratch,              \
                          tmp.GetSize(), twin::ShapeOf<dim>(dst_shape),                           \
                          twin::ShapeOf<dim>(src_shape), twin::BroadcastAxis<dim, axis>(), site); \
  }                                                                                               \
  template <typename T, int32_t dim, int32_t axis, bool is_reuse_source = false>                  \
  inline void name(const LocalTensor<T>& dst, const LocalTensor<T>& src,                          \
                   const uint32_t dst_shape[dim], const uint32_t src_shape[dim], NORMGRAD_SITE) { \
    NORMGRAD_DTYPE_RULE(Broadcast, T);                                                            \
    namespace twin = normgrad::twin;                                                              \
    twin::VectorBroadcast(twin::kDtypeOf<T>, dst.Operand(), src.Operand(), nullptr, 0,            \
                          twin::ShapeOf<dim>(dst_shape), twin::ShapeOf<dim>(src_shape),           \
                          twin::BroadcastAxis<dim, axis>(), site);                                \
  }
NORMGRAD_BROADCAST_API(Broadcast)
NORMGRAD_BROADCAST_API(BroadCast)  // its older name
#undef NORMGRAD_BROADCAST_API

}  // namespace AscendC

#endif  // NORMGRAD_TWIN_API_BROADCAST_H_
