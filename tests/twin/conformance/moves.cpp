// Fills, broadcasts, masked copies, transpositions; comparisons and the choice by their bits.
#include "tests/twin/conformance/rows.h"

namespace {

enum Api : uint32_t {
  kDuplicate,
  kBrcb,
  kCopy,
  kTransDataTo5HD,
  kTransDataAt,
  kCompare,
  kCompareScalar,
  kCompares,
  kSelect,
  kSelectScalar,
  kSelectRegister,
  kCompareRegister,
  kGetCmpMask,
};

template <typename T>
void Fills(const Row& row, const Operands& o) {
  const LocalTensor<T> d = As<T>(o.dst);
  const uint8_t repeats = U8(row.repeats);
  uint64_t mask[2] = {row.mask[0], row.mask[1]};
  if (row.api == kDuplicate) {
    const T value = ScalarOf<T>(row);
    const uint16_t block = U16(row.strides[0]);
    const uint8_t repeat = U8(row.strides[1]);
    if (row.form == kFirst) Duplicate(d, value, I32(row.count));
    if (row.form == kLanes || row.form == kCounted) {
      Duplicate(d, value, row.mask[0], repeats, block, repeat);
    }
    if (row.form == kBits) Duplicate(d, value, mask, repeats, block, repeat);
    if (row.form == kRegister || row.form == kCounter) {
      Duplicate<T, false>(d, value, kPlaceholder, repeats, block, repeat);
    }
    if (row.form == kRegisterBits) Duplicate<T, false>(d, value, mask, repeats, block, repeat);
  }
#if __NPU_ARCH__ != 1001
  if (row.api == kBrcb) {
    Brcb(d, As<T>(o.src0), repeats, {U16(row.strides[0]), U16(row.strides[1])});
  }
#endif
#if __NPU_ARCH__ >= 2201
  if (row.api == kCopy) {
    const LocalTensor<T> a = As<T>(o.src0);
    const uint32_t* s = row.strides;
    const CopyRepeatParams p(U16(s[0]), U16(s[1]), U16(s[2]), U16(s[3]));
    if (row.form == kLanes || row.form == kCounted) Copy(d, a, row.mask[0], repeats, p);
    if (row.form == kBits) Copy(d, a, mask, repeats, p);
    if (row.form == kRegister || row.form == kCounter) {
      Copy<T, false>(d, a, kPlaceholder, repeats, p);
    }
    if (row.form == kRegisterBits) Copy<T, false>(d, a, mask, repeats, p);
  }
#endif
}

template <typename T>
void Transpose(const Row& row, const Operands& o) {
  if (row.api != kTransDataTo5HD && row.api != kTransDataAt) return;
  const TransDataTo5HDParams p((row.mode & 1) != 0, (row.mode & 2) != 0, U8(row.repeats),
                               U16(row.strides[2]), U16(row.strides[3]));
  LocalTensor<T> dst[16];
  LocalTensor<T> src[16];
  uint64_t to[16];
  uint64_t from[16];
  for (uint32_t i = 0; i < 16; ++i) {
    dst[i] = As<T>(o.dst)[i * row.strides[0] * 32 / sizeof(T)];
    src[i] = As<T>(o.src0)[i * row.strides[1] * 32 / sizeof(T)];
    to[i] = reinterpret_cast<uint64_t>(dst[i].GetPhyAddr());
    from[i] = reinterpret_cast<uint64_t>(src[i].GetPhyAddr());
  }
  if (row.api == kTransDataTo5HD) TransDataTo5HD<T>(dst, src, p);
  if (row.api == kTransDataAt) TransDataTo5HD<T>(to, from, p);
}

template <typename T>
void Comparisons(const Row& row, const Operands& o) {
  const LocalTensor<uint8_t> d = o.dst;
  const LocalTensor<T> a = As<T>(o.src0), b = As<T>(o.src1);
  const CMPMODE mode = static_cast<CMPMODE>(row.mode);
  const uint8_t repeats = U8(row.repeats);
  if (row.api == kCompare) {
    if (row.form == kFirst) Compare(d, a, b, mode, row.count);
    if (row.form == kLanes) Compare(d, a, b, mode, row.mask[0], repeats, Binary(row));
    if (row.form == kRegister) {
      Compare<T, uint8_t, false>(d, a, b, mode, kPlaceholder, repeats, Binary(row));
    }
  }
#if __NPU_ARCH__ != 1001
  const T scalar = ScalarOf<T>(row);
  if (row.api == kCompareScalar) {
    if (row.form == kFirst) CompareScalar(d, a, scalar, mode, row.count);
    if (row.form == kLanes) CompareScalar(d, a, scalar, mode, row.mask[0], repeats, Unary(row));
  }
  if (row.api == kCompares) Compares(d, a, scalar, mode, row.count);
  if (row.api == kCompareRegister) {
    SetCmpMask(o.src1);
    PipeBarrier<PIPE_V>();
    Compare(a, b, mode, row.mask[0], Binary(row));
    PipeBarrier<PIPE_V>();
    GetCmpMask(o.dst);
  }
  if (row.api == kGetCmpMask) {
    SetCmpMask(a);
    PipeBarrier<PIPE_V>();
    GetCmpMask(As<T>(o.dst));
  }
#endif
}

template <typename T>
void Selections(const Row& row, const Operands& o) {
  const LocalTensor<T> d = As<T>(o.dst), a = As<T>(o.src0), b = As<T>(o.src1);
  const SELMODE mode = static_cast<SELMODE>(row.mode);
  const uint8_t repeats = U8(row.repeats);
  uint64_t mask[2] = {row.mask[0], row.mask[1]};
#define SELECT(second)                                                                  \
  if (row.form == kFirst) Select(d, o.tmp, a, second, mode, row.count);                 \
  if (row.form == kLanes || row.form == kCounted)                                       \
    Select(d, o.tmp, a, second, mode, row.mask[0], repeats, Binary(row));               \
  if (row.form == kBits) Select(d, o.tmp, a, second, mode, mask, repeats, Binary(row)); \
  if (row.form == kRegister || row.form == kCounter)                                    \
    Select<T, uint8_t, false>(d, o.tmp, a, second, mode, kPlaceholder, repeats, Binary(row));
  if (row.api == kSelect) {
    SELECT(b)
  }
  if (row.api == kSelectScalar) {
    SELECT(ScalarOf<T>(row))
  }
  if (row.api == kSelectRegister) {
    Compare(a, b, CMPMODE::LT, row.mask[0], Binary(row));
    PipeBarrier<PIPE_V>();
    Select<T, SELMODE::VSEL_CMPMASK_SPR>(d, a, b, repeats, Binary(row));
  }
}

}  // namespace

