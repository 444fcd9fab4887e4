// A legal kernel whose result depends on who comes first: every core adds its own values to one row
// by atomic copies. Sums of fp32 round, so another order gives other bits.
#include "tests/twin/sample.h"

constexpr uint32_t kCols = 256;

// out[col] = sum over cores of in[core * 256 + col] / 3
SAMPLE(AddsByAtomics, 16) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
  TPipe pipe;
  const uint32_t core = static_cast<uint32_t>(AscendC::GetBlockIdx());
  const LocalTensor<float> a = Buffer(pipe, kCols);
  if (core == 0) {
    AscendC::Duplicate(a, 0.0f, kCols);
    Store(gm, a, kCols);
    Order<HardEvent::MTE3_MTE2>();
  }
  AscendC::SyncAll();
  AscendC::DataCopy(a, Global(gm.in)[core * kCols], kCols);
  Order<HardEvent::MTE2_V>();
  AscendC::Muls(a, a, 1.0f / 3.0f, kCols);
  AscendC::SetAtomicAdd<float>();
  Store(gm, a, kCols);
  AscendC::SetAtomicNone();
}
