// Parameters that an instruction does not take.
#include "tests/twin/sample.h"

SAMPLE(SourceOffItsBlock, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 72);
  const LocalTensor<float> d = Buffer(pipe, 64);
  //! ub-alignment Add core=0 pipe=V buffer="TBuf 0" bytes=4..4
  AscendC::Add(d, a, a[1], 64);
}

SAMPLE(DestinationOffItsBlock, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 72);
  //! ub-alignment Adds core=0 pipe=V buffer="TBuf 0" bytes=48..48
  AscendC::Adds(a[12], a, 1.0f, 8);
}

SAMPLE_ON(CopyOffItsBlock, 1, 2201) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, 72);
  //! ub-alignment DataCopyPad core=0 pipe=MTE2 buffer="TBuf 0" bytes=8..8
  AscendC::DataCopyPad(a[2], Global(gm.in), PadCopy(1, 32), {true, 0, 0, 0.0f});
}

SAMPLE(CopyOfPartOfABlock, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, 8);
  //! copy-length DataCopy core=0 pipe=MTE2 buffer="TBuf 0" bytes=0..0
  AscendC::DataCopy(a, Global(gm.in), 7);
}

SAMPLE_ON(CopyOfPartOfAnElement, 1, 2201) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 8);
  Order<HardEvent::MTE2_MTE3>();
  //! copy-length DataCopyPad core=0 pipe=MTE3 buffer="TBuf 0" bytes=0..0
  AscendC::DataCopyPad(Global(gm.out), a, PadCopy(1, 30));
}

SAMPLE_ON(CopyOfTooManyBlocks, 1, 2201) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, 32768);
  //! copy-limit DataCopyPad core=0 pipe=MTE2 buffer="TBuf 0" bytes=0..0
  AscendC::DataCopyPad(a, Global(gm.in), PadCopy(4096, 4), {true, 0, 7, 0.0f});
}

SAMPLE_ON(PaddingOfMoreThanABlock, 1, 2201) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, 24);
  //! copy-limit DataCopyPad core=0 pipe=MTE2 buffer="TBuf 0" bytes=0..0
  AscendC::DataCopyPad(a, Global(gm.in), PadCopy(1, 4), {true, 9, 6, 0.0f});
}

SAMPLE_ON(TooManyRepeats, 1, 2002, 2201) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, 16384);
  const LocalTensor<float> sums = Buffer(pipe, 256);
  AscendC::Duplicate(a, 1.0f, 16384);
  AscendC::PipeBarrier<PIPE_V>();
  //! repeat-limit WholeReduceSum core=0 pipe=V buffer="TBuf 1" bytes=0..0
  AscendC::WholeReduceSum(sums, a, 64, 256, 1, 1, 8);
}

SAMPLE(MaskOfNoLane, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 64);
  //! mask-limit Muls core=0 pipe=V buffer="TBuf 0" bytes=0..0
  AscendC::Muls(a, a, 2.0f, uint64_t{0}, 1, {1, 1, 8, 8});
}

SAMPLE(MaskOfTooManyLanes, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 128);
  //! mask-limit Add core=0 pipe=V buffer="TBuf 0" bytes=0..0
  AscendC::Add(a, a, a, uint64_t{65}, 1, {1, 1, 1, 8, 8, 8});
}

SAMPLE(MaskBitsOfNoLane, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 64);
  uint64_t mask[2] = {0, ~uint64_t{0}};  // fp32 has lanes in the first word only
  //! mask-limit Mul core=0 pipe=V buffer="TBuf 0" bytes=0..0
  AscendC::Mul(a, a, a, mask, 1, {1, 1, 1, 8, 8, 8});
}

SAMPLE(CompareOfPartOfARepeat, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 72);
  const LocalTensor<uint8_t> bits = Buffer<uint8_t>(pipe, 32);
  //! mask-limit Compare core=0 pipe=V buffer="TBuf 1" bytes=0..0
  AscendC::Compare(bits, a, a, AscendC::CMPMODE::EQ, 72);
}

