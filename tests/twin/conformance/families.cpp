// One call of a family over the first n elements, chosen by the tiling data: casts in every round
// mode, reductions whose order depends on the chip, fp16 that saturates or not.
#include "kernel_operator.h"

struct FamilyTiling {
  uint32_t call;   // see the branches of family()
  uint32_t mode;   // of rounding
  uint32_t count;  // elements
  uint32_t unused;
};

extern "C" const unsigned normgrad_unit_arch = __NPU_ARCH__;

namespace {

using namespace AscendC;

constexpr uint32_t kBytes = 16384;  // of each operand

template <typename D, typename S>
void Convert(const LocalTensor<uint8_t>& d, const LocalTensor<uint8_t>& s, const FamilyTiling& t) {
  Cast(d.ReinterpretCast<D>(), s.ReinterpretCast<S>(), static_cast<RoundMode>(t.mode), t.count);
}

}  // namespace

extern "C" void family(uint8_t* in, uint8_t* out, uint8_t* workspace, uint8_t* tiling) {
  static_cast<void>(workspace);
  if (!TILING_KEY_IS(0)) return;
  GET_TILING_DATA_WITH_STRUCT(FamilyTiling, t, tiling);
  TPipe pipe;
  TQue<QuePosition::VECIN, 1> from;
  TQue<QuePosition::VECOUT, 1> to;
  TBuf<> scratch;
  pipe.InitBuffer(from, 1, kBytes);
  pipe.InitBuffer(to, 1, kBytes);
  pipe.InitBuffer(scratch, kBytes);
  GlobalTensor<uint8_t> source;
  GlobalTensor<uint8_t> target;
  source.SetGlobalBuffer(in);
  target.SetGlobalBuffer(out);
  LocalTensor<uint8_t> loaded = from.AllocTensor<uint8_t>();
  DataCopy(loaded, source, kBytes);
  from.EnQue(loaded);
  LocalTensor<uint8_t> s = from.DeQue<uint8_t>();
  LocalTensor<uint8_t> d = to.AllocTensor<uint8_t>();
  Duplicate(d.ReinterpretCast<int32_t>(), 0, kBytes / 4);
  PipeBarrier<PIPE_V>();
  const int32_t n = static_cast<int32_t>(t.count);
  const LocalTensor<half> h = s.ReinterpretCast<half>();
  const LocalTensor<half> hd = d.ReinterpretCast<half>();
  if (t.call == 0) Convert<half, float>(d, s, t);
  if (t.call == 1) Convert<int32_t, half>(d, s, t);
  if (t.call == 2) Convert<int8_t, half>(d, s, t);
  if (t.call == 4) Convert<float, int32_t>(d, s, t);
  if (t.call == 5) ReduceSum(hd, h, scratch.Get<half>(), n);
  if (t.call == 6) Add(hd, h, h, n);
  if (t.call == 7) Sqrt(hd, h, n);
#if __NPU_ARCH__ != 1001
  if (t.call == 3) Convert<half, int16_t>(d, s, t);
  const LocalTensor<float> f = s.ReinterpretCast<float>();
  const LocalTensor<float> fd = d.ReinterpretCast<float>();
  if (t.call == 8) ReduceSum(fd, f, scratch.Get<float>(), n);
  if (t.call == 9) BlockReduceSum(fd, f, n / 64, 64, 1, 1, 8);
  if (t.call == 10) PairReduceSum(fd, f, n / 64, 64, 1, 1, 8);
  if (t.call == 11) WholeReduceMax(fd, f, 64, n / 64, 1, 1, 8);
#endif
#if __NPU_ARCH__ == 2201
  if (t.call == 12) Convert<bfloat16_t, float>(d, s, t);
  if (t.call == 13) Convert<int32_t, float>(d, s, t);
  if (t.call == 14) Convert<float, float>(d, s, t);
#endif
  to.EnQue(d);
  from.FreeTensor(s);
  LocalTensor<uint8_t> stored = to.DeQue<uint8_t>();
  DataCopy(target, stored, kBytes);
  to.FreeTensor(stored);
}

extern "C" void normgrad_unit_launch(uint8_t* const* args) {
  family(args[0], args[1], args[2], args[3]);
}
