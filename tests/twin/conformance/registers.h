// What tables of register calls share: rows as rows.h has them, on the first register of each
// operand.
#ifndef TESTS_TWIN_CONFORMANCE_REGISTERS_H_
#define TESTS_TWIN_CONFORMANCE_REGISTERS_H_

#include "tests/twin/conformance/rows.h"

namespace twin = normgrad::twin;
using namespace AscendC::Reg;

constexpr uint32_t kMaskAt = 8192;  // bytes of src1 that a mask of form kBits is loaded from

template <typename T>
struct Registers {
  RegTensor<T> d, a, b;
  MaskReg mask;
};

// The row's mask for elements of T: the first `count` (the lower half of it), or bits from UB.
template <typename T>
inline MaskReg MaskOf(const Row& row, const Operands& o) {
  MaskReg mask;
  if (row.form == kBits) {
    LoadAlign(mask, o.src1.GetPhyAddr() + kMaskAt);
    return mask;
  }
  uint32_t count = row.count & 0xFFFF;
  return UpdateMask<T>(count);
}

// Loads dst, src0 and src1, computes, stores dst.
template <typename T, typename F>
void WithRegisters(const Row& row, const Operands& o, F compute) {
  T* const at = As<T>(o.dst).GetPhyAddr();
  __VEC_SCOPE__ {
    Registers<T> r;
    r.mask = MaskOf<T>(row, o);
    MaskReg all = CreateMask<uint8_t>();
    LoadAlign(r.d, at);
    LoadAlign(r.a, As<T>(o.src0).GetPhyAddr());
    LoadAlign(r.b, As<T>(o.src1).GetPhyAddr());
    compute(r);
    LocalMemBar<MemType::VEC_LOAD, MemType::VEC_STORE>();
    StoreAlign(at, r.d, all);
  }
}

#endif  // TESTS_TWIN_CONFORMANCE_REGISTERS_H_