SAMPLE_ON(NarrowsWithoutRounding, 1, 2201) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 64);
  const LocalTensor<bfloat16_t> d = Buffer<bfloat16_t>(pipe, 64);
  //! round-mode Cast core=0 pipe=V buffer="TBuf 1" bytes=0..0
  AscendC::Cast(d, a, AscendC::RoundMode::CAST_NONE, 64);
}

SAMPLE(SelectsAScalarAsATensor, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 64);
  const LocalTensor<uint8_t> bits = Buffer<uint8_t>(pipe, 32);
  AscendC::Compare(bits, a, a, AscendC::CMPMODE::EQ, 64);
  AscendC::PipeBarrier<PIPE_V>();
  //! select-mode Select core=0 pipe=V buffer="TBuf 0" bytes=0..0
  AscendC::Select(a, bits, a, 0.0f, AscendC::SELMODE::VSEL_TENSOR_TENSOR_MODE, 64);
}

SAMPLE(DestinationBlockStrideZero, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 64);
  const LocalTensor<float> d = Buffer(pipe, 64);
  //! stride-limit Add core=0 pipe=V buffer="TBuf 1" bytes=0..0
  AscendC::Add(d, a, a, uint64_t{64}, 1, {0, 1, 1, 8, 8, 8});
}

SAMPLE_ON(BrcbBlockStrideZero, 1, 2002, 2201) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 8);
  const LocalTensor<float> d = Buffer(pipe, 64);
  //! stride-limit Brcb core=0 pipe=V buffer="TBuf 1" bytes=0..0
  AscendC::Brcb(d, a, 1, {0, 8});
}

SAMPLE_ON(SumsTooFarApart, 1, 2002, 2201) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 64);
  const LocalTensor<float> d = Buffer(pipe, 8);
  //! stride-limit WholeReduceSum core=0 pipe=V buffer="TBuf 1" bytes=0..0
  AscendC::WholeReduceSum(d, a, 64, 1, 65536, 1, 8);
}

SAMPLE(CopiesIntoAVectorBuffer, 1) {
  TPipe pipe;
  TBuf<> buf;
  pipe.InitBuffer(buf, 256);
  //! operand-position DataCopy core=0 pipe=MTE2 buffer="TBuf 0" bytes=0..0
  AscendC::DataCopy(buf.Get<float>(), Global(gm.in), 64);
}

SAMPLE_ON(CopiesOutOfAVectorBuffer, 1, 2201) {
  TPipe pipe;
  TBuf<> buf;
  pipe.InitBuffer(buf, 32);
  AscendC::Duplicate(buf.Get<float>(), 1.0f, 8);
  Order<HardEvent::V_MTE3>();
  //! operand-position DataCopyPad core=0 pipe=MTE3 buffer="TBuf 0" bytes=0..0
  AscendC::DataCopyPad(Global(gm.out), buf.Get<float>(), PadCopy(1, 32));
}

SAMPLE(OverlapsInsideARepeat, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 72);
  //! operand-overlap Adds core=0 pipe=V buffer="TBuf 0" bytes=32..288
  AscendC::Adds(a[8], a, 1.0f, 64);
}

// The second repeat reads what the first one wrote.
SAMPLE(ReadsWhatAnEarlierRepeatWrote, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 192);
  //! operand-overlap Muls core=0 pipe=V buffer="TBuf 0" bytes=256..768
  AscendC::Muls(a[64], a, 2.0f, uint64_t{64}, 2, {1, 1, 8, 8});
}

// In its last repeat the wider result takes the place of what it is made from.
SAMPLE(WidensFromItsUpperHalf, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 256);
  //! operand-overlap Cast core=0 pipe=V buffer="TBuf 0" bytes=0..1024
  AscendC::Cast(a, a.ReinterpretCast<half>()[256], AscendC::RoundMode::CAST_NONE, 256);
}

SAMPLE(WidensInPlace, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 256);
  //! operand-overlap Cast core=0 pipe=V buffer="TBuf 0" bytes=0..1024
  AscendC::Cast(a, a.ReinterpretCast<half>(), AscendC::RoundMode::CAST_NONE, 256);
}
