// Look-alikes of bad/memory.cpp, sample by sample, that touch nothing they must not.
#include "tests/twin/sample.h"

// ReadsPastItsBuffer, with a count that fits the smallest buffer.
//= 0..64: 2 * i
SAMPLE(ReadsToTheEndOfItsBuffer, 1) {
  TPipe pipe;
  const LocalTensor<float> d = Buffer(pipe, 128);
  const LocalTensor<float> a = Loaded(pipe, gm, 128);
  const LocalTensor<float> b = Loaded(pipe, gm, 64);
  AscendC::Add(d, a, b, 64);
  Store(gm, d, 64);
}

// WritesPastItsBuffer: InitBuffer rounds 65 elements up to whole blocks of 8.
//= 0..72: 3 + 0 * i
SAMPLE(WritesIntoTheRoundedBuffer, 1) {
  TPipe pipe;
  const LocalTensor<float> d = Buffer(pipe, 65);
  AscendC::Duplicate(d, 3.0f, 72);
  Store(gm, d, 72);
}

// StridesPastItsBuffer, with the stride's gap inside the buffer and only 56 lanes in use.
//= 0..128: i * where(i < 56, 2, where(i < 72, 1, 2))
SAMPLE(StridesToTheEndOfItsBuffer, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 128);
  AscendC::Muls(a, a, 2.0f, uint64_t{56}, 2, {1, 1, 9, 9});
  Store(gm, a, 128);
}

// OffsetsPastItsBuffer
//= 0..128: i + (i >= 72)
SAMPLE(OffsetsToTheEndOfItsBuffer, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 128);
  AscendC::Adds(a[72], a[72], 1.0f, 56);
  Store(gm, a, 128);
}

// ScalarReadsPastItsBuffer
//= 0..64: 63 + 0 * i
SAMPLE(ScalarReadsTheLastElement, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 64);
  Order<HardEvent::MTE2_S>();
  const float last = a.GetValue(63);
  Order<HardEvent::S_V>();
  AscendC::Duplicate(a, last, 64);
  Store(gm, a, 64);
}

// LoadsPastTheInput
//= 0..8: 4088 + i
SAMPLE(LoadsTheEndOfTheInput, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, 16);
  AscendC::DataCopy(a, Global(gm.in)[kGmElems - 8], 8);
  Order<HardEvent::MTE2_MTE3>();
  AscendC::DataCopy(Global(gm.out), a, 8);
}

// StoresPastTheOutput, one element less.
//= 4090..4096: i - 4090
SAMPLE_ON(StoresTheEndOfTheOutput, 1, 2201) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 8);
  Order<HardEvent::MTE2_MTE3>();
  AscendC::DataCopyPad(Global(gm.out)[kGmElems - 6], a, PadCopy(1, 24));
}

// LastCoreLoadsPastTheInput: a copy of no bytes may point anywhere.
//= 0..8: i
SAMPLE(LastCoreLoadsNothing, 2) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, 8);
  const bool first = AscendC::GetBlockIdx() == 0;
  AscendC::DataCopy(a, Global(gm.in)[AscendC::GetBlockIdx() * kGmElems], first ? 8 : 0);
  Order<HardEvent::MTE2_MTE3>();
  if (first) AscendC::DataCopy(Global(gm.out), a, 8);
}

// ScalarReadsPastTheInput
//= 0..8: 4095 + 0 * i
SAMPLE(ScalarReadsTheEndOfTheInput, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, 8);
  const float last = Global(gm.in).GetValue(kGmElems - 1);
  Order<HardEvent::S_V>();
  AscendC::Duplicate(a, last, 8);
  Store(gm, a, 8);
}

// ReadsBeforeAnyWrite
//= 0..64: 8 + 0 * i
SAMPLE(ReadsAfterAFill, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, 64);
  const LocalTensor<float> d = Buffer(pipe, 64);
  AscendC::Duplicate(a, 7.0f, 64);
  AscendC::PipeBarrier<PIPE_V>();
  AscendC::Adds(d, a, 1.0f, 64);
  Store(gm, d, 64);
}

// ReadsMoreThanWasLoaded: the rest comes from another instruction.
//= 0..72: where(i < 64, i + 1, 6)
SAMPLE(ReadsWhatTwoInstructionsWrote, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, 72);
  AscendC::DataCopy(a, Global(gm.in), 64);
  AscendC::Duplicate(a[64], 5.0f, 8);
  Order<HardEvent::MTE2_V>();
  AscendC::PipeBarrier<PIPE_V>();
  AscendC::Adds(a, a, 1.0f, 72);
  Store(gm, a, 72);
}

// ReadsWhatTheLastTenantLeft: the new tenant loads again.
//= 0..64: 2 * (i + 64)
SAMPLE(ReadsWhatTheNewTenantLoads, 1) {
  TPipe pipe;
  In1 queue;
  pipe.InitBuffer(queue, 1, 256);
  const LocalTensor<float> d = Buffer(pipe, 64);
  for (uint32_t tile = 0; tile < 2; ++tile) {
    LocalTensor<float> a = queue.AllocTensor<float>();
    AscendC::DataCopy(a, Global(gm.in)[tile * 64], 64);
    queue.EnQue(a);
    a = queue.DeQue<float>();
    AscendC::Muls(d, a, 2.0f, 64);
    AscendC::PipeBarrier<PIPE_V>();
    queue.FreeTensor(a);
  }
  Store(gm, d, 64);
}

// ReadsRandomPadding: without padding and isPad the tail repeats the block's first element.
//= 0..8: where(i < 5, i + 3, 3)
SAMPLE_ON(ReadsTheDocumentedTail, 1, 2201) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, 8);
  AscendC::DataCopyPad(a, Global(gm.in)[2], PadCopy(1, 20), {false, 0, 0, 0.0f});
  Order<HardEvent::MTE2_V>();
  AscendC::Adds(a, a, 1.0f, 8);
  Store(gm, a, 8);
}

// ReadsTheWorkspaceFirst
//= 0..64: i
SAMPLE(ReadsTheWorkspaceAfterAStore, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 64);
  const LocalTensor<float> b = Buffer(pipe, 64);
  Order<HardEvent::MTE2_MTE3>();
  AscendC::DataCopy(Global(gm.workspace), a, 64);
  Order<HardEvent::MTE3_MTE2>();
  AscendC::DataCopy(b, Global(gm.workspace), 64);
  Order<HardEvent::MTE2_MTE3>();
  AscendC::DataCopy(Global(gm.out), b, 64);
}

// ReadsMoreThanWasStored
//= 0..128: i
SAMPLE(ReadsAllThatWasStored, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 128);
  Store(gm, a, 128);
  Order<HardEvent::MTE3_MTE2>();
  AscendC::DataCopy(a, Global(gm.out), 128);
}

// StoresToTheInput
//= 256..320: i - 256
SAMPLE(StoresToTheOutput, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 64);
  Order<HardEvent::V_MTE3>();
  AscendC::DataCopy(Global(gm.out)[256], a, 64);
}
