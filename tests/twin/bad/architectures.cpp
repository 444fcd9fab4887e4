// What is wrong on some chips only: event ids, UB, modes, meetings without hardware.
#include "tests/twin/sample.h"

// 1001 has four event ids per pair of pipes, the others have eight.
SAMPLE_ON(FiveBuffersOfAPosition, 1, 1001) {
  TPipe pipe;
  In1 a;
  In1 b;
  pipe.InitBuffer(a, 2, 256);
  //! buffer-count InitBuffer core=0 pipe=S buffer="VECIN" bytes=0..0
  pipe.InitBuffer(b, 3, 256);
}

SAMPLE_ON(SetsTheFifthId, 1, 1001) {
  //! flag-id SetFlag core=0 pipe=S buffer="" bytes=0..0
  AscendC::SetFlag<HardEvent::MTE2_V>(4);
}

SAMPLE_ON(HoldsFiveEventIds, 1, 1001) {
  TPipe pipe;
  for (uint32_t i = 0; i < 4; ++i) pipe.AllocEventID<HardEvent::V_S>();
  //! flag-id AllocEventID core=0 pipe=S buffer="" bytes=0..0
  pipe.AllocEventID<HardEvent::V_S>();
}

//@ ub=253952
SAMPLE_ON(BufferLargerThanUbOfTheOldChips, 1, 1001, 2002) {
  TPipe pipe;
  TBuf<> buf;
  //! ub-overflow InitBuffer core=0 pipe=S buffer="VECCALC" bytes=0..253984
  pipe.InitBuffer(buf, 253953);
}

SAMPLE_ON(NarrowsToHalfToTheNearest, 1, 1001, 2002) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 64);
  const LocalTensor<half> d = Buffer<half>(pipe, 64);
  //! round-mode Cast core=0 pipe=V buffer="TBuf 1" bytes=0..0
  AscendC::Cast(d, a, AscendC::RoundMode::CAST_RINT, 64);
}

SAMPLE_ON(SelectsByTheBitsOfATensor, 1, 1001) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 64);
  const LocalTensor<uint8_t> bits = Buffer<uint8_t>(pipe, 32);
  AscendC::Compare(bits, a, a, AscendC::CMPMODE::EQ, 64);
  AscendC::PipeBarrier<PIPE_V>();
  //! select-mode Select core=0 pipe=V buffer="TBuf 0" bytes=0..0
  AscendC::Select(a, bits, a, a, AscendC::SELMODE::VSEL_TENSOR_TENSOR_MODE, 64);
}

SAMPLE_ON(WantsTheIndexFirst, 1, 1001) {
  TPipe pipe;
  const LocalTensor<half> a = Buffer<half>(pipe, 128);
  const LocalTensor<half> d = Buffer<half>(pipe, 16);
  AscendC::Duplicate(a, half(1.0f), 128);
  AscendC::PipeBarrier<PIPE_V>();
  //! select-mode WholeReduceMax core=0 pipe=V buffer="TBuf 1" bytes=0..0
  AscendC::WholeReduceMax(d, a, 128, 1, 1, 1, 8, AscendC::ReduceOrder::ORDER_INDEX_VALUE);
}

SAMPLE_ON(WantsTheValueAlone, 1, 1001, 2002) {
  TPipe pipe;
  const LocalTensor<half> a = Buffer<half>(pipe, 128);
  const LocalTensor<half> d = Buffer<half>(pipe, 16);
  AscendC::Duplicate(a, half(1.0f), 128);
  AscendC::PipeBarrier<PIPE_V>();
  //! select-mode WholeReduceMax core=0 pipe=V buffer="TBuf 1" bytes=0..0
  AscendC::WholeReduceMax(d, a, 128, 1, 1, 1, 8, AscendC::ReduceOrder::ORDER_ONLY_VALUE);
}

SAMPLE_ON(SumsOfBlocksInOnePlace, 1, 1001) {
  TPipe pipe;
  const LocalTensor<half> a = Buffer<half>(pipe, 256);
  const LocalTensor<half> d = Buffer<half>(pipe, 16);
  AscendC::Duplicate(a, half(1.0f), 256);
  AscendC::PipeBarrier<PIPE_V>();
  //! stride-limit BlockReduceSum core=0 pipe=V buffer="TBuf 1" bytes=0..0
  AscendC::BlockReduceSum(d, a, 1, 128, 0, 1, 8);
}

// Meetings over a workspace, which 1001 and 2002 have alone.
//@ zeroed=64
SAMPLE(OneCoreLeavesBeforeTheSoftMeeting, 2) {
  TPipe pipe;
  const LocalTensor<int32_t> ub = Buffer<int32_t>(pipe, 16);
  if (AscendC::GetBlockIdx() == 1) return;
  //! sync-all-missing SyncAll core=0 pipe=S buffer="" bytes=0..0
  AscendC::SyncAll(Counters(gm), ub);
}

//@ zeroed=32
SAMPLE(HostZeroesOneOfTwoCounters, 2) {
  TPipe pipe;
  const LocalTensor<int32_t> ub = Buffer<int32_t>(pipe, 16);
  //! sync-workspace SyncAll core=1 pipe=S buffer="GM workspace" bytes=0..64
  AscendC::SyncAll(Counters(gm), ub);
}

//@ zeroed=64
SAMPLE(MeetsInTooLittleUb, 2) {
  TPipe pipe;
  const LocalTensor<int32_t> ub = Buffer<int32_t>(pipe, 8);
  //! sync-workspace SyncAll core=0 pipe=S buffer="GM workspace" bytes=0..64 count=2
  AscendC::SyncAll(Counters(gm), ub);
}

//@ zeroed=64
SAMPLE(StoresWhileAnotherCoreReads, 2) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 8);
  const LocalTensor<int32_t> ub = Buffer<int32_t>(pipe, 16);
  Order<HardEvent::MTE2_MTE3>();
  if (AscendC::GetBlockIdx() == 1) AscendC::DataCopy(Global(gm.out), a, 8);
  AscendC::SyncAll(Counters(gm), ub);
  if (AscendC::GetBlockIdx() == 1) {
    AscendC::DataCopy(a, Global(gm.out), 8);
  } else {
    //! race-between-cores DataCopy core=0 pipe=MTE3 buffer="GM out" bytes=0..32
    AscendC::DataCopy(Global(gm.out), a, 8);
  }
}
