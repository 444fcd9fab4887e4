// Look-alikes of bad/several_chips_2002.cpp, sample by sample.
#define __CCE_KT_TEST__
#include "tests/twin/sample.h"

// ComesToACallThatIsMissing, MeetsByMissingHardware: it does not come to them.
//= 0..8: i
SAMPLE(HoldsCallsThatAreMissing, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 8);
  Order<HardEvent::MTE2_MTE3>();
  if (AscendC::GetBlockNum() > 1) {
    AscendC::SyncAll();
    AscendC::DataCopyPad(Global(gm.out), a, PadCopy(1, 20));
  }
  AscendC::DataCopy(Global(gm.out), a, 8);
}

// BroadcastsAnOddColumn
//= 0..64: floor(i / 8)
SAMPLE(BroadcastsAWholeColumn, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 8);
  const LocalTensor<float> d = Buffer(pipe, 64);
  const uint32_t to[2] = {8, 8};
  const uint32_t from[2] = {8, 1};
  AscendC::Broadcast<float, 2, 1>(d, a, to, from);
  Store(gm, d, 64);
}
