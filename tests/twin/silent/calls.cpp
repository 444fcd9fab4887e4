// Look-alikes of bad/calls.cpp, sample by sample, with parameters at the edge of what is taken.
#include "tests/twin/sample.h"

// SourceOffItsBlock, a whole block further on.
//= 0..64: 2 * i + 8
SAMPLE(SourceOnTheNextBlock, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 72);
  const LocalTensor<float> d = Buffer(pipe, 64);
  AscendC::Add(d, a, a[8], 64);
  Store(gm, d, 64);
}

// DestinationOffItsBlock: a sum may go to any element.
//= 0..8: where(i == 3, 2016, i)
SAMPLE_ON(SumOffItsBlock, 1, 2002, 2201) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 64);
  const LocalTensor<float> d = Loaded(pipe, gm, 8);
  AscendC::WholeReduceSum(d[3], a, 64, 1, 1, 1, 8);
  Store(gm, d, 8);
}

// CopyOffItsBlock: GM may start at any element.
//= 0..8: i + 3
SAMPLE_ON(CopyFromAnyElementOfGm, 1, 2201) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, 72);
  AscendC::DataCopyPad(a[8], Global(gm.in)[3], PadCopy(1, 32), {true, 0, 0, 0.0f});
  Order<HardEvent::MTE2_MTE3>();
  AscendC::DataCopy(Global(gm.out), a[8], 8);
}

// CopyOfPartOfABlock
//= 0..7: i
SAMPLE_ON(PadCopyOfPartOfABlock, 1, 2201) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, 8);
  AscendC::DataCopyPad(a, Global(gm.in), PadCopy(1, 28), {true, 0, 1, 9.0f});
  Order<HardEvent::MTE2_MTE3>();
  AscendC::DataCopyPad(Global(gm.out), a, PadCopy(1, 28));
}

// CopyOfPartOfAnElement: 30 bytes are 15 elements of two bytes, half of an fp32 among them.
//= 0..7: i
SAMPLE_ON(CopyOfHalfElements, 1, 2201) {
  TPipe pipe;
  const LocalTensor<half> a = Loaded(pipe, gm, 8).ReinterpretCast<half>();
  GlobalTensor<half> out;
  out.SetGlobalBuffer(reinterpret_cast<half*>(gm.out), 2 * kGmElems);
  Order<HardEvent::MTE2_MTE3>();
  AscendC::DataCopyPad(out, a, PadCopy(1, 30));
}

// CopyOfTooManyBlocks, one less; every element gets a block of its own.
//= 0..16: where(i < 8, where(i == 0, 4093, 0), where(i == 8, 4094, 0))
SAMPLE_ON(CopyOfTheMostBlocks, 1, 2201) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, 32768);
  AscendC::DataCopyPad(a, Global(gm.in), PadCopy(4095, 4), {true, 0, 7, 0.0f});
  Order<HardEvent::MTE2_MTE3>();
  AscendC::DataCopy(Global(gm.out), a[4093 * 8], 16);
}

// PaddingOfMoreThanABlock
//= 0..16: where(i < 8, 5, where(i == 8, 0, 5))
SAMPLE_ON(PaddingOfAWholeBlock, 1, 2201) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, 24);
  AscendC::DataCopyPad(a, Global(gm.in), PadCopy(1, 4), {true, 8, 7, 5.0f});
  Order<HardEvent::MTE2_MTE3>();
  AscendC::DataCopy(Global(gm.out), a, 16);
}

// TooManyRepeats
//= 0..256: where(i < 255, 64, 7)
SAMPLE_ON(TheMostRepeats, 1, 2002, 2201) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, 16384);
  const LocalTensor<float> sums = Buffer(pipe, 256);
  AscendC::Duplicate(a, 1.0f, 16384);
  AscendC::Duplicate(sums, 7.0f, 256);
  AscendC::PipeBarrier<PIPE_V>();
  AscendC::WholeReduceSum(sums, a, 64, 255, 1, 1, 8);
  Store(gm, sums, 256);
}

// MaskOfNoLane: no repeat at all is nothing to do, and no mistake.
//= 0..64: i
SAMPLE_ON(NoRepeat, 1, 1001, 2002, 2201) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 64);
  AscendC::Muls(a, a, 2.0f, uint64_t{64}, 0, {1, 1, 8, 8});
  AscendC::Muls(a, a, 2.0f, 0);
  Store(gm, a, 64);
}

// MaskOfTooManyLanes: a repeat of a 16-bit type has 128.
//= 0..64: i
SAMPLE(MaskOfAllHalfLanes, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 64);
  const LocalTensor<half> h = Buffer<half>(pipe, 128);
  AscendC::Duplicate(h, half(0.0f), uint64_t{128}, 1, 1, 8);
  AscendC::PipeBarrier<PIPE_V>();
  AscendC::Add(h, h, h, uint64_t{128}, 1, {1, 1, 1, 8, 8, 8});
  Store(gm, a, 64);
}

// MaskBitsOfNoLane
//= 0..64: where(i == 63, 63 * 63, i)
SAMPLE(MaskBitsOfTheLastLane, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 64);
  uint64_t mask[2] = {uint64_t{1} << 63, 0};
  AscendC::Mul(a, a, a, mask, 1, {1, 1, 1, 8, 8, 8});
  Store(gm, a, 64);
}

