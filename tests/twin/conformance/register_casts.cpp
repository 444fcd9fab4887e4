// The register call Cast: every pair of element types, round mode, layout and saturation.
#include "tests/twin/conformance/registers.h"

namespace {

using AscendC::RoundMode;

template <RoundMode mode, int part, SatMode sat, MaskMergeMode merge>
struct Trait {
  static constexpr CastTrait kOf = {static_cast<RegLayout>(part), sat, merge, mode};
};

template <typename D, typename S>
struct Conversion {
  RegTensor<D> d;
  RegTensor<S> s;
  MaskReg mask;
};

// row.strides: which of the narrow elements, whether it saturates, whether it merges.
template <typename D, typename S, RoundMode mode, int part>
void Layout(const Row& row, Conversion<D, S>& c) {
  constexpr MaskMergeMode kZero = MaskMergeMode::ZEROING;
  if (row.strides[0] != part) return;
  if (row.strides[2] == 1) {
    if constexpr (part == 0) {
      constexpr MaskMergeMode kMerge = MaskMergeMode::MERGING;
      Cast<D, S, Trait<mode, part, SatMode::SAT, kMerge>::kOf>(c.d, c.s, c.mask);
    }
    return;
  }
  if (row.strides[1] == 1)
    Cast<D, S, Trait<mode, part, SatMode::SAT, kZero>::kOf>(c.d, c.s, c.mask);
  if (row.strides[1] == 0) {
    Cast<D, S, Trait<mode, part, SatMode::NO_SAT, kZero>::kOf>(c.d, c.s, c.mask);
  }
}

template <typename D, typename S, RoundMode mode>
void Mode(const Row& row, Conversion<D, S>& c) {
  if (row.mode != static_cast<uint32_t>(mode)) return;
  constexpr uint32_t kParts = twin::RegParts(sizeof(D), sizeof(S));
  Layout<D, S, mode, 0>(row, c);
  if constexpr (kParts > 1) Layout<D, S, mode, 1>(row, c);
  if constexpr (kParts > 2) {
    Layout<D, S, mode, 2>(row, c);
    Layout<D, S, mode, 3>(row, c);
  }
}

template <typename D, typename S, RoundMode... modes>
void Convert(const Row& row, const Operands& o) {
  if (row.dtype != static_cast<uint32_t>(twin::kDtypeOf<D>)) return;
  if (row.other != static_cast<uint32_t>(twin::kDtypeOf<S>)) return;
  uint8_t* to = o.dst.GetPhyAddr();
  __VEC_SCOPE__ {
    Conversion<D, S> c;
    c.mask = MaskOf<S>(row, o);
    MaskReg all = CreateMask<uint8_t>();
    LoadAlign(c.s, As<S>(o.src0).GetPhyAddr());
    LoadAlign(reinterpret_cast<RegTensor<uint8_t>&>(c.d), to);
    (Mode<D, S, modes>(row, c), ...);
    LocalMemBar<MemType::VEC_LOAD, MemType::VEC_STORE>();
    StoreAlign(to, reinterpret_cast<RegTensor<uint8_t>&>(c.d), all);
  }
}

#define ROUNDS                                                                              \
  RoundMode::CAST_RINT, RoundMode::CAST_FLOOR, RoundMode::CAST_CEIL, RoundMode::CAST_ROUND, \
      RoundMode::CAST_TRUNC
#define EXACT(D, S) Convert<D, S, RoundMode::UNKNOWN>(row, o);
#define ROUNDED(D, S) Convert<D, S, ROUNDS>(row, o);

}  // namespace

void Call(const Row& row, const Operands& o) {
  EXACT(int16_t, int8_t)
  EXACT(half, int8_t)
  EXACT(int32_t, int8_t)
  EXACT(uint16_t, uint8_t)
  EXACT(half, uint8_t)
  EXACT(uint32_t, uint8_t)
  EXACT(uint8_t, int16_t)
  ROUNDED(half, int16_t)
  EXACT(int32_t, int16_t)
  EXACT(uint32_t, int16_t)
  EXACT(float, int16_t)
  EXACT(uint8_t, uint16_t)
  EXACT(uint32_t, uint16_t)
  ROUNDED(int8_t, half)
  ROUNDED(uint8_t, half)
  ROUNDED(int16_t, half)
  ROUNDED(bfloat16_t, half)
  ROUNDED(int32_t, half)
  EXACT(float, half)
  ROUNDED(half, bfloat16_t)
  ROUNDED(int32_t, bfloat16_t)
  EXACT(float, bfloat16_t)
  EXACT(uint8_t, int32_t)
  EXACT(int16_t, int32_t)
  EXACT(uint16_t, int32_t)
  ROUNDED(float, int32_t)
  EXACT(uint8_t, uint32_t)
  EXACT(int16_t, uint32_t)
  EXACT(uint16_t, uint32_t)
  ROUNDED(int16_t, float)
  Convert<half, float, ROUNDS, RoundMode::CAST_ODD>(row, o);
  ROUNDED(bfloat16_t, float)
  ROUNDED(int32_t, float)
  Convert<hifloat8_t, float, RoundMode::CAST_ROUND, RoundMode::CAST_HYBRID>(row, o);
  Convert<hifloat8_t, half, RoundMode::CAST_ROUND, RoundMode::CAST_HYBRID>(row, o);
  EXACT(float, hifloat8_t)
  EXACT(half, hifloat8_t)
}
