// One Fill or one Broadcast, chosen and parametrised by the tiling data.
#include "kernel_operator.h"

struct FillTiling {
  uint32_t way;  // see Way
  uint32_t dtype;
  uint32_t at;     // of a Fill: the first element
  uint32_t count;  // of a Fill
  uint32_t to[2];  // of a Broadcast
  uint32_t from[2];
  uint32_t own_tmp;  // the kernel brings the buffer
};

extern "C" const unsigned normgrad_unit_arch = __NPU_ARCH__;

namespace {

using namespace AscendC;

constexpr uint32_t kBytes = 16384;

enum Way { kFill, kInitOutput, kRow, kColumn, kElement };

template <typename T>
GlobalTensor<T> Gm(uint8_t* address) {
  GlobalTensor<T> tensor;
  tensor.SetGlobalBuffer(reinterpret_cast<T*>(address), kBytes / sizeof(T));
  return tensor;
}

template <typename T>
void FillWith(const FillTiling& t, uint8_t* in, uint8_t* out) {
  const T value = Gm<T>(in).GetValue(0);
  if (t.way == kFill) Fill(Gm<T>(out)[t.at], t.count, value);
  if (t.way == kInitOutput) InitOutput<T>(Gm<T>(out)[t.at], t.count, value);
}

template <typename T>
void Spread(const FillTiling& t, uint8_t* in, uint8_t* out) {
  TPipe pipe;
  TBuf<TPosition::VECIN> from, to, shared;
  pipe.InitBuffer(from, kBytes);
  pipe.InitBuffer(to, kBytes);
  pipe.InitBuffer(shared, 4096);
  const LocalTensor<T> src = from.Get<T>(), dst = to.Get<T>();
  LocalTensor<uint8_t> tmp = shared.Get<uint8_t>();
  DataCopy(src, Gm<T>(in), kBytes / sizeof(T));
  DataCopy(dst, Gm<T>(in), kBytes / sizeof(T));
  PipeBarrier<PIPE_ALL>();
  if (t.way == kRow && t.own_tmp) Broadcast<T, 2, 0>(dst, src, t.to, t.from, tmp);
  if (t.way == kRow && !t.own_tmp) BroadCast<T, 2, 0>(dst, src, t.to, t.from);
  if (t.way == kColumn && t.own_tmp) BroadCast<T, 2, 1>(dst, src, t.to, t.from, tmp);
  if (t.way == kColumn && !t.own_tmp) Broadcast<T, 2, 1>(dst, src, t.to, t.from);
  if (t.way == kElement) Broadcast<T, 1, 0>(dst, src, t.to, t.from, tmp);
  PipeBarrier<PIPE_ALL>();
  DataCopy(Gm<T>(out), dst, kBytes / sizeof(T));
}

}  // namespace

// Arguments: the source, the output, workspace, tiling.
extern "C" void normgrad_unit_launch(uint8_t* const* args) {
  GET_TILING_DATA_WITH_STRUCT(FillTiling, t, args[3]);
  if (!TILING_KEY_IS(0)) return;
  if (t.way == kFill || t.way == kInitOutput) {
    if (t.dtype == 0) FillWith<float>(t, args[0], args[1]);
    if (t.dtype == 1) FillWith<half>(t, args[0], args[1]);
    if (t.dtype == 2) FillWith<int16_t>(t, args[0], args[1]);
    if (t.dtype == 3) FillWith<uint16_t>(t, args[0], args[1]);
    if (t.dtype == 4) FillWith<int32_t>(t, args[0], args[1]);
    if (t.dtype == 5) FillWith<uint32_t>(t, args[0], args[1]);
    return;
  }
  if (t.dtype == 0) Spread<float>(t, args[0], args[1]);
  if (t.dtype == 1) Spread<half>(t, args[0], args[1]);
  if (t.dtype == 2) Spread<int8_t>(t, args[0], args[1]);
  if (t.dtype == 3) Spread<uint8_t>(t, args[0], args[1]);
}
