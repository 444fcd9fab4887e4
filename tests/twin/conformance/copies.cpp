// One copy, chosen and parametrised by the tiling data. Copies into UB work on a buffer that is
// loaded whole before and stored whole after; copies to GM go to an output that nobody else writes.
#include "kernel_operator.h"

struct CopyTiling {
  uint32_t way;      // see Way
  uint32_t element;  // bytes: 1, 2, 4, 8
  uint32_t count;
  uint32_t length;  // blocks of 32 B for DataCopy, bytes for DataCopyPad
  uint32_t src_gap;
  uint32_t dst_gap;
  uint32_t is_pad;
  uint32_t left;
  uint32_t right;
  uint32_t value;
};

extern "C" const unsigned normgrad_unit_arch = __NPU_ARCH__;

namespace {

using namespace AscendC;

constexpr uint32_t kBytes = 16384;

enum Way { kIn, kOut, kInside, kPadIn, kPadOut, kPadIn16, kPadOut16 };

template <typename T>
GlobalTensor<T> Gm(uint8_t* address) {
  GlobalTensor<T> tensor;
  tensor.SetGlobalBuffer(reinterpret_cast<T*>(address), kBytes / sizeof(T));
  return tensor;
}

template <typename T>
void Copy(const CopyTiling& t, const LocalTensor<uint8_t>& dst, const LocalTensor<uint8_t>& src,
          uint8_t* gm_src, uint8_t* gm_out) {
  const LocalTensor<T> d = dst.ReinterpretCast<T>(), s = src.ReinterpretCast<T>();
  const auto u16 = [](uint32_t value) { return static_cast<uint16_t>(value); };
  const DataCopyParams blocks(u16(t.count), u16(t.length), u16(t.src_gap), u16(t.dst_gap));
  const DataCopyExtParams bytes(u16(t.count), t.length, t.src_gap, t.dst_gap, 0);
  if (t.way == kIn) DataCopy(d, Gm<T>(gm_src), blocks);
  if (t.way == kOut) DataCopy(Gm<T>(gm_out), s, blocks);
  if (t.way == kInside) DataCopy(d, s, blocks);
  if (t.way == kPadIn) {
    const DataCopyPadExtParams<T> pad(t.is_pad != 0, static_cast<uint8_t>(t.left),
                                      static_cast<uint8_t>(t.right), static_cast<T>(t.value));
    DataCopyPad(d, Gm<T>(gm_src), bytes, pad);
  }
  if (t.way == kPadOut) DataCopyPad(Gm<T>(gm_out), s, bytes);
  if (t.way == kPadIn16) {
    DataCopyPadParams pad(t.is_pad != 0, static_cast<uint8_t>(t.left), 0, t.value);
    pad.rightPadding = static_cast<uint8_t>(t.right);
    DataCopyPad(d, Gm<T>(gm_src), blocks, pad);
  }
  if (t.way == kPadOut16) DataCopyPad(Gm<T>(gm_out), s, blocks);
}

LocalTensor<uint8_t> Loaded(TPipe& pipe, uint8_t* from) {
  TBuf<TPosition::VECIN> buf;
  pipe.InitBuffer(buf, kBytes);
  DataCopy(buf.Get<uint8_t>(), Gm<uint8_t>(from), kBytes);
  return buf.Get<uint8_t>();
}

}  // namespace

// Arguments: UB as it is before, the source, the output, workspace, tiling.
extern "C" void normgrad_unit_launch(uint8_t* const* args) {
  GET_TILING_DATA_WITH_STRUCT(CopyTiling, t, args[4]);
  if (!TILING_KEY_IS(0)) return;
  TPipe pipe;
  const LocalTensor<uint8_t> dst = Loaded(pipe, args[0]);
  const LocalTensor<uint8_t> src = Loaded(pipe, args[1]);
  PipeBarrier<PIPE_ALL>();
  if (t.element == 1) Copy<uint8_t>(t, dst, src, args[1], args[2]);
  if (t.element == 2) Copy<uint16_t>(t, dst, src, args[1], args[2]);
  if (t.element == 4) Copy<uint32_t>(t, dst, src, args[1], args[2]);
  if (t.element == 8) Copy<uint64_t>(t, dst, src, args[1], args[2]);
  PipeBarrier<PIPE_ALL>();
  const bool to_gm = t.way == kOut || t.way == kPadOut || t.way == kPadOut16;
  if (!to_gm) DataCopy(Gm<uint8_t>(args[2]), dst, kBytes);
}
