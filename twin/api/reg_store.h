// Stores from registers to UB, under their present and their older names.
#ifndef NORMGRAD_TWIN_API_REG_STORE_H_
#define NORMGRAD_TWIN_API_REG_STORE_H_

#include "twin/api/reg_load.h"

namespace normgrad::twin {

using AscendC::Reg::StoreDist;

constexpr bool StoresTwo(StoreDist dist) {
  return dist == StoreDist::DIST_INTLV_B8 || dist == StoreDist::DIST_INTLV_B16 ||
         dist == StoreDist::DIST_INTLV_B32;
}

// DIST_NORM goes by the element.
template <typename T>
constexpr StoreDist StoreDistOf(StoreDist dist) {
  if (dist != StoreDist::DIST_NORM) return dist;
  return sizeof(T) == 1   ? StoreDist::DIST_NORM_B8
         : sizeof(T) == 2 ? StoreDist::DIST_NORM_B16
         : sizeof(T) == 4 ? StoreDist::DIST_NORM_B32
                          : StoreDist::DIST_NORM;
}

constexpr uint32_t StoreWidthOf(StoreDist dist) {
  switch (dist) {
    case StoreDist::DIST_NORM_B8:
    case StoreDist::DIST_FIRST_ELEMENT_B8:
      return 1;
    case StoreDist::DIST_NORM_B16:
    case StoreDist::DIST_FIRST_ELEMENT_B16:
      return 2;
    case StoreDist::DIST_NORM_B32:
    case StoreDist::DIST_FIRST_ELEMENT_B32:
      return 4;
    default:
      return 0;  // any
  }
}

}  // namespace normgrad::twin

#define NORMGRAD_REG_STORE_CHECK(name, T, Actual, dist)                                        \
  NORMGRAD_REG_TYPE(name, T, Actual);                                                          \
  static_assert(!normgrad::twin::StoresTwo(dist),                                              \
                "AscendC::Reg::" name ": this distribution stores two registers");             \
  static_assert(normgrad::twin::StoreWidthOf(dist) == 0 ||                                     \
                    normgrad::twin::StoreWidthOf(dist) == sizeof(Actual),                      \
                "AscendC::Reg::" name ": this distribution is for elements of another width"); \
  static_assert(                                                                               \
      sizeof(Actual) < 8 || dist == StoreDist::DIST_NORM || dist == StoreDist::DIST_PACK_B64,  \
      "AscendC::Reg::" name ": 64-bit elements have DIST_NORM and DIST_PACK_B64 only")
#define NORMGRAD_REG_STORE_TWO_CHECK(name, T, Actual, dist) \
  NORMGRAD_REG_TYPE(name, T, Actual);                       \
  static_assert(normgrad::twin::StoresTwo(dist),            \
                "AscendC::Reg::" name ": this distribution stores one register")

