// Kernels whose modelled time can be added up by hand: see test_cycles.py. All tensors start on a
// line of GM.
#include "tests/twin/sample.h"

constexpr uint32_t kElems = 1024;  // 4 KB: 16 repeats

// One copy in, one Add, one copy out.
SAMPLE(InAddOut, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, kElems);
  AscendC::DataCopy(a, Global(gm.in), kElems);
  Order<HardEvent::MTE2_V>();
  AscendC::Add(a, a, a, kElems);
  Order<HardEvent::V_MTE3>();
  AscendC::DataCopy(Global(gm.out), a, kElems);
}

// The vector pipe alone: without a barrier an instruction follows at once, with one it waits for
// the result of the other; 60 elements fill no repeat.
SAMPLE(BackToBack, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, kElems);
  const LocalTensor<float> b = Buffer(pipe, kElems);
  AscendC::Duplicate(a, 1.0f, kElems);
  AscendC::Duplicate(b, 1.0f, kElems);
}

SAMPLE(Barrier, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, kElems);
  AscendC::Duplicate(a, 1.0f, kElems);
  AscendC::PipeBarrier<PIPE_V>();
  AscendC::Muls(a, a, 2.0f, kElems);
}

SAMPLE(OddCount, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, kElems);
  AscendC::Duplicate(a, 1.0f, 60);
}

// The scalar unit waits for a result, reads it and only then hands out the next instruction.
SAMPLE(ScalarRead, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, kElems);
  AscendC::Duplicate(a, 1.0f, kElems);
  Order<HardEvent::V_S>();
  const float value = a.GetValue(0);
  AscendC::Duplicate(a, value, kElems);
}

// Four tiles of one queue; with two buffers the next one is loaded while this one is worked on.
template <uint32_t buffers>
void Loop(const Gm& gm) {
  TPipe pipe;
  In1 in;
  pipe.InitBuffer(in, buffers, kElems * 4);
  for (uint32_t tile = 0; tile < 4; ++tile) {
    LocalTensor<float> a = in.AllocTensor<float>();
    AscendC::DataCopy(a, Global(gm.in), kElems);
    in.EnQue(a);
    a = in.DeQue<float>();
    for (int i = 0; i < 12; ++i) AscendC::Muls(a, a, 2.0f, kElems);
    in.FreeTensor(a);
  }
}

SAMPLE(SingleBuffer, 1) { Loop<1>(gm); }
SAMPLE(DoubleBuffer, 1) { Loop<2>(gm); }

// What each core moves from GM, none of it aligned to more than it needs.
template <uint32_t loads>
void Load(const Gm& gm, const LocalTensor<float>& a) {
  for (uint32_t i = 0; i < loads; ++i) AscendC::DataCopy(a, Global(gm.in), kElems);
}

SAMPLE(OneCoreLoads, 40) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, kElems);
  if (AscendC::GetBlockIdx() == 7) Load<32>(gm, a);
}

SAMPLE(AllCoresLoad, 40) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, kElems);
  Load<32>(gm, a);
}

// Four stores wait for their data; the loads that follow them in the program do not wait for them.
SAMPLE(LoadsPassStores, 40) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, kElems);
  const LocalTensor<float> b = Buffer(pipe, kElems);
  for (int i = 0; i < 4; ++i) {
    for (int k = 0; k < 300; ++k) AscendC::Duplicate(b, 1.0f, kElems);
    Store(gm, b, kElems);
    AscendC::DataCopy(a, Global(gm.in), kElems);
  }
}

// Loads and stores at the same time, as fast as both engines are.
SAMPLE(BothWays, 40) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, kElems);
  const LocalTensor<float> b = Buffer(pipe, kElems);
  for (int i = 0; i < 32; ++i) {
    AscendC::DataCopy(Global(gm.out), b, kElems);
    AscendC::DataCopy(a, Global(gm.in), kElems);
  }
}

// Cores of different speed meet twice: each stretch lasts as long as its slowest core.
SAMPLE_ON(Meetings, 3, 2201) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, kElems);
  const int64_t core = AscendC::GetBlockIdx();
  for (int64_t i = 0; i <= core; ++i) AscendC::Duplicate(a, 1.0f, kElems);
  AscendC::SyncAll();
  for (int64_t i = core; i < 3; ++i) AscendC::Duplicate(a, 1.0f, kElems);
  AscendC::SyncAll();
}

// Core 1 goes on once core 0 has set the flag; only that wait joins them.
SAMPLE_ON(FlagBetweenCores, 2, 2201) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, kElems);
  if (AscendC::GetBlockIdx() == 0) {
    for (int i = 0; i < 100; ++i) AscendC::Duplicate(a, 1.0f, kElems);
  }
  AscendC::CrossCoreSetFlag<0, PIPE_V>(1);
  AscendC::CrossCoreWaitFlag(1);
  AscendC::Duplicate(a, 1.0f, kElems);
}

// The same bytes, from a line's first byte and from within one.
SAMPLE_ON(Aligned, 1, 2201) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, kElems);
  AscendC::DataCopyPad(a, Global(gm.in), PadCopy(1, 1024), {false, 0, 0, 0.0f});
}

SAMPLE_ON(Misaligned, 1, 2201) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, kElems);
  AscendC::DataCopyPad(a, Global(gm.in)[8], PadCopy(1, 1024), {false, 0, 0, 0.0f});
}

// 32 blocks of 4 bytes, one line apart: a piece each for the engine, a line each for memory. Blocks
// of a piece that stand side by side share lines.
template <uint32_t length, uint32_t gap>
void Blocks(const Gm& gm) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, kElems);
  AscendC::DataCopyExtParams blocks(32, length, gap, 0, 0);
  AscendC::DataCopyPad(a, Global(gm.in), blocks, {false, 0, 0, 0.0f});
}

SAMPLE_ON(ScatteredBlocks, 1, 2201) { Blocks<4, 508>(gm); }
SAMPLE_ON(ScatteredByAll, 40, 2201) { Blocks<4, 508>(gm); }
SAMPLE_ON(DenseByAll, 40, 2201) { Blocks<128, 0>(gm); }
