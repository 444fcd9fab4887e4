// What memory-based calls get wrong on 3510 alone: the control register, the shapes of copies, the
// limits of its unified buffer.
#include "tests/twin/sample.h"

SAMPLE(LeavesSaturationOn, 1) {
  //! control-left-changed SetCtrlSpr core=0 pipe=S buffer="" bytes=0..0
  AscendC::SetCtrlSpr<48, 48>(0);
}

// What a reset gives is not what the host chose: it turns saturation on.
SAMPLE(ResetsInsteadOfRestoring, 1) {
  AscendC::SetCtrlSpr<48, 48>(0);
  //! control-left-changed SetCtrlSpr core=0 pipe=S buffer="" bytes=0..0
  AscendC::ResetCtrlSpr<48, 48>();
}

SAMPLE(WritesThreeIntoOneBit, 1) {
  //! control-value SetCtrlSpr core=0 pipe=S buffer="" bytes=0..0
  AscendC::SetCtrlSpr<60, 60>(3);
}

SAMPLE(CopiesWithAGapOfManyBlocks, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, 16);
  //! stride-limit DataCopyPad core=0 pipe=MTE2 buffer="TBuf 0" bytes=0..0
  AscendC::DataCopyPad(a, Global(gm.in), {2, 32, 0, 65536, 0}, {false, 0, 0, 0.0f});
}

SAMPLE(CopiesFromBeforeItsFirstBlock, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, 16);
  //! stride-limit DataCopyPad core=0 pipe=MTE2 buffer="TBuf 0" bytes=0..0
  AscendC::DataCopyPad(a, Global(gm.in)[64], {2, 32, -33, 0, 0}, {false, 0, 0, 0.0f});
}

// 72 bytes, filled up to 96 with something that is not documented.
SAMPLE(ReadsWhatACompactCopyDoesNotFill, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, 24);
  AscendC::DataCopyPad<float, AscendC::PaddingMode::Compact>(a, Global(gm.in), PadCopy(3, 24),
                                                             {false, 0, 0, 0.0f});
  Order<HardEvent::MTE2_V>();
  //! ub-uninitialised-read Adds core=0 pipe=V buffer="TBuf 0" bytes=72..96
  AscendC::Adds(a, a, 1.0f, 24);
}

SAMPLE(StoresPackedBlocksWithGaps, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 24);
  Order<HardEvent::MTE2_MTE3>();
  //! stride-limit DataCopyPad core=0 pipe=MTE3 buffer="TBuf 0" bytes=0..0
  AscendC::DataCopyPad<float, AscendC::PaddingMode::Compact>(Global(gm.out), a, {2, 24, 1, 0, 0});
}

// Into VECCALC the engine brings data, from there it takes none.
SAMPLE(StoresFromVeccalc, 1) {
  TPipe pipe;
  TBuf<TPosition::VECCALC> buf;
  pipe.InitBuffer(buf, 32);
  const LocalTensor<float> a = buf.Get<float>();
  AscendC::DataCopyPad(a, Global(gm.in), PadCopy(1, 32), {false, 0, 0, 0.0f});
  Order<HardEvent::MTE2_MTE3>();
  //! operand-position DataCopyPad core=0 pipe=MTE3 buffer="TBuf 0" bytes=0..0
  AscendC::DataCopyPad(Global(gm.out), a, PadCopy(1, 32));
}

// No barrier of the vector pipe is needed here; the transfer engine still has to wait.
SAMPLE(StoresBeforeTheVectorUnitIsDone, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 64);
  AscendC::Adds(a, a, 1.0f, 64);
  AscendC::Muls(a, a, 2.0f, 64);
  //! race-between-pipes DataCopy core=0 pipe=MTE3 buffer="TBuf 0" bytes=0..256
  AscendC::DataCopy(Global(gm.out), a, 64);
}

SAMPLE(LoadsTwiceIntoOnePlace, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, 64);
  AscendC::DataCopy(a, Global(gm.in), 64);
  //! race-within-pipe DataCopy core=0 pipe=MTE2 buffer="TBuf 0" bytes=0..256
  AscendC::DataCopy(a, Global(gm.in)[64], 64);
}

SAMPLE(AddsNoElements, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 8);
  //! repeat-limit Adds core=0 pipe=V buffer="TBuf 0" bytes=0..0
  AscendC::Adds(a, a, 1.0f, 0);
}

SAMPLE(ReducesNoRepeats, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 64);
  const LocalTensor<float> d = Buffer(pipe, 8);
  //! repeat-limit WholeReduceSum core=0 pipe=V buffer="TBuf 1" bytes=0..0
  AscendC::WholeReduceSum(d, a, 64, 0, 1, 1, 8);
}

// 248 KB are all there is: 8 KB of the 256 KB serve the calls themselves.
//@ ub=253952
SAMPLE(BufferLargerThanUb, 1) {
  TPipe pipe;
  TBuf<> buf;
  //! ub-overflow InitBuffer core=0 pipe=S buffer="VECCALC" bytes=0..253984
  pipe.InitBuffer(buf, 253953);
}

// Blocks without an active lane are written, too: seven of these eight lie behind the buffer.
SAMPLE(SumsOfBlocksNeedRoomForAll, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 64);
  const LocalTensor<float> d = Buffer(pipe, 16);
  //! ub-out-of-bounds BlockReduceSum core=0 pipe=V buffer="TBuf 1" bytes=64..96
  AscendC::BlockReduceSum(d[8], a, 2, 8, 1, 1, 0);
}

// Queues of all positions share 27 ids.
SAMPLE(MoreQueueBuffersThanMutexIds, 1) {
  TPipe pipe;
  In1 in[2];
  Out1 out[2];
  pipe.InitBuffer(in[0], 8, 32);
  pipe.InitBuffer(in[1], 8, 32);
  pipe.InitBuffer(out[0], 8, 32);
  //! buffer-count InitBuffer core=0 pipe=S buffer="VECOUT" bytes=0..0
  pipe.InitBuffer(out[1], 4, 32);
}

// The call may leave anything in its source.
SAMPLE(ReadsWhatASumHasSpent, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 32);
  const LocalTensor<float> d = Buffer(pipe, 16);
  const uint32_t shape[2] = {2, 16};
  AscendC::ReduceSum<float, AscendC::Pattern::Reduce::RA, true>(d, a, shape, false);
  //! ub-uninitialised-read Adds core=0 pipe=V buffer="TBuf 0" bytes=0..32
  AscendC::Adds(d, a, 1.0f, 8);
}
