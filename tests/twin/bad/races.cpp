// Accesses to the same bytes, one of them a write, that nothing orders.
#include "tests/twin/sample.h"

SAMPLE(ComputesBeforeTheLoadIsDone, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, 64);
  const LocalTensor<float> d = Buffer(pipe, 64);
  AscendC::DataCopy(a, Global(gm.in), 64);
  //! race-between-pipes Adds core=0 pipe=V buffer="TBuf 0" bytes=0..256
  AscendC::Adds(d, a, 1.0f, 64);
}

SAMPLE(StoresBeforeTheFillIsDone, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, 64);
  AscendC::Duplicate(a, 1.0f, 64);
  //! race-between-pipes DataCopy core=0 pipe=MTE3 buffer="TBuf 0" bytes=0..256
  AscendC::DataCopy(Global(gm.out), a, 64);
}

SAMPLE(LoadsOverWhatIsBeingRead, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 64);
  const LocalTensor<float> d = Buffer(pipe, 64);
  AscendC::Adds(d, a, 1.0f, 64);
  AscendC::PipeBarrier<PIPE_MTE2>();
  //! race-between-pipes DataCopy core=0 pipe=MTE2 buffer="TBuf 0" bytes=0..256
  AscendC::DataCopy(a, Global(gm.in)[64], 64);
}

SAMPLE(LoadsOverWhatIsBeingStored, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 64);
  Store(gm, a, 64);
  AscendC::PipeBarrier<PIPE_MTE2>();
  //! race-between-pipes DataCopy core=0 pipe=MTE2 buffer="TBuf 0" bytes=32..64
  AscendC::DataCopy(a[8], Global(gm.in)[64], 8);
}

SAMPLE(FlagsAnotherPair, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, 64);
  AscendC::DataCopy(a, Global(gm.in), 64);
  Order<HardEvent::MTE2_MTE3>();
  //! race-between-pipes Muls core=0 pipe=V buffer="TBuf 0" bytes=0..256 count=2
  AscendC::Muls(a, a, 2.0f, 64);
}

SAMPLE(FlagsTooEarly, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, 128);
  const LocalTensor<float> d = Buffer(pipe, 64);
  AscendC::DataCopy(a, Global(gm.in), 64);
  AscendC::SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
  AscendC::DataCopy(a[64], Global(gm.in)[64], 64);
  AscendC::WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  //! race-between-pipes Add core=0 pipe=V buffer="TBuf 0" bytes=256..512
  AscendC::Add(d, a, a[64], 64);
}

//@ autosync=0
SAMPLE(ScalarReadsTooEarly, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, 64);
  AscendC::Duplicate(a, 1.0f, 64);
  //! race-between-pipes GetValue core=0 pipe=S buffer="TBuf 0" bytes=12..16
  a.GetValue(3);
}

//@ autosync=0
SAMPLE(ComputesBeforeTheScalarWrites, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 64);
  Order<HardEvent::MTE2_S>();
  a.SetValue(9, 1.0f);
  //! race-between-pipes Muls core=0 pipe=V buffer="TBuf 0" bytes=36..40 count=2
  AscendC::Muls(a, a, 2.0f, 64);
}

//@ autosync=0
SAMPLE_ON(DependsWithoutABarrier, 1, 1001, 2002, 2201) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, 64);
  const LocalTensor<float> d = Buffer(pipe, 64);
  AscendC::Duplicate(a, 1.0f, 64);
  //! race-within-pipe Adds core=0 pipe=V buffer="TBuf 0" bytes=0..256
  AscendC::Adds(d, a, 1.0f, 64);
}

//@ autosync=0
SAMPLE_ON(OverwritesWithoutABarrier, 1, 1001, 2002, 2201) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, 64);
  AscendC::Duplicate(a, 1.0f, 64);
  //! race-within-pipe Duplicate core=0 pipe=V buffer="TBuf 0" bytes=224..256
  AscendC::Duplicate(a[56], 2.0f, 8);
}

//@ autosync=0
SAMPLE_ON(OverwritesASourceWithoutABarrier, 1, 1001, 2002, 2201) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 64);
  const LocalTensor<float> d = Buffer(pipe, 64);
  AscendC::Adds(d, a, 1.0f, 64);
  //! race-within-pipe Duplicate core=0 pipe=V buffer="TBuf 0" bytes=0..256
  AscendC::Duplicate(a, 2.0f, 64);
}

SAMPLE(LoadsTwiceWithoutABarrier, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, 64);
  AscendC::DataCopy(a, Global(gm.in), 64);
  //! race-within-pipe DataCopy core=0 pipe=MTE2 buffer="TBuf 0" bytes=0..128
  AscendC::DataCopy(a, Global(gm.in)[64], 32);
}

SAMPLE(StoresTwiceWithoutABarrier, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 64);
  Store(gm, a, 64);
  //! race-within-pipe DataCopy core=0 pipe=MTE3 buffer="GM out" bytes=128..256
  AscendC::DataCopy(Global(gm.out)[32], a, 64);
}

