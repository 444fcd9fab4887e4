// Look-alikes of bad/fills.cpp, sample by sample.
#include "tests/twin/sample.h"

// FillsWhenABufferExists: it is gone. More than one transfer holds.
//= 0..4096: 3 + 0 * i
SAMPLE_ON(FillsWhenNoBufferExists, 1, 2002, 2201) {
  TPipe pipe;
  Buffer(pipe, 64);
  pipe.Reset();
  AscendC::Fill(Global(gm.out), kGmElems, 3.0f);
}

// LoadsBeforeFillHasStored
//= 0..8: i
//= 8..64: 1 + 0 * i
SAMPLE_ON(LoadsAfterFillHasStored, 1, 2002, 2201) {
  TPipe pipe;
  AscendC::Fill(Global(gm.out)[8], 56, 1.0f);
  Order<HardEvent::MTE3_MTE2>();
  const LocalTensor<float> a = Buffer(pipe, 8);
  AscendC::DataCopy(a, Global(gm.in), 8);
  Order<HardEvent::MTE2_MTE3>();
  AscendC::DataCopy(Global(gm.out), a, 8);
}

// FillsAnotherValueTooSoon: the same value disturbs nobody, another one waits.
//= 0..128: where(i < 72, 1, 2)
SAMPLE_ON(FillsAnotherValueInTime, 1, 2002, 2201) {
  TPipe pipe;
  AscendC::InitOutput(Global(gm.out), 64, 1.0f);
  AscendC::InitOutput(Global(gm.out)[64], 8, 1.0f);
  Order<HardEvent::MTE3_V>();
  AscendC::InitOutput(Global(gm.out)[72], 56, 2.0f);
}

// BroadcastsOverItsSource, BroadcastsAColumnOfAnotherHeight: five elements make five rows, and what
// the source holds behind them does not matter.
//= 0..40: 7 + 0 * i
SAMPLE_ON(BroadcastsAColumn, 1, 2201) {
  TPipe pipe;
  LocalTensor<uint8_t> tmp = Buffer<uint8_t>(pipe, 256);
  const LocalTensor<float> a = Buffer(pipe, 8);
  const LocalTensor<float> d = Buffer(pipe, 40);
  AscendC::Duplicate(a, 7.0f, 5);
  AscendC::PipeBarrier<PIPE_V>();
  const uint32_t to[2] = {5, 8};
  const uint32_t from[2] = {5, 1};
  AscendC::Broadcast<float, 2, 1>(d, a, to, from, tmp);
  Store(gm, d, 40);
}

// BroadcastsAnOddRow, with whole blocks; and a column.
//= 0..64: i - 16 * floor(i / 16)
//= 64..128: floor((i - 64) / 16)
SAMPLE_ON(BroadcastsAWholeRow, 1, 2201) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 16);
  const LocalTensor<float> d = Buffer(pipe, 128);
  const uint32_t to[2] = {4, 16};
  const uint32_t row[2] = {1, 16};
  const uint32_t column[2] = {4, 1};
  AscendC::Broadcast<float, 2, 0>(d, a, to, row);
  AscendC::BroadCast<float, 2, 1>(d[64], a, to, column);
  Store(gm, d, 128);
}
