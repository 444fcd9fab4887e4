// The kernels by which `normgrad bench --calibrate` holds the model of time against measured rows:
// element by element, as the simplest kernel for each would be written, with tiles of 8192 elements
// and two buffers a queue. That length is no parameter: it was chosen before any comparison.
// The tensors are one tile per core, read and written again and again: time knows no addresses.
#include "kernel_operator.h"

namespace {

struct CalibrateTiling {
  uint64_t elems_per_core;
};

constexpr uint32_t kTileElems = 8192;
constexpr uint32_t kBuffers = 2;
constexpr float kFactor = 0.5f;

using AscendC::LocalTensor;
using AscendC::RoundMode;
using AscendC::TPosition;

template <typename T>
class Tile {
 public:
  explicit Tile(uint8_t* address) {
    tensor_.SetGlobalBuffer(reinterpret_cast<T*>(address) + AscendC::GetBlockIdx() * kTileElems);
  }
  AscendC::GlobalTensor<T>& operator*() { return tensor_; }

 private:
  AscendC::GlobalTensor<T> tensor_;
};

template <typename T, TPosition position>
class Queue {
 public:
  explicit Queue(AscendC::TPipe& pipe) {
    pipe.InitBuffer(queue_, kBuffers, kTileElems * static_cast<uint32_t>(sizeof(T)));
  }
  void Load(Tile<T>& from, uint32_t elems) {
    LocalTensor<T> tensor = queue_.template AllocTensor<T>();
    AscendC::DataCopy(tensor, *from, elems);
    queue_.EnQue(tensor);
  }
  void Store(Tile<T>& to, uint32_t elems) {
    LocalTensor<T> tensor = queue_.template DeQue<T>();
    AscendC::DataCopy(*to, tensor, elems);
    queue_.FreeTensor(tensor);
  }
  AscendC::TQue<position, 1>& operator*() { return queue_; }

