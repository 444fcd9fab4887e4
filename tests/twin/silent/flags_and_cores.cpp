// Look-alikes of bad/flags_and_cores.cpp, sample by sample.
#include "tests/twin/sample.h"

// WaitsForNothing
//= 0..64: i
SAMPLE(WaitsForItsFlag, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, 64);
  AscendC::DataCopy(a, Global(gm.in), 64);
  AscendC::SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
  AscendC::WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
  AscendC::DataCopy(Global(gm.out), a, 64);
}

// WaitsTwice: once per set.
//= 0..64: 4 * i
SAMPLE(SetsAndWaitsTwice, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 64);
  for (uint32_t i = 0; i < 2; ++i) {
    AscendC::Muls(a, a, 2.0f, 64);
    AscendC::SetFlag<HardEvent::V_MTE3>(EVENT_ID1);
    AscendC::WaitFlag<HardEvent::V_MTE3>(EVENT_ID1);
    AscendC::DataCopy(Global(gm.out), a, 64);
    AscendC::SetFlag<HardEvent::MTE3_V>(EVENT_ID1);
    AscendC::WaitFlag<HardEvent::MTE3_V>(EVENT_ID1);
    AscendC::PipeBarrier<PIPE_ALL>();
  }
}

// WaitsForAnotherPair: the same id of two pairs is two flags.
SAMPLE(SetsOneIdOfTwoPairs, 1) {
  AscendC::SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
  AscendC::SetFlag<HardEvent::V_MTE2>(EVENT_ID0);
  AscendC::WaitFlag<HardEvent::V_MTE2>(EVENT_ID0);
  AscendC::WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
}

// WaitsForAnotherId, SetsTwice: two ids of one pair, waited for in another order.
SAMPLE(SetsTwoIdsOfOnePair, 1) {
  AscendC::SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
  AscendC::SetFlag<HardEvent::MTE2_V>(EVENT_ID1);
  AscendC::WaitFlag<HardEvent::MTE2_V>(EVENT_ID1);
  AscendC::WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
}

// SetsTwice: the second set comes after the wait.
SAMPLE(SetsAgainAfterTheWait, 1) {
  for (uint32_t i = 0; i < 2; ++i) {
    AscendC::SetFlag<HardEvent::MTE2_V>(EVENT_ID2);
    AscendC::WaitFlag<HardEvent::MTE2_V>(EVENT_ID2);
  }
}

// LeavesAFlagSet: one before the loop, one after it.
//= 0..192: i
SAMPLE(WaitsAfterTheLastTile, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, 64);
  AscendC::SetFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
  for (uint32_t tile = 0; tile < 3; ++tile) {
    AscendC::WaitFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
    AscendC::DataCopy(a, Global(gm.in)[tile * 64], 64);
    Order<HardEvent::MTE2_MTE3>();
    AscendC::DataCopy(Global(gm.out)[tile * 64], a, 64);
    AscendC::SetFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
  }
  AscendC::WaitFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
}

// EachCoreLeavesAFlagSet: each core has flags of its own.
//= 0..256: i
SAMPLE_ON(EachCoreWaitsForItsFlag, 4, 2002, 2201) {
  TPipe pipe;
  const uint32_t at = static_cast<uint32_t>(AscendC::GetBlockIdx()) * 64;
  const LocalTensor<float> a = Buffer(pipe, 64);
  AscendC::DataCopy(a, Global(gm.in)[at], 64);
  AscendC::SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID5);
  AscendC::WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID5);
  AscendC::DataCopy(Global(gm.out)[at], a, 64);
}

// SetsAReservedId, WaitsForAnIdThatDoesNotExist, SetsANegativeId
SAMPLE_ON(SetsEveryIdThereIs, 1, 2002, 2201) {
  for (AscendC::TEventID id = 0; id < 6; ++id) AscendC::SetFlag<HardEvent::MTE2_V>(id);
  for (AscendC::TEventID id = 0; id < 6; ++id) AscendC::WaitFlag<HardEvent::MTE2_V>(id);
}

// HoldsMoreEventIdsThanThereAre: released ids come back.
SAMPLE(ReleasesEventIds, 1) {
  TPipe pipe;
  for (uint32_t i = 0; i < 7; ++i) {
    const AscendC::TEventID id = pipe.AllocEventID<HardEvent::V_S>();
    AscendC::SetFlag<HardEvent::V_S>(id);
    AscendC::WaitFlag<HardEvent::V_S>(id);
    pipe.ReleaseEventID<HardEvent::V_S>(id);
  }
}

// OneCoreLeavesBeforeTheMeeting: it leaves after it.
//= 0..8: i
SAMPLE_ON(OneCoreLeavesAfterTheMeeting, 2, 2201) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 8);
  if (AscendC::GetBlockIdx() == 1) {
    Order<HardEvent::MTE2_MTE3>();
    AscendC::DataCopy(Global(gm.workspace), a, 8);
  }
  AscendC::SyncAll();
  if (AscendC::GetBlockIdx() == 1) return;
  AscendC::DataCopy(a, Global(gm.workspace), 8);
  Order<HardEvent::MTE2_MTE3>();
  AscendC::DataCopy(Global(gm.out), a, 8);
}

// OneCoreMeetsOnceMore, MeetsInAVectorKernel
//= 0..16: where(i < 8, 2, 1) + 0 * i
SAMPLE_ON(AllCoresMeetTwice, 2, 2201) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
  TPipe pipe;
  const uint32_t core = static_cast<uint32_t>(AscendC::GetBlockIdx());
  const LocalTensor<float> a = Buffer(pipe, 8);
  AscendC::Duplicate(a, core + 1.0f, 8);
  Order<HardEvent::V_MTE3>();
  AscendC::DataCopy(Global(gm.workspace)[core * 8], a, 8);
  AscendC::SyncAll();
  AscendC::DataCopy(a, Global(gm.workspace)[(1 - core) * 8], 8);
  AscendC::SyncAll();
  Order<HardEvent::MTE2_MTE3>();
  AscendC::DataCopy(Global(gm.out)[core * 8], a, 8);
}

// MeetsInAVectorKernel: a kernel that names no type gets the one that its calls need.
//= 0..8: i
SAMPLE_ON(MeetsWithoutNamingAType, 2, 2201) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 8);
  AscendC::SyncAll();
  if (AscendC::GetBlockIdx() == 0) Store(gm, a, 8);
}

// MeetsInAVectorKernel: without SyncAll the plain vector type is right.
//= 0..64: i
SAMPLE_ON(IsANamedVectorKernel, 1, 2201) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  TPipe pipe;
  Store(gm, Loaded(pipe, gm, 64), 64);
}

// HasNoBranchForTheKey, ReadsLessThanTheHostWrote, ReadsMoreThanTheHostWrote
//= 0..8: 1234 + 0 * i
SAMPLE(ReadsAllThatTheHostWrote, 1) {
  GET_TILING_DATA_WITH_STRUCT(SampleTiling, plan, gm.tiling);
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, 8);
  const uint32_t* v = plan.values;
  AscendC::Duplicate(a, static_cast<float>(v[0] * 1000 + v[1] * 100 + v[2] * 10 + v[3]), 8);
  Store(gm, a, 8);
}
