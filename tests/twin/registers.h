// What the sample kernels of register programming share.
#ifndef TESTS_TWIN_REGISTERS_H_
#define TESTS_TWIN_REGISTERS_H_

#include "tests/twin/sample.h"

using namespace AscendC::Reg;

constexpr uint32_t kLanes = 64;  // fp32 elements of a register

// A buffer of `elems`, of which the first `loaded` hold those of gm.in.
inline LocalTensor<float> PartLoaded(TPipe& pipe, const Gm& gm, uint32_t elems, uint32_t loaded) {
  const LocalTensor<float> tensor = Buffer(pipe, elems);
  AscendC::DataCopy(tensor, Global(gm.in), loaded);
  Order<HardEvent::MTE2_V>();
  return tensor;
}

#endif  // TESTS_TWIN_REGISTERS_H_
