// Sources for several chips, as the vendor's CPU debugging builds them: calls that this chip lacks.
#define __CCE_KT_TEST__
#include "tests/twin/sample.h"

SAMPLE(ComesToACallThatIsMissing, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 8);
  Order<HardEvent::V_MTE3>();
  //! api-missing DataCopyPad core=0 pipe=S buffer="" bytes=0..0
  AscendC::DataCopyPad(Global(gm.out), a, PadCopy(1, 20));
}

SAMPLE(MeetsByMissingHardware, 1) {
  //! api-missing SyncAll() without a workspace core=0 pipe=S buffer="" bytes=0..0
  AscendC::SyncAll();
}

// Seven floats are no whole block, which only this chip minds.
SAMPLE(BroadcastsAnOddColumn, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 8);
  const LocalTensor<float> d = Buffer(pipe, 64);
  const uint32_t to[2] = {7, 8};
  const uint32_t from[2] = {7, 1};
  //! broadcast-shape Broadcast core=0 pipe=V buffer="TBuf 1" bytes=0..0
  AscendC::Broadcast<float, 2, 1>(d, a, to, from);
}
