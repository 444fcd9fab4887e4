// Look-alikes of bad/architectures.cpp, sample by sample.
#include "tests/twin/sample.h"

// FiveBuffersOfAPosition: four of each position on 1001, eight on the others.
//= 0..64: i
SAMPLE(AsManyBuffersAsThisChipAllows, 1) {
  constexpr uint8_t kMost = __NPU_ARCH__ == 1001 ? 4 : 8;
  TPipe pipe;
  In1 a;
  Out1 b;
  pipe.InitBuffer(a, kMost, 256);
  pipe.InitBuffer(b, kMost, 256);
  LocalTensor<float> t = a.AllocTensor<float>();
  AscendC::DataCopy(t, Global(gm.in), 64);
  a.EnQue(t);
  t = a.DeQue<float>();
  Order<HardEvent::MTE2_MTE3>();
  AscendC::DataCopy(Global(gm.out), t, 64);
  Order<HardEvent::MTE3_MTE2>();
  a.FreeTensor(t);
}

// SetsTheFifthId: four ids by hand on 1001, on the others six, of which this is one.
SAMPLE(SetsEveryIdOfThisChip, 1) {
  constexpr AscendC::TEventID kEnd = __NPU_ARCH__ == 1001 ? 4 : 6;
  for (AscendC::TEventID id = 0; id < kEnd; ++id) AscendC::SetFlag<HardEvent::MTE2_V>(id);
  for (AscendC::TEventID id = 0; id < kEnd; ++id) AscendC::WaitFlag<HardEvent::MTE2_V>(id);
}

// HoldsFiveEventIds
SAMPLE(HoldsFourEventIds, 1) {
  TPipe pipe;
  AscendC::TEventID ids[4];
  for (AscendC::TEventID& id : ids) id = pipe.AllocEventID<HardEvent::V_S>();
  for (AscendC::TEventID id : ids) pipe.ReleaseEventID<HardEvent::V_S>(id);
}

// BufferLargerThanUbOfTheOldChips
//@ ub=253952
//= 0..8: i
SAMPLE_ON(BufferOfAllUbOfTheOldChips, 1, 1001, 2002) {
  TPipe pipe;
  TBuf<TPosition::VECIN> buf;
  pipe.InitBuffer(buf, 253952);
  const LocalTensor<float> last = buf.Get<float>()[63480];
  AscendC::DataCopy(last, Global(gm.in), 8);
  Order<HardEvent::MTE2_MTE3>();
  AscendC::DataCopy(Global(gm.out), last, 8);
}

// NarrowsToHalfToTheNearest: without a mode on the old chips.
//= 0..64: i
SAMPLE(NarrowsToHalfAsThisChipCan, 1) {
  constexpr AscendC::RoundMode kMode =
      __NPU_ARCH__ == 2201 ? AscendC::RoundMode::CAST_RINT : AscendC::RoundMode::CAST_NONE;
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 64);
  const LocalTensor<half> h = Buffer<half>(pipe, 64);
  AscendC::Cast(h, a, kMode, 64);
  AscendC::PipeBarrier<PIPE_V>();
  AscendC::Cast(a, h, AscendC::RoundMode::CAST_NONE, 64);
  Store(gm, a, 64);
}

// SelectsByTheBitsOfATensor
//= 0..64: i
SAMPLE_ON(SelectsByTheBitsOfATensorLater, 1, 2002, 2201) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 64);
  const LocalTensor<uint8_t> bits = Buffer<uint8_t>(pipe, 32);
  AscendC::Compare(bits, a, a, AscendC::CMPMODE::EQ, 64);
  AscendC::PipeBarrier<PIPE_V>();
  AscendC::Select(a, bits, a, a, AscendC::SELMODE::VSEL_TENSOR_TENSOR_MODE, 64);
  Store(gm, a, 64);
}

// SelectsByTheBitsOfATensor: by the bits of one repeat.
//= 0..64: i
SAMPLE(SelectsByTheBitsOfOneRepeat, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 64);
  const LocalTensor<uint8_t> bits = Buffer<uint8_t>(pipe, 32);
  AscendC::Compare(bits, a, a, AscendC::CMPMODE::EQ, 64);
  AscendC::PipeBarrier<PIPE_V>();
  AscendC::Select(a, bits, a, a, AscendC::SELMODE::VSEL_CMPMASK_SPR, 64);
  Store(gm, a, 64);
}

// WantsTheIndexFirst, WantsTheValueAlone: the orders that the chip has.
SAMPLE(WantsWhatThisChipHas, 1) {
  using AscendC::ReduceOrder;
  TPipe pipe;
  const LocalTensor<half> a = Buffer<half>(pipe, 128);
  const LocalTensor<half> d = Buffer<half>(pipe, 48);
  AscendC::Duplicate(a, half(1.0f), 128);
  AscendC::PipeBarrier<PIPE_V>();
  AscendC::WholeReduceMax(d, a, 128, 1, 1, 1, 8);
  if (__NPU_ARCH__ > 1001) {
    AscendC::WholeReduceMax(d[16], a, 128, 1, 1, 1, 8, ReduceOrder::ORDER_INDEX_VALUE);
  }
  if (__NPU_ARCH__ > 2002) {
    AscendC::WholeReduceMax(d[32], a, 128, 1, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);
  }
}

// SumsOfBlocksInOnePlace: with a stride on 1001.
SAMPLE(SumsOfBlocksWithAStride, 1) {
  TPipe pipe;
  const LocalTensor<half> a = Buffer<half>(pipe, 256);
  const LocalTensor<half> d = Buffer<half>(pipe, 16);
  AscendC::Duplicate(a, half(1.0f), 256);
  AscendC::PipeBarrier<PIPE_V>();
  AscendC::BlockReduceSum(d, a, 1, 128, __NPU_ARCH__ == 1001 ? 1 : 0, 1, 8);
}

// OneCoreLeavesBeforeTheSoftMeeting, HostZeroesOneOfTwoCounters, MeetsInTooLittleUb,
// StoresWhileAnotherCoreReads: all cores meet, twice over one workspace.
//@ zeroed=64
//= 0..16: where(i < 8, 2, 1) + 0 * i
SAMPLE(AllCoresMeetSoftly, 2) {
  TPipe pipe;
  const uint32_t core = static_cast<uint32_t>(AscendC::GetBlockIdx());
  const LocalTensor<float> a = Buffer(pipe, 8);
  const LocalTensor<int32_t> ub = Buffer<int32_t>(pipe, 16);
  AscendC::Duplicate(a, core + 1.0f, 8);
  Order<HardEvent::V_MTE3>();
  AscendC::DataCopy(Global(gm.workspace)[64 + core * 8], a, 8);
  AscendC::SyncAll(Counters(gm), ub);
  AscendC::DataCopy(a, Global(gm.workspace)[64 + (1 - core) * 8], 8);
  AscendC::SyncAll(Counters(gm), ub);
  Order<HardEvent::MTE2_MTE3>();
  AscendC::DataCopy(Global(gm.out)[core * 8], a, 8);
}
