// Sample kernels for the twin's own tests. SAMPLE(Name, cores) { ... } defines one and lists it,
// SAMPLE_ON(Name, cores, 2002, 2201) { ... } on these architectures only; a launch picks it by
// tiling key, its position in the file. What a file says in comments, the tests
// in samples.py hold it to:
//   //! rule Api core=0 pipe=V buffer="TBuf 0" bytes=0..512     the next line gives this finding
//   //= 0..128: 2 * i                                           the sample writes this to gm.out
//   //@ ub=4096 tiling_bytes=8 tiling_key=99                    the next sample's launch differs
//   //@ zeroed=64                   the host zeroes so many bytes of the next sample's workspace
//   //@ autosync=0                    what the compiler adds in autosync mode mends this sample
#ifndef TESTS_TWIN_SAMPLE_H_
#define TESTS_TWIN_SAMPLE_H_

#include <type_traits>

#include "kernel_operator.h"

// The launch of every sample; GM is large enough for any sample and small enough to leave.
struct Gm {
  GM_ADDR in;         // 4096 fp32, element i has the value i
  GM_ADDR out;        // 4096 fp32
  GM_ADDR workspace;  // 64 KB
  GM_ADDR tiling;     // a SampleTiling
};

struct SampleTiling {
  uint32_t values[4];  // 1, 2, 3, 4
};

namespace sample {

using Kernel = void (*)(const Gm& gm);

constexpr int kMostSamples = 32;
inline Kernel kernels[kMostSamples];
inline int count = 0;

struct Listed {
  explicit Listed(Kernel kernel) { kernels[count++] = kernel; }
};

template <typename... Archs>
constexpr bool IsOn(Archs... archs) {
  return ((archs == __NPU_ARCH__) || ...);
}

// What `kernel` yields, on an architecture that has it.
template <bool on, typename F>
Kernel Of(F kernel) {
  if constexpr (on) {
    return kernel(std::true_type());
  } else {
    return nullptr;
  }
}

}  // namespace sample

#define SAMPLE(name, cores)                                     \
  static_assert(cores >= 1 && cores <= 40, "cores of the SoC"); \
  static void name(const Gm& gm);                               \
  static const sample::Listed listed_##name(name);              \
  static void name([[maybe_unused]] const Gm& gm)

// A sample of some architectures. It is listed on all of them, so that its tiling key is its place
// in the file, but compiled on its own only: a template that nobody instantiates.
#define SAMPLE_ON(name, cores, ...)                                                     \
  static_assert(cores >= 1 && cores <= 40, "cores of the SoC");                         \
  template <bool>                                                                       \
  static void name(const Gm& gm);                                                       \
  static const sample::Listed listed_##name(sample::Of<sample::IsOn(__VA_ARGS__)>(      \
      [](auto on) { return static_cast<sample::Kernel>(name<decltype(on)::value>); })); \
  template <bool>                                                                       \
  static void name([[maybe_unused]] const Gm& gm)

extern "C" const unsigned normgrad_unit_arch = __NPU_ARCH__;

extern "C" void normgrad_unit_launch(uint8_t* const* args) {
  const Gm gm = {args[0], args[1], args[2], args[3]};
  for (int i = 0; i < sample::count; ++i) {
    if (TILING_KEY_IS(static_cast<uint64_t>(i)) && sample::kernels[i] != nullptr) {
      sample::kernels[i](gm);
    }
  }
}

using AscendC::GlobalTensor;
using AscendC::HardEvent;
using AscendC::LocalTensor;
using AscendC::TBuf;
using AscendC::TPipe;
using AscendC::TPosition;
using AscendC::TQue;
using In1 = TQue<TPosition::VECIN, 1>;
using Out1 = TQue<TPosition::VECOUT, 1>;

constexpr uint32_t kGmElems = 4096;

inline GlobalTensor<float> Global(GM_ADDR address, uint64_t elems = kGmElems) {
  GlobalTensor<float> tensor;
  tensor.SetGlobalBuffer(reinterpret_cast<float*>(address), elems);
  return tensor;
}

// The head of the workspace, where a soft SyncAll counts; as many bytes of it as `zeroed` says are
// 0.
inline GlobalTensor<int32_t> Counters(const Gm& gm) {
  GlobalTensor<int32_t> counters;
  counters.SetGlobalBuffer(reinterpret_cast<int32_t*>(gm.workspace), 16);
  return counters;
}

// Later instructions of the second pipe wait for earlier ones of the first.
template <HardEvent event>
inline void Order() {
  AscendC::SetFlag<event>(EVENT_ID0);
  AscendC::WaitFlag<event>(EVENT_ID0);
}

// A static buffer that may also be copied to and from GM, which VECCALC may not.
template <typename T = float>
inline LocalTensor<T> Buffer(TPipe& pipe, uint32_t elems) {
  TBuf<TPosition::VECIN> buf;
  pipe.InitBuffer(buf, elems * static_cast<uint32_t>(sizeof(T)));
  return buf.Get<T>();
}

// The first `elems` elements of gm.in in a buffer of exactly that size, ready for the vector unit.
inline LocalTensor<float> Loaded(TPipe& pipe, const Gm& gm, uint32_t elems) {
  const LocalTensor<float> tensor = Buffer(pipe, elems);
  AscendC::DataCopy(tensor, Global(gm.in), elems);
  Order<HardEvent::MTE2_V>();
  return tensor;
}

// Stores what the vector unit made.
inline void Store(const Gm& gm, const LocalTensor<float>& src, uint32_t elems, uint32_t at = 0) {
  Order<HardEvent::V_MTE3>();
  AscendC::DataCopy(Global(gm.out)[at], src, elems);
}

// FreeTensor takes a name only.
template <typename Queue>
inline void Free(Queue& queue, LocalTensor<float> tensor, NORMGRAD_SITE) {
  queue.FreeTensor(tensor, site);
}

inline AscendC::DataCopyExtParams PadCopy(uint32_t count, uint32_t length_bytes) {
  return {static_cast<uint16_t>(count), length_bytes, 0, 0, 0};
}

#endif  // TESTS_TWIN_SAMPLE_H_
