// A kernel whose counters can be added up by hand: see test_counters.py.
#include "tests/twin/sample.h"

SAMPLE(Counted, 3) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
  TPipe pipe;
  In1 in;
  Out1 out;
  pipe.InitBuffer(in, 2, 400);  // 416 bytes each
  pipe.InitBuffer(out, 1, 512);
  const uint32_t at = static_cast<uint32_t>(AscendC::GetBlockIdx()) * 128;
  for (uint32_t tile = 0; tile < 2; ++tile) {
    LocalTensor<float> a = in.AllocTensor<float>();
    AscendC::DataCopyPad(a, Global(gm.in)[at], PadCopy(5, 20), {true, 0, 3, 1.0f});
    in.EnQue(a);
    a = in.DeQue<float>();
    LocalTensor<float> d = out.AllocTensor<float>();
    AscendC::Duplicate(d, 0.0f, 128);  // 2 repeats, slope 1
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Add(d, a, a, 40);  // 1 repeat, slope 2
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::WholeReduceSum(d[64], d, 8, 5, 1, 1, 1);  // 5 repeats, slope 7
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Muls(d, d, 2.0f, uint64_t{64}, 2, {1, 1, 8, 8});  // 2 repeats, slope 1
    in.FreeTensor(a);
    out.EnQue(d);
    d = out.DeQue<float>();
    AscendC::DataCopy(Global(gm.out)[at], d, {2, 8, 0, 0});
    out.FreeTensor(d);
  }
  if (AscendC::GetBlockIdx() == 0) {
    const LocalTensor<float> b = Buffer(pipe, 8);
    Order<HardEvent::V_S>();
    b.SetValue(0, 1.0f);
    b.GetValue(0);
    Global(gm.in).GetValue(3);
  }
  AscendC::SyncAll();
}
