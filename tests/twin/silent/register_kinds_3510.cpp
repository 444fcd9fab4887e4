// Look-alikes of tests/twin/bad/register_kinds_3510.cpp: unaligned accesses, vector functions,
// masks of other widths, queues.
#include "tests/twin/registers.h"

// LoadsBetweenTwoBlocks: single elements may lie anywhere, and unaligned loads are prepared;
// LoadsUnalignedWithoutPreparing, ForgetsTheLastBytes.
SAMPLE(LoadsAndStoresUnaligned, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 4 * kLanes);
  const LocalTensor<float> d = Buffer(pipe, 4 * kLanes);
  float* from = a.GetPhyAddr() + 3;
  float* to = d.GetPhyAddr();
  __VEC_SCOPE__ {
    RegTensor<float> x, y;
    MaskReg mask = CreateMask<float>();
    UnalignRegForLoad held_in;
    UnalignRegForStore held_out;
    LoadAlign<float, LoadDist::DIST_BRC_B32>(y, from - 2);
    StoreAlign<float, StoreDist::DIST_FIRST_ELEMENT_B32>(to, y, mask);
    ++to;
    LoadUnAlignPre(held_in, from);
    for (uint16_t i = 0; i < 3; ++i) {
      LoadUnAlign(x, held_in, from, kLanes);
      StoreUnAlign(to, x, held_out, kLanes);
    }
    StoreUnAlignPost(to, held_out, 0);
  }
  //= 0..1: 1 + 0 * i
  //= 1..193: i + 2
  Order<HardEvent::V_MTE3>();
  AscendC::DataCopyPad(Global(gm.out), d, PadCopy(1, 193 * 4));
}

// AddsOutsideOfAFunction, inside of one that the kernel calls; CallsTheVectorUnitInsideOfAFunction
// between two.
__simd_vf__ inline void AddOne(float* to, float* from, uint32_t count) {
  RegTensor<float> x;
  MaskReg mask;
  for (uint16_t i = 0; i < 2; ++i) {
    mask = UpdateMask<float>(count);
    LoadAlign<float, PostLiteral::POST_MODE_UPDATE>(x, from, kLanes);
    Adds(x, x, 1.0f, mask);
    StoreAlign<float, PostLiteral::POST_MODE_UPDATE>(to, x, kLanes, mask);
  }
}

SAMPLE(CallsVectorFunctions, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 2 * kLanes);
  const LocalTensor<float> d = Buffer(pipe, 2 * kLanes);
  float* from = a.GetPhyAddr();
  float* to = d.GetPhyAddr();
  asc_vf_call<AddOne>(to, from, 2 * kLanes);
  AscendC::Adds(d, d, 1.0f, 2 * kLanes);
  asc_vf_call<AddOne>(to, to, 2 * kLanes);
  //= 0..128: i + 3
  Store(gm, d, 2 * kLanes);
}

// UsesAMaskOfHalvesForFloats: all lanes, one lane, and conversions, whose mask is the source's.
SAMPLE(UsesMasksOfOtherWidths, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, kLanes);
  const LocalTensor<float> d = Buffer(pipe, kLanes);
  float* from = a.GetPhyAddr();
  float* to = d.GetPhyAddr();
  static constexpr CastTrait kNarrow = {RegLayout::ZERO, SatMode::NO_SAT, MaskMergeMode::ZEROING,
                                        AscendC::RoundMode::CAST_RINT};
  static constexpr CastTrait kWiden = {RegLayout::ZERO, SatMode::UNKNOWN, MaskMergeMode::ZEROING,
                                       AscendC::RoundMode::UNKNOWN};
  uint32_t left = 20;
  __VEC_SCOPE__ {
    RegTensor<float> x;
    RegTensor<half> narrow;
    MaskReg bytes = CreateMask<uint8_t>();
    MaskReg one = CreateMask<half, MaskPattern::VL1>();
    MaskReg some = UpdateMask<float>(left);
    LoadAlign(x, from);
    Adds(x, x, 1.0f, bytes);
    Cast<half, float, kNarrow>(narrow, x, some);
    Cast<float, half, kWiden>(x, narrow, some);
    StoreAlign(to, x, bytes);
    Reduce<ReduceType::MAX>(x, x, bytes);
    StoreAlign(to, x, one);
  }
  //= 0..64: where(i == 0, 20, where(i < 20, i + 1, 0))
  Store(gm, d, kLanes);
}

// PacksAroundAGap: the first elements have none.
SAMPLE(PacksTheFirstElements, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, kLanes);
  const LocalTensor<bfloat16_t> b = Buffer<bfloat16_t>(pipe, kLanes);
  const LocalTensor<float> d = Buffer(pipe, kLanes);
  float* from = a.GetPhyAddr();
  bfloat16_t* by = b.GetPhyAddr();
  float* to = d.GetPhyAddr();
  static constexpr CastTrait kNarrow = {RegLayout::ZERO, SatMode::NO_SAT, MaskMergeMode::ZEROING,
                                        AscendC::RoundMode::CAST_RINT};
  static constexpr CastTrait kWiden = {RegLayout::ZERO, SatMode::UNKNOWN, MaskMergeMode::ZEROING,
                                       AscendC::RoundMode::UNKNOWN};
  uint32_t left = 50;
  __VEC_SCOPE__ {
    RegTensor<float> x;
    RegTensor<bfloat16_t> narrow;
    MaskReg mask = UpdateMask<float>(left);
    LoadAlign(x, from);
    Cast<bfloat16_t, float, kNarrow>(narrow, x, mask);
    StoreAlign<bfloat16_t, StoreDist::DIST_PACK_B32>(by, narrow, mask);
    LocalMemBar<MemType::VEC_STORE, MemType::VEC_LOAD>();
    LoadAlign<bfloat16_t, LoadDist::DIST_UNPACK_B16>(narrow, by);
    Cast<float, bfloat16_t, kWiden>(x, narrow, mask);
    StoreAlign(to, x, mask);
  }
  //= 0..48: i
  Store(gm, d, 48);
}

// LoadsBeforeTheCopyHasArrived, CopiesOutBeforeTheFunctionHasEnded, LoadsWhatItHasFreed: queues
// order what a vector function touches, tile by tile.
SAMPLE(WorksBetweenQueues, 1) {
  TPipe pipe;
  In1 in;
  Out1 out;
  pipe.InitBuffer(in, 2, 1024);
  pipe.InitBuffer(out, 2, 1024);
  for (uint32_t tile = 0; tile < 6; ++tile) {
    LocalTensor<float> a = in.AllocTensor<float>();
    AscendC::DataCopy(a, Global(gm.in)[tile * 256], 256);
    in.EnQue(a);
    a = in.DeQue<float>();
    LocalTensor<float> d = out.AllocTensor<float>();
    float* from = a.GetPhyAddr();
    float* to = d.GetPhyAddr();
    uint32_t left = 256;
    __VEC_SCOPE__ {
      RegTensor<float> x;
      MaskReg mask;
      for (uint16_t i = 0; i < 4; ++i) {
        mask = UpdateMask<float>(left);
        LoadAlign(x, from + i * kLanes);
        Adds(x, x, 1.0f, mask);
        StoreAlign(to + i * kLanes, x, mask);
      }
    }
    in.FreeTensor(a);
    out.EnQue(d);
    d = out.DeQue<float>();
    AscendC::DataCopy(Global(gm.out)[tile * 256], d, 256);
    out.FreeTensor(d);
  }
  //= 0..1536: i + 1
}
