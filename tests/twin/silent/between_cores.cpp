// Look-alikes of bad/between_cores.cpp, sample by sample.
#include "tests/twin/sample.h"

// LeavesTheDataCacheDirty
//= 17..18: 1 + 0 * i
SAMPLE(CleansItsLine, 1) {
  GlobalTensor<float> out = Global(gm.out);
  out.SetValue(17, 1.0f);
  AscendC::DataCacheCleanAndInvalid<float, AscendC::CacheLine::SINGLE_CACHE_LINE>(out[17]);
}

// LoadsFromUnderTheDataCache
//= 0..8: i
SAMPLE(LoadsAfterTheCleaning, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, 8);
  GlobalTensor<float> out = Global(gm.out);
  for (uint32_t i = 0; i < 8; ++i) out.SetValue(i, static_cast<float>(i));
  AscendC::DataCacheCleanAndInvalid<float, AscendC::CacheLine::SINGLE_CACHE_LINE>(out);
  Order<HardEvent::S_MTE2>();
  AscendC::DataCopy(a, out, 8);
}

// ScalarStoresShareALine: a line of 64 bytes for each core.
//= 0..1: 1 + 0 * i
//= 16..17: 1 + 0 * i
SAMPLE(ScalarStoresHaveTheirLines, 2) {
  GlobalTensor<float> out = Global(gm.out);
  out.SetValue(16 * AscendC::GetBlockIdx(), 1.0f);
  AscendC::DataCacheCleanAndInvalid<float, AscendC::CacheLine::ENTIRE_DATA_CACHE>(out);
}

// LeavesTheAtomicModeOn, AddsAnotherElementType, AddsToWhatNobodyWrote
//= 0..8: 3 * i
SAMPLE_ON(AddsAndTurnsTheModeOff, 1, 2201) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 8);
  Store(gm, a, 8);
  AscendC::PipeBarrier<PIPE_MTE3>();
  AscendC::SetAtomicAdd<float>();
  AscendC::DataCopy(Global(gm.out), a, 8);
  AscendC::PipeBarrier<PIPE_MTE3>();
  AscendC::DataCopyPad(Global(gm.out), a, PadCopy(1, 32));
  AscendC::SetAtomicNone();
}

// ZeroesWhileAnotherCoreAdds: all add at once, which atomics are for.
//= 0..8: 5 * i
SAMPLE_ON(AllCoresAdd, 4, 2201) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 8);
  Order<HardEvent::V_MTE3>();
  if (AscendC::GetBlockIdx() == 1) AscendC::DataCopy(Global(gm.out), a, 8);
  AscendC::SyncAll();
  AscendC::SetAtomicAdd<float>();
  AscendC::DataCopy(Global(gm.out), a, 8);
  AscendC::SetAtomicNone();
}

// MeetsOverADirtyWorkspace: this core zeroes its own counter. Twice, because the counters stay.
//= 0..8: 1 + i
SAMPLE(MeetsOverAZeroedWorkspace, 1) {
  TPipe pipe;
  const LocalTensor<float> zero = Buffer(pipe, 8);
  AscendC::Duplicate(zero, 0.0f, 8);
  Order<HardEvent::V_MTE3>();
  AscendC::DataCopy(Global(gm.workspace), zero, 8);
  AscendC::PipeBarrier<PIPE_ALL>();
  GlobalTensor<int32_t> counters;
  counters.SetGlobalBuffer(reinterpret_cast<int32_t*>(gm.workspace), 8);
  AscendC::SyncAll(counters, zero.ReinterpretCast<int32_t>());
  AscendC::SyncAll(counters, zero.ReinterpretCast<int32_t>());
  const LocalTensor<float> a = Loaded(pipe, gm, 8);
  AscendC::Adds(a, a, 1.0f, 8);
  Store(gm, a, 8);
}

// ZeroesItsCounterBetweenMeetings: before the first one, every core zeroes all the counters. They
// overwrite each other, and the page of SyncAll asks for just that.
//= 0..32: where(i < 24, i + 8, i - 24)
SAMPLE(AllCoresZeroAllCounters, 4) {
  TPipe pipe;
  const uint32_t core = static_cast<uint32_t>(AscendC::GetBlockIdx());
  const LocalTensor<int32_t> ub = Buffer<int32_t>(pipe, 32);
  const LocalTensor<float> a = Buffer(pipe, 8);
  GlobalTensor<int32_t> counters;
  counters.SetGlobalBuffer(reinterpret_cast<int32_t*>(gm.workspace), 32);
  AscendC::Duplicate(ub, 0, 32);
  Order<HardEvent::V_MTE3>();
  AscendC::DataCopy(counters, ub, 32);
  AscendC::SyncAll(counters, ub);
  AscendC::DataCopy(a, Global(gm.in)[core * 8], 8);
  Order<HardEvent::MTE2_MTE3>();
  AscendC::DataCopy(Global(gm.workspace)[1024 + core * 8], a, 8);
  AscendC::SyncAll(counters, ub);
  AscendC::DataCopy(a, Global(gm.workspace)[1024 + (core + 1) % 4 * 8], 8);
  Order<HardEvent::MTE2_MTE3>();
  AscendC::DataCopy(Global(gm.out)[core * 8], a, 8);
}

