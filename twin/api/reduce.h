// Reductions: of a repeat, of a block, of a pair, of everything.
#ifndef NORMGRAD_TWIN_API_REDUCE_H_
#define NORMGRAD_TWIN_API_REDUCE_H_

#include <cstdint>
#include <cstring>

#include "twin/api/vector_calls.h"
#include "twin/rules/dtypes.h"

namespace AscendC {

#define NORMGRAD_COUNT_SPEC \
  twin::LaneSpec::Count(static_cast<uint64_t>(mask), static_cast<uint32_t>(repeats), is_set_mask)
#define NORMGRAD_BITS_SPEC \
  twin::LaneSpec::Bits(mask, static_cast<uint32_t>(repeats), is_set_mask, sizeof(T) < 4)

// One result per repeat.
#define NORMGRAD_REPEAT_FORM(name, mask_type, lane_spec)                                          \
  template <typename T, bool is_set_mask = true>                                                  \
  inline void name(const LocalTensor<T>& dst, const LocalTensor<T>& src, mask_type,               \
                   const int32_t repeats, const int32_t dst_repeat, const int32_t src_block,      \
                   const int32_t src_repeat, ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX,  \
                   NORMGRAD_SITE) {                                                               \
    NORMGRAD_DTYPE_RULE(name, T);                                                                 \
    namespace twin = normgrad::twin;                                                              \
    twin::VectorReduceRepeat(twin::Api::k##name, twin::kDtypeOf<T>, dst.Operand(), src.Operand(), \
                             lane_spec, {dst_repeat, src_block, src_repeat}, order, site);        \
  }
#define NORMGRAD_REPEAT_API(name)                                     \
  NORMGRAD_REPEAT_FORM(name, const int32_t mask, NORMGRAD_COUNT_SPEC) \
  NORMGRAD_REPEAT_FORM(name, const uint64_t mask[], NORMGRAD_BITS_SPEC)
NORMGRAD_REPEAT_API(WholeReduceSum)
NORMGRAD_REPEAT_API(WholeReduceMax)
NORMGRAD_REPEAT_API(WholeReduceMin)
#undef NORMGRAD_REPEAT_API
#undef NORMGRAD_REPEAT_FORM

// One result per block of 32 B, or per pair. Repeats come before the mask here.
#define NORMGRAD_BLOCK_API(name)                                                                 \
  template <typename T, bool is_set_mask = true>                                                 \
  inline void name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t repeats,  \
                   const int32_t mask, const int32_t dst_repeat, const int32_t src_block,        \
                   const int32_t src_repeat, NORMGRAD_SITE) {                                    \
    NORMGRAD_DTYPE_RULE(name, T);                                                                \
    namespace twin = normgrad::twin;                                                             \
    twin::VectorReduceBlock(twin::Api::k##name, twin::kDtypeOf<T>, dst.Operand(), src.Operand(), \
                            NORMGRAD_COUNT_SPEC, {dst_repeat, src_block, src_repeat}, site);     \
  }                                                                                              \
  template <typename T, bool is_set_mask = true>                                                 \
  inline void name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t repeats,  \
                   const uint64_t mask[], const int32_t dst_repeat, const int32_t src_block,     \
                   const int32_t src_repeat, NORMGRAD_SITE) {                                    \
    NORMGRAD_DTYPE_RULE(name, T);                                                                \
    namespace twin = normgrad::twin;                                                             \
    twin::VectorReduceBlock(twin::Api::k##name, twin::kDtypeOf<T>, dst.Operand(), src.Operand(), \
                            NORMGRAD_BITS_SPEC, {dst_repeat, src_block, src_repeat}, site);      \
  }
NORMGRAD_BLOCK_API(BlockReduceSum)
NORMGRAD_BLOCK_API(BlockReduceMax)
NORMGRAD_BLOCK_API(BlockReduceMin)
#undef NORMGRAD_BLOCK_API

template <typename T, bool is_set_mask = true>
inline void PairReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                          const int32_t repeats, const int32_t mask, const int32_t dst_repeat,
                          const int32_t src_block, const int32_t src_repeat, NORMGRAD_SITE) {
  NORMGRAD_DTYPE_RULE(PairReduceSum, T);
  namespace twin = normgrad::twin;
  twin::VectorReducePair(twin::kDtypeOf<T>, dst.Operand(), src.Operand(), NORMGRAD_COUNT_SPEC,
                         {dst_repeat, src_block, src_repeat}, site);
}

template <typename T, bool is_set_mask = true>
inline void PairReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                          const int32_t repeats, const uint64_t mask[], const int32_t dst_repeat,
                          const int32_t src_block, const int32_t src_repeat, NORMGRAD_SITE) {
  NORMGRAD_DTYPE_RULE(PairReduceSum, T);
  namespace twin = normgrad::twin;
  twin::VectorReducePair(twin::kDtypeOf<T>, dst.Operand(), src.Operand(), NORMGRAD_BITS_SPEC,
                         {dst_repeat, src_block, src_repeat}, site);
}

