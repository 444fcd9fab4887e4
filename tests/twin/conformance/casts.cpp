// Cast between every pair of element types that the architecture has, in every form.
#include "tests/twin/conformance/rows.h"

namespace {

template <typename D, typename S>
void Convert(const Row& row, const Operands& o) {
  using normgrad::twin::kDtypeOf;
  if (row.dtype != static_cast<uint32_t>(kDtypeOf<D>)) return;
  if (row.other != static_cast<uint32_t>(kDtypeOf<S>)) return;
  const LocalTensor<D> d = As<D>(o.dst);
  const LocalTensor<S> s = As<S>(o.src0);
  const RoundMode mode = static_cast<RoundMode>(row.mode);
  const uint8_t repeats = U8(row.repeats);
  uint64_t mask[2] = {row.mask[0], row.mask[1]};
  if (row.form == kFirst) Cast(d, s, mode, row.count);
  if (row.form == kLanes || row.form == kCounted) {
    Cast(d, s, mode, row.mask[0], repeats, Unary(row));
  }
  if (row.form == kBits) Cast(d, s, mode, mask, repeats, Unary(row));
  if (row.form == kRegister || row.form == kCounter) {
    Cast<D, S, false>(d, s, mode, kPlaceholder, repeats, Unary(row));
  }
  if (row.form == kRegisterBits) Cast<D, S, false>(d, s, mode, mask, repeats, Unary(row));
}

}  // namespace

void Call(const Row& row, const Operands& o) {
  Convert<half, int8_t>(row, o);
  Convert<half, uint8_t>(row, o);
  Convert<int8_t, half>(row, o);
  Convert<uint8_t, half>(row, o);
  Convert<int32_t, half>(row, o);
  Convert<float, half>(row, o);
  Convert<float, int32_t>(row, o);
  Convert<half, float>(row, o);
  Convert<int32_t, float>(row, o);
#if __NPU_ARCH__ != 1001
  Convert<half, int16_t>(row, o);
  Convert<int16_t, half>(row, o);
  Convert<int16_t, int32_t>(row, o);
#endif
#if __NPU_ARCH__ >= 2201
  Convert<float, int16_t>(row, o);
  Convert<int32_t, bfloat16_t>(row, o);
  Convert<float, bfloat16_t>(row, o);
  Convert<bfloat16_t, float>(row, o);
  Convert<int64_t, int32_t>(row, o);
  Convert<int32_t, int64_t>(row, o);
  Convert<int16_t, float>(row, o);
  Convert<int64_t, float>(row, o);
  Convert<float, float>(row, o);
  Convert<float, int64_t>(row, o);
#endif
#if __NPU_ARCH__ == 3510
  Convert<int16_t, int8_t>(row, o);
  Convert<int32_t, int8_t>(row, o);
  Convert<uint16_t, uint8_t>(row, o);
  Convert<uint32_t, uint8_t>(row, o);
  Convert<half, hifloat8_t>(row, o);
  Convert<float, hifloat8_t>(row, o);
  Convert<uint8_t, int16_t>(row, o);
  Convert<int32_t, int16_t>(row, o);
  Convert<uint32_t, int16_t>(row, o);
  Convert<uint8_t, uint16_t>(row, o);
  Convert<uint32_t, uint16_t>(row, o);
  Convert<hifloat8_t, half>(row, o);
  Convert<bfloat16_t, half>(row, o);
  Convert<half, bfloat16_t>(row, o);
  Convert<uint8_t, int32_t>(row, o);
  Convert<uint16_t, int32_t>(row, o);
  Convert<uint8_t, uint32_t>(row, o);
  Convert<int16_t, uint32_t>(row, o);
  Convert<uint16_t, uint32_t>(row, o);
  Convert<hifloat8_t, float>(row, o);
#endif
}
