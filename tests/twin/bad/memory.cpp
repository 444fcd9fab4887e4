// Bytes that a kernel must not touch, or not yet.
#include "tests/twin/sample.h"

SAMPLE(ReadsPastItsBuffer, 1) {
  TPipe pipe;
  const LocalTensor<float> d = Buffer(pipe, 128);
  const LocalTensor<float> a = Loaded(pipe, gm, 128);
  const LocalTensor<float> b = Loaded(pipe, gm, 64);
  //! ub-out-of-bounds Add core=0 pipe=V buffer="TBuf 2" bytes=0..512
  AscendC::Add(d, a, b, 128);
}

SAMPLE(WritesPastItsBuffer, 1) {
  TPipe pipe;
  const LocalTensor<float> d = Buffer(pipe, 64);
  //! ub-out-of-bounds Duplicate core=0 pipe=V buffer="TBuf 0" bytes=0..260
  AscendC::Duplicate(d, 0.0f, 65);
}

SAMPLE(StridesPastItsBuffer, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 128);
  //! ub-out-of-bounds Muls core=0 pipe=V buffer="TBuf 0" bytes=0..544
  AscendC::Muls(a, a, 2.0f, uint64_t{64}, 2, {1, 1, 9, 9});
}

SAMPLE(OffsetsPastItsBuffer, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 128);
  //! ub-out-of-bounds Adds core=0 pipe=V buffer="TBuf 0" bytes=288..544
  AscendC::Adds(a[72], a[72], 1.0f, 64);
}

SAMPLE(ScalarReadsPastItsBuffer, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 64);
  Order<HardEvent::MTE2_S>();
  //! ub-out-of-bounds GetValue core=0 pipe=S buffer="TBuf 0" bytes=256..260
  a.GetValue(64);
}

SAMPLE(LoadsPastTheInput, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, 16);
  //! gm-out-of-bounds DataCopy core=0 pipe=MTE2 buffer="GM in" bytes=16352..16416
  AscendC::DataCopy(a, Global(gm.in)[kGmElems - 8], 16);
}

SAMPLE_ON(StoresPastTheOutput, 1, 2201) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 8);
  Order<HardEvent::MTE2_MTE3>();
  //! gm-out-of-bounds DataCopyPad core=0 pipe=MTE3 buffer="GM out" bytes=16360..16388
  AscendC::DataCopyPad(Global(gm.out)[kGmElems - 6], a, PadCopy(1, 28));
}

// The last core has no rows left, and loads all the same.
SAMPLE(LastCoreLoadsPastTheInput, 2) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, 8);
  //! gm-out-of-bounds DataCopy core=1 pipe=MTE2 buffer="GM in" bytes=16384..16416
  AscendC::DataCopy(a, Global(gm.in)[AscendC::GetBlockIdx() * kGmElems], 8);
}

SAMPLE(ScalarReadsPastTheInput, 1) {
  //! gm-out-of-bounds GetValue core=0 pipe=S buffer="GM in" bytes=16384..16388
  Global(gm.in).GetValue(kGmElems);
}

SAMPLE(ReadsBeforeAnyWrite, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, 64);
  const LocalTensor<float> d = Buffer(pipe, 64);
  //! ub-uninitialised-read Adds core=0 pipe=V buffer="TBuf 0" bytes=0..256
  AscendC::Adds(d, a, 1.0f, 64);
}

SAMPLE(ReadsMoreThanWasLoaded, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, 72);
  AscendC::DataCopy(a, Global(gm.in), 64);
  Order<HardEvent::MTE2_V>();
  //! ub-uninitialised-read Adds core=0 pipe=V buffer="TBuf 0" bytes=256..288
  AscendC::Adds(a, a, 1.0f, 72);
}

// The old tenant's values are still there, but nothing says that they will be on silicon.
SAMPLE(ReadsWhatTheLastTenantLeft, 1) {
  TPipe pipe;
  In1 queue;
  pipe.InitBuffer(queue, 1, 256);
  LocalTensor<float> a = queue.AllocTensor<float>();
  AscendC::DataCopy(a, Global(gm.in), 64);
  queue.EnQue(a);
  Free(queue, queue.DeQue<float>());
  const LocalTensor<float> d = Buffer(pipe, 64);
  a = queue.AllocTensor<float>();
  //! ub-uninitialised-read Muls core=0 pipe=V buffer="VECIN queue 0 buffer 0" bytes=0..256
  AscendC::Muls(d, a, 2.0f, 64);
  queue.FreeTensor(a);
}

// Without isPad, but with padding, the bytes beside the block are random.
SAMPLE_ON(ReadsRandomPadding, 1, 2201) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, 8);
  AscendC::DataCopyPad(a, Global(gm.in), PadCopy(1, 20), {false, 0, 3, 0.0f});
  Order<HardEvent::MTE2_V>();
  //! ub-uninitialised-read Adds core=0 pipe=V buffer="TBuf 0" bytes=20..32
  AscendC::Adds(a, a, 1.0f, 8);
}

SAMPLE(ReadsTheWorkspaceFirst, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, 64);
  //! gm-uninitialised-read DataCopy core=0 pipe=MTE2 buffer="GM workspace" bytes=0..256
  AscendC::DataCopy(a, Global(gm.workspace), 64);
}

SAMPLE(ReadsMoreThanWasStored, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 128);
  Store(gm, a, 64);
  Order<HardEvent::MTE3_MTE2>();
  //! gm-uninitialised-read DataCopy core=0 pipe=MTE2 buffer="GM out" bytes=256..512
  AscendC::DataCopy(a, Global(gm.out), 128);
}

SAMPLE(StoresToTheInput, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 64);
  Order<HardEvent::V_MTE3>();
  //! gm-input-written DataCopy core=0 pipe=MTE3 buffer="GM in" bytes=1024..1280
  AscendC::DataCopy(Global(gm.in)[256], a, 64);
}