// CompareOfPartOfARepeat
//= 0..64: 0 * i
SAMPLE_ON(CompareOfWholeRepeats, 1, 2002, 2201) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 128);
  const LocalTensor<uint8_t> bits = Buffer<uint8_t>(pipe, 32);
  AscendC::Compare(bits, a, a, AscendC::CMPMODE::NE, 128);
  AscendC::PipeBarrier<PIPE_V>();
  AscendC::Select(a, bits, a, 0.0f, AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, 64);
  Store(gm, a, 64);
}

// NarrowsWithoutRounding: all of these are exact in bf16.
//= 0..64: i
SAMPLE_ON(NarrowsWithRounding, 1, 2201) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 64);
  const LocalTensor<bfloat16_t> b = Buffer<bfloat16_t>(pipe, 64);
  const LocalTensor<float> d = Buffer(pipe, 64);
  AscendC::Cast(b, a, AscendC::RoundMode::CAST_RINT, 64);
  AscendC::PipeBarrier<PIPE_V>();
  AscendC::Cast(d, b, AscendC::RoundMode::CAST_NONE, 64);
  Store(gm, d, 64);
}

// NarrowsWithoutRounding: between fp32 and fp16 CAST_NONE stands for CAST_RINT.
//= 0..64: i
SAMPLE(NarrowsToHalfWithoutAMode, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 64);
  const LocalTensor<half> b = Buffer<half>(pipe, 64);
  const LocalTensor<float> d = Buffer(pipe, 64);
  AscendC::Cast(b, a, AscendC::RoundMode::CAST_NONE, 64);
  AscendC::PipeBarrier<PIPE_V>();
  AscendC::Cast(d, b, AscendC::RoundMode::CAST_NONE, 64);
  Store(gm, d, 64);
}

// SelectsAScalarAsATensor
//= 0..64: i
SAMPLE_ON(SelectsAScalar, 1, 2002, 2201) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 64);
  const LocalTensor<uint8_t> bits = Buffer<uint8_t>(pipe, 32);
  AscendC::Compare(bits, a, a, AscendC::CMPMODE::EQ, 64);
  AscendC::PipeBarrier<PIPE_V>();
  AscendC::Select(a, bits, a, 0.0f, AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, 64);
  Store(gm, a, 64);
}

// DestinationBlockStrideZero: a source may repeat its first block.
//= 0..64: i + i % 8
SAMPLE(SourceBlockStrideZero, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 64);
  const LocalTensor<float> d = Buffer(pipe, 64);
  AscendC::Add(d, a, a, uint64_t{64}, 1, {1, 1, 0, 8, 8, 8});
  Store(gm, d, 64);
}

// BrcbBlockStrideZero
//= 0..64: floor(i / 8)
SAMPLE_ON(BrcbBlockStrideOne, 1, 2002, 2201) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 8);
  const LocalTensor<float> d = Buffer(pipe, 64);
  AscendC::Brcb(d, a, 1, {1, 8});
  Store(gm, d, 64);
}

// SumsTooFarApart
//= 0..8: 2016 + 0 * i
SAMPLE_ON(SumsFarApart, 1, 2002, 2201) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 64);
  const LocalTensor<float> d = Buffer(pipe, 8);
  AscendC::WholeReduceSum(d, a, 64, 1, 65535, 1, 8);
  AscendC::PipeBarrier<PIPE_V>();
  AscendC::Muls(d, d, 1.0f, 1);
  Order<HardEvent::V_S>();
  const float sum = d.GetValue(0);
  Order<HardEvent::S_V>();
  AscendC::Duplicate(d, sum, 8);
  Store(gm, d, 8);
}

// CopiesIntoAVectorBuffer, CopiesOutOfAVectorBuffer: inside UB a copy may go anywhere.
//= 0..64: i
SAMPLE(CopiesThroughAVectorBuffer, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 64);
  TBuf<> buf;
  pipe.InitBuffer(buf, 256);
  const LocalTensor<float> b = Buffer(pipe, 64);
  AscendC::DataCopy(buf.Get<float>(), a, 64);
  AscendC::PipeBarrier<PIPE_V>();
  AscendC::DataCopy(b, buf.Get<float>(), 64);
  Store(gm, b, 64);
}

// OverlapsInsideARepeat: the same bytes, or none in common.
//= 0..128: where(i < 64, i + 1, i - 63)
SAMPLE(WorksInPlace, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 128);
  AscendC::Adds(a, a, 1.0f, 64);
  AscendC::PipeBarrier<PIPE_V>();
  AscendC::Adds(a[64], a, 0.0f, 64);
  Store(gm, a, 128);
}

// ReadsWhatAnEarlierRepeatWrote: a sum over repeats in place, which Add may do.
//= 0..64: 3 * i + 192
SAMPLE(AccumulatesInPlace, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 192);
  AscendC::Add(a, a[64], a, uint64_t{64}, 2, {1, 1, 1, 0, 8, 0});
  Store(gm, a, 64);
}

// WidensFromItsUpperHalf, WidensInPlace: a narrower result may begin where its source does, and a
// wider one has a place of its own.
//= 0..256: i
SAMPLE(NarrowsInPlace, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 256);
  const LocalTensor<float> d = Buffer(pipe, 256);
  AscendC::Cast(a.ReinterpretCast<half>(), a, AscendC::RoundMode::CAST_NONE, 256);
  AscendC::PipeBarrier<PIPE_V>();
  AscendC::Cast(d, a.ReinterpretCast<half>(), AscendC::RoundMode::CAST_NONE, 256);
  Store(gm, d, 256);
}