void Call(const Row& row, const Operands& o) {
  using normgrad::twin::Dtype;
  const Dtype dtype = static_cast<Dtype>(row.dtype);
  const Dtype other = static_cast<Dtype>(row.other);
  const bool fills = row.api <= kCopy;
  const bool transposes = row.api == kTransDataTo5HD || row.api == kTransDataAt;
  const bool selects = row.api >= kSelect && row.api <= kSelectRegister;
#define OF(type, value)                      \
  if (dtype == Dtype::value) {               \
    if (fills) Fills<type>(row, o);          \
    if (transposes) Transpose<type>(row, o); \
  }
  OF(half, kF16)
  OF(int16_t, kI16)
  OF(uint16_t, kU16)
  if (fills && dtype == Dtype::kF32) Fills<float>(row, o);
  if (fills && dtype == Dtype::kI32) Fills<int32_t>(row, o);
  if (fills && dtype == Dtype::kU32) Fills<uint32_t>(row, o);
  if (transposes && dtype == Dtype::kI8) Transpose<int8_t>(row, o);
  if (transposes && dtype == Dtype::kU8) Transpose<uint8_t>(row, o);
#if __NPU_ARCH__ != 1001
  if (transposes && dtype == Dtype::kF32) Transpose<float>(row, o);
  if (transposes && dtype == Dtype::kI32) Transpose<int32_t>(row, o);
  if (transposes && dtype == Dtype::kU32) Transpose<uint32_t>(row, o);
#endif
#if __NPU_ARCH__ >= 2201
  if (fills && dtype == Dtype::kBf16) Fills<bfloat16_t>(row, o);
#endif
  if (selects && dtype == Dtype::kF32) Selections<float>(row, o);
  if (selects && dtype == Dtype::kF16) Selections<half>(row, o);
  if (fills || transposes || selects) return;
  if (other == Dtype::kF32) Comparisons<float>(row, o);
  if (other == Dtype::kF16) Comparisons<half>(row, o);
#if __NPU_ARCH__ >= 2201
  if (other == Dtype::kI32) Comparisons<int32_t>(row, o);
#endif
}