 private:
  AscendC::TQue<position, 1> queue_;
};

// Calls step(elems) for each tile of this core.
template <typename F>
void ForEachTile(const CalibrateTiling& plan, F step) {
  for (uint64_t done = 0; done < plan.elems_per_core; done += kTileElems) {
    const uint64_t left = plan.elems_per_core - done;
    step(static_cast<uint32_t>(left < kTileElems ? left : kTileElems));
  }
}

// out = compute(in)
template <typename In, typename Out, typename F>
void Unary(const CalibrateTiling& plan, uint8_t* const* args, AscendC::TPipe& pipe, F compute) {
  Queue<In, TPosition::VECIN> in(pipe);
  Queue<Out, TPosition::VECOUT> out(pipe);
  Tile<In> from(args[0]);
  Tile<Out> to(args[2]);
  ForEachTile(plan, [&](uint32_t elems) {
    in.Load(from, elems);
    LocalTensor<In> a = (*in).template DeQue<In>();
    LocalTensor<Out> d = (*out).template AllocTensor<Out>();
    compute(d, a, elems);
    (*in).FreeTensor(a);
    (*out).EnQue(d);
    out.Store(to, elems);
  });
}

// out = compute(in, other)
template <typename In, typename Other, typename Out, typename F>
void Binary(const CalibrateTiling& plan, uint8_t* const* args, AscendC::TPipe& pipe, F compute) {
  Queue<Other, TPosition::VECIN> other(pipe);
  Tile<Other> beside(args[1]);
  Unary<In, Out>(plan, args, pipe, [&](auto& d, auto& a, uint32_t elems) {
    other.Load(beside, elems);
    LocalTensor<Other> b = (*other).template DeQue<Other>();
    compute(d, a, b, elems);
    (*other).FreeTensor(b);
  });
}

template <typename T>
LocalTensor<T> Work(AscendC::TPipe& pipe) {
  AscendC::TBuf<> buf;
  pipe.InitBuffer(buf, kTileElems * static_cast<uint32_t>(sizeof(T)));
  return buf.Get<T>();
}

void Barrier() { AscendC::PipeBarrier<PIPE_V>(); }

// out = value
template <typename T>
void Fill(const CalibrateTiling& plan, uint8_t* const* args, AscendC::TPipe& pipe) {
  Queue<T, TPosition::VECOUT> out(pipe);
  Tile<T> to(args[2]);
  ForEachTile(plan, [&](uint32_t elems) {
    LocalTensor<T> d = (*out).template AllocTensor<T>();
    AscendC::Duplicate(d, T(0.0f), static_cast<int32_t>(elems));
    (*out).EnQue(d);
    out.Store(to, elems);
  });
}

void Run(const CalibrateTiling& plan, uint8_t* const* args) {
  AscendC::TPipe pipe;
  if (TILING_KEY_IS(0)) {  // Mul by a scalar, fp32
    Unary<float, float>(plan, args, pipe, [](auto& d, auto& a, uint32_t n) {
      AscendC::Muls(d, a, kFactor, static_cast<int32_t>(n));
    });
  } else if (TILING_KEY_IS(1)) {  // Cast, fp32 to bf16
    Unary<float, bfloat16_t>(plan, args, pipe, [](auto& d, auto& a, uint32_t n) {
      AscendC::Cast(d, a, RoundMode::CAST_RINT, n);
    });
  } else if (TILING_KEY_IS(2)) {  // Cast, bf16 to fp32
    Unary<bfloat16_t, float>(plan, args, pipe, [](auto& d, auto& a, uint32_t n) {
      AscendC::Cast(d, a, RoundMode::CAST_NONE, n);
    });
  } else if (TILING_KEY_IS(3)) {  // Add, fp32 and bf16
    Binary<float, bfloat16_t, float>(plan, args, pipe, [](auto& d, auto& a, auto& b, uint32_t n) {
      AscendC::Cast(d, b, RoundMode::CAST_NONE, n);
      Barrier();
      AscendC::Add(d, d, a, static_cast<int32_t>(n));
    });
  } else if (TILING_KEY_IS(4)) {  // Add, bf16: fp32 inside
    const LocalTensor<float> wide_a = Work<float>(pipe);
    const LocalTensor<float> wide_b = Work<float>(pipe);
    Binary<bfloat16_t, bfloat16_t, bfloat16_t>(
        plan, args, pipe, [&](auto& d, auto& a, auto& b, uint32_t n) {
          AscendC::Cast(wide_a, a, RoundMode::CAST_NONE, n);
          AscendC::Cast(wide_b, b, RoundMode::CAST_NONE, n);
          Barrier();
          AscendC::Add(wide_a, wide_a, wide_b, static_cast<int32_t>(n));
          Barrier();
          AscendC::Cast(d, wide_a, RoundMode::CAST_RINT, n);
        });
  } else if (TILING_KEY_IS(5)) {  // Muls, bf16: fp32 inside
    const LocalTensor<float> wide = Work<float>(pipe);
    Unary<bfloat16_t, bfloat16_t>(plan, args, pipe, [&](auto& d, auto& a, uint32_t n) {
      AscendC::Cast(wide, a, RoundMode::CAST_NONE, n);
      Barrier();
      AscendC::Muls(wide, wide, kFactor, static_cast<int32_t>(n));
      Barrier();
      AscendC::Cast(d, wide, RoundMode::CAST_RINT, n);
    });
  } else if (TILING_KEY_IS(6)) {  // ZerosLike, fp32
    Fill<float>(plan, args, pipe);
  } else if (TILING_KEY_IS(7)) {  // ZerosLike, bf16
    Fill<bfloat16_t>(plan, args, pipe);
  }
}

}  // namespace

extern "C" const unsigned normgrad_unit_arch = __NPU_ARCH__;

// Arguments: two inputs, output, workspace, tiling.
extern "C" void normgrad_unit_launch(uint8_t* const* args) {
  GET_TILING_DATA_WITH_STRUCT(CalibrateTiling, plan, args[4]);
  Run(plan, args);
}
