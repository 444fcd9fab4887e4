// Look-alikes of bad/memory_based_3510.cpp, sample by sample.
#include "tests/twin/sample.h"

// LeavesSaturationOn: saved and restored, as published kernels do with bit 60.
SAMPLE(RestoresWhatItFound, 1) {
  const int64_t saturates = AscendC::GetCtrlSpr<48, 48>();
  const int64_t global = AscendC::GetCtrlSpr<60, 60>();
  AscendC::SetCtrlSpr<48, 48>(0);
  AscendC::SetCtrlSpr<60, 60>(0);
  AscendC::SetCtrlSpr<60, 60>(global);
  AscendC::SetCtrlSpr<48, 48>(saturates);
}

// ResetsInsteadOfRestoring: these bits start as a reset leaves them.
SAMPLE(ResetsBitsThatTheHostLeavesAlone, 1) {
  AscendC::SetCtrlSpr<60, 60>(0);
  AscendC::SetCtrlSpr<53, 53>(1);
  AscendC::ResetCtrlSpr<60, 60>();
  AscendC::ResetCtrlSpr<53, 53>();
}

// WritesThreeIntoOneBit
SAMPLE(WritesOneIntoOneBit, 1) {
  AscendC::SetCtrlSpr<59, 59>(1);
  AscendC::SetCtrlSpr<59, 59>(0);
}

// CopiesWithAGapOfManyBlocks
//= 0..16: where(i < 8, i, i + 2)
SAMPLE(CopiesWithAGapOfOneBlock, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, 24);
  AscendC::DataCopyPad(a, Global(gm.in), {2, 32, 8, 1, 0}, {false, 0, 0, 0.0f});
  Order<HardEvent::MTE2_MTE3>();
  AscendC::DataCopyPad(Global(gm.out), a, {2, 32, 1, 0, 0});
}

// CopiesFromBeforeItsFirstBlock: the same block, again and again.
//= 0..24: 64 + i % 8
SAMPLE(CopiesItsFirstBlockThrice, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, 24);
  AscendC::DataCopyPad(a, Global(gm.in)[64], {3, 32, -32, 0, 0}, {false, 0, 0, 0.0f});
  Order<HardEvent::MTE2_MTE3>();
  AscendC::DataCopy(Global(gm.out), a, 24);
}

// ReadsWhatACompactCopyDoesNotFill: here the kernel says what stands there; gaps in UB and paddings
// mean nothing in this mode.
//= 0..24: where(i < 18, i + 1, 8)
SAMPLE(CompactCopyFilledUp, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, 24);
  AscendC::DataCopyPad<float, AscendC::PaddingMode::Compact>(a, Global(gm.in), {3, 24, 0, 5, 0},
                                                             {true, 3, 2, 7.0f});
  Order<HardEvent::MTE2_V>();
  AscendC::Adds(a, a, 1.0f, 24);
  Store(gm, a, 24);
}

// StoresPackedBlocksWithGaps: gaps in GM are another matter.
//= 0..6: i
//= 7..13: i - 1
SAMPLE(StoresPackedBlocks, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 24);
  Order<HardEvent::MTE2_MTE3>();
  AscendC::DataCopyPad<float, AscendC::PaddingMode::Compact>(Global(gm.out), a, {2, 24, 0, 4, 0});
}

// StoresFromVeccalc
//= 0..8: i + 1
SAMPLE(LoadsIntoVeccalc, 1) {
  TPipe pipe;
  TBuf<TPosition::VECCALC> buf;
  pipe.InitBuffer(buf, 32);
  const LocalTensor<float> a = buf.Get<float>();
  const LocalTensor<float> d = Buffer(pipe, 8);
  AscendC::DataCopyPad(a, Global(gm.in), PadCopy(1, 32), {false, 0, 0, 0.0f});
  Order<HardEvent::MTE2_V>();
  AscendC::Adds(d, a, 1.0f, 8);
  Store(gm, d, 8);
}

// StoresBeforeTheVectorUnitIsDone: between vector instructions the chip keeps order itself, and a
// barrier that is there all the same does no harm.
//= 0..64: 2 * i + 4
SAMPLE(VectorInstructionsInOrder, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 64);
  AscendC::Adds(a, a, 1.0f, 64);
  AscendC::Muls(a, a, 2.0f, 64);
  AscendC::PipeBarrier<PIPE_V>();
  AscendC::Adds(a, a, 2.0f, 64);
  Store(gm, a, 64);
}

