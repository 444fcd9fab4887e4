// What must not compile: each kernel by itself, with SAMPLE saying which one; 0 is none of them.
// The compiler's message must hold the text of the comment.
#include "kernel_operator.h"

using AscendC::HardEvent;
using AscendC::LocalTensor;
using AscendC::RoundMode;

inline void Refused() {
  [[maybe_unused]] const LocalTensor<float> f;
  [[maybe_unused]] const LocalTensor<half> h;
  [[maybe_unused]] const LocalTensor<bfloat16_t> b;
  [[maybe_unused]] const LocalTensor<int8_t> c;
#if SAMPLE == 0
  AscendC::Add(f, f, f, 64);
#elif SAMPLE == 1
  //! error: AscendC::Add does not take this element type
  AscendC::Add(b, b, b, 64);
#elif SAMPLE == 2
  //! error: AscendC::Mul does not take this element type
  AscendC::Mul(c, c, c, uint64_t{64}, 1, {1, 1, 1, 8, 8, 8});
#elif SAMPLE == 3
  //! error: AscendC::MulAddDst does not take this element type
  AscendC::MulAddDst(b, b, b, 64);
#elif SAMPLE == 4
  //! error: AscendC::Muls does not take this element type
  AscendC::Muls(b, b, bfloat16_t(2.0f), 64);
#elif SAMPLE == 5
  //! error: AscendC::Duplicate does not take this element type
  AscendC::Duplicate(c, int8_t{1}, 64);
#elif SAMPLE == 6
  //! error: AscendC::Brcb does not take this element type
  AscendC::Brcb(c, c, 1, {1, 8});
#elif SAMPLE == 7
  //! error: AscendC::WholeReduceSum does not take this element type
  AscendC::WholeReduceSum(b, b, 64, 1, 1, 1, 8);
#elif SAMPLE == 8
  //! error: AscendC::Cast has no conversion between these element types
  AscendC::Cast(h, b, RoundMode::CAST_NONE, 64);
#elif SAMPLE == 9
  //! error: AscendC::PipeBarrier takes PIPE_V, PIPE_MTE2, PIPE_MTE3 or PIPE_ALL
  AscendC::PipeBarrier<PIPE_S>();
#elif SAMPLE == 10
  //! error: AscendC::SyncAll<false> hangs in a kernel without cube cores
  AscendC::SyncAll<false>();
#elif SAMPLE == 11
  //! error: AscendC::Compare does not take this element type
  AscendC::Compare(c, b, b, AscendC::CMPMODE::EQ, 128);
#elif SAMPLE == 12
  //! error: AscendC::Sub does not take this element type
  AscendC::Sub(c, c, c, 64);
#elif SAMPLE == 13
  //! error: AscendC::Adds does not take this element type
  AscendC::Adds(b, b, bfloat16_t(2.0f), 64);
#elif SAMPLE == 14
  //! error: AscendC::Select does not take this element type
  AscendC::Select(b, c, b, bfloat16_t(0.0f), AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, 64);
#elif SAMPLE == 15
  //! error: AscendC::SetAtomicAdd does not take this element type
  AscendC::SetAtomicAdd<uint64_t>();
#elif SAMPLE == 16
  //! error: AscendC::CrossCoreSetFlag has modes 0, 1 and 2
  AscendC::CrossCoreSetFlag<4, PIPE_MTE3>(0);
#endif
}
