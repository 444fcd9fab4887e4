// Register arithmetic, element by element. Templates here only translate.
#ifndef NORMGRAD_TWIN_API_REG_COMPUTE_H_
#define NORMGRAD_TWIN_API_REG_COMPUTE_H_

#include "twin/api/reg_calls.h"

namespace normgrad::twin {

using AscendC::Reg::MaskMergeMode;

// The merge mode of a call that is told more than that.
template <auto mode>
constexpr MaskMergeMode MergeModeOf() {
  if constexpr (std::is_pointer_v<decltype(mode)>) {
    return mode->mrgMode;
  } else {
    return mode;
  }
}

// Only the algorithms that say so keep subnormal numbers.
template <auto mode>
constexpr bool FlushesOf() {
  if constexpr (std::is_pointer_v<decltype(mode)>) {
    using Algo = std::decay_t<decltype(mode->algo)>;
    constexpr Algo algo = mode->algo;
    if constexpr (std::is_same_v<Algo, AscendC::DivAlgo>) {
      return algo != Algo::PRECISION_0ULP_FTZ_FALSE && algo != Algo::PRECISION_1ULP_FTZ_FALSE;
    } else if constexpr (std::is_same_v<Algo, AscendC::SqrtAlgo>) {
      return algo != Algo::PRECISION_0ULP_FTZ_FALSE && algo != Algo::PRECISION_1ULP_FTZ_FALSE &&
             algo != Algo::FAST_INVERSE;
    } else {
      return algo != Algo::PRECISION_1ULP_FTZ_FALSE;
    }
  } else {
    return true;
  }
}

template <typename T, typename U>
T RegScalarOf(U value) {
  if constexpr (std::is_same_v<T, U>) {
    return value;
  } else if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16_t>) {
    return T(static_cast<float>(value));
  } else {
    return static_cast<T>(value);
  }
}

}  // namespace normgrad::twin

#define NORMGRAD_REG_ZEROING(name, mode)                                 \
  static_assert(mode == MaskMergeMode::ZEROING, "AscendC::Reg::" name    \
                                                " has the mode ZEROING " \
                                                "only")
#define NORMGRAD_REG_MERGING(name, mode)                                          \
  static_assert(mode == MaskMergeMode::ZEROING || mode == MaskMergeMode::MERGING, \
                "AscendC::Reg::" name " has the modes ZEROING and MERGING only")