// LoadsTwiceIntoOnePlace
//= 0..64: 64 + i
SAMPLE(LoadsTwiceWithABarrier, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, 64);
  AscendC::DataCopy(a, Global(gm.in), 64);
  AscendC::PipeBarrier<PIPE_MTE2>();
  AscendC::DataCopy(a, Global(gm.in)[64], 64);
  Order<HardEvent::MTE2_MTE3>();
  AscendC::DataCopy(Global(gm.out), a, 64);
}

// AddsNoElements, ReducesNoRepeats: a copy of no blocks is documented to do nothing.
//= 0..1: 8 * i + 1
SAMPLE(CopiesNothingAndAddsOne, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 8);
  const LocalTensor<float> d = Buffer(pipe, 8);
  AscendC::DataCopyPad(a, Global(gm.in), PadCopy(0, 32), {false, 0, 0, 0.0f});
  AscendC::DataCopyPad(a, Global(gm.in), PadCopy(1, 0), {false, 0, 0, 0.0f});
  AscendC::WholeReduceSum(d, a, 2, 1, 1, 1, 8);
  Order<HardEvent::V_MTE3>();
  AscendC::DataCopyPad(Global(gm.out), d, PadCopy(1, 4));
}

// BufferLargerThanUb
//@ ub=253952
//= 0..8: i
SAMPLE(BufferOfAllUb, 1) {
  TPipe pipe;
  TBuf<TPosition::VECIN> buf;
  pipe.InitBuffer(buf, 253952);
  const LocalTensor<float> last = buf.Get<float>()[63480];
  AscendC::DataCopy(last, Global(gm.in), 8);
  Order<HardEvent::MTE2_MTE3>();
  AscendC::DataCopy(Global(gm.out), last, 8);
}

// SumsOfBlocksNeedRoomForAll: the blocks that the mask leaves out are written as 0.
//= 0..8: where(i == 0, 28, 0)
SAMPLE(SumsOfMaskedBlocksAreZero, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 64);
  const LocalTensor<float> d = Buffer(pipe, 8);
  AscendC::BlockReduceSum(d, a, 1, 8, 1, 1, 8);
  Store(gm, d, 8);
}

// MoreQueueBuffersThanMutexIds: more than eight of a position, which the other chips refuse.
SAMPLE(AsManyQueueBuffersAsMutexIds, 1) {
  TPipe pipe;
  In1 in[2];
  Out1 out[2];
  pipe.InitBuffer(in[0], 8, 32);
  pipe.InitBuffer(in[1], 8, 32);
  pipe.InitBuffer(out[0], 8, 32);
  pipe.InitBuffer(out[1], 3, 32);
}

// StoresFromVeccalc, LoadsTwiceIntoOnePlace: sums by a pattern are vector instructions like others.
//= 0..2: where(i == 0, 120, 376)
SAMPLE(SumsRowsOfAMatrix, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 32);
  const LocalTensor<float> d = Buffer(pipe, 8);
  const uint32_t shape[2] = {2, 16};
  AscendC::ReduceSum<float, AscendC::Pattern::Reduce::AR, true>(d, a, shape, false);
  Order<HardEvent::V_MTE3>();
  AscendC::DataCopyPad(Global(gm.out), d, PadCopy(1, 8));
}

// ReadsWhatASumHasSpent: the sums over the rows, and the limits of numbers beside them.
//= 0..16: 16 + 2 * i
//= 16..24: where(i < 20, 3, 60) + 0 * i
SAMPLE(SumsOverTheRowsOfAMatrix, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 32);
  const LocalTensor<float> d = Buffer(pipe, 24);
  const uint32_t shape[2] = {2, 16};
  AscendC::ReduceSum<float, AscendC::Pattern::Reduce::RA, true>(d, a, shape, false);
  Order<HardEvent::V_S>();
  static_assert(AscendC::CeilDivision(7, 3) == 3 && AscendC::CeilDivision(7, 0) == 0);
  static_assert(AscendC::NumericLimits<int32_t>::Max() == 2147483647);
  for (uint32_t i = 16; i < 20; ++i) {
    d.SetValue(i, static_cast<float>(AscendC::ScalarGetCountOfValue<1>(0x10101)));
  }
  for (uint32_t i = 20; i < 24; ++i) {
    d.SetValue(i, static_cast<float>(AscendC::ScalarCountLeadingZero(8)));
  }
  Order<HardEvent::S_MTE3>();
  AscendC::DataCopy(Global(gm.out), d, 24);
}
