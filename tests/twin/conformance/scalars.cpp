// Single elements of UB and GM by the scalar unit, and additions of the transfer engine: for every
// element type that the architecture has.
#include "tests/twin/conformance/rows.h"

namespace {

enum Api : uint32_t { kLocal, kGlobal, kAtomicAdd };

constexpr uint32_t kElements = 64;

uint8_t* scratch;  // GM behind the results

template <typename T>
GlobalTensor<T> Scratch() {
  GlobalTensor<T> gm;
  gm.SetGlobalBuffer(reinterpret_cast<T*>(scratch), kElements);
  return gm;
}

// Reverses the first elements, one by one.
template <typename T>
void Local(const Operands& o) {
  const LocalTensor<T> d = As<T>(o.dst), a = As<T>(o.src0);
  for (uint32_t i = 0; i < kElements; ++i) d.SetValue(i, a.GetValue(kElements - 1 - i));
}

// The same through GM: the data cache stands between stores and copies.
template <typename T>
void Global(const Operands& o) {
  const LocalTensor<T> d = As<T>(o.dst), a = As<T>(o.src0);
  GlobalTensor<T> gm = Scratch<T>();
  for (uint32_t i = 0; i < kElements; ++i) gm.SetValue(i, a.GetValue(kElements - 1 - i));
  DataCacheCleanAndInvalid<T, CacheLine::ENTIRE_DATA_CACHE>(gm);
  for (uint32_t i = 0; i < kElements; ++i) d.SetValue(i, gm.GetValue(i));
}

template <typename T>
void AtomicAdd(const Operands& o) {
  GlobalTensor<T> gm = Scratch<T>();
  DataCopy(gm, As<T>(o.src0), kElements);
  PipeBarrier<PIPE_ALL>();
  SetAtomicAdd<T>();
  DataCopy(gm, As<T>(o.src1), kElements);
  SetAtomicNone();
  PipeBarrier<PIPE_ALL>();
  DataCopy(As<T>(o.dst), gm, kElements);
}

template <typename T>
void Move(const Row& row, const Operands& o) {
  if (row.dtype != static_cast<uint32_t>(normgrad::twin::kDtypeOf<T>)) return;
  if (row.api == kLocal) Local<T>(o);
  if (row.api == kGlobal) Global<T>(o);
}

template <typename T>
void Sum(const Row& row, const Operands& o) {
  if (row.dtype != static_cast<uint32_t>(normgrad::twin::kDtypeOf<T>)) return;
  if (row.api == kAtomicAdd) AtomicAdd<T>(o);
}

}  // namespace

void Call(const Row& row, const Operands& o) {
  scratch = o.spare;
  Move<float>(row, o);
  Move<half>(row, o);
  Move<bfloat16_t>(row, o);
  Move<int8_t>(row, o);
  Move<uint8_t>(row, o);
  Move<int16_t>(row, o);
  Move<uint16_t>(row, o);
  Move<int32_t>(row, o);
  Move<uint32_t>(row, o);
  Move<int64_t>(row, o);
  Move<uint64_t>(row, o);
  Sum<float>(row, o);
#if __NPU_ARCH__ != 1001
  Sum<half>(row, o);
  Sum<int16_t>(row, o);
#endif
#if __NPU_ARCH__ >= 2201
  Sum<bfloat16_t>(row, o);
  Sum<int8_t>(row, o);
  Sum<int32_t>(row, o);
#endif
}