// WaitsForAFlagThatNoCoreSets, OneCoreSetsNoFlag, LeavesACrossFlagSet: each core stores, flags, and
// loads what the other one stored.
//= 0..16: i
SAMPLE_ON(AllCoresSetAndWait, 2, 2201) {
  TPipe pipe;
  const uint32_t mine = static_cast<uint32_t>(AscendC::GetBlockIdx()) * 8;
  const LocalTensor<float> a = Buffer(pipe, 8);
  AscendC::DataCopy(a, Global(gm.in)[mine], 8);
  Order<HardEvent::MTE2_MTE3>();
  AscendC::DataCopy(Global(gm.workspace)[mine], a, 8);
  AscendC::CrossCoreSetFlag<0, PIPE_MTE3>(3);
  AscendC::CrossCoreWaitFlag(3);
  Order<HardEvent::MTE3_MTE2>();
  AscendC::DataCopy(a, Global(gm.workspace)[8 - mine], 8);
  Order<HardEvent::MTE2_MTE3>();
  AscendC::DataCopy(Global(gm.out)[8 - mine], a, 8);
}

// SetsACrossFlagThatDoesNotExist
SAMPLE_ON(SetsEveryCrossFlag, 1, 2201) {
  for (uint16_t id = 0; id < 16; ++id) AscendC::CrossCoreSetFlag<0, PIPE_MTE3>(id);
  for (uint16_t id = 0; id < 16; ++id) AscendC::CrossCoreWaitFlag(id);
}

// PairsDoNotOrderOtherPairs: mode 1 joins the two vector cores of one AI core; each loads what its
// partner stored.
//= 0..32: i
SAMPLE_ON(MeetsInPairs, 4, 2201) {
  TPipe pipe;
  const uint32_t mine = static_cast<uint32_t>(AscendC::GetBlockIdx()) * 8;
  const uint32_t partner = mine ^ 8;
  const LocalTensor<float> a = Buffer(pipe, 8);
  AscendC::DataCopy(a, Global(gm.in)[mine], 8);
  Order<HardEvent::MTE2_MTE3>();
  AscendC::DataCopy(Global(gm.workspace)[mine], a, 8);
  AscendC::CrossCoreSetFlag<1, PIPE_MTE3>(2);
  AscendC::CrossCoreWaitFlag<1>(2);
  Order<HardEvent::MTE3_MTE2>();
  AscendC::DataCopy(a, Global(gm.workspace)[partner], 8);
  Order<HardEvent::MTE2_MTE3>();
  AscendC::DataCopy(Global(gm.out)[partner], a, 8);
}

// SomeCoresMeetOthersLook: of three cores two meet over the workspace, and only these two look.
//= 0..16: i
SAMPLE(SomeCoresMeet, 3) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, 8);
  const uint32_t core = static_cast<uint32_t>(AscendC::GetBlockIdx());
  if (core == 2) return;
  const LocalTensor<int32_t> ub = Buffer<int32_t>(pipe, 16);
  GlobalTensor<int32_t> counters;
  counters.SetGlobalBuffer(reinterpret_cast<int32_t*>(gm.workspace) + 1024, 16);
  AscendC::Duplicate(ub, 0, 16);
  Order<HardEvent::V_MTE3>();
  AscendC::DataCopy(counters[core * 8], ub[core * 8], 8);
  AscendC::DataCopy(a, Global(gm.in)[core * 8], 8);
  Order<HardEvent::MTE2_MTE3>();
  AscendC::DataCopy(Global(gm.workspace)[core * 8], a, 8);
  AscendC::SyncAll(counters, ub, 2);
  AscendC::DataCopy(a, Global(gm.workspace)[8 - core * 8], 8);
  Order<HardEvent::MTE2_MTE3>();
  AscendC::DataCopy(Global(gm.out)[8 - core * 8], a, 8);
}
