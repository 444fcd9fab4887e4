// Loads from UB into registers, under their present and their older names.
#ifndef NORMGRAD_TWIN_API_REG_LOAD_H_
#define NORMGRAD_TWIN_API_REG_LOAD_H_

#include "twin/api/reg_calls.h"

namespace normgrad::twin {

using AscendC::Reg::LoadDist;

constexpr bool LoadsTwo(LoadDist dist) {
  return dist == LoadDist::DIST_DINTLV_B8 || dist == LoadDist::DIST_DINTLV_B16 ||
         dist == LoadDist::DIST_DINTLV_B32;
}

}  // namespace normgrad::twin

#define NORMGRAD_REG_UPDATES(name, mode)               \
  static_assert(mode == PostLiteral::POST_MODE_UPDATE, \
                "AscendC::Reg::" name " has the mode POST_MODE_UPDATE only")
#define NORMGRAD_REG_LOAD_CHECK(name, T, Actual, dist)                            \
  NORMGRAD_REG_TYPE(name, T, Actual);                                             \
  static_assert(!normgrad::twin::LoadsTwo(dist),                                  \
                "AscendC::Reg::" name ": this distribution fills two registers"); \
  static_assert(sizeof(Actual) < 8 || dist == LoadDist::DIST_NORM,                \
                "AscendC::Reg::" name ": 64-bit elements have DIST_NORM only")
#define NORMGRAD_REG_LOAD_TWO_CHECK(name, T, Actual, dist) \
  NORMGRAD_REG_TYPE(name, T, Actual);                      \
  static_assert(normgrad::twin::LoadsTwo(dist),            \
                "AscendC::Reg::" name ": this distribution fills one register")

