// Look-alikes of tests/twin/bad/registers_3510.cpp: what register programming on 3510 may do.
#include "tests/twin/registers.h"

// LoadsItsOwnStore, with a barrier between.
SAMPLE(LoadsItsOwnStoreBehindABarrier, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, kLanes);
  float* at = a.GetPhyAddr();
  __VEC_SCOPE__ {
    RegTensor<float> x, y, z;
    MaskReg mask = CreateMask<float>();
    LoadAlign(x, at);
    Adds(y, x, 1.0f, mask);
    StoreAlign(at, y, mask);
    LocalMemBar<MemType::VEC_STORE, MemType::VEC_LOAD>();
    LoadAlign(z, at);
    Adds(z, z, 1.0f, mask);
    StoreAlign(at, z, mask);
  }
  //= 0..64: i + 2
  Store(gm, a, kLanes);
}

// LoadsItsOwnStore, into the register that was stored: the unit keeps registers in order.
SAMPLE(LoadsItsOwnStoreIntoTheSameRegister, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, kLanes);
  float* at = a.GetPhyAddr();
  __VEC_SCOPE__ {
    RegTensor<float> x;
    MaskReg mask = CreateMask<float>();
    for (uint16_t i = 0; i < 3; ++i) {
      LoadAlign(x, at);
      Adds(x, x, 1.0f, mask);
      StoreAlign(at, x, mask);
    }
  }
  //= 0..64: i + 3
  Store(gm, a, kLanes);
}

// LoadsOneOfTheStoredElements: its neighbour instead, byte by byte.
SAMPLE(LoadsBesideTheStoredElement, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, kLanes);
  const LocalTensor<float> d = Buffer(pipe, kLanes);
  float* at = a.GetPhyAddr();
  float* to = d.GetPhyAddr();
  __VEC_SCOPE__ {
    RegTensor<float> sum, z;
    MaskReg mask = CreateMask<float>();
    LoadAlign(z, at);
    Reduce<ReduceType::SUM>(sum, z, mask);
    StoreAlign<float, StoreDist::DIST_FIRST_ELEMENT_B32>(at + 5, sum, mask);
    LoadAlign<float, LoadDist::DIST_BRC_B32>(z, at + 6);
    StoreAlign(to, z, mask);
  }
  //= 0..64: 6
  Store(gm, d, kLanes);
}

// OverwritesWhatIsBeingLoaded, with what was loaded: the store depends on the load.
SAMPLE(OverwritesWhatItDependsOn, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 4 * kLanes);
  float* at = a.GetPhyAddr();
  __VEC_SCOPE__ {
    RegTensor<float> x, y;
    MaskReg mask = CreateMask<float>();
    for (uint16_t i = 0; i < 4; ++i) {
      LoadAlign(x, at + i * kLanes);
      Muls(y, x, 3.0f, mask);
      StoreAlign(at + i * kLanes, y, mask);
    }
  }
  //= 0..256: 3 * i
  Store(gm, a, 4 * kLanes);
}

// OverwritesWhatIsBeingLoaded, long after: the sum still depends on the first load.
SAMPLE(OverwritesAfterManyLoads, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 64 * kLanes);
  float* at = a.GetPhyAddr();
  __VEC_SCOPE__ {
    RegTensor<float> sum, x;
    MaskReg mask = CreateMask<float>();
    LoadAlign(sum, at);
    for (uint16_t i = 1; i < 64; ++i) {
      LoadAlign(x, at + i * kLanes);
      Add(sum, sum, x, mask);
    }
    StoreAlign(at, sum, mask);
  }
  //= 0..64: 64 * i + 64 * 2016
  Store(gm, a, kLanes);
}

// OverwritesWhatIsBeingLoaded, by an earlier round: each load waits for the last one into its
// register.
SAMPLE(CompressesInPlace, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 8 * kLanes);
  float* at = a.GetPhyAddr();
  __VEC_SCOPE__ {
    MaskReg mask = CreateMask<float>();
    for (uint16_t i = 0; i < 4; ++i) {
      RegTensor<float> x, y;
      LoadAlign(x, at + 2 * i * kLanes);
      LoadAlign(y, at + (2 * i + 1) * kLanes);
      Add(x, x, y, mask);
      StoreAlign(at + i * kLanes, x, mask);
    }
  }
  //= 0..256: 2 * i + 64 + 128 * floor(i / 64)
  Store(gm, a, 4 * kLanes);
}

// OrdersTheWrongPair, for what that pair is good for.
SAMPLE(OverwritesAnotherRegistersLoadBehindABarrier, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, kLanes);
  const LocalTensor<float> d = Buffer(pipe, kLanes);
  float* from = a.GetPhyAddr();
  float* to = d.GetPhyAddr();
  __VEC_SCOPE__ {
    RegTensor<float> x, zero;
    MaskReg mask = CreateMask<float>();
    Duplicate(zero, 0.0f);
    LoadAlign(x, from);
    LocalMemBar<MemType::VEC_LOAD, MemType::VEC_STORE>();
    StoreAlign(from, zero, mask);
    StoreAlign(to, x, mask);
  }
  //= 0..64: i
  Store(gm, d, kLanes);
}

