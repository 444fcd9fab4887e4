// The conversions that Cast has, and the round modes of each, per architecture: the tables of the
// vendor's Cast page. Left out: int4, fp4, fp8 but hifloat8, double, complex, and int32 to half,
// whose scale comes from SetDeqScale. Where page and headers disagree the headers stand: for 1001
// and 2002 the page lists fp32 to int64, they convert to int32; for 1001 it lists int16 to half,
// they refuse it; for 3510 they have CAST_NONE where 2201 has it.
#ifndef NORMGRAD_TWIN_RULES_CAST_TABLE_H_
#define NORMGRAD_TWIN_RULES_CAST_TABLE_H_

#include <cstdint>

#include "twin/machine/dtype.h"

namespace AscendC {

enum class RoundMode : uint8_t {
  CAST_NONE = 0,  // CAST_RINT where precision is lost
  CAST_RINT,
  CAST_FLOOR,
  CAST_CEIL,
  CAST_ROUND,
  CAST_TRUNC,
  CAST_ODD,
  CAST_HYBRID,  // to hifloat8_t alone
  UNKNOWN = 0xFF,
};

}  // namespace AscendC

namespace normgrad::twin {

using CastModes = uint8_t;  // one bit per RoundMode

constexpr CastModes kCastNone = 1u << 0;
constexpr CastModes kCastRint = 1u << 1;
constexpr CastModes kCastOdd = 1u << 6;
constexpr CastModes kCastFive = 0x3E;  // RINT FLOOR CEIL ROUND TRUNC
constexpr CastModes kCastSix = kCastFive | kCastNone;
constexpr CastModes kCastNoRint = kCastSix & ~kCastRint;  // FLOOR CEIL ROUND TRUNC NONE

constexpr CastModes kCastHif8 = 1u << 4 | 1u << 7;  // ROUND HYBRID

struct CastRow {
  Dtype src;
  Dtype dst;
  CastModes on1001;
  CastModes on2002;
  CastModes on2201;
  CastModes on3510;
};

constexpr CastRow kCastRows[] = {
    {Dtype::kI8, Dtype::kF16, kCastNone, kCastNone, kCastNone, kCastNone},
    {Dtype::kU8, Dtype::kF16, kCastNone, kCastNone, kCastNone, kCastNone},
    {Dtype::kI16, Dtype::kF16, 0, kCastNone, kCastSix, kCastSix},
    {Dtype::kI16, Dtype::kF32, 0, 0, kCastNone, kCastNone},
    {Dtype::kF16, Dtype::kI8, kCastNoRint, kCastNoRint, kCastSix, kCastSix},
    {Dtype::kF16, Dtype::kU8, kCastNoRint, kCastNoRint, kCastSix, kCastSix},
    {Dtype::kF16, Dtype::kI16, 0, kCastRint, kCastFive, kCastFive},
    {Dtype::kF16, Dtype::kI32, kCastFive, kCastFive, kCastFive, kCastFive},
    {Dtype::kF16, Dtype::kF32, kCastNone, kCastNone, kCastNone, kCastNone},
    {Dtype::kBf16, Dtype::kI32, 0, 0, kCastFive, kCastFive},
    {Dtype::kBf16, Dtype::kF32, 0, 0, kCastNone, kCastNone},
    {Dtype::kI32, Dtype::kI16, 0, kCastNone, kCastNone, kCastNone},
    {Dtype::kI32, Dtype::kF32, kCastNone, kCastNone, kCastSix, kCastSix},
    {Dtype::kI32, Dtype::kI64, 0, 0, kCastNone, kCastNone},
    {Dtype::kF32, Dtype::kI16, 0, 0, kCastFive, kCastFive},
    {Dtype::kF32, Dtype::kF16, kCastOdd | kCastNone, kCastOdd | kCastNone, kCastSix | kCastOdd,
     kCastSix | kCastOdd},
    {Dtype::kF32, Dtype::kBf16, 0, 0, kCastFive, kCastFive},
    {Dtype::kF32, Dtype::kI32, kCastFive, kCastFive, kCastFive, kCastFive},
    {Dtype::kF32, Dtype::kF32, 0, 0, kCastFive, kCastFive},
    {Dtype::kF32, Dtype::kI64, 0, 0, kCastFive, kCastFive},
    {Dtype::kI64, Dtype::kI32, 0, 0, kCastNone, kCastNone},
    {Dtype::kI64, Dtype::kF32, 0, 0, kCastFive, kCastFive},
    {Dtype::kI8, Dtype::kI16, 0, 0, 0, kCastNone},
    {Dtype::kI8, Dtype::kI32, 0, 0, 0, kCastNone},
    {Dtype::kU8, Dtype::kU16, 0, 0, 0, kCastNone},
    {Dtype::kU8, Dtype::kU32, 0, 0, 0, kCastNone},
    {Dtype::kHif8, Dtype::kF16, 0, 0, 0, kCastNone},
    {Dtype::kHif8, Dtype::kF32, 0, 0, 0, kCastNone},
    {Dtype::kI16, Dtype::kU8, 0, 0, 0, kCastNone},
    {Dtype::kI16, Dtype::kI32, 0, 0, 0, kCastNone},
    {Dtype::kI16, Dtype::kU32, 0, 0, 0, kCastNone},
    {Dtype::kU16, Dtype::kU8, 0, 0, 0, kCastNone},
    {Dtype::kU16, Dtype::kU32, 0, 0, 0, kCastNone},
    {Dtype::kF16, Dtype::kHif8, 0, 0, 0, kCastHif8},
    {Dtype::kF16, Dtype::kBf16, 0, 0, 0, kCastFive},
    {Dtype::kBf16, Dtype::kF16, 0, 0, 0, kCastFive},
    {Dtype::kI32, Dtype::kU8, 0, 0, 0, kCastNone},
    {Dtype::kI32, Dtype::kU16, 0, 0, 0, kCastNone},
    {Dtype::kU32, Dtype::kU8, 0, 0, 0, kCastNone},
    {Dtype::kU32, Dtype::kI16, 0, 0, 0, kCastNone},
    {Dtype::kU32, Dtype::kU16, 0, 0, 0, kCastNone},
    {Dtype::kF32, Dtype::kHif8, 0, 0, 0, kCastHif8},
};

// The round modes of a conversion on an architecture; 0: there is no such conversion.
constexpr CastModes CastModesOf(uint32_t arch, Dtype dst, Dtype src) {
  for (const CastRow& row : kCastRows) {
    if (row.dst != dst || row.src != src) continue;
    if (arch == 3510) return row.on3510;
    return arch == 1001 ? row.on1001 : arch == 2002 ? row.on2002 : row.on2201;
  }
  return 0;
}

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_RULES_CAST_TABLE_H_
