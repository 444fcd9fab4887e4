// One vector call, chosen and parametrised by the tiling data, on buffers that are loaded whole
// before and stored whole after: what a call must leave alone is seen, too.
#include "kernel_operator.h"

struct CallTiling {
  uint32_t api;    // see Api
  uint32_t dtype;  // 0 fp32, 1 fp16, 2 bf16, 3 int16, 4 int32
  uint32_t form;   // 0 first-n, 1 mask counts lanes, 2 mask has bits
  uint32_t count;  // first-n
  uint32_t repeats;
  uint32_t mode;   // of rounding, of comparison
  uint32_t alias;  // 1: src0 is dst, 2: src1 is dst
  float scalar;
  uint32_t strides[6];  // in the order of the call's parameters
  uint64_t mask[2];
};

extern "C" const unsigned normgrad_unit_arch = __NPU_ARCH__;

namespace {

using namespace AscendC;

constexpr uint32_t kBytes = 32768;  // of each operand

enum Api {
  kAdd,
  kSub,
  kMul,
  kMulAddDst,
  kAdds,
  kMuls,
  kWiden,
  kNarrow,
  kDuplicate,
  kBrcb,
  kReduce,
  kCompare,
  kSelect
};

struct Operands {
  LocalTensor<uint8_t> dst, src0, src1;
};

template <typename T>
LocalTensor<T> As(const LocalTensor<uint8_t>& bytes) {
  return bytes.ReinterpretCast<T>();
}

uint8_t U8(uint32_t value) { return static_cast<uint8_t>(value); }
uint16_t U16(uint32_t value) { return static_cast<uint16_t>(value); }

UnaryRepeatParams Unary(const CallTiling& t) {
  return {U16(t.strides[0]), U16(t.strides[1]), U8(t.strides[2]), U8(t.strides[3])};
}

#define BINARY_CALL(name)                                          \
  if (t.api == k##name) {                                          \
    if (t.form == 0) name(d, a, b, static_cast<int32_t>(t.count)); \
    if (t.form == 1) name(d, a, b, t.mask[0], U8(t.repeats), p);   \
    if (t.form == 2) name(d, a, b, mask, U8(t.repeats), p);        \
  }
#define SCALAR_CALL(name)                                                         \
  if (t.api == k##name) {                                                         \
    if (t.form == 0) name(d, a, T(t.scalar), static_cast<int32_t>(t.count));      \
    if (t.form == 1) name(d, a, T(t.scalar), t.mask[0], U8(t.repeats), Unary(t)); \
  }

template <typename T>
void Arithmetic(const CallTiling& t, const Operands& o) {
  const LocalTensor<T> d = As<T>(o.dst), a = As<T>(o.src0), b = As<T>(o.src1);
  uint64_t mask[2] = {t.mask[0], t.mask[1]};
  const uint32_t* s = t.strides;
  const BinaryRepeatParams p(U8(s[0]), U8(s[1]), U8(s[2]), U8(s[3]), U8(s[4]), U8(s[5]));
  BINARY_CALL(Add)
  BINARY_CALL(Sub)
  BINARY_CALL(Mul)
  BINARY_CALL(MulAddDst)
  SCALAR_CALL(Adds)
  SCALAR_CALL(Muls)
}

template <typename D, typename S>
void OneCast(const CallTiling& t, const Operands& o) {
  const RoundMode mode = static_cast<RoundMode>(t.mode);
  if (t.form == 0) Cast(As<D>(o.dst), As<S>(o.src0), mode, t.count);
  if (t.form == 1) Cast(As<D>(o.dst), As<S>(o.src0), mode, t.mask[0], U8(t.repeats), Unary(t));
}

template <typename T>
void Casts(const CallTiling& t, const Operands& o) {
  if (t.api == kWiden) OneCast<float, T>(t, o);
  if (t.api == kNarrow) OneCast<T, float>(t, o);
}

template <typename T>
void Fills(const CallTiling& t, const Operands& o) {
  const LocalTensor<T> d = As<T>(o.dst);
  if (t.api == kDuplicate) {
    const T value = T(t.scalar);
    if (t.form == 0) Duplicate(d, value, static_cast<int32_t>(t.count));
    if (t.form == 1) {
      Duplicate(d, value, t.mask[0], U8(t.repeats), U16(t.strides[0]), U8(t.strides[1]));
    }
  }
  if (t.api == kBrcb) {
    Brcb(d, As<T>(o.src0), U8(t.repeats), {U16(t.strides[0]), U16(t.strides[1])});
  }
}

void OfFloat(const CallTiling& t, const Operands& o) {
  const LocalTensor<float> d = As<float>(o.dst), a = As<float>(o.src0), b = As<float>(o.src1);
  const uint32_t* s = t.strides;
  if (t.api == kReduce) {
    WholeReduceSum(d, a, static_cast<int32_t>(t.mask[0]), static_cast<int32_t>(t.repeats),
                   static_cast<int32_t>(s[0]), static_cast<int32_t>(s[1]),
                   static_cast<int32_t>(s[2]));
  }
  if (t.api == kCompare) Compare(o.dst, a, b, static_cast<CMPMODE>(t.mode), t.count);
  if (t.api == kSelect) {
    Select(d, o.src1, a, t.scalar, SELMODE::VSEL_TENSOR_SCALAR_MODE, t.count);
  }
}

void Call(const CallTiling& t, const Operands& o) {
  const bool arithmetic = t.api <= kMuls;
  if (arithmetic && t.dtype == 0) Arithmetic<float>(t, o);
  if (arithmetic && t.dtype == 1) Arithmetic<half>(t, o);
  if (t.dtype == 1) Casts<half>(t, o);
  if (t.dtype == 2) Casts<bfloat16_t>(t, o);
  if (t.dtype == 0) Fills<float>(t, o);
  if (t.dtype == 1) Fills<half>(t, o);
  if (t.dtype == 2) Fills<bfloat16_t>(t, o);
  if (t.dtype == 3) Fills<int16_t>(t, o);
  if (t.dtype == 4) Fills<int32_t>(t, o);
  if (t.dtype == 0) OfFloat(t, o);
}

LocalTensor<uint8_t> Loaded(TPipe& pipe, uint8_t* from) {
  TBuf<TPosition::VECIN> buf;
  pipe.InitBuffer(buf, kBytes);
  GlobalTensor<uint8_t> gm;
  gm.SetGlobalBuffer(from, kBytes);
  DataCopy(buf.Get<uint8_t>(), gm, kBytes);
  return buf.Get<uint8_t>();
}

}  // namespace

// Arguments: dst as it is before, src0, src1, dst as it is after, workspace, tiling.
extern "C" void normgrad_unit_launch(uint8_t* const* args) {
  GET_TILING_DATA_WITH_STRUCT(CallTiling, t, args[5]);
  if (!TILING_KEY_IS(0)) return;
  TPipe pipe;
  Operands o{Loaded(pipe, args[0]), Loaded(pipe, args[1]), Loaded(pipe, args[2])};
  PipeBarrier<PIPE_ALL>();
  if (t.alias == 1) o.src0 = o.dst;
  if (t.alias == 2) o.src1 = o.dst;
  Call(t, o);
  PipeBarrier<PIPE_ALL>();
  GlobalTensor<uint8_t> out;
  out.SetGlobalBuffer(args[3], kBytes);
  DataCopy(out, o.dst, kBytes);
}