// StoresTwiceToOnePlace: with a barrier, from one register, or to the other half.
SAMPLE(StoresTwiceInOrder, 1) {
  TPipe pipe;
  const LocalTensor<float> d = Buffer(pipe, kLanes);
  float* to = d.GetPhyAddr();
  __VEC_SCOPE__ {
    RegTensor<float> one, two;
    MaskReg mask = CreateMask<float>();
    MaskReg half = CreateMask<float, MaskPattern::H>();
    MaskReg rest;
    Not(rest, half, mask);
    Duplicate(one, 1.0f);
    Duplicate(two, 2.0f);
    StoreAlign(to, one, half);
    StoreAlign(to, two, rest);
    LocalMemBar<MemType::VEC_STORE, MemType::VEC_STORE>();
    StoreAlign(to, two, half);
    Adds(two, two, 1.0f, mask);
    StoreAlign(to, two, half);
  }
  //= 0..64: where(i < 32, 3, 2)
  Store(gm, d, kLanes);
}

// SumsARegisterThatNobodyWrote: lanes that the mask leaves out are 0, UsesAMaskThatNobodyWrote.
SAMPLE(SumsTheLanesThatItWrote, 1) {
  TPipe pipe;
  const LocalTensor<float> d = Buffer(pipe, kLanes);
  float* to = d.GetPhyAddr();
  uint32_t left = 3;
  __VEC_SCOPE__ {
    RegTensor<float> x, sum;
    MaskReg mask = UpdateMask<float>(left);
    MaskReg all = CreateMask<float>();
    Duplicate<float, MaskMergeMode::MERGING>(x, 5.0f, mask);
    Reduce<ReduceType::SUM>(sum, x, mask);
    StoreAlign(to, sum, all);
  }
  //= 0..64: where(i == 0, 15, 0)
  Store(gm, d, kLanes);
}

// KeepsARegisterForTheNextFunction: it is declared outside, and written in each.
SAMPLE(DeclaresARegisterOutside, 1) {
  TPipe pipe;
  const LocalTensor<float> d = Buffer(pipe, 2 * kLanes);
  float* to = d.GetPhyAddr();
  RegTensor<float> x;
  for (uint16_t i = 0; i < 2; ++i) {
    __VEC_SCOPE__ {
      MaskReg mask = CreateMask<float>();
      Duplicate(x, 7.0f);
      StoreAlign(to + i * kLanes, x, mask);
    }
  }
  //= 0..128: 7
  Store(gm, d, 2 * kLanes);
}

// SumsBehindTheData: whole registers are loaded and computed on, the mask comes at the end;
// and CopiesOutWhatIsUndefined: what is stored undefined stays in UB.
SAMPLE(ComputesBehindTheData, 1) {
  TPipe pipe;
  const LocalTensor<float> a = PartLoaded(pipe, gm, kLanes, 40);
  const LocalTensor<float> d = Buffer(pipe, kLanes);
  const LocalTensor<float> s = Buffer(pipe, 8);
  float* from = a.GetPhyAddr();
  float* to = d.GetPhyAddr();
  float* total = s.GetPhyAddr();
  uint32_t left = 40;
  __VEC_SCOPE__ {
    RegTensor<float> x, y, sum;
    MaskReg all = CreateMask<float>();
    MaskReg mask = UpdateMask<float>(left);
    LoadAlign(x, from);
    Muls(y, x, 2.0f, all);
    StoreAlign(to, y, all);
    Reduce<ReduceType::SUM>(sum, y, mask);
    StoreAlign<float, StoreDist::DIST_FIRST_ELEMENT_B32>(total, sum, mask);
  }
  //= 0..40: 2 * i
  Store(gm, d, 40);
  //= 40..41: 1560
  AscendC::DataCopyPad(Global(gm.out)[40], s, PadCopy(1, 4));
}

// SumsBehindTheBuffer: the load brings what it must not use, too.
SAMPLE(LoadsBehindTheBuffer, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 40);
  const LocalTensor<float> d = Buffer(pipe, 40);
  float* from = a.GetPhyAddr();
  float* to = d.GetPhyAddr();
  uint32_t left = 40;
  __VEC_SCOPE__ {
    RegTensor<float> x;
    MaskReg mask = UpdateMask<float>(left);
    LoadAlign(x, from);
    Adds(x, x, 1.0f, mask);
    StoreAlign(to, x, mask);
  }
  //= 0..40: i + 1
  Store(gm, d, 40);
}

// StoresPastItsBuffer: as many lanes as the buffer has.
SAMPLE(StoresToTheEndOfItsBuffer, 1) {
  TPipe pipe;
  const LocalTensor<float> d = Buffer(pipe, 40);
  float* to = d.GetPhyAddr();
  uint32_t left = 40;
  __VEC_SCOPE__ {
    RegTensor<float> x;
    MaskReg mask = UpdateMask<float>(left);
    Duplicate(x, 1.0f);
    StoreAlign(to, x, mask);
  }
  //= 0..40: 1
  Store(gm, d, 40);
}

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
