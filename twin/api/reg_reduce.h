// Reductions of a register, of its 32 B blocks, of its pairs.
#ifndef NORMGRAD_TWIN_API_REG_REDUCE_H_
#define NORMGRAD_TWIN_API_REG_REDUCE_H_

#include "twin/api/reg_compute.h"

namespace AscendC {

enum class ReduceType { NONE = -1, SUM = 0, MAX, MIN };

namespace Reg {

using ReduceType = AscendC::ReduceType;

}  // namespace Reg
}  // namespace AscendC

namespace normgrad::twin {

using AscendC::ReduceType;

// A sum of 16-bit integers has 32 bits.
template <typename T>
struct RegSumOfImpl {
  using Type = T;
};
template <>
struct RegSumOfImpl<int16_t> {
  using Type = int32_t;
};
template <>
struct RegSumOfImpl<uint16_t> {
  using Type = uint32_t;
};

template <ReduceType type, typename To, typename From>
constexpr bool kReducesTo = std::is_same_v<
    To, std::conditional_t<type == ReduceType::SUM, typename RegSumOfImpl<From>::Type, From>>;

constexpr RegReduction ReductionOf(ReduceType type) {
  return type == ReduceType::MAX   ? RegReduction::kMax
         : type == ReduceType::MIN ? RegReduction::kMin
                                   : RegReduction::kSum;
}

}  // namespace normgrad::twin

#define NORMGRAD_REG_REDUCE_CHECK(name, op, type, T, To, U, From, mode)                 \
  NORMGRAD_REG_TYPE(name, T, To);                                                       \
  NORMGRAD_REG_TYPE(name, U, From);                                                     \
  NORMGRAD_REG_TAKES(op, From);                                                         \
  static_assert(normgrad::twin::kReducesTo<type, To, From>,                             \
                "AscendC::Reg::" name " does not yield this element type of that one"); \
  NORMGRAD_REG_ZEROING(name, mode)

namespace AscendC {
namespace Reg {

template <ReduceType type = ReduceType::SUM, typename T = DefaultType, typename U = DefaultType,
          MaskMergeMode mode = MaskMergeMode::ZEROING, typename S, typename V>
inline void Reduce(S& dst, const V& src, MaskReg mask, NORMGRAD_SITE) {
  using To = typename S::ActualT;
  using From = typename V::ActualT;
  namespace twin = normgrad::twin;
  NORMGRAD_REG_REDUCE_CHECK("Reduce", Reduce, type, T, To, U, From, mode);
  twin::RegReduce(twin::RegGroup::kAll, twin::ReductionOf(type), twin::kDtypeOf<From>, dst, src,
                  mask, site);
}

template <ReduceType type = ReduceType::SUM, typename T = DefaultType, typename U = DefaultType,
          MaskMergeMode mode = MaskMergeMode::ZEROING, typename S, typename V>
inline void ReduceDataBlock(S& dst, const V& src, MaskReg mask, NORMGRAD_SITE) {
  using To = typename S::ActualT;
  using From = typename V::ActualT;
  namespace twin = normgrad::twin;
  NORMGRAD_REG_REDUCE_CHECK("ReduceDataBlock", ReduceDataBlock, type, T, To, U, From, mode);
  twin::RegReduce(twin::RegGroup::kBlock, twin::ReductionOf(type), twin::kDtypeOf<From>, dst, src,
                  mask, site);
}

template <PairReduce type = PairReduce::SUM, typename T = DefaultType,
          MaskMergeMode mode = MaskMergeMode::ZEROING, typename U>
inline void PairReduceElem(U& dst, const U& src, MaskReg mask, NORMGRAD_SITE) {
  using Actual = typename U::ActualT;
  namespace twin = normgrad::twin;
  NORMGRAD_REG_TYPE("PairReduceElem", T, Actual);
  NORMGRAD_REG_TAKES(PairReduceElem, Actual);
  NORMGRAD_REG_ZEROING("PairReduceElem", mode);
  twin::RegReduce(twin::RegGroup::kPair, twin::RegReduction::kSum, twin::kDtypeOf<Actual>, dst, src,
                  mask, site);
}

// Older names.
template <typename T = DefaultType, typename U = DefaultType,
          MaskMergeMode mode = MaskMergeMode::ZEROING, typename S, typename V,
          typename Actual = typename V::ActualT>
inline void ReduceSum(S& dst, const V& src, MaskReg mask, NORMGRAD_SITE) {
  Reduce<ReduceType::SUM, T, U, mode>(dst, src, mask, site);
}
template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename U,
          typename Actual = typename U::ActualT>
inline void ReduceMax(U& dst, const U& src, MaskReg mask, NORMGRAD_SITE) {
  Reduce<ReduceType::MAX, T, T, mode>(dst, src, mask, site);
}
template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename U,
          typename Actual = typename U::ActualT>
inline void ReduceMin(U& dst, const U& src, MaskReg mask, NORMGRAD_SITE) {
  Reduce<ReduceType::MIN, T, T, mode>(dst, src, mask, site);
}

}  // namespace Reg
}  // namespace AscendC

#endif  // NORMGRAD_TWIN_API_REG_REDUCE_H_
