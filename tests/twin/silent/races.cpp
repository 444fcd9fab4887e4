// Look-alikes of bad/races.cpp, sample by sample: ordered, or of other bytes.
#include "tests/twin/sample.h"

// ComputesBeforeTheLoadIsDone, StoresBeforeTheFillIsDone: flags order MTE2, V and MTE3 in a chain,
// so that the last one also knows of the first.
//= 0..128: where(i < 64, i + 1, i - 64)
SAMPLE(FlagsMakeAChain, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, 64);
  const LocalTensor<float> d = Buffer(pipe, 64);
  AscendC::DataCopy(a, Global(gm.in), 64);
  Order<HardEvent::MTE2_V>();
  AscendC::Adds(d, a, 1.0f, 64);
  Order<HardEvent::V_MTE3>();
  AscendC::DataCopy(Global(gm.out), d, 64);
  AscendC::DataCopy(Global(gm.out)[64], a, 64);
}

// StoresBeforeTheFillIsDone: what is being filled and what is being stored are neighbours.
//= 0..56: i
SAMPLE(StoresBesideAFill, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 64);
  Order<HardEvent::V_MTE3>();
  AscendC::Duplicate(a[56], 1.0f, 8);
  AscendC::DataCopy(Global(gm.out), a, 56);
}

// LoadsOverWhatIsBeingRead
//= 0..64: i + 65
SAMPLE(LoadsAfterTheRead, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 64);
  const LocalTensor<float> d = Buffer(pipe, 64);
  AscendC::Adds(d, a, 1.0f, 64);
  Order<HardEvent::V_MTE2>();
  AscendC::DataCopy(a, Global(gm.in)[64], 64);
  Order<HardEvent::MTE2_V>();
  AscendC::PipeBarrier<PIPE_V>();
  AscendC::Adds(d, a, 1.0f, 64);
  Store(gm, d, 64);
}

// LoadsOverWhatIsBeingStored: into the part that is not being stored.
//= 0..64: i
SAMPLE(LoadsBesideAStore, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 72);
  Store(gm, a, 64);
  AscendC::PipeBarrier<PIPE_MTE2>();
  AscendC::DataCopy(a[64], Global(gm.in)[64], 8);
}

// FlagsAnotherPair: PIPE_ALL orders every pair.
//= 0..64: 2 * i
SAMPLE(BarrierOfAllPipes, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, 64);
  AscendC::DataCopy(a, Global(gm.in), 64);
  AscendC::PipeBarrier<PIPE_ALL>();
  AscendC::Muls(a, a, 2.0f, 64);
  AscendC::PipeBarrier<PIPE_ALL>();
  AscendC::DataCopy(Global(gm.out), a, 64);
}

// FlagsTooEarly: the later load goes where nothing reads.
//= 0..64: 2 * i
SAMPLE(FlagsBeforeAnUnrelatedLoad, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, 128);
  const LocalTensor<float> d = Buffer(pipe, 64);
  AscendC::DataCopy(a, Global(gm.in), 64);
  AscendC::SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
  AscendC::DataCopy(a[64], Global(gm.in)[64], 64);
  AscendC::WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  AscendC::Add(d, a, a, 64);
  Store(gm, d, 64);
}

// ScalarReadsTooEarly
//= 0..64: 1 + 0 * i
SAMPLE(ScalarReadsAfterTheFlag, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, 64);
  AscendC::Duplicate(a, 1.0f, 64);
  Order<HardEvent::V_S>();
  if (a.GetValue(3) == 1.0f) Store(gm, a, 64);
}

// ComputesBeforeTheScalarWrites: the scalar unit writes a byte range of a block whose other bytes
// the vector unit reads.
//= 0..64: where(i < 8, 2 * i, i)
SAMPLE(ScalarWritesBesideAVector, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 64);
  Order<HardEvent::MTE2_S>();
  a.SetValue(9, 9.0f);
  AscendC::Muls(a, a, 2.0f, uint64_t{8}, 1, {1, 1, 8, 8});
  Order<HardEvent::S_MTE3>();
  Store(gm, a, 64);
}

// DependsWithoutABarrier, OverwritesASourceWithoutABarrier
//= 0..64: 2 + 0 * i
SAMPLE(DependsBehindABarrier, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, 64);
  const LocalTensor<float> d = Buffer(pipe, 64);
  AscendC::Duplicate(a, 1.0f, 64);
  AscendC::PipeBarrier<PIPE_V>();
  AscendC::Adds(d, a, 1.0f, 64);
  AscendC::PipeBarrier<PIPE_V>();
  AscendC::Duplicate(a, 2.0f, 64);
  Store(gm, d, 64);
}

// OverwritesWithoutABarrier: neighbours of one block, by masks.
//= 0..8: where(i < 3, 1, where(i < 6, 2, i))
SAMPLE(WritesBesideAWrite, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 8);
  const LocalTensor<float> ones = Buffer(pipe, 8);
  const LocalTensor<float> twos = Buffer(pipe, 8);
  AscendC::Duplicate(ones, 0.5f, 8);
  AscendC::Duplicate(twos, 1.0f, 8);
  AscendC::PipeBarrier<PIPE_V>();
  uint64_t first[2] = {0x07, 0};
  uint64_t second[2] = {0x38, 0};
  AscendC::Add(a, ones, ones, first, 1, {1, 1, 1, 8, 8, 8});
  AscendC::Add(a, twos, twos, second, 1, {1, 1, 1, 8, 8, 8});
  Store(gm, a, 8);
}

// LoadsTwiceWithoutABarrier
//= 0..64: where(i < 32, i + 64, i)
SAMPLE(LoadsTwiceWithABarrier, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, 64);
  AscendC::DataCopy(a, Global(gm.in), 64);
  AscendC::PipeBarrier<PIPE_MTE2>();
  AscendC::DataCopy(a, Global(gm.in)[64], 32);
  Order<HardEvent::MTE2_MTE3>();
  AscendC::DataCopy(Global(gm.out), a, 64);
}

