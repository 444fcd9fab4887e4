// What becomes of dx on its way to UB, in registers: q = dx / scale or dx * scale, + offset,
// rounded to one byte. All of it is done in fp32 lanes; dx itself is never stored.
//
//   int8   fp32 -> int16, ties to even -> fp16 (exact as far as int8 goes) -> int8
//   hif8   fp32 -> hif8, ties away from zero
//
// Both saturate, and NaN becomes 0: the casts say so themselves, for which the kernel takes the
// decision from the control register (own_saturation.h). scale and offset lie in UB as they came;
// a vector function spreads them over registers once.
//
// Register instructions per 64 elements beside the second pass's own: a multiplication, or one and
// a division; with an offset an addition; 3 casts (hif8: 1), and a store of 64 bytes.
#ifndef OP_KERNEL_RMS_NORM_GRAD_QUANT_REGBASE_STORE_QUANTISED_H_
#define OP_KERNEL_RMS_NORM_GRAD_QUANT_REGBASE_STORE_QUANTISED_H_

#include "op_kernel/common/gm_rows.h"
#include "op_kernel/rms_norm_grad/regbase/second_pass.h"

// 64 fp32 to 64 bytes of UB.
__simd_callee__ inline void StoreBytes(__ubuf__ int8_t* at, Lanes& lanes, LaneMask& mask) {
  namespace Reg = AscendC::Reg;
  constexpr static Reg::CastTrait kToWhole = {Reg::RegLayout::ZERO, Reg::SatMode::SAT,
                                              Reg::MaskMergeMode::ZEROING,
                                              AscendC::RoundMode::CAST_RINT};
  constexpr static Reg::CastTrait kToHalf = {Reg::RegLayout::UNKNOWN, Reg::SatMode::NO_SAT,
                                             Reg::MaskMergeMode::ZEROING,
                                             AscendC::RoundMode::CAST_RINT};
  constexpr static Reg::CastTrait kToByte = {Reg::RegLayout::ZERO, Reg::SatMode::SAT,
                                             Reg::MaskMergeMode::ZEROING,
                                             AscendC::RoundMode::CAST_RINT};
  Reg::RegTensor<int16_t> whole;
  Reg::RegTensor<half> halves;
  Reg::RegTensor<int8_t> bytes;
  Reg::Cast<int16_t, float, kToWhole>(whole, lanes, mask);
  Reg::Cast<half, int16_t, kToHalf>(halves, whole, mask);
  Reg::Cast<int8_t, half, kToByte>(bytes, halves, mask);
  Reg::StoreAlign<int8_t, Reg::StoreDist::DIST_PACK4_B32>(at, bytes, mask);
}

__simd_callee__ inline void StoreBytes(__ubuf__ hifloat8_t* at, Lanes& lanes, LaneMask& mask) {
  namespace Reg = AscendC::Reg;
  constexpr static Reg::CastTrait kToByte = {Reg::RegLayout::ZERO, Reg::SatMode::SAT,
                                             Reg::MaskMergeMode::ZEROING,
                                             AscendC::RoundMode::CAST_ROUND};
  Reg::RegTensor<hifloat8_t> bytes;
  Reg::Cast<hifloat8_t, float, kToByte>(bytes, lanes, mask);
  Reg::StoreAlign<hifloat8_t, Reg::StoreDist::DIST_PACK4_B32>(at, bytes, mask);
}

// One value that lies in UB as it came, in all lanes as fp32.
template <typename S>
__simd_callee__ inline void LoadOneValue(Lanes& lanes, __ubuf__ S* at, LaneMask& all) {
  namespace Reg = AscendC::Reg;
  if constexpr (sizeof(S) == sizeof(float)) {
    LoadRowValue(lanes, at);
  } else {
    constexpr static Reg::CastTrait kWiden = {Reg::RegLayout::ZERO, Reg::SatMode::UNKNOWN,
                                              Reg::MaskMergeMode::ZEROING,
                                              AscendC::RoundMode::UNKNOWN};
    Reg::RegTensor<S> narrow;
    Reg::LoadAlign<S, Reg::LoadDist::DIST_BRC_B16>(narrow, at);
    Reg::Cast<float, S, kWiden>(lanes, narrow, all);
  }
}

__simd_callee__ inline void LoadOneValue(Lanes& lanes, __ubuf__ int32_t* at, LaneMask& all) {
  namespace Reg = AscendC::Reg;
  constexpr static Reg::CastTrait kToFloat = {Reg::RegLayout::UNKNOWN, Reg::SatMode::NO_SAT,
                                              Reg::MaskMergeMode::ZEROING,
                                              AscendC::RoundMode::CAST_RINT};
  Reg::RegTensor<int32_t> whole;
  Reg::LoadAlign<int32_t, Reg::LoadDist::DIST_BRC_B32>(whole, at);
  Reg::Cast<float, int32_t, kToFloat>(lanes, whole, all);
}

