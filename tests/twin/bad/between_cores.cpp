// Atomics, the scalar unit's data cache, and flags and workspaces that cores share.
#include "tests/twin/sample.h"

SAMPLE(LeavesTheDataCacheDirty, 1) {
  GlobalTensor<float> out = Global(gm.out);
  //! data-cache-not-cleaned SetValue core=0 pipe=S buffer="GM out" bytes=64..128
  out.SetValue(17, 1.0f);
}

SAMPLE(LoadsFromUnderTheDataCache, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, 8);
  GlobalTensor<float> out = Global(gm.out);
  for (uint32_t i = 0; i < 8; ++i) out.SetValue(i, 1.0f);
  Order<HardEvent::S_MTE2>();
  //! data-cache-not-cleaned DataCopy core=0 pipe=MTE2 buffer="GM out" bytes=0..32
  AscendC::DataCopy(a, out, 8);
  AscendC::DataCacheCleanAndInvalid<float, AscendC::CacheLine::SINGLE_CACHE_LINE>(out);
}

// Each element is another core's, but the line that is written back holds all of them.
SAMPLE(ScalarStoresShareALine, 2) {
  GlobalTensor<float> out = Global(gm.out);
  //! race-between-cores SetValue core=0 pipe=S buffer="GM out" bytes=0..4 count=3
  out.SetValue(AscendC::GetBlockIdx(), 1.0f);
  AscendC::DataCacheCleanAndInvalid<float, AscendC::CacheLine::ENTIRE_DATA_CACHE>(out);
}

SAMPLE(LeavesTheAtomicModeOn, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 8);
  Store(gm, a, 8);
  AscendC::PipeBarrier<PIPE_MTE3>();
  //! atomic-left-on SetAtomicAdd core=0 pipe=S buffer="" bytes=0..0
  AscendC::SetAtomicAdd<float>();
  AscendC::DataCopy(Global(gm.out), a, 8);
}

SAMPLE_ON(AddsAnotherElementType, 1, 2201) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 8);
  Store(gm, a, 8);
  AscendC::PipeBarrier<PIPE_MTE3>();
  AscendC::SetAtomicAdd<int32_t>();
  //! atomic-dtype DataCopy core=0 pipe=MTE3 buffer="" bytes=0..0
  AscendC::DataCopy(Global(gm.out), a, 8);
  AscendC::SetAtomicNone();
}

SAMPLE(AddsToWhatNobodyWrote, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 8);
  Order<HardEvent::V_MTE3>();
  AscendC::SetAtomicAdd<float>();
  //! gm-uninitialised-read DataCopy core=0 pipe=MTE3 buffer="GM out" bytes=0..32
  AscendC::DataCopy(Global(gm.out), a, 8);
  AscendC::SetAtomicNone();
}

// One core zeroes while the other one adds.
SAMPLE_ON(ZeroesWhileAnotherCoreAdds, 2, 2201) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 8);
  Order<HardEvent::V_MTE3>();
  if (AscendC::GetBlockIdx() == 1) AscendC::DataCopy(Global(gm.out), a, 8);
  AscendC::SyncAll();
  if (AscendC::GetBlockIdx() == 1) {
    AscendC::SetAtomicAdd<float>();
    AscendC::DataCopy(Global(gm.out), a, 8);
    AscendC::SetAtomicNone();
  } else {
    //! race-between-cores DataCopy core=0 pipe=MTE3 buffer="GM out" bytes=0..32
    AscendC::DataCopy(Global(gm.out), a, 8);
  }
}

// The workspace of a soft SyncAll is zeroed by the host; this one is not.
SAMPLE(MeetsOverADirtyWorkspace, 1) {
  TPipe pipe;
  const LocalTensor<int32_t> ub = Buffer<int32_t>(pipe, 8);
  GlobalTensor<int32_t> counters;
  counters.SetGlobalBuffer(reinterpret_cast<int32_t*>(gm.workspace), 8);
  //! sync-workspace SyncAll core=0 pipe=S buffer="GM workspace" bytes=0..32
  AscendC::SyncAll(counters, ub);
}

