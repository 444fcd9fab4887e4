// Flags between pipes, meetings of cores, and what host and kernel must agree on.
#include "tests/twin/sample.h"

SAMPLE(WaitsForNothing, 1) {
  //! flag-not-set WaitFlag core=0 pipe=S buffer="" bytes=0..0
  AscendC::WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
}

SAMPLE(WaitsTwice, 1) {
  AscendC::SetFlag<HardEvent::V_MTE3>(EVENT_ID1);
  AscendC::WaitFlag<HardEvent::V_MTE3>(EVENT_ID1);
  //! flag-not-set WaitFlag core=0 pipe=S buffer="" bytes=0..0
  AscendC::WaitFlag<HardEvent::V_MTE3>(EVENT_ID1);
}

SAMPLE(WaitsForAnotherPair, 1) {
  AscendC::SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
  //! flag-not-set WaitFlag core=0 pipe=S buffer="" bytes=0..0
  AscendC::WaitFlag<HardEvent::V_MTE2>(EVENT_ID0);
}

SAMPLE(WaitsForAnotherId, 1) {
  AscendC::SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
  //! flag-not-set WaitFlag core=0 pipe=S buffer="" bytes=0..0
  AscendC::WaitFlag<HardEvent::MTE2_V>(EVENT_ID1);
}

SAMPLE(SetsTwice, 1) {
  AscendC::SetFlag<HardEvent::MTE2_V>(EVENT_ID2);
  //! flag-set-twice SetFlag core=0 pipe=S buffer="" bytes=0..0
  AscendC::SetFlag<HardEvent::MTE2_V>(EVENT_ID2);
  AscendC::WaitFlag<HardEvent::MTE2_V>(EVENT_ID2);
}

// Tile by tile, but the wait of the last tile is missing.
SAMPLE(LeavesAFlagSet, 1) {
  for (uint32_t tile = 0; tile < 3; ++tile) {
    if (tile > 0) AscendC::WaitFlag<HardEvent::V_MTE2>(EVENT_ID0);
    //! flag-left-set SetFlag core=0 pipe=S buffer="" bytes=0..0
    AscendC::SetFlag<HardEvent::V_MTE2>(EVENT_ID0);
  }
}

SAMPLE_ON(EachCoreLeavesAFlagSet, 4, 2002, 2201) {
  if (AscendC::GetBlockIdx() == 0) return;
  //! flag-left-set SetFlag core=1 pipe=S buffer="" bytes=0..0 count=3
  AscendC::SetFlag<HardEvent::S_MTE3>(EVENT_ID5);
}

SAMPLE(SetsAReservedId, 1) {
  //! flag-id SetFlag core=0 pipe=S buffer="" bytes=0..0
  AscendC::SetFlag<HardEvent::MTE2_V>(EVENT_ID6);
}

SAMPLE(WaitsForAnIdThatDoesNotExist, 1) {
  //! flag-id WaitFlag core=0 pipe=S buffer="" bytes=0..0
  AscendC::WaitFlag<HardEvent::MTE2_V>(8);
}

SAMPLE(SetsANegativeId, 1) {
  //! flag-id SetFlag core=0 pipe=S buffer="" bytes=0..0
  AscendC::SetFlag<HardEvent::MTE3_MTE2>(-1);
}

SAMPLE(HoldsMoreEventIdsThanThereAre, 1) {
  TPipe pipe;
  for (uint32_t i = 0; i < 7; ++i) {
    //! flag-id AllocEventID core=0 pipe=S buffer="" bytes=0..0
    pipe.AllocEventID<HardEvent::V_S>();
  }
}

SAMPLE_ON(OneCoreLeavesBeforeTheMeeting, 2, 2201) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
  if (AscendC::GetBlockIdx() == 1) return;
  //! sync-all-missing SyncAll core=0 pipe=S buffer="" bytes=0..0
  AscendC::SyncAll();
}

SAMPLE_ON(OneCoreMeetsOnceMore, 2, 2201) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
  AscendC::SyncAll();
  if (AscendC::GetBlockIdx() == 0) return;
  //! sync-all-missing SyncAll core=1 pipe=S buffer="" bytes=0..0
  AscendC::SyncAll();
}

SAMPLE_ON(MeetsInAVectorKernel, 2, 2201) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  //! sync-all-kernel-type SyncAll core=0 pipe=ALL buffer="" bytes=0..0 count=2
  AscendC::SyncAll();
}

// The host chose a strategy that this kernel does not have.
//@ tiling_key=99
SAMPLE(HasNoBranchForTheKey, 1) {
  //! tiling-key-without-kernel TILING_KEY_IS core=0 pipe=S buffer="" bytes=0..0 nowhere
}

//@ tiling_bytes=24
SAMPLE(ReadsLessThanTheHostWrote, 1) {
  //! tiling-size GET_TILING_DATA core=0 pipe=S buffer="GM tiling" bytes=0..16
  GET_TILING_DATA_WITH_STRUCT(SampleTiling, plan, gm.tiling);
}

//@ tiling_bytes=12
SAMPLE(ReadsMoreThanTheHostWrote, 1) {
  //! tiling-size GET_TILING_DATA core=0 pipe=S buffer="GM tiling" bytes=0..16
  GET_TILING_DATA_WITH_STRUCT(SampleTiling, plan, gm.tiling);
}
