// What register programming on 3510 must refuse to compile: see calls.cpp.
#include "kernel_operator.h"

using namespace AscendC::Reg;

struct Pair {
  int a, b;
};
inline void TakesPair(Pair) {}
inline void TakesPointer(float*, uint32_t) {}

inline void Refused(float* at, bfloat16_t* bf16, int64_t* wide) {
  [[maybe_unused]] RegTensor<float> f;
  [[maybe_unused]] RegTensor<half> h;
  [[maybe_unused]] RegTensor<bfloat16_t> b;
  [[maybe_unused]] RegTensor<int8_t> c;
  [[maybe_unused]] RegTensor<int32_t> i;
  [[maybe_unused]] RegTensor<int64_t> l;
  [[maybe_unused]] MaskReg mask;
  [[maybe_unused]] static constexpr CastTrait kNoRound = {
      RegLayout::ZERO, SatMode::NO_SAT, MaskMergeMode::ZEROING, AscendC::RoundMode::UNKNOWN};
  [[maybe_unused]] static constexpr CastTrait kNoLayout = {
      RegLayout::UNKNOWN, SatMode::NO_SAT, MaskMergeMode::ZEROING, AscendC::RoundMode::CAST_RINT};
  [[maybe_unused]] static constexpr CastTrait kNoMerge = {
      RegLayout::ZERO, SatMode::NO_SAT, MaskMergeMode::UNKNOWN, AscendC::RoundMode::CAST_RINT};
#if SAMPLE == 0
  Muls(f, f, 2.0f, mask);
  LoadAlign<float, LoadDist::DIST_BRC_B32>(f, at);
  LoadAlign(l, wide);
  LoadAlign(b, bf16);
  asc_vf_call<TakesPointer>(at, 64u);
#elif SAMPLE == 1
  //! error: AscendC::Reg::Muls does not take this element type
  Muls(b, b, bfloat16_t(2.0f), mask);
#elif SAMPLE == 2
  //! error: AscendC::Reg::Mul does not take this element type
  Mul(c, c, c, mask);
#elif SAMPLE == 3
  //! error: AscendC::Reg::Exp does not take this element type
  Exp(i, i, mask);
#elif SAMPLE == 4
  //! error: AscendC::Reg::Mul has the mode ZEROING only
  Mul<float, MaskMergeMode::MERGING>(f, f, f, mask);
#elif SAMPLE == 5
  //! error: AscendC::Reg::Add names another element type than its register's
  Add<half>(f, f, f, mask);
#elif SAMPLE == 6
  //! error: AscendC::Reg::Reduce does not take this element type
  Reduce<ReduceType::SUM>(b, b, mask);
#elif SAMPLE == 7
  //! error: AscendC::Reg::Reduce does not yield this element type of that one
  Reduce<ReduceType::SUM>(i, f, mask);
#elif SAMPLE == 8
  //! error: AscendC::Reg::Cast has no conversion between these element types
  Cast<int8_t, float, kNoLayout>(c, f, mask);
#elif SAMPLE == 9
  //! error: AscendC::Reg::Cast has no such round mode between these element types
  Cast<half, float, kNoRound>(h, f, mask);
#elif SAMPLE == 10
  //! error: AscendC::Reg::Cast has no such layout between these element types
  Cast<half, float, kNoLayout>(h, f, mask);
#elif SAMPLE == 11
  //! error: AscendC::Reg::Cast has the merge modes ZEROING and MERGING only
  Cast<half, float, kNoMerge>(h, f, mask);
#elif SAMPLE == 12
  //! error: AscendC::Reg::LocalMemBar has no such pair
  LocalMemBar<MemType::VEC_LOAD, MemType::VEC_LOAD>();
#elif SAMPLE == 13
  //! error: AscendC::Reg::LoadAlign: this distribution fills two registers
  LoadAlign<float, LoadDist::DIST_DINTLV_B32>(f, at);
#elif SAMPLE == 14
  //! error: AscendC::Reg::LoadAlign: 64-bit elements have DIST_NORM only
  LoadAlign<int64_t, LoadDist::DIST_BRC_B32>(l, wide);
#elif SAMPLE == 15
  //! error: AscendC::Reg::StoreAlign: this distribution is for elements of another width
  StoreAlign<bfloat16_t, StoreDist::DIST_FIRST_ELEMENT_B32>(bf16, b, mask);
#elif SAMPLE == 16
  //! error: AscendC::Reg::LoadAlign has the mode POST_MODE_UPDATE only
  LoadAlign<float, PostLiteral::POST_MODE_NORMAL>(f, at, 64);
#elif SAMPLE == 17
  //! error: AscendC::Reg::LoadAlign names another element type than its register's
  LoadAlign(f, bf16);
#elif SAMPLE == 18
  //! error: asc_vf_call passes pointers and plain numbers only
  asc_vf_call<TakesPair>(Pair{1, 2});
#elif SAMPLE == 19
  //! error: AscendC::Reg::Pack has no such pair of element types
  Pack(f, i);
#endif
}
