// The kernel by which `normgrad bench --self` measures what an instruction costs on the twin: many
// vector instructions of one size on one core, and nothing else. Six of them between two barriers
// touch six destinations, as in a kernel that keeps its barriers few.
#include "kernel_operator.h"

namespace {

struct SelfBenchTiling {
  uint32_t elems;   // of one instruction, fp32
  uint32_t rounds;  // six instructions each
};

constexpr uint32_t kSources = 2;
constexpr uint32_t kDestinations = 6;
constexpr uint32_t kBlockElems = 8;  // 32 bytes of fp32

void Run(const SelfBenchTiling& plan) {
  AscendC::TPipe pipe;
  AscendC::TBuf<> buf;
  const uint32_t pitch = (plan.elems + kBlockElems - 1) / kBlockElems * kBlockElems;
  pipe.InitBuffer(buf, pitch * (kSources + kDestinations) * static_cast<uint32_t>(sizeof(float)));
  const AscendC::LocalTensor<float> all = buf.Get<float>();
  const AscendC::LocalTensor<float> a = all;
  const AscendC::LocalTensor<float> b = all[pitch];
  AscendC::Duplicate(all, 1.5f, pitch * kSources);
  AscendC::PipeBarrier<PIPE_V>();
  const auto dst = [&](uint32_t index) { return all[(kSources + index) * pitch]; };
  for (uint32_t round = 0; round < plan.rounds; ++round) {
    AscendC::Mul(dst(0), a, b, plan.elems);
    AscendC::Add(dst(1), a, b, plan.elems);
    AscendC::Sub(dst(2), a, b, plan.elems);
    AscendC::Muls(dst(3), a, 0.5f, plan.elems);
    AscendC::Adds(dst(4), b, 0.5f, plan.elems);
    AscendC::Mul(dst(5), b, b, plan.elems);
    AscendC::PipeBarrier<PIPE_V>();
  }
}

}  // namespace

extern "C" const unsigned normgrad_unit_arch = __NPU_ARCH__;

// Arguments: workspace, tiling.
extern "C" void normgrad_unit_launch(uint8_t* const* args) {
  GET_TILING_DATA_WITH_STRUCT(SelfBenchTiling, plan, args[1]);
  if (TILING_KEY_IS(0)) Run(plan);
}
