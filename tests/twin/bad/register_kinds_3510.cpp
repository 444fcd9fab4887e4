// Register programming on 3510, continued: unaligned accesses, vector functions, masks of other
// widths, queues.
#include "tests/twin/registers.h"

SAMPLE(LoadsBetweenTwoBlocks, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 2 * kLanes);
  float* from = a.GetPhyAddr();
  __VEC_SCOPE__ {
    RegTensor<float> x;
    //! ub-alignment LoadAlign core=0 pipe=V buffer="TBuf 0" bytes=4..4
    LoadAlign(x, from + 1);
  }
}

SAMPLE(AddsOutsideOfAFunction, 1) {
  //! vector-function CreateMask core=0 pipe=V buffer="" bytes=0..0
  MaskReg mask = CreateMask<float>();
  (void)mask;
}

SAMPLE(CallsTheVectorUnitInsideOfAFunction, 1) {
  TPipe pipe;
  const LocalTensor<float> d = Buffer(pipe, kLanes);
  __VEC_SCOPE__ {
    //! vector-function Duplicate core=0 pipe=V buffer="" bytes=0..0
    AscendC::Duplicate(d, 1.0f, kLanes);
  }
}

SAMPLE(UsesAMaskOfHalvesForFloats, 1) {
  uint32_t left = 20;
  __VEC_SCOPE__ {
    RegTensor<float> x;
    MaskReg mask = UpdateMask<half>(left);
    Duplicate(x, 1.0f);
    //! mask-type Adds core=0 pipe=V buffer="" bytes=0..0
    Adds(x, x, 1.0f, mask);
  }
}

SAMPLE(PacksAroundAGap, 1) {
  TPipe pipe;
  const LocalTensor<half> d = Buffer<half>(pipe, kLanes);
  half* to = d.GetPhyAddr();
  __VEC_SCOPE__ {
    RegTensor<half> x;
    MaskReg mask = CreateMask<float, MaskPattern::M4>();
    Duplicate(x, half(1.0f));
    //! mask-limit StoreAlign core=0 pipe=V buffer="" bytes=0..0
    StoreAlign<half, StoreDist::DIST_PACK_B32>(to, x, mask);
  }
}

SAMPLE(ForgetsTheLastBytes, 1) {
  TPipe pipe;
  const LocalTensor<float> d = Buffer(pipe, kLanes);
  float* to = d.GetPhyAddr() + 1;
  __VEC_SCOPE__ {
    RegTensor<float> x;
    UnalignRegForStore held;
    Duplicate(x, 1.0f);
    //! unaligned-register StoreUnAlign core=0 pipe=V buffer="" bytes=0..0
    StoreUnAlign(to, x, held, 60);
  }
}

SAMPLE(LoadsUnalignedWithoutPreparing, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 2 * kLanes);
  float* from = a.GetPhyAddr() + 1;
  __VEC_SCOPE__ {
    RegTensor<float> x;
    UnalignRegForLoad held;
    //! unaligned-register LoadUnAlign core=0 pipe=V buffer="" bytes=0..0
    LoadUnAlign(x, held, from, kLanes);
  }
}

SAMPLE(LoadsBeforeTheCopyHasArrived, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, kLanes);
  const LocalTensor<float> d = Buffer(pipe, kLanes);
  float* from = a.GetPhyAddr();
  float* to = d.GetPhyAddr();
  AscendC::DataCopy(a, Global(gm.in), kLanes);
  __VEC_SCOPE__ {
    RegTensor<float> x;
    MaskReg mask = CreateMask<float>();
    //! race-between-pipes LoadAlign core=0 pipe=V buffer="TBuf 0" bytes=0..256
    LoadAlign(x, from);
    StoreAlign(to, x, mask);
  }
}

SAMPLE(CopiesOutBeforeTheFunctionHasEnded, 1) {
  TPipe pipe;
  const LocalTensor<float> d = Buffer(pipe, kLanes);
  float* to = d.GetPhyAddr();
  __VEC_SCOPE__ {
    RegTensor<float> x;
    MaskReg mask = CreateMask<float>();
    Duplicate(x, 1.0f);
    StoreAlign(to, x, mask);
  }
  //! race-between-pipes DataCopy core=0 pipe=MTE3 buffer="TBuf 0" bytes=0..256
  AscendC::DataCopy(Global(gm.out), d, kLanes);
}

SAMPLE(LoadsWhatItHasFreed, 1) {
  TPipe pipe;
  In1 queue;
  pipe.InitBuffer(queue, 1, 256);
  LocalTensor<float> a = queue.AllocTensor<float>();
  AscendC::DataCopy(a, Global(gm.in), kLanes);
  queue.EnQue(a);
  a = queue.DeQue<float>();
  float* from = a.GetPhyAddr();
  queue.FreeTensor(a);
  __VEC_SCOPE__ {
    RegTensor<float> x;
    //! tensor-not-owned LoadAlign core=0 pipe=V buffer="VECIN queue 0 buffer 0" bytes=0..256
    LoadAlign(x, from);
  }
}