namespace AscendC {
namespace Reg {

#define NORMGRAD_REG_STORES(name)                                                                 \
  template <typename T = DefaultType, StoreDist dist = StoreDist::DIST_NORM, typename U,          \
            typename Actual = typename U::ActualT>                                                \
  inline void name(T* dst, U& src, MaskReg& mask, NORMGRAD_SITE) {                                \
    NORMGRAD_REG_STORE_CHECK(#name, T, Actual, dist);                                             \
    normgrad::twin::RegStore(normgrad::twin::StoreDistOf<Actual>(dist), dst, src, mask, site);    \
  }                                                                                               \
  template <typename T = DefaultType, PostLiteral post, StoreDist dist = StoreDist::DIST_NORM,    \
            typename U, typename Actual = typename U::ActualT>                                    \
  inline void name(T*& dst, U& src, int32_t stride, MaskReg& mask, NORMGRAD_SITE) {               \
    NORMGRAD_REG_STORE_CHECK(#name, T, Actual, dist);                                             \
    NORMGRAD_REG_UPDATES(#name, post);                                                            \
    normgrad::twin::RegStore(normgrad::twin::StoreDistOf<Actual>(dist), dst, src, mask, site);    \
    dst += stride;                                                                                \
  }                                                                                               \
  template <typename T = DefaultType, StoreDist dist = StoreDist::DIST_NORM, typename U,          \
            typename Actual = typename U::ActualT>                                                \
  inline void name(T* dst, U& src, AddrReg offset, MaskReg& mask, NORMGRAD_SITE) {                \
    NORMGRAD_REG_STORE_CHECK(#name, T, Actual, dist);                                             \
    normgrad::twin::RegStore(normgrad::twin::StoreDistOf<Actual>(dist),                           \
                             normgrad::twin::RegAddress(dst, offset), src, mask, site);           \
  }                                                                                               \
  template <typename T = DefaultType, StoreDist dist, typename U,                                 \
            typename Actual = typename U::ActualT>                                                \
  inline void name(T* dst, U& src0, U& src1, MaskReg&, NORMGRAD_SITE) {                           \
    NORMGRAD_REG_STORE_TWO_CHECK(#name, T, Actual, dist);                                         \
    normgrad::twin::RegStoreTwo(dist, dst, src0, src1, site);                                     \
  }                                                                                               \
  template <typename T = DefaultType, StoreDist dist, typename U,                                 \
            typename Actual = typename U::ActualT>                                                \
  inline void name(T* dst, U& src0, U& src1, AddrReg offset, MaskReg&, NORMGRAD_SITE) {           \
    NORMGRAD_REG_STORE_TWO_CHECK(#name, T, Actual, dist);                                         \
    normgrad::twin::RegStoreTwo(dist, normgrad::twin::RegAddress(dst, offset), src0, src1, site); \
  }                                                                                               \
  template <typename T = DefaultType, DataCopyMode blocks, typename U,                            \
            typename Actual = typename U::ActualT>                                                \
  inline void name(T* dst, U& src, uint32_t block_stride, MaskReg& mask, NORMGRAD_SITE) {         \
    NORMGRAD_REG_TYPE(#name, T, Actual);                                                          \
    normgrad::twin::RegStoreBlocks(dst, src, block_stride, mask, site);                           \
  }                                                                                               \
  template <typename T = DefaultType, DataCopyMode blocks, PostLiteral post, typename U,          \
            typename Actual = typename U::ActualT>                                                \
  inline void name(T*& dst, U& src, uint32_t block_stride, uint32_t repeat_stride, MaskReg& mask, \
                   NORMGRAD_SITE) {                                                               \
    NORMGRAD_REG_TYPE(#name, T, Actual);                                                          \
    constexpr bool kUpdates = post == PostLiteral::POST_MODE_UPDATE;                              \
    T* const moved = dst + repeat_stride * (32 / sizeof(T));                                      \
    normgrad::twin::RegStoreBlocks(kUpdates ? dst : moved, src, block_stride, mask, site);        \
    if (kUpdates) dst = moved;                                                                    \
  }                                                                                               \
  template <typename T, MaskDist dist = MaskDist::DIST_NORM>                                      \
  inline void name(T* dst, MaskReg& mask, NORMGRAD_SITE) {                                        \
    normgrad::twin::RegStoreMask(dist, dst, mask, site);                                          \
  }                                                                                               \
  template <typename T, PostLiteral post, MaskDist dist = MaskDist::DIST_NORM>                    \
  inline void name(T*& dst, MaskReg& mask, int32_t offset_bytes, NORMGRAD_SITE) {                 \
    NORMGRAD_REG_UPDATES(#name, post);                                                            \
    normgrad::twin::RegStoreMask(dist, dst, mask, site);                                          \
    dst = normgrad::twin::RegMoved(dst, offset_bytes);                                            \
  }                                                                                               \
  template <typename T, MaskDist dist = MaskDist::DIST_NORM>                                      \
  inline void name(T* dst, MaskReg& mask, AddrReg offset, NORMGRAD_SITE) {                        \
    normgrad::twin::RegStoreMask(dist, normgrad::twin::RegAddress(dst, offset), mask, site);      \
  }
NORMGRAD_REG_STORES(StoreAlign)
NORMGRAD_REG_STORES(DataCopy)
#undef NORMGRAD_REG_STORES

#define NORMGRAD_REG_UNALIGNED_STORES(name, last)                                              \
  template <typename T = DefaultType, PostLiteral post = PostLiteral::POST_MODE_UPDATE,        \
            typename U, typename Actual = typename U::ActualT>                                 \
  inline void name(T*& dst, U& src, UnalignRegForStore& unaligned, uint32_t stride,            \
                   NORMGRAD_SITE) {                                                            \
    NORMGRAD_REG_TYPE(#name, T, Actual);                                                       \
    NORMGRAD_REG_UPDATES(#name, post);                                                         \
    normgrad::twin::RegStoreUnaligned(dst, src, unaligned,                                     \
                                      stride * static_cast<uint32_t>(sizeof(T)), site);        \
    dst += stride;                                                                             \
  }                                                                                            \
  template <typename T = DefaultType, PostLiteral post = PostLiteral::POST_MODE_UPDATE,        \
            typename U, typename Actual = typename U::ActualT>                                 \
  inline void name(T*& dst, U& src, UnalignRegForStore& unaligned, AddrReg& offset,            \
                   NORMGRAD_SITE) {                                                            \
    NORMGRAD_REG_TYPE(#name, T, Actual);                                                       \
    normgrad::twin::RegStoreUnaligned(normgrad::twin::RegAddress(dst, offset), src, unaligned, \
                                      normgrad::twin::kRegBytes, site);                        \
  }                                                                                            \
  template <typename T, PostLiteral post = PostLiteral::POST_MODE_UPDATE>                      \
  inline void last(T*& dst, UnalignRegForStore& unaligned, int32_t stride, NORMGRAD_SITE) {    \
    NORMGRAD_REG_UPDATES(#last, post);                                                         \
    normgrad::twin::RegStoreUnalignedPost(dst, unaligned, site);                               \
    dst += stride;                                                                             \
  }                                                                                            \
  template <typename T>                                                                        \
  inline void last(T*&, UnalignRegForStore& unaligned, AddrReg&, NORMGRAD_SITE) {              \
    normgrad::twin::RegStoreUnalignedPost(nullptr, unaligned, site);                           \
  }
NORMGRAD_REG_UNALIGNED_STORES(StoreUnAlign, StoreUnAlignPost)
NORMGRAD_REG_UNALIGNED_STORES(DataCopyUnAlign, DataCopyUnAlignPost)
#undef NORMGRAD_REG_UNALIGNED_STORES

// Both steps at once: a whole register, or its first elements.
template <typename T = DefaultType, typename U, typename Actual = typename U::ActualT>
inline void Store(T* dst, U& src, uint32_t count, NORMGRAD_SITE) {
  UnalignRegForStore unaligned;
  StoreUnAlign<T>(dst, src, unaligned, count, site);
  StoreUnAlignPost<T>(dst, unaligned, 0, site);
}
template <typename T = DefaultType, typename U, typename Actual = typename U::ActualT>
inline void Store(T* dst, U& src, NORMGRAD_SITE) {
  Store<T>(dst, src, normgrad::twin::kRegBytes / static_cast<uint32_t>(sizeof(Actual)), site);
}

}  // namespace Reg
}  // namespace AscendC

#endif  // NORMGRAD_TWIN_API_REG_STORE_H_
