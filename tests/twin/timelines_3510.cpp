// A vector function whose modelled time can be added up by hand: see test_cycles.py.
#include "tests/twin/registers.h"

SAMPLE(Function, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Buffer(pipe, 4 * kLanes);
  const LocalTensor<float> d = Buffer(pipe, 4 * kLanes);
  float* from = a.GetPhyAddr();
  float* to = d.GetPhyAddr();
  __VEC_SCOPE__ {
    RegTensor<float> x, y;
    MaskReg mask = CreateMask<float>();
    for (uint16_t i = 0; i < 4; ++i) {
      LoadAlign(x, from + i * kLanes);
      LoadAlign(y, from + i * kLanes);
      Add(x, x, y, mask);
      StoreAlign(to + i * kLanes, x, mask);
    }
    StoreAlign(to, y, mask);
  }
}
