// Every reduction: of a repeat, of a block, of a pair, of everything.
#include "tests/twin/conformance/rows.h"

namespace {

enum Api : uint32_t {
  kWholeReduceSum,
  kWholeReduceMax,
  kWholeReduceMin,
  kBlockReduceSum,
  kBlockReduceMax,
  kBlockReduceMin,
  kPairReduceSum,
  kRepeatReduceSum,
  kReduceSum,
  kReduceMax,
  kReduceMin,
  kGetAccVal,
};

#define STRIDES I32(row.strides[0]), I32(row.strides[1]), I32(row.strides[2])

#define WHOLE(name, order)                                                              \
  if (row.api == k##name) {                                                             \
    if (row.form == kLanes || row.form == kCounted)                                     \
      name(d, a, I32(row.mask[0]), repeats, STRIDES, order);                            \
    if (row.form == kBits) name(d, a, mask, repeats, STRIDES, order);                   \
    if (row.form == kRegister || row.form == kCounter)                                  \
      name<T, false>(d, a, int32_t{0}, repeats, STRIDES, order);                        \
    if (row.form == kRegisterBits) name<T, false>(d, a, mask, repeats, STRIDES, order); \
  }
#define PARTS(name)                                                              \
  if (row.api == k##name) {                                                      \
    if (row.form == kLanes || row.form == kCounted)                              \
      name(d, a, repeats, I32(row.mask[0]), STRIDES);                            \
    if (row.form == kBits) name(d, a, repeats, mask, STRIDES);                   \
    if (row.form == kRegister || row.form == kCounter)                           \
      name<T, false>(d, a, repeats, int32_t{0}, STRIDES);                        \
    if (row.form == kRegisterBits) name<T, false>(d, a, repeats, mask, STRIDES); \
  }
#define EXTREME(name)                                                                 \
  if (row.api == k##name) {                                                           \
    if (row.form == kFirst) name(d, a, tmp, I32(row.count), row.mode != 0);           \
    if (row.form == kLanes)                                                           \
      name(d, a, tmp, I32(row.mask[0]), repeats, I32(row.strides[0]), row.mode != 0); \
  }

template <typename T>
void Reductions(const Row& row, const Operands& o) {
  const LocalTensor<T> d = As<T>(o.dst), a = As<T>(o.src0), tmp = As<T>(o.tmp);
  const int32_t repeats = I32(row.repeats);
  const ReduceOrder order = static_cast<ReduceOrder>(row.mode);
  const uint64_t mask[2] = {row.mask[0], row.mask[1]};
  WHOLE(WholeReduceSum, ReduceOrder::ORDER_VALUE_INDEX)
  WHOLE(WholeReduceMax, order)
  WHOLE(WholeReduceMin, order)
  PARTS(BlockReduceSum)
  PARTS(BlockReduceMax)
  PARTS(BlockReduceMin)
  PARTS(PairReduceSum)
  EXTREME(ReduceMax)
  EXTREME(ReduceMin)
  if (row.api == kRepeatReduceSum) {
    RepeatReduceSum(d, a, repeats, I32(row.mask[0]), 0, I32(row.strides[1]), I32(row.strides[0]),
                    I32(row.strides[2]));
  }
  if (row.api == kReduceSum) {
    const int32_t step = I32(row.strides[0]);
    if (row.form == kFirst) ReduceSum(d, a, tmp, I32(row.count));
    if (row.form == kLanes) ReduceSum(d, a, tmp, I32(row.mask[0]), repeats, step);
    if (row.form == kBits) ReduceSum(d, a, tmp, mask, repeats, step);
#if __NPU_ARCH__ == 2201
    if (row.form == kCounter) ReduceSum<T, false>(d, a, tmp, int32_t{0});
#endif
  }
#if __NPU_ARCH__ >= 2201
  if (row.api == kGetAccVal) {
    ReduceSum(tmp, a, tmp, I32(row.count));
    const LocalTensor<T> to = d;
    to.SetValue(0, GetAccVal<T>());
  }
#endif
}

}  // namespace

void Call(const Row& row, const Operands& o) {
  using normgrad::twin::Dtype;
  if (static_cast<Dtype>(row.dtype) == Dtype::kF16) Reductions<half>(row, o);
#if __NPU_ARCH__ != 1001
  if (static_cast<Dtype>(row.dtype) == Dtype::kF32) Reductions<float>(row, o);
#endif
}
