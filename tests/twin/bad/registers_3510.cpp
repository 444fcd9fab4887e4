// What register programming on 3510 must not do.
#include "tests/twin/registers.h"

SAMPLE(LoadsItsOwnStore, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, kLanes);
  float* at = a.GetPhyAddr();
  __VEC_SCOPE__ {
    RegTensor<float> x, y, z;
    MaskReg mask = CreateMask<float>();
    LoadAlign(x, at);
    Adds(y, x, 1.0f, mask);
    StoreAlign(at, y, mask);
    //! race-within-vector-function LoadAlign core=0 pipe=V buffer="TBuf 0" bytes=0..256
    LoadAlign(z, at);
    StoreAlign(at, z, mask);
  }
}

SAMPLE(LoadsOneOfTheStoredElements, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, kLanes);
  float* at = a.GetPhyAddr();
  __VEC_SCOPE__ {
    RegTensor<float> sum, z;
    MaskReg mask = CreateMask<float>();
    LoadAlign(z, at);
    Reduce<ReduceType::SUM>(sum, z, mask);
    StoreAlign<float, StoreDist::DIST_FIRST_ELEMENT_B32>(at + 5, sum, mask);
    //! race-within-vector-function LoadAlign core=0 pipe=V buffer="TBuf 0" bytes=20..24
    LoadAlign<float, LoadDist::DIST_BRC_B32>(z, at + 5);
    StoreAlign(at, z, mask);
  }
}

SAMPLE(OverwritesWhatIsBeingLoaded, 1) {
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
    //! race-within-vector-function StoreAlign core=0 pipe=V buffer="TBuf 0" bytes=0..256
    StoreAlign(from, zero, mask);
    StoreAlign(to, x, mask);
  }
}

SAMPLE(StoresTwiceToOnePlace, 1) {
  TPipe pipe;
  const LocalTensor<float> d = Buffer(pipe, kLanes);
  float* to = d.GetPhyAddr();
  __VEC_SCOPE__ {
    RegTensor<float> one, two;
    MaskReg mask = CreateMask<float>();
    MaskReg half = CreateMask<float, MaskPattern::H>();
    Duplicate(one, 1.0f);
    Duplicate(two, 2.0f);
    StoreAlign(to, one, mask);
    //! race-within-vector-function StoreAlign core=0 pipe=V buffer="TBuf 0" bytes=0..128
    StoreAlign(to, two, half);
  }
}

// A barrier of another pair does not order a store before a load.
SAMPLE(OrdersTheWrongPair, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, kLanes);
  float* at = a.GetPhyAddr();
  __VEC_SCOPE__ {
    RegTensor<float> x, y;
    MaskReg mask = CreateMask<float>();
    Duplicate(x, 1.0f);
    StoreAlign(at, x, mask);
    LocalMemBar<MemType::VEC_LOAD, MemType::VEC_STORE>();
    //! race-within-vector-function LoadAlign core=0 pipe=V buffer="TBuf 0" bytes=0..256
    LoadAlign(y, at);
    StoreAlign(at, y, mask);
  }
}

SAMPLE(SumsItsOwnStore, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, kLanes);
  float* at = a.GetPhyAddr();
  __VEC_SCOPE__ {
    RegTensor<float> x, y, sum;
    MaskReg mask = CreateMask<float>();
    Duplicate(x, 1.0f);
    StoreAlign(at, x, mask);
    //! race-within-vector-function LoadAlign core=0 pipe=V buffer="TBuf 0" bytes=0..256
    LoadAlign(y, at);
    Reduce<ReduceType::SUM>(sum, y, mask);
  }
}

SAMPLE(SumsARegisterThatNobodyWrote, 1) {
  __VEC_SCOPE__ {
    RegTensor<float> x, sum;
    MaskReg mask = CreateMask<float>();
    //! register-undefined Reduce core=0 pipe=V buffer="" bytes=0..0
    Reduce<ReduceType::SUM>(sum, x, mask);
  }
}

SAMPLE(UsesAMaskThatNobodyWrote, 1) {
  __VEC_SCOPE__ {
    RegTensor<float> x;
    MaskReg mask;
    Duplicate(x, 1.0f);
    //! register-undefined Adds core=0 pipe=V buffer="" bytes=0..0
    Adds(x, x, 1.0f, mask);
  }
}

SAMPLE(KeepsARegisterForTheNextFunction, 1) {
  RegTensor<float> x;
  __VEC_SCOPE__ { Duplicate(x, 1.0f); }
  __VEC_SCOPE__ {
    RegTensor<float> sum;
    MaskReg mask = CreateMask<float>();
    //! register-undefined Reduce core=0 pipe=V buffer="" bytes=0..0
    Reduce<ReduceType::SUM>(sum, x, mask);
  }
}

SAMPLE(SumsBehindTheData, 1) {
  TPipe pipe;
  const LocalTensor<float> a = PartLoaded(pipe, gm, kLanes, 40);
  float* from = a.GetPhyAddr();
  __VEC_SCOPE__ {
    RegTensor<float> x, y, sum;
    MaskReg mask = CreateMask<float>();
    //! ub-uninitialised-read LoadAlign core=0 pipe=V buffer="TBuf 0" bytes=160..256
    LoadAlign(x, from);
    Muls(y, x, 2.0f, mask);
    Reduce<ReduceType::SUM>(sum, y, mask);
  }
}

SAMPLE(CopiesOutWhatIsUndefined, 1) {
  TPipe pipe;
  const LocalTensor<float> a = PartLoaded(pipe, gm, kLanes, 40);
  const LocalTensor<float> d = Buffer(pipe, kLanes);
  float* from = a.GetPhyAddr();
  float* to = d.GetPhyAddr();
  __VEC_SCOPE__ {
    RegTensor<float> x;
    MaskReg mask = CreateMask<float>();
    LoadAlign(x, from);
    StoreAlign(to, x, mask);
  }
  Order<HardEvent::V_MTE3>();
  //! ub-uninitialised-read DataCopy core=0 pipe=MTE3 buffer="TBuf 1" bytes=160..256
  AscendC::DataCopy(Global(gm.out), d, kLanes);
}

SAMPLE(SumsBehindTheBuffer, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 40);
  float* from = a.GetPhyAddr();
  __VEC_SCOPE__ {
    RegTensor<float> x, sum;
    MaskReg mask = CreateMask<float>();
    //! ub-out-of-bounds LoadAlign core=0 pipe=V buffer="TBuf 0" bytes=160..256
    LoadAlign(x, from);
    Reduce<ReduceType::SUM>(sum, x, mask);
  }
}

SAMPLE(StoresPastItsBuffer, 1) {
  TPipe pipe;
  const LocalTensor<float> d = Buffer(pipe, 40);
  float* to = d.GetPhyAddr();
  __VEC_SCOPE__ {
    RegTensor<float> x;
    MaskReg mask = CreateMask<float>();
    Duplicate(x, 1.0f);
    //! ub-out-of-bounds StoreAlign core=0 pipe=V buffer="TBuf 0" bytes=0..256
    StoreAlign(to, x, mask);
  }
}
