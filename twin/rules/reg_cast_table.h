// The conversions that the register call Cast has, and the round modes of each: the tables of its
// page. 0: rounding does not matter, any mode will do. Left out: 4-bit, fp8 and 64-bit elements.
#ifndef NORMGRAD_TWIN_RULES_REG_CAST_TABLE_H_
#define NORMGRAD_TWIN_RULES_REG_CAST_TABLE_H_

#include "twin/rules/cast_table.h"

namespace normgrad::twin {

struct RegCastRow {
  Dtype src;
  Dtype dst;
  CastModes modes;
};

constexpr RegCastRow kRegCastRows[] = {
    {Dtype::kI8, Dtype::kI16, 0},
    {Dtype::kI8, Dtype::kF16, 0},
    {Dtype::kI8, Dtype::kI32, 0},
    {Dtype::kU8, Dtype::kU16, 0},
    {Dtype::kU8, Dtype::kF16, 0},
    {Dtype::kU8, Dtype::kU32, 0},
    {Dtype::kI16, Dtype::kU8, 0},
    {Dtype::kI16, Dtype::kF16, kCastFive},
    {Dtype::kI16, Dtype::kI32, 0},
    {Dtype::kI16, Dtype::kU32, 0},
    {Dtype::kI16, Dtype::kF32, 0},
    {Dtype::kU16, Dtype::kU8, 0},
    {Dtype::kU16, Dtype::kU32, 0},
    {Dtype::kHif8, Dtype::kF16, 0},
    {Dtype::kHif8, Dtype::kF32, 0},
    {Dtype::kF16, Dtype::kHif8, kCastHif8},
    {Dtype::kF16, Dtype::kI8, kCastSix},
    {Dtype::kF16, Dtype::kU8, kCastSix},
    {Dtype::kF16, Dtype::kI16, kCastFive},
    {Dtype::kF16, Dtype::kBf16, kCastFive},
    {Dtype::kF16, Dtype::kI32, kCastFive},
    {Dtype::kF16, Dtype::kF32, 0},
    {Dtype::kBf16, Dtype::kF16, kCastFive},
    {Dtype::kBf16, Dtype::kI32, kCastFive},
    {Dtype::kBf16, Dtype::kF32, 0},
    {Dtype::kI32, Dtype::kU8, 0},
    {Dtype::kI32, Dtype::kI16, 0},
    {Dtype::kI32, Dtype::kU16, 0},
    {Dtype::kI32, Dtype::kF32, kCastFive},
    {Dtype::kU32, Dtype::kU8, 0},
    {Dtype::kU32, Dtype::kI16, 0},
    {Dtype::kU32, Dtype::kU16, 0},
    {Dtype::kF32, Dtype::kHif8, kCastHif8},
    {Dtype::kF32, Dtype::kI16, kCastFive},
    {Dtype::kF32, Dtype::kF16, kCastSix | kCastOdd},
    {Dtype::kF32, Dtype::kBf16, kCastFive},
    {Dtype::kF32, Dtype::kI32, kCastFive},
};

constexpr const RegCastRow* FindRegCast(Dtype src, Dtype dst) {
  for (const RegCastRow& row : kRegCastRows) {
    if (row.src == src && row.dst == dst) return &row;
  }
  return nullptr;
}

template <typename S, typename D>
constexpr bool kRegCasts = FindRegCast(kDtypeOf<S>, kDtypeOf<D>) != nullptr;

template <typename S, typename D>
constexpr bool RegCastRounds(AscendC::RoundMode mode) {
  constexpr CastModes modes = FindRegCast(kDtypeOf<S>, kDtypeOf<D>)->modes;
  return modes == 0 ||
         (static_cast<unsigned>(mode) < 8 && (modes >> static_cast<unsigned>(mode) & 1u) != 0);
}

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_RULES_REG_CAST_TABLE_H_