// As WholeReduceSum; dst_block has no meaning.
template <typename T, bool is_set_mask = true>
inline void RepeatReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                            const int32_t repeats, const int32_t mask, const int32_t dst_block,
                            const int32_t src_block, const int32_t dst_repeat,
                            const int32_t src_repeat, NORMGRAD_SITE) {
  NORMGRAD_DTYPE_RULE(RepeatReduceSum, T);
  static_cast<void>(dst_block);
  WholeReduceSum<T, is_set_mask>(dst, src, mask, repeats, dst_repeat, src_block, src_repeat,
                                 ReduceOrder::ORDER_VALUE_INDEX, site);
}

// One result of everything.
template <typename T, bool is_set_mask = true>
inline void ReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                      const LocalTensor<T>& tmp, const int32_t count, NORMGRAD_SITE) {
  NORMGRAD_DTYPE_RULE(ReduceSum, T);
  namespace twin = normgrad::twin;
  twin::VectorReduceSum(twin::kDtypeOf<T>, dst.Operand(), src.Operand(), tmp.Operand(),
                        twin::LaneSpec::FirstN(count, is_set_mask || __NPU_ARCH__ != 2201), 8,
                        site);
}

template <typename T>
inline void ReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                      const LocalTensor<T>& tmp, const int32_t mask, const int32_t repeats,
                      const int32_t src_repeat, NORMGRAD_SITE) {
  NORMGRAD_DTYPE_RULE(ReduceSum, T);
  namespace twin = normgrad::twin;
  constexpr bool is_set_mask = true;
  twin::VectorReduceSum(twin::kDtypeOf<T>, dst.Operand(), src.Operand(), tmp.Operand(),
                        NORMGRAD_COUNT_SPEC, src_repeat, site);
}

template <typename T>
inline void ReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                      const LocalTensor<T>& tmp, const uint64_t mask[], const int32_t repeats,
                      const int32_t src_repeat, NORMGRAD_SITE) {
  NORMGRAD_DTYPE_RULE(ReduceSum, T);
  namespace twin = normgrad::twin;
  constexpr bool is_set_mask = true;
  twin::VectorReduceSum(twin::kDtypeOf<T>, dst.Operand(), src.Operand(), tmp.Operand(),
                        NORMGRAD_BITS_SPEC, src_repeat, site);
}

#define NORMGRAD_EXTREME_API(name)                                                                 \
  template <typename T>                                                                            \
  inline void name(const LocalTensor<T>& dst, const LocalTensor<T>& src,                           \
                   const LocalTensor<T>& tmp, const int32_t count, bool with_index = false,        \
                   NORMGRAD_SITE) {                                                                \
    NORMGRAD_DTYPE_RULE(name, T);                                                                  \
    namespace twin = normgrad::twin;                                                               \
    twin::VectorReduceExtreme(twin::Api::k##name, twin::kDtypeOf<T>, dst.Operand(), src.Operand(), \
                              tmp.Operand(), twin::LaneSpec::FirstN(count), 8, with_index, site);  \
  }                                                                                                \
  template <typename T>                                                                            \
  inline void name(const LocalTensor<T>& dst, const LocalTensor<T>& src,                           \
                   const LocalTensor<T>& tmp, const int32_t mask, const int32_t repeats,           \
                   const int32_t src_repeat, bool with_index = false, NORMGRAD_SITE) {             \
    NORMGRAD_DTYPE_RULE(name, T);                                                                  \
    namespace twin = normgrad::twin;                                                               \
    constexpr bool is_set_mask = true;                                                             \
    twin::VectorReduceExtreme(twin::Api::k##name, twin::kDtypeOf<T>, dst.Operand(), src.Operand(), \
                              tmp.Operand(), NORMGRAD_COUNT_SPEC, src_repeat, with_index, site);   \
  }
NORMGRAD_EXTREME_API(ReduceMax)
NORMGRAD_EXTREME_API(ReduceMin)
#undef NORMGRAD_EXTREME_API
#undef NORMGRAD_COUNT_SPEC
#undef NORMGRAD_BITS_SPEC

// What ReduceSum over the first n elements left in the accumulator.
template <typename T>
inline T GetAccVal([[maybe_unused]] NORMGRAD_SITE) {
  NORMGRAD_DTYPE_RULE(GetAccVal, T);
  const uint64_t bits = normgrad::twin::VectorAccumulator();
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
inline int64_t GetAccVal() { return static_cast<int64_t>(normgrad::twin::VectorAccumulator()); }

}  // namespace AscendC

#endif  // NORMGRAD_TWIN_API_REDUCE_H_
