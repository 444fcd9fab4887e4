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

// LoadsItsOwnStore, in lanes that the mask leaves out: the second load of a row of 72 reaches into
// the next row, which is being stored, and nothing comes of it.
SAMPLE(LoadsMoreThanTheMaskCounts, 1) {
  constexpr uint32_t kRow = kLanes + 8;
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 4 * kLanes);
  float* at = a.GetPhyAddr();
  __VEC_SCOPE__ {
    RegTensor<float> x, y;
    uint32_t left = kRow;
    for (uint16_t i = 0; i < 2; ++i) {
      MaskReg mask = UpdateMask<float>(left);
      LoadAlign(x, at + i * kLanes);
      Adds(y, x, 1.0f, mask);
      StoreAlign(at + kRow + i * kLanes, y, mask);
    }
  }
  //= 0..72: i
  //= 72..144: i - 71
  //= 144..256: i
  Store(gm, a, 4 * kLanes);
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

// SumsItsOwnStore: behind the barrier that lets a load see a store.
SAMPLE(SumsItsOwnStoreInOrder, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, kLanes);
  float* at = a.GetPhyAddr();
  __VEC_SCOPE__ {
    RegTensor<float> x, y, sum;
    MaskReg mask = CreateMask<float>();
    Duplicate(x, 1.0f);
    StoreAlign(at, x, mask);
    LocalMemBar<MemType::VEC_STORE, MemType::VEC_LOAD>();
    LoadAlign(y, at);
    Reduce<ReduceType::SUM>(sum, y, mask);
  }
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