// StoresTwiceWithoutABarrier
//= 0..96: where(i < 32, i, i - 32)
SAMPLE(StoresTwiceWithABarrier, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 64);
  Store(gm, a, 64);
  AscendC::PipeBarrier<PIPE_MTE3>();
  AscendC::DataCopy(Global(gm.out)[32], a, 64);
}

// LoadsWhatIsBeingStored: the neighbour of what is being stored.
//= 0..64: i
SAMPLE(LoadsBesideWhatIsBeingStored, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 64);
  const LocalTensor<float> b = Buffer(pipe, 32);
  Order<HardEvent::V_MTE3>();
  AscendC::DataCopy(Global(gm.out), a, 32);
  Order<HardEvent::MTE3_MTE2>();
  AscendC::DataCopy(Global(gm.out)[32], a[32], 32);
  AscendC::DataCopy(b, Global(gm.out), 32);
}

// TwoCoresStoreTheSame: not at the same time.
//= 0..64: i + 64
SAMPLE_ON(TwoCoresStoreInTurn, 2, 2201) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, 64);
  AscendC::DataCopy(a, Global(gm.in)[AscendC::GetBlockIdx() * 64], 64);
  Order<HardEvent::MTE2_MTE3>();
  if (AscendC::GetBlockIdx() == 0) AscendC::DataCopy(Global(gm.out), a, 64);
  AscendC::SyncAll();
  if (AscendC::GetBlockIdx() == 1) AscendC::DataCopy(Global(gm.out), a, 64);
}

// CoresStoreIntoTheirNeighboursRows: rows that share a 32 B block, but no byte.
//= 0..240: i % 60
SAMPLE_ON(CoresStoreTheirOwnRows, 4, 2201) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 64);
  Order<HardEvent::MTE2_MTE3>();
  AscendC::DataCopyPad(Global(gm.out)[AscendC::GetBlockIdx() * 60], a, PadCopy(1, 240));
}

// OneCoreReadsWhatAnotherWrites: all read, nobody writes.
//= 0..128: i % 64
SAMPLE_ON(TwoCoresReadTheSame, 2, 2201) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 64);
  Order<HardEvent::MTE2_MTE3>();
  if (AscendC::GetBlockIdx() == 1) AscendC::DataCopy(Global(gm.workspace), a, 64);
  AscendC::SyncAll();
  AscendC::DataCopy(a, Global(gm.workspace), 64);
  Order<HardEvent::MTE2_MTE3>();
  AscendC::DataCopy(Global(gm.out)[AscendC::GetBlockIdx() * 64], a, 64);
}

// ScalarReadsWhatWasWrittenLongAgo: a flag covers all of it, or the place is another one.
//= 0..8: where(i < 1, 2, i)
SAMPLE(ScalarReadsBehindAFlag, 1) {
  TPipe pipe;
  constexpr uint32_t kPlaces = 300;
  const LocalTensor<float> a = Loaded(pipe, gm, 8);
  const LocalTensor<float> b = Buffer(pipe, kPlaces * 64);
  Order<HardEvent::MTE2_S>();
  for (uint32_t i = 0; i < kPlaces; ++i) AscendC::Duplicate(b[i * 64], 1.0f, 64);
  AscendC::PipeBarrier<PIPE_V>();
  const float beside = a.GetValue(1);
  Order<HardEvent::V_S>();
  const float behind = b.GetValue(67);
  a.SetValue(0, beside + behind);
  a.SetValue(1, behind);
  Order<HardEvent::S_MTE3>();
  AscendC::DataCopy(Global(gm.out), a, 8);
}

// LoadsOverWhatTwoPipesRead: both have a flag.
//= 0..64: i
SAMPLE(LoadsAfterBothHaveRead, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 64);
  const LocalTensor<float> d = Buffer(pipe, 64);
  AscendC::Adds(d, a, 1.0f, 64);
  Store(gm, a, 64);
  Order<HardEvent::V_MTE2>();
  Order<HardEvent::MTE3_MTE2>();
  AscendC::DataCopy(a, Global(gm.in)[64], 64);
}

// ReadsHalfOfTheRepeatsBeingWritten: from the gaps between them.
SAMPLE_ON(ReadsBetweenTheRepeatsBeingWritten, 1, 1001, 2002, 2201) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 576);
  const LocalTensor<float> d = Buffer(pipe, 256);
  AscendC::Duplicate(a, 1.0f, 64, 4, 1, 16);
  AscendC::Muls(d, a[64], 2.0f, 64, 4, {1, 1, 8, 16});
}

// ReadsOneOfTheRepeatsBeingWritten: steps that differ and never meet.
SAMPLE_ON(ReadsGapsAtAnotherStep, 1, 1001, 2002, 2201) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 512);
  const LocalTensor<float> d = Buffer(pipe, 128);
  AscendC::Duplicate(a, 1.0f, 64, 4, 1, 16);
  AscendC::Muls(d, a[64], 2.0f, 64, 2, {1, 1, 8, 32});
}

// WritesAgainAfterTheBarrier
//= 0..64: 3
SAMPLE(BarriersAfterBothWrites, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, 64);
  const LocalTensor<float> d = Buffer(pipe, 64);
  AscendC::Duplicate(a, 1.0f, 64);
  AscendC::PipeBarrier<PIPE_V>();
  AscendC::Duplicate(a, 2.0f, 64);
  AscendC::PipeBarrier<PIPE_V>();
  AscendC::Adds(d, a, 1.0f, 64);
  Store(gm, d, 64);
}