namespace AscendC {
namespace Reg {

#define NORMGRAD_REG_LOADS(name)                                                                  \
  template <typename T = DefaultType, LoadDist dist = LoadDist::DIST_NORM, typename U,            \
            typename Actual = typename U::ActualT>                                                \
  inline void name(U& dst, T* src, NORMGRAD_SITE) {                                               \
    NORMGRAD_REG_LOAD_CHECK(#name, T, Actual, dist);                                              \
    normgrad::twin::RegLoad(dist, dst, src, site);                                                \
  }                                                                                               \
  template <typename T = DefaultType, PostLiteral post, LoadDist dist = LoadDist::DIST_NORM,      \
            typename U, typename Actual = typename U::ActualT>                                    \
  inline void name(U& dst, T*& src, int32_t stride, NORMGRAD_SITE) {                              \
    NORMGRAD_REG_LOAD_CHECK(#name, T, Actual, dist);                                              \
    NORMGRAD_REG_UPDATES(#name, post);                                                            \
    normgrad::twin::RegLoad(dist, dst, src, site);                                                \
    src += stride;                                                                                \
  }                                                                                               \
  template <typename T = DefaultType, LoadDist dist = LoadDist::DIST_NORM, typename U,            \
            typename Actual = typename U::ActualT>                                                \
  inline void name(U& dst, T* src, AddrReg offset, NORMGRAD_SITE) {                               \
    NORMGRAD_REG_LOAD_CHECK(#name, T, Actual, dist);                                              \
    normgrad::twin::RegLoad(dist, dst, normgrad::twin::RegAddress(src, offset), site);            \
  }                                                                                               \
  template <typename T = DefaultType, LoadDist dist, typename U,                                  \
            typename Actual = typename U::ActualT>                                                \
  inline void name(U& dst0, U& dst1, T* src, NORMGRAD_SITE) {                                     \
    NORMGRAD_REG_LOAD_TWO_CHECK(#name, T, Actual, dist);                                          \
    normgrad::twin::RegLoadTwo(dist, dst0, dst1, src, site);                                      \
  }                                                                                               \
  template <typename T = DefaultType, PostLiteral post, LoadDist dist, typename U,                \
            typename Actual = typename U::ActualT>                                                \
  inline void name(U& dst0, U& dst1, T*& src, int32_t stride, NORMGRAD_SITE) {                    \
    NORMGRAD_REG_LOAD_TWO_CHECK(#name, T, Actual, dist);                                          \
    NORMGRAD_REG_UPDATES(#name, post);                                                            \
    normgrad::twin::RegLoadTwo(dist, dst0, dst1, src, site);                                      \
    src += stride;                                                                                \
  }                                                                                               \
  template <typename T = DefaultType, LoadDist dist, typename U,                                  \
            typename Actual = typename U::ActualT>                                                \
  inline void name(U& dst0, U& dst1, T* src, AddrReg offset, NORMGRAD_SITE) {                     \
    NORMGRAD_REG_LOAD_TWO_CHECK(#name, T, Actual, dist);                                          \
    normgrad::twin::RegLoadTwo(dist, dst0, dst1, normgrad::twin::RegAddress(src, offset), site);  \
  }                                                                                               \
  template <typename T = DefaultType, DataCopyMode blocks, typename U,                            \
            typename Actual = typename U::ActualT>                                                \
  inline void name(U& dst, T* src, uint32_t block_stride, MaskReg& mask, NORMGRAD_SITE) {         \
    NORMGRAD_REG_TYPE(#name, T, Actual);                                                          \
    normgrad::twin::RegLoadBlocks(dst, src, block_stride, mask, site);                            \
  }                                                                                               \
  template <typename T = DefaultType, DataCopyMode blocks, PostLiteral post, typename U,          \
            typename Actual = typename U::ActualT>                                                \
  inline void name(U& dst, T*& src, uint32_t block_stride, uint32_t repeat_stride, MaskReg& mask, \
                   NORMGRAD_SITE) {                                                               \
    NORMGRAD_REG_TYPE(#name, T, Actual);                                                          \
    constexpr bool kUpdates = post == PostLiteral::POST_MODE_UPDATE;                              \
    T* const moved = src + repeat_stride * (32 / sizeof(T));                                      \
    normgrad::twin::RegLoadBlocks(dst, kUpdates ? src : moved, block_stride, mask, site);         \
    if (kUpdates) src = moved;                                                                    \
  }                                                                                               \
  template <typename T, MaskDist dist = MaskDist::DIST_NORM>                                      \
  inline void name(MaskReg& mask, T* src, NORMGRAD_SITE) {                                        \
    normgrad::twin::RegLoadMask(dist, mask, src, site);                                           \
  }                                                                                               \
  template <typename T, PostLiteral post, MaskDist dist = MaskDist::DIST_NORM>                    \
  inline void name(MaskReg& mask, T*& src, int32_t offset_bytes, NORMGRAD_SITE) {                 \
    NORMGRAD_REG_UPDATES(#name, post);                                                            \
    normgrad::twin::RegLoadMask(dist, mask, src, site);                                           \
    src = normgrad::twin::RegMoved(src, offset_bytes);                                            \
  }                                                                                               \
  template <typename T, MaskDist dist = MaskDist::DIST_NORM>                                      \
  inline void name(MaskReg& mask, T* src, AddrReg offset, NORMGRAD_SITE) {                        \
    normgrad::twin::RegLoadMask(dist, mask, normgrad::twin::RegAddress(src, offset), site);       \
  }
NORMGRAD_REG_LOADS(LoadAlign)
NORMGRAD_REG_LOADS(DataCopy)
#undef NORMGRAD_REG_LOADS

#define NORMGRAD_REG_UNALIGNED_LOADS(name, pre)                                                    \
  template <typename T>                                                                            \
  inline void pre(UnalignRegForLoad& unaligned, T* src, NORMGRAD_SITE) {                           \
    normgrad::twin::RegLoadUnalignedPre(unaligned, src, site);                                     \
  }                                                                                                \
  template <typename T>                                                                            \
  inline void pre(UnalignRegForLoad& unaligned, T* src, AddrReg& offset, NORMGRAD_SITE) {          \
    normgrad::twin::RegLoadUnalignedPre(unaligned, normgrad::twin::RegAddress(src, offset), site); \
  }                                                                                                \
  template <typename T = DefaultType, typename U, typename Actual = typename U::ActualT>           \
  inline void name(U& dst, UnalignRegForLoad& unaligned, T* src, NORMGRAD_SITE) {                  \
    NORMGRAD_REG_TYPE(#name, T, Actual);                                                           \
    normgrad::twin::RegLoadUnaligned(dst, unaligned, src, normgrad::twin::kRegBytes, site);        \
  }                                                                                                \
  template <typename T = DefaultType, PostLiteral post = PostLiteral::POST_MODE_UPDATE,            \
            typename U, typename Actual = typename U::ActualT>                                     \
  inline void name(U& dst, UnalignRegForLoad& unaligned, T*& src, uint32_t stride,                 \
                   NORMGRAD_SITE) {                                                                \
    NORMGRAD_REG_TYPE(#name, T, Actual);                                                           \
    NORMGRAD_REG_UPDATES(#name, post);                                                             \
    normgrad::twin::RegLoadUnaligned(dst, unaligned, src,                                          \
                                     stride * static_cast<uint32_t>(sizeof(T)), site);             \
    src += stride;                                                                                 \
  }                                                                                                \
  template <typename T = DefaultType, typename U, typename Actual = typename U::ActualT>           \
  inline void name(U& dst, UnalignRegForLoad& unaligned, T*& src, AddrReg& offset, uint32_t,       \
                   NORMGRAD_SITE) {                                                                \
    NORMGRAD_REG_TYPE(#name, T, Actual);                                                           \
    normgrad::twin::RegLoadUnaligned(dst, unaligned, normgrad::twin::RegAddress(src, offset),      \
                                     normgrad::twin::kRegBytes, site);                             \
  }
NORMGRAD_REG_UNALIGNED_LOADS(LoadUnAlign, LoadUnAlignPre)
NORMGRAD_REG_UNALIGNED_LOADS(DataCopyUnAlign, DataCopyUnAlignPre)
#undef NORMGRAD_REG_UNALIGNED_LOADS

// Both steps at once.
template <typename T = DefaultType, typename U, typename Actual = typename U::ActualT>
inline void Load(U& dst, T* src, NORMGRAD_SITE) {
  UnalignRegForLoad unaligned;
  LoadUnAlignPre(unaligned, src, site);
  LoadUnAlign<T>(dst, unaligned, src, site);
}

}  // namespace Reg
}  // namespace AscendC

#endif  // NORMGRAD_TWIN_API_REG_LOAD_H_