SAMPLE(LoadsWhatIsBeingStored, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 64);
  const LocalTensor<float> b = Buffer(pipe, 64);
  Order<HardEvent::V_MTE3>();
  AscendC::DataCopy(Global(gm.workspace), a, 64);
  //! race-between-pipes DataCopy core=0 pipe=MTE2 buffer="GM workspace" bytes=0..256
  AscendC::DataCopy(b, Global(gm.workspace), 64);
}

SAMPLE(TwoCoresStoreTheSame, 2) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 64);
  Order<HardEvent::MTE2_MTE3>();
  //! race-between-cores DataCopy core=0 pipe=MTE3 buffer="GM out" bytes=0..256
  AscendC::DataCopy(Global(gm.out), a, 64);
}

// Rows of 60 elements, stored as whole 256 B repeats.
SAMPLE_ON(CoresStoreIntoTheirNeighboursRows, 2, 2201) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 64);
  Order<HardEvent::MTE2_MTE3>();
  //! race-between-cores DataCopyPad core=0 pipe=MTE3 buffer="GM out" bytes=240..256
  AscendC::DataCopyPad(Global(gm.out)[AscendC::GetBlockIdx() * 60], a, PadCopy(1, 256));
}

SAMPLE_ON(OneCoreReadsWhatAnotherWrites, 2, 2201) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 64);
  Order<HardEvent::MTE2_MTE3>();
  if (AscendC::GetBlockIdx() == 1) AscendC::DataCopy(Global(gm.workspace), a, 64);
  AscendC::SyncAll();
  if (AscendC::GetBlockIdx() == 1) {
    AscendC::DataCopy(a, Global(gm.workspace), 64);
  } else {
    //! race-between-cores DataCopy core=0 pipe=MTE3 buffer="GM workspace" bytes=0..256
    AscendC::DataCopy(Global(gm.workspace), a, 64);
  }
}

// More places than are remembered one by one, the first of them long ago.
//@ autosync=0
SAMPLE(ScalarReadsWhatWasWrittenLongAgo, 1) {
  TPipe pipe;
  constexpr uint32_t kPlaces = 300;
  const LocalTensor<float> a = Buffer(pipe, kPlaces * 64);
  for (uint32_t i = 0; i < kPlaces; ++i) AscendC::Duplicate(a[i * 64], 1.0f, 64);
  AscendC::PipeBarrier<PIPE_V>();
  //! race-between-pipes GetValue core=0 pipe=S buffer="TBuf 0" bytes=268..272
  a.GetValue(67);
}

// Two pipes read the same bytes; the flag is of one.
SAMPLE(LoadsOverWhatTwoPipesRead, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 64);
  const LocalTensor<float> d = Buffer(pipe, 64);
  AscendC::Adds(d, a, 1.0f, 64);
  Store(gm, a, 64);
  Order<HardEvent::V_MTE2>();
  //! race-between-pipes DataCopy core=0 pipe=MTE2 buffer="TBuf 0" bytes=0..256
  AscendC::DataCopy(a, Global(gm.in)[64], 64);
}

// Repeats that step alike, 128 bytes apart.
//@ autosync=0
SAMPLE_ON(ReadsHalfOfTheRepeatsBeingWritten, 1, 1001, 2002, 2201) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 576);
  const LocalTensor<float> d = Buffer(pipe, 256);
  AscendC::Duplicate(a, 1.0f, 64, 4, 1, 16);
  //! race-within-pipe Muls core=0 pipe=V buffer="TBuf 0" bytes=128..256
  AscendC::Muls(d, a[32], 2.0f, 64, 4, {1, 1, 8, 16});
}

// Repeats that step differently meet in one of them.
//@ autosync=0
SAMPLE_ON(ReadsOneOfTheRepeatsBeingWritten, 1, 1001, 2002, 2201) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 512);
  const LocalTensor<float> d = Buffer(pipe, 128);
  AscendC::Duplicate(a, 1.0f, 64, 4, 1, 16);
  //! race-within-pipe Muls core=0 pipe=V buffer="TBuf 0" bytes=1024..1280
  AscendC::Muls(d, a[64], 2.0f, 64, 2, {1, 1, 8, 24});
}

// The barrier stands between the two writes of one place, not after them.
//@ autosync=0
SAMPLE_ON(WritesAgainAfterTheBarrier, 1, 1001, 2002, 2201) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, 64);
  const LocalTensor<float> d = Buffer(pipe, 64);
  AscendC::Duplicate(a, 1.0f, 64);
  AscendC::PipeBarrier<PIPE_V>();
  AscendC::Duplicate(a, 2.0f, 64);
  //! race-within-pipe Adds core=0 pipe=V buffer="TBuf 0" bytes=0..256
  AscendC::Adds(d, a, 1.0f, 64);
}
