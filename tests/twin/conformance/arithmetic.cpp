// Every call with two sources, with one source, with a scalar: all forms, every element type.
#include "tests/twin/conformance/rows.h"

namespace {

enum Api : uint32_t {
  kAdd,
  kSub,
  kMul,
  kDiv,
  kMax,
  kMin,
  kAnd,
  kOr,
  kMulAddDst,
  kFusedMulAdd,
  kAbs,
  kExp,
  kLn,
  kSqrt,
  kRsqrt,
  kReciprocal,
  kRelu,
  kNot,
  kAdds,
  kMuls,
  kMaxs,
  kMins,
  kAxpy,
  kMixedMulAddDst,
  kMixedAxpy,
};

#define COMMA ,
#define BINARY(name)                                                       \
  if (row.api == k##name) {                                                \
    CALL_FORMS(name, <T>, <T COMMA false>, d COMMA a COMMA b, Binary(row)) \
  }
#define UNARY(name)                                               \
  if (row.api == k##name) {                                       \
    CALL_FORMS(name, <T>, <T COMMA false>, d COMMA a, Unary(row)) \
  }
#define SCALAR(name)                                                                     \
  if (row.api == k##name) {                                                              \
    CALL_FORMS(name, <T>, <T COMMA false>, d COMMA a COMMA ScalarOf<T>(row), Unary(row)) \
  }

#define OPERANDS                                            \
  const LocalTensor<T> d = As<T>(o.dst), a = As<T>(o.src0); \
  [[maybe_unused]] const LocalTensor<T> b = As<T>(o.src1);  \
  [[maybe_unused]] uint64_t mask[2] = {row.mask[0], row.mask[1]};

template <typename T>
void Numbers(const Row& row, const Operands& o) {
  OPERANDS
  BINARY(Add)
  BINARY(Sub)
  BINARY(Mul)
  BINARY(Max)
  BINARY(Min)
}

template <typename T>
void Scalars(const Row& row, const Operands& o) {
  OPERANDS
  SCALAR(Adds)
  SCALAR(Muls)
#if __NPU_ARCH__ != 1001
  SCALAR(Maxs)
  SCALAR(Mins)
#endif
}

template <typename T>
void Floats(const Row& row, const Operands& o) {
  OPERANDS
  BINARY(Div)
  UNARY(Abs)
  UNARY(Exp)
  UNARY(Ln)
  UNARY(Sqrt)
  UNARY(Rsqrt)
  UNARY(Reciprocal)
  if (row.api == kAxpy) {
    CALL_FORMS(Axpy, <T COMMA T>, <T COMMA T COMMA false>, d COMMA a COMMA ScalarOf<T>(row),
               Unary(row))
  }
#if __NPU_ARCH__ != 1001
  BINARY(FusedMulAdd)
  if (row.api == kMulAddDst) {
    CALL_FORMS(MulAddDst, <T COMMA T>, <T COMMA T COMMA false>, d COMMA a COMMA b, Binary(row))
  }
#endif
}

template <typename T>
void OfBits(const Row& row, const Operands& o) {
  OPERANDS
  BINARY(And)
  BINARY(Or)
  UNARY(Not)
}

template <typename T>
void Rectified(const Row& row, const Operands& o) {
  OPERANDS
  UNARY(Relu)
}

#if __NPU_ARCH__ == 3510
// bf16 beside what every type has; Abs of integers.
void Bf16s(const Row& row, const Operands& o) {
  using T = bfloat16_t;
  OPERANDS
  BINARY(FusedMulAdd)
  if (row.api == kAxpy) {
    CALL_FORMS(Axpy, <T COMMA T>, <T COMMA T COMMA false>, d COMMA a COMMA ScalarOf<T>(row),
               Unary(row))
  }
}

template <typename T>
void Magnitudes(const Row& row, const Operands& o) {
  OPERANDS
  UNARY(Abs)
}

void On3510(const Row& row, const Operands& o) {
  using normgrad::twin::Dtype;
  const Dtype dtype = static_cast<Dtype>(row.dtype);
  if (dtype == Dtype::kBf16) {
    Numbers<bfloat16_t>(row, o);
    Scalars<bfloat16_t>(row, o);
    Bf16s(row, o);
  }
  if (dtype == Dtype::kU16) Numbers<uint16_t>(row, o);
  if (dtype == Dtype::kU32) Numbers<uint32_t>(row, o);
  if (dtype == Dtype::kU32) OfBits<uint32_t>(row, o);
  if (dtype == Dtype::kI32) OfBits<int32_t>(row, o);
  if (dtype == Dtype::kI16) Magnitudes<int16_t>(row, o);
  if (dtype == Dtype::kI32) Magnitudes<int32_t>(row, o);
}
#endif

void Mixed(const Row& row, const Operands& o) {
  const LocalTensor<float> d = As<float>(o.dst);
  const LocalTensor<half> a = As<half>(o.src0);
  const LocalTensor<half> b = As<half>(o.src1);
  uint64_t mask[2] = {row.mask[0], row.mask[1]};
  if (row.api == kMixedAxpy) {
    CALL_FORMS(Axpy, <float COMMA half>, <float COMMA half COMMA false>,
               d COMMA a COMMA ScalarOf<half>(row), Unary(row))
  }
#if __NPU_ARCH__ != 1001
  if (row.api == kMixedMulAddDst) {
    CALL_FORMS(MulAddDst, <float COMMA half>, <float COMMA half COMMA false>, d COMMA a COMMA b,
               Binary(row))
  }
#else
  static_cast<void>(b);
#endif
}

}  // namespace

void Call(const Row& row, const Operands& o) {
  using normgrad::twin::Dtype;
  const Dtype dtype = static_cast<Dtype>(row.dtype);
  if (row.api == kMixedMulAddDst || row.api == kMixedAxpy) return Mixed(row, o);
  if (dtype == Dtype::kF32) {
    Numbers<float>(row, o);
    Scalars<float>(row, o);
    Floats<float>(row, o);
#if __NPU_ARCH__ != 1001
    Rectified<float>(row, o);
#endif
  }
  if (dtype == Dtype::kF16) {
    Numbers<half>(row, o);
    Scalars<half>(row, o);
    Floats<half>(row, o);
    Rectified<half>(row, o);
  }
  if (dtype == Dtype::kI32) Numbers<int32_t>(row, o);
  if (dtype == Dtype::kI16) OfBits<int16_t>(row, o);
  if (dtype == Dtype::kU16) OfBits<uint16_t>(row, o);
#if __NPU_ARCH__ != 1001
  if (dtype == Dtype::kI16) Numbers<int16_t>(row, o);
  if (dtype == Dtype::kI16) Scalars<int16_t>(row, o);
  if (dtype == Dtype::kI32) Scalars<int32_t>(row, o);
  if (dtype == Dtype::kI32) Rectified<int32_t>(row, o);
#endif
#if __NPU_ARCH__ == 3510
  On3510(row, o);
#endif
}
