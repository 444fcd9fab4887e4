// What an architecture lacks does not compile there, and does elsewhere. A comment says on which
// architectures the next line is an error, and what the compiler's message must hold.
#include "kernel_operator.h"

using AscendC::GlobalTensor;
using AscendC::LocalTensor;
using AscendC::RoundMode;

template <typename T>
struct Tensors {
  LocalTensor<T> d, a, b;
};

// A compact copy, on the architectures that have copies of this kind at all.
template <typename T>
void Compact([[maybe_unused]] const GlobalTensor<T>& gm,
             [[maybe_unused]] const LocalTensor<T>& tensor) {
#if __NPU_ARCH__ >= 2201
  AscendC::DataCopyPad<T, AscendC::PaddingMode::Compact>(gm, tensor, AscendC::DataCopyExtParams());
#endif
}

inline void Probes() {
  const Tensors<float> f;
  const Tensors<half> h;
  const Tensors<bfloat16_t> b;
  const Tensors<int32_t> i;
  const Tensors<int16_t> s;
  const Tensors<int64_t> l;
  const Tensors<hifloat8_t> q;
  const LocalTensor<uint8_t> bits;
  const uint32_t shape[2] = {8, 8};
  const GlobalTensor<float> gm;
  const AscendC::UnaryRepeatParams unary;

  // Copies.
  //! 1001 2002: AscendC::DataCopyPad does not exist on
  AscendC::DataCopyPad(f.d, gm, AscendC::DataCopyExtParams(), {false, 0, 0, 0.0f});
  //! 1001 2002: AscendC::DataCopyPad does not exist on
  AscendC::DataCopyPad(gm, f.a, AscendC::DataCopyExtParams());
  //! 1001 2002: AscendC::Copy does not exist on
  AscendC::Copy(f.d, f.a, 64, 1, {1, 1, 8, 8});

  // bf16 came with 2201.
  //! 1001 2002: AscendC::Cast has no conversion between these element types on
  AscendC::Cast(f.d, b.a, RoundMode::CAST_NONE, 64);
  //! 1001 2002: AscendC::Cast has no conversion between these element types on
  AscendC::Cast(b.d, f.a, RoundMode::CAST_RINT, 64);
  //! 1001 2002: AscendC::Duplicate does not take this element type on
  AscendC::Duplicate(b.d, bfloat16_t(1.0f), 64);
  //! 1001 2002 2201: AscendC::Add does not take this element type on
  AscendC::Add(b.d, b.a, b.b, 64);
  //! 1001 2002 2201: AscendC::Muls does not take this element type on
  AscendC::Muls(b.d, b.a, bfloat16_t(1.0f), 64);
  //! 1001 2002: AscendC::SetAtomicAdd does not take this element type on
  AscendC::SetAtomicAdd<bfloat16_t>();

  // What came with 3510, and what it does not take either.
  //! 1001 2002 2201: AscendC::Cast has no conversion between these element types on
  AscendC::Cast(q.d, f.a, RoundMode::CAST_ROUND, 64);
  //! 1001 2002 2201: AscendC::Cast has no conversion between these element types on
  AscendC::Cast(h.d, b.a, RoundMode::CAST_RINT, 64);
  //! 1001 2002 2201 3510: AscendC::Cast has no conversion between these element types on
  AscendC::Cast(b.d, q.a, RoundMode::CAST_NONE, 64);
  //! 1001 2002 2201 3510: AscendC::Add does not take this element type on
  AscendC::Add(l.d, l.a, l.b, 64);
  //! 1001 2002 2201 3510: AscendC::Div does not take this element type on
  AscendC::Div(i.d, i.a, i.b, 64);
  //! 1001 2002 2201 3510: AscendC::WholeReduceSum does not take this element type on
  AscendC::WholeReduceSum(i.d, i.a, 64, 1, 1, 1, 8);
  //! 1001 2002 2201: AscendC::And does not take this element type on
  AscendC::And(i.d, i.a, i.b, 64);
  //! 1001 2002 2201: AscendC::Abs does not take this element type on
  AscendC::Abs(i.d, i.a, 64);
  //! 2201: AscendC::DataCopyPad has no PaddingMode::Compact on
  Compact(gm, f.a);
  //! 1001 2002: AscendC::SetCtrlSpr does not exist on
  AscendC::SetCtrlSpr<48, 48>(0);
  //! 1001 2002: AscendC::GetCtrlSpr does not exist on
  AscendC::GetCtrlSpr<48, 48>();
  //! 1001 2002 2201: AscendC::ResetCtrlSpr does not exist on
  AscendC::ResetCtrlSpr<48, 48>();
  //! 1001 2002 2201: AscendC::ReduceSum by a pattern does not exist on
  AscendC::ReduceSum<float, AscendC::Pattern::Reduce::AR, true>(f.d, f.a, shape, false);

  // Conversions of integers.
  //! 1001: AscendC::Cast has no conversion between these element types on
  AscendC::Cast(h.d, s.a, RoundMode::CAST_NONE, 64);
  //! 1001: AscendC::Cast has no conversion between these element types on
  AscendC::Cast(s.d, i.a, RoundMode::CAST_NONE, 64);
  //! 1001 2002: AscendC::Cast has no conversion between these element types on
  AscendC::Cast(l.d, f.a, RoundMode::CAST_RINT, 64);
  AscendC::Cast(i.d, f.a, RoundMode::CAST_RINT, 64);

  // Vector calls.
  //! 1001: AscendC::MulAddDst does not exist on
  AscendC::MulAddDst(f.d, f.a, f.b, 64);
  //! 1001: AscendC::MulAddDst does not exist on
  AscendC::MulAddDst(f.d, h.a, h.b, 64);
  //! 1001: AscendC::FusedMulAdd does not exist on
  AscendC::FusedMulAdd(f.d, f.a, f.b, 64);
  //! 1001: AscendC::Brcb does not exist on
  AscendC::Brcb(f.d, f.a, 1, {1, 8});
  //! 1001: AscendC::Maxs does not exist on
  AscendC::Maxs(f.d, f.a, 0.0f, 64);
  //! 1001: AscendC::Mins does not exist on
  AscendC::Mins(h.d, h.a, half(0.0f), 64);
  //! 1001: AscendC::Adds does not take this element type on
  AscendC::Adds(i.d, i.a, 1, 64);
  //! 1001: AscendC::Add does not take this element type on
  AscendC::Add(s.d, s.a, s.b, 64);
  //! 1001: AscendC::Relu does not take this element type on
  AscendC::Relu(f.d, f.a, 64);
  //! 1001: AscendC::CompareScalar does not exist on
  AscendC::CompareScalar(bits, f.a, 0.0f, AscendC::CMPMODE::LT, 64);
  //! 1001 2002: AscendC::Compare does not take this element type on
  AscendC::Compare(bits, i.a, i.b, AscendC::CMPMODE::EQ, 64);
  //! 1001: AscendC::SetMaskCount does not exist on
  AscendC::SetMaskCount();

  // The vector unit of 1001 reduces half only.
  //! 1001: AscendC::WholeReduceSum does not take this element type on
  AscendC::WholeReduceSum(f.d, f.a, 64, 1, 1, 1, 8);
  //! 1001: AscendC::WholeReduceMax does not take this element type on
  AscendC::WholeReduceMax(f.d, f.a, 64, 1, 1, 1, 8);
  //! 1001: AscendC::BlockReduceSum does not take this element type on
  AscendC::BlockReduceSum(f.d, f.a, 1, 64, 1, 1, 8);
  //! 1001: AscendC::PairReduceSum does not take this element type on
  AscendC::PairReduceSum(f.d, f.a, 1, 64, 1, 1, 8);
  //! 1001: AscendC::ReduceSum does not take this element type on
  AscendC::ReduceSum(f.d, f.a, f.b, 64);
  //! 1001: AscendC::ReduceMax does not take this element type on
  AscendC::ReduceMax(f.d, f.a, f.b, 64);
  //! 1001 2002: AscendC::GetAccVal does not exist on
  AscendC::GetAccVal<float>();
  AscendC::WholeReduceSum(h.d, h.a, 128, 1, 1, 1, 8);
  AscendC::ReduceSum(h.d, h.a, h.b, 64);

  // Between cores.
  //! 1001 2002: AscendC::SyncAll() without a workspace does not exist on
  AscendC::SyncAll();
  //! 1001 2002: AscendC::CrossCoreSetFlag does not exist on
  AscendC::CrossCoreSetFlag<0, PIPE_MTE3>(0);
  //! 1001 2002: AscendC::CrossCoreWaitFlag does not exist on
  AscendC::CrossCoreWaitFlag(0);
  //! 1001: AscendC::SetAtomicAdd does not take this element type on
  AscendC::SetAtomicAdd<half>();
  //! 1001: AscendC::SetAtomicAdd does not take this element type on
  AscendC::SetAtomicAdd<int16_t>();
  //! 1001 2002: AscendC::SetAtomicAdd does not take this element type on
  AscendC::SetAtomicAdd<int32_t>();
  //! 1001 2002: AscendC::SetAtomicAdd does not take this element type on
  AscendC::SetAtomicAdd<int8_t>();
  AscendC::SetAtomicAdd<float>();
  static_cast<void>(unary);
}