namespace AscendC {
namespace Reg {

#define NORMGRAD_REG_BINARY(name, op, check)                                                    \
  template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename U>  \
  inline void name(U& dst, U& src0, U& src1, MaskReg& mask, NORMGRAD_SITE) {                    \
    using Actual = typename U::ActualT;                                                         \
    namespace twin = normgrad::twin;                                                            \
    NORMGRAD_REG_TYPE(#name, T, Actual);                                                        \
    NORMGRAD_REG_TAKES(op, Actual);                                                             \
    check(#name, mode);                                                                         \
    twin::RegBinary(twin::RegOp::k##op,                                                         \
                    {twin::kDtypeOf<Actual>, mode == MaskMergeMode::MERGING, false}, dst, src0, \
                    src1, mask, site);                                                          \
  }
NORMGRAD_REG_BINARY(Add, Add, NORMGRAD_REG_MERGING)
NORMGRAD_REG_BINARY(Sub, Sub, NORMGRAD_REG_ZEROING)
NORMGRAD_REG_BINARY(Mul, Mul, NORMGRAD_REG_ZEROING)
NORMGRAD_REG_BINARY(Max, Max, NORMGRAD_REG_MERGING)
NORMGRAD_REG_BINARY(Min, Min, NORMGRAD_REG_MERGING)
NORMGRAD_REG_BINARY(And, And, NORMGRAD_REG_ZEROING)
NORMGRAD_REG_BINARY(Or, Or, NORMGRAD_REG_ZEROING)
NORMGRAD_REG_BINARY(Xor, Xor, NORMGRAD_REG_ZEROING)
NORMGRAD_REG_BINARY(MulAddDst, MulAddDst, NORMGRAD_REG_ZEROING)
NORMGRAD_REG_BINARY(Mula, MulAddDst, NORMGRAD_REG_ZEROING)
NORMGRAD_REG_BINARY(MulDstAdd, MulDstAdd, NORMGRAD_REG_ZEROING)
NORMGRAD_REG_BINARY(FusedMulDstAdd, MulDstAdd, NORMGRAD_REG_ZEROING)
NORMGRAD_REG_BINARY(AbsSub, AbsSub, NORMGRAD_REG_ZEROING)
NORMGRAD_REG_BINARY(FusedAbsSub, AbsSub, NORMGRAD_REG_ZEROING)
#undef NORMGRAD_REG_BINARY

template <typename T = DefaultType, auto mode = MaskMergeMode::ZEROING, typename U>
inline void Div(U& dst, U& src0, U& src1, MaskReg& mask, NORMGRAD_SITE) {
  using Actual = typename U::ActualT;
  namespace twin = normgrad::twin;
  NORMGRAD_REG_TYPE("Div", T, Actual);
  NORMGRAD_REG_TAKES(Div, Actual);
  NORMGRAD_REG_ZEROING("Div", twin::MergeModeOf<mode>());
  twin::RegBinary(twin::RegOp::kDiv, {twin::kDtypeOf<Actual>, false, twin::FlushesOf<mode>()}, dst,
                  src0, src1, mask, site);
}

// The signed type of an element's width.
#define NORMGRAD_REG_SHIFT(name)                                                                   \
  template <typename T = DefaultType, typename U = DefaultType,                                    \
            MaskMergeMode mode = MaskMergeMode::ZEROING, typename S, typename V>                   \
  inline void name(S& dst, S& src0, V& src1, MaskReg& mask, NORMGRAD_SITE) {                       \
    using Actual = typename S::ActualT;                                                            \
    using By = typename V::ActualT;                                                                \
    namespace twin = normgrad::twin;                                                               \
    NORMGRAD_REG_TYPE(#name, T, Actual);                                                           \
    NORMGRAD_REG_TYPE(#name, U, By);                                                               \
    NORMGRAD_REG_TAKES(name, Actual);                                                              \
    static_assert(std::is_same_v<By, std::make_signed_t<Actual>>,                                  \
                  "AscendC::Reg::" #name " shifts by signed numbers of the same width");           \
    NORMGRAD_REG_ZEROING(#name, mode);                                                             \
    twin::RegBinary(twin::RegOp::k##name, {twin::kDtypeOf<Actual>, false, false}, dst, src0, src1, \
                    mask, site);                                                                   \
  }
NORMGRAD_REG_SHIFT(ShiftLeft)
NORMGRAD_REG_SHIFT(ShiftRight)
#undef NORMGRAD_REG_SHIFT

#define NORMGRAD_REG_UNARY(name)                                                                 \
  template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename U>   \
  inline void name(U& dst, U& src, MaskReg& mask, NORMGRAD_SITE) {                               \
    using Actual = typename U::ActualT;                                                          \
    namespace twin = normgrad::twin;                                                             \
    NORMGRAD_REG_TYPE(#name, T, Actual);                                                         \
    NORMGRAD_REG_TAKES(name, Actual);                                                            \
    NORMGRAD_REG_ZEROING(#name, mode);                                                           \
    twin::RegUnary(twin::RegOp::k##name, {twin::kDtypeOf<Actual>, false, false}, dst, src, mask, \
                   site);                                                                        \
  }
NORMGRAD_REG_UNARY(Abs)
NORMGRAD_REG_UNARY(Neg)
NORMGRAD_REG_UNARY(Relu)
NORMGRAD_REG_UNARY(Not)
#undef NORMGRAD_REG_UNARY

#define NORMGRAD_REG_UNARY(name)                                                                   \
  template <typename T = DefaultType, auto mode = MaskMergeMode::ZEROING, typename U>              \
  inline void name(U& dst, U& src, MaskReg& mask, NORMGRAD_SITE) {                                 \
    using Actual = typename U::ActualT;                                                            \
    namespace twin = normgrad::twin;                                                               \
    NORMGRAD_REG_TYPE(#name, T, Actual);                                                           \
    NORMGRAD_REG_TAKES(name, Actual);                                                              \
    NORMGRAD_REG_ZEROING(#name, twin::MergeModeOf<mode>());                                        \
    twin::RegUnary(twin::RegOp::k##name, {twin::kDtypeOf<Actual>, false, twin::FlushesOf<mode>()}, \
                   dst, src, mask, site);                                                          \
  }
NORMGRAD_REG_UNARY(Exp)
NORMGRAD_REG_UNARY(Ln)
NORMGRAD_REG_UNARY(Sqrt)
#undef NORMGRAD_REG_UNARY

#define NORMGRAD_REG_SCALAR(name, Scalar)                                                      \
  template <typename T = DefaultType, typename U, MaskMergeMode mode = MaskMergeMode::ZEROING, \
            typename S>                                                                        \
  inline void name(S& dst, S& src, U scalar, MaskReg& mask, NORMGRAD_SITE) {                   \
    using Actual = typename S::ActualT;                                                        \
    namespace twin = normgrad::twin;                                                           \
    NORMGRAD_REG_TYPE(#name, T, Actual);                                                       \
    NORMGRAD_REG_TAKES(name, Actual);                                                          \
    NORMGRAD_REG_ZEROING(#name, mode);                                                         \
    const auto value = twin::RegScalarOf<Scalar>(scalar);                                      \
    twin::RegScalar(twin::RegOp::k##name, {twin::kDtypeOf<Actual>, false, false}, dst, src,    \
                    &value, mask, site);                                                       \
  }
NORMGRAD_REG_SCALAR(Adds, Actual)
NORMGRAD_REG_SCALAR(Muls, Actual)
NORMGRAD_REG_SCALAR(Maxs, Actual)
NORMGRAD_REG_SCALAR(Mins, Actual)
NORMGRAD_REG_SCALAR(Axpy, Actual)
NORMGRAD_REG_SCALAR(ShiftLefts, int16_t)
NORMGRAD_REG_SCALAR(ShiftRights, int16_t)
#undef NORMGRAD_REG_SCALAR

// exp(src0 - src1): of fp32, or of the fp16 elements that `layout` picks.
template <typename T = DefaultType, typename U = DefaultType, RegLayout layout = RegLayout::ZERO,
          MaskMergeMode mode = MaskMergeMode::ZEROING, typename S, typename V>
inline void ExpSub(S& dst, V& src0, V& src1, MaskReg& mask, NORMGRAD_SITE) {
  using Source = typename V::ActualT;
  namespace twin = normgrad::twin;
  NORMGRAD_REG_TYPE("ExpSub", T, typename S::ActualT);
  NORMGRAD_REG_TYPE("ExpSub", U, Source);
  static_assert(std::is_same_v<typename S::ActualT, float>, "AscendC::Reg::ExpSub yields float");
  NORMGRAD_REG_TAKES(ExpSub, Source);
  NORMGRAD_REG_ZEROING("ExpSub", mode);
  if constexpr (std::is_same_v<Source, float>) {
    twin::RegBinary(twin::RegOp::kExpSub, {twin::Dtype::kF32, false, false}, dst, src0, src1, mask,
                    site);
  } else {
    static_assert(layout == RegLayout::ZERO || layout == RegLayout::ONE,
                  "AscendC::Reg::ExpSub has the layouts ZERO and ONE");
    twin::RegExpSubHalf(layout == RegLayout::ONE, dst, src0, src1, mask, site);
  }
}

// src x scalar, rounded to fp16 with halves away from 0, in the fp16 elements that `layout` picks.
template <typename T0 = DefaultType, typename T1 = DefaultType, typename T2,
          RegLayout layout = RegLayout::ZERO, typename T3, typename T4>
inline void MulsCast(T3& dst, T4& src, T2 scalar, MaskReg& mask, NORMGRAD_SITE) {
  static_assert(std::is_same_v<typename T3::ActualT, half> &&
                    std::is_same_v<typename T4::ActualT, float> && std::is_same_v<T2, float>,
                "AscendC::Reg::MulsCast makes half of float and a float scalar");
  static_assert(layout == RegLayout::ZERO || layout == RegLayout::ONE,
                "AscendC::Reg::MulsCast has the layouts ZERO and ONE");
  normgrad::twin::RegMulsCast(layout == RegLayout::ONE, dst, src, scalar, mask, site);
}

}  // namespace Reg
}  // namespace AscendC

#endif  // NORMGRAD_TWIN_API_REG_COMPUTE_H_
