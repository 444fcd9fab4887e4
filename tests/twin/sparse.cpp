// Tensors larger than the memory, and launches in which some cores only come to meetings.
#include "tests/twin/sample.h"

constexpr uint64_t kFar = (uint64_t{1} << 32) + 1000;  // elements; in bytes it is beyond 2^34
constexpr uint64_t kElems = kFar + 128;                // of gm.in and gm.out
constexpr uint32_t kCount = 64;

// out[far .. far + 64] = in[far .. far + 64] + in[0 .. 64]
SAMPLE(AddsFarAndNear, 1) {
  TPipe pipe;
  const LocalTensor<float> near = Loaded(pipe, gm, kCount);
  const LocalTensor<float> far = Buffer(pipe, kCount);
  AscendC::DataCopy(far, Global(gm.in, kElems)[kFar], kCount);
  Order<HardEvent::MTE2_V>();
  AscendC::Add(far, far, near, kCount);
  Order<HardEvent::V_MTE3>();
  AscendC::DataCopy(Global(gm.out, kElems)[kFar], far, kCount);
}

// What was never written is unknown, however far away.
SAMPLE(ReadsFarOutput, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, kCount);
  //! gm-uninitialised-read DataCopy core=0 pipe=MTE2 buffer="GM out" bytes=17179873184..17179873440
  AscendC::DataCopy(a, Global(gm.out, kElems)[kFar], kCount);
}

// The last 64 elements, and one block more.
SAMPLE(ReadsBeyondTheFarEnd, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, kCount);
  AscendC::DataCopy(a, Global(gm.in, kElems)[kElems - kCount], kCount);
  Order<HardEvent::MTE2_S>();
  Order<HardEvent::S_MTE2>();
  AscendC::PipeBarrier<PIPE_ALL>();
  //! gm-out-of-bounds DataCopy core=0 pipe=MTE2 buffer="GM in" bytes=17179873472..17179873728
  AscendC::DataCopy(a, Global(gm.in, kElems)[kElems - kCount + 8], kCount);
}

// Three kinds of meetings, then every core that runs stores its number.
SAMPLE(MeetsInThreeWays, 4) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
  TPipe pipe;
  const uint32_t core = static_cast<uint32_t>(AscendC::GetBlockIdx());
  const LocalTensor<int32_t> slots = Buffer<int32_t>(pipe, 4 * 8);
  const LocalTensor<float> a = Buffer(pipe, kCount);
  AscendC::SyncAll();
  AscendC::SyncAll(Counters(gm), slots);
  AscendC::CrossCoreSetFlag<0, PIPE_MTE3>(3);
  AscendC::CrossCoreWaitFlag(3);
  AscendC::Duplicate(a, static_cast<float>(core), kCount);
  Store(gm, a, kCount, core * kCount);
}