// `S` is the dtype of the scale.
template <typename D, typename S, bool kDivides, bool kHasOffset>
class QuantisingEdge {
 public:
  using Element = D;
  struct Place {
    __ubuf__ S* scale;
    __ubuf__ int32_t* offset;
  };

  __simd_callee__ inline void Begin(const Place& place) {
    LaneMask all = AscendC::Reg::CreateMask<float>();
    LoadOneValue(scale_, place.scale, all);
    if constexpr (kDivides) TakePower(all);
    if constexpr (kHasOffset) LoadOneValue(offset_, place.offset, all);
  }

  // 64 elements, from a 32 B block on; `lanes` is used up.
  __simd_callee__ inline void Store(__ubuf__ D* at, Lanes& lanes, LaneMask& mask) {
    namespace Reg = AscendC::Reg;
    if constexpr (kDivides) {
      Reg::Mul(lanes, lanes, power_, mask);
      Reg::Div(lanes, lanes, scale_, mask);
    } else {
      Reg::Mul(lanes, lanes, scale_, mask);
    }
    if constexpr (kHasOffset) Reg::Add(lanes, lanes, offset_, mask);
    StoreBytes(at, lanes, mask);
  }

 private:
  // Div takes subnormal numbers for 0. With a scale that is not tiny a subnormal dx comes to less
  // than any code; beside a tiny one, both get the same power of two, which leaves the quotient.
  __simd_callee__ inline void TakePower(LaneMask& all) {
    namespace Reg = AscendC::Reg;
    Lanes size;
    Lanes large;
    LaneMask is_tiny;
    Reg::Abs(size, scale_, all);
    Reg::Compares<float, AscendC::CMPMODE::LT>(is_tiny, size, kTiny, all);
    Reg::Duplicate(power_, 1.0f, all);
    Reg::Duplicate(large, kPower, all);
    Reg::Select(power_, large, power_, is_tiny);
    Reg::Mul(scale_, scale_, power_, all);
  }

  static constexpr float kPower = 18446744073709551616.0f;  // 2^64
  static constexpr float kTiny = 7.888609052210118e-31f;    // 2^-100

  Lanes scale_;
  Lanes power_;
  Lanes offset_;
};

// The store of RegisterParts (register_parts.h): dx of dtype `T` becomes `D`.
template <typename T, typename D, typename S>
class StoreQuantised {
 public:
  using Element = D;

  __aicore__ inline void Init(const NormGradArgs& args, const NormGradTiling& plan,
                              AscendC::TPipe* pipe) {
    divides_ = plan.divides != 0;
    has_offset_ = plan.has_offset != 0;
    pipe->InitBuffer(buf_, plan.ub.scale);
    AscendC::GlobalTensor<S> scale;
    scale.SetGlobalBuffer(reinterpret_cast<__gm__ S*>(args.scale), 1);
    LoadColumnsNow(buf_.template Get<S>(), scale, 1, kBlockBytes / static_cast<uint32_t>(sizeof(S)),
                   1, pipe);
    if (has_offset_) {
      AscendC::GlobalTensor<int32_t> offset;
      offset.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(args.offset), 1);
      LoadColumnsNow(Offset(), offset, 1, kOffsetAt, 1, pipe);
    }
  }

  // One vector function for each way to quantise: none asks inside.
  template <bool kOverX, typename G>
  __aicore__ inline void Second(__ubuf__ D* dx, uint32_t dx_pitch, const RowsInUb<T, G>& in,
                                __ubuf__ float* means) {
    if (divides_ && has_offset_) {
      Run<kOverX, true, true>(dx, dx_pitch, in, means);
    } else if (divides_) {
      Run<kOverX, true, false>(dx, dx_pitch, in, means);
    } else if (has_offset_) {
      Run<kOverX, false, true>(dx, dx_pitch, in, means);
    } else {
      Run<kOverX, false, false>(dx, dx_pitch, in, means);
    }
  }

 private:
  static constexpr uint32_t kBlockBytes = 32;
  static constexpr uint32_t kOffsetAt = kBlockBytes / static_cast<uint32_t>(sizeof(int32_t));

  __aicore__ inline AscendC::LocalTensor<int32_t> Offset() {
    return buf_.template Get<int32_t>()[kOffsetAt];
  }

  template <bool kOverX, bool kDivides, bool kHasOffset, typename G>
  __aicore__ inline void Run(__ubuf__ D* dx, uint32_t dx_pitch, const RowsInUb<T, G>& in,
                             __ubuf__ float* means) {
    SecondPass<kOverX, QuantisingEdge<D, S, kDivides, kHasOffset>>(
        dx, dx_pitch, in, means, {UbOf(buf_.template Get<S>()), UbOf(Offset())});
  }

  bool divides_;
  bool has_offset_;
  AscendC::TBuf<AscendC::TPosition::VECIN> buf_;
};

#endif  // OP_KERNEL_RMS_NORM_GRAD_QUANT_REGBASE_STORE_QUANTISED_H_
