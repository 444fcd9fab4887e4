// Calls that fill GM or spread values in UB, where they may not.
#include "tests/twin/sample.h"

SAMPLE_ON(FillsWhenABufferExists, 1, 2002, 2201) {
  TPipe pipe;
  Buffer(pipe, 64);
  //! fill-after-init-buffer Fill core=0 pipe=V buffer="" bytes=0..0
  AscendC::Fill(Global(gm.out), 64, 1.0f);
}

// The buffer lies where Fill has its value, and Fill's transfer may still read there.
SAMPLE_ON(LoadsBeforeFillHasStored, 1, 2002, 2201) {
  TPipe pipe;
  AscendC::Fill(Global(gm.out), 64, 1.0f);
  const LocalTensor<float> a = Buffer(pipe, 64);
  //! race-between-pipes DataCopy core=0 pipe=MTE2 buffer="TBuf 0" bytes=0..256
  AscendC::DataCopy(a, Global(gm.in), 64);
}

SAMPLE_ON(FillsAnotherValueTooSoon, 1, 2002, 2201) {
  TPipe pipe;
  AscendC::InitOutput(Global(gm.out), 64, 1.0f);
  //! race-between-pipes Fill core=0 pipe=V buffer="TBuf 0" bytes=0..256
  AscendC::InitOutput(Global(gm.out)[64], 64, 2.0f);
}

SAMPLE_ON(BroadcastsOverItsSource, 1, 2201) {
  TPipe pipe;
  LocalTensor<uint8_t> tmp = Buffer<uint8_t>(pipe, 256);
  const LocalTensor<float> a = Loaded(pipe, gm, 64);
  const uint32_t to[2] = {8, 8};
  const uint32_t from[2] = {8, 1};
  //! operand-overlap Broadcast core=0 pipe=V buffer="TBuf 1" bytes=0..0
  AscendC::Broadcast<float, 2, 1>(a, a, to, from, tmp);
}

// Rows of 12 floats do not fill whole blocks of 32 B.
SAMPLE_ON(BroadcastsAnOddRow, 1, 2201) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 16);
  const LocalTensor<float> d = Buffer(pipe, 64);
  const uint32_t to[2] = {4, 12};
  const uint32_t from[2] = {1, 12};
  //! broadcast-shape Broadcast core=0 pipe=V buffer="TBuf 1" bytes=0..0
  AscendC::Broadcast<float, 2, 0>(d, a, to, from);
}

SAMPLE_ON(BroadcastsAColumnOfAnotherHeight, 1, 2201) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 16);
  const LocalTensor<float> d = Buffer(pipe, 64);
  const uint32_t to[2] = {8, 8};
  const uint32_t from[2] = {4, 1};
  //! broadcast-shape Broadcast core=0 pipe=V buffer="TBuf 1" bytes=0..0
  AscendC::Broadcast<float, 2, 1>(d, a, to, from);
}