SAMPLE(ZeroesItsCounterBetweenMeetings, 1) {
  TPipe pipe;
  const LocalTensor<int32_t> ub = Buffer<int32_t>(pipe, 8);
  GlobalTensor<int32_t> counters;
  counters.SetGlobalBuffer(reinterpret_cast<int32_t*>(gm.workspace), 8);
  AscendC::Duplicate(ub, 0, 8);
  Order<HardEvent::V_MTE3>();
  AscendC::DataCopy(counters, ub, 8);
  AscendC::SyncAll(counters, ub);
  AscendC::DataCopy(counters, ub, 8);
  //! sync-workspace SyncAll core=0 pipe=S buffer="GM workspace" bytes=0..32
  AscendC::SyncAll(counters, ub);
}

SAMPLE_ON(WaitsForAFlagThatNoCoreSets, 1, 2201) {
  //! cross-flag-never-set CrossCoreWaitFlag core=0 pipe=S buffer="" bytes=0..0
  AscendC::CrossCoreWaitFlag(3);
}

// A flag of mode 0 counts once all cores have set it.
SAMPLE_ON(OneCoreSetsNoFlag, 2, 2201) {
  if (AscendC::GetBlockIdx() == 1) return;
  AscendC::CrossCoreSetFlag<0, PIPE_MTE3>(3);
  //! cross-flag-never-set CrossCoreWaitFlag core=0 pipe=S buffer="" bytes=0..0
  AscendC::CrossCoreWaitFlag(3);
}

SAMPLE_ON(LeavesACrossFlagSet, 1, 2201) {
  //! cross-flag-left-set CrossCoreSetFlag core=0 pipe=S buffer="" bytes=0..0
  AscendC::CrossCoreSetFlag<0, PIPE_MTE3>(0);
}

SAMPLE_ON(SetsACrossFlagThatDoesNotExist, 1, 2201) {
  //! cross-flag-id CrossCoreSetFlag core=0 pipe=S buffer="" bytes=0..0
  AscendC::CrossCoreSetFlag<0, PIPE_MTE3>(16);
}

// Mode 1 joins the two vector cores of one AI core; core 0 looks at what core 2 stores.
SAMPLE_ON(PairsDoNotOrderOtherPairs, 4, 2201) {
  TPipe pipe;
  const uint32_t core = static_cast<uint32_t>(AscendC::GetBlockIdx());
  const LocalTensor<float> a = Loaded(pipe, gm, 8);
  Order<HardEvent::V_MTE3>();
  if (core == 2) AscendC::DataCopy(Global(gm.out), a, 8);
  AscendC::CrossCoreSetFlag<1, PIPE_MTE3>(2);
  AscendC::CrossCoreWaitFlag<1>(2);
  //! race-between-cores DataCopy core=0 pipe=MTE3 buffer="GM out" bytes=0..32
  if (core == 0) AscendC::DataCopy(Global(gm.out), a, 8);
}

// Two of three cores meet over the workspace; the third one looks without having met anybody.
SAMPLE(SomeCoresMeetOthersLook, 3) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, 8);
  const uint32_t core = static_cast<uint32_t>(AscendC::GetBlockIdx());
  const LocalTensor<int32_t> ub = Buffer<int32_t>(pipe, 16);
  GlobalTensor<int32_t> counters;
  counters.SetGlobalBuffer(reinterpret_cast<int32_t*>(gm.workspace) + 1024, 16);
  AscendC::Duplicate(ub, 0, 16);
  Order<HardEvent::V_MTE3>();
  if (core == 2) {
    AscendC::DataCopy(Global(gm.out), ub.ReinterpretCast<float>(), 8);
    return;
  }
  AscendC::DataCopy(counters[core * 8], ub[core * 8], 8);
  AscendC::SyncAll(counters, ub, 2);
  if (core == 1) return;
  //! race-between-cores DataCopy core=0 pipe=MTE3 buffer="GM out" bytes=0..32
  AscendC::DataCopy(Global(gm.out), ub.ReinterpretCast<float>(), 8);
}
