// How register calls move elements: interleaving, packing, comparing, reducing, masks as data.
#include "tests/twin/conformance/registers.h"

namespace {

enum Api : uint32_t {
  kInterleave,
  kDeInterleave,
  kPack,
  kUnPack,
  kCompare,
  kCompares,
  kReduce,
  kReduceDataBlock,
  kPairReduceElem,
  kMaskLogic,
  kMaskPack,
  kMaskInterleave,
  kMaskPattern,
  kMaskFromRegister,
};

template <typename T>
constexpr uint32_t kCount = 256 / sizeof(T);

// Two results of one width, a mask as data.
template <typename T>
void Shuffles(const Row& row, const Operands& o) {
  if (row.dtype != static_cast<uint32_t>(twin::kDtypeOf<T>)) return;
  T* to = As<T>(o.dst).GetPhyAddr();
  T* a = As<T>(o.src0).GetPhyAddr();
  T* b = As<T>(o.src1).GetPhyAddr();
  uint8_t* bits = o.src1.GetPhyAddr() + kMaskAt;
  __VEC_SCOPE__ {
    RegTensor<T> x, y, d, e;
    MaskReg all = CreateMask<uint8_t>();
    MaskReg mask = MaskOf<T>(row, o);
    MaskReg m, n, p, q;
    LoadAlign(x, a);
    LoadAlign(y, b);
    LoadAlign(d, to);
    LoadAlign(e, to + kCount<T>);
    LoadAlign(m, bits + 32);
    LoadAlign(n, bits + 64);
    LoadAlign(p, bits + 96);
    bool store_mask = false;
    if (row.api == kInterleave) Interleave(d, e, x, y);
    if (row.api == kDeInterleave) DeInterleave(d, e, x, y);
    if (row.api == kCompare || row.api == kCompares) {
      store_mask = true;
      const T scalar = ScalarOf<T>(row);
      const bool one = row.api == kCompares;
#define COMPARE(cmp)                                                 \
  if (row.mode == static_cast<uint32_t>(AscendC::CMPMODE::cmp)) {    \
    if (one) Compares<T, AscendC::CMPMODE::cmp>(p, x, scalar, mask); \
    if (!one) Compare<T, AscendC::CMPMODE::cmp>(p, x, y, mask);      \
  }
      COMPARE(LT)
      COMPARE(GT)
      COMPARE(EQ)
      COMPARE(LE)
      COMPARE(GE)
      COMPARE(NE)
    }
    if (row.api == kMaskLogic) {
      store_mask = true;
      if (row.mode == 0) And(p, m, n, mask);
      if (row.mode == 1) Or(p, m, n, mask);
      if (row.mode == 2) Xor(p, m, n, mask);
      if (row.mode == 3) Not(p, m, mask);
      if (row.mode == 4) Move(p, m, mask);
      if (row.mode == 5) Move(p, m);
      if (row.mode == 6) Select(p, m, n, mask);
    }
    if (row.api == kMaskPack) {
      store_mask = true;
      if (row.mode == 0) Pack(p, m);
      if (row.mode == 1) Pack<HighLowPart::HIGHEST>(p, m);
      if (row.mode == 2) UnPack(p, m);
      if (row.mode == 3) UnPack<HighLowPart::HIGHEST>(p, m);
    }
    if (row.api == kMaskInterleave) {
      store_mask = true;
      if (row.mode == 0) Interleave<T>(p, q, m, n);
      if (row.mode == 1) DeInterleave<T>(p, q, m, n);
      LocalMemBar<MemType::VEC_LOAD, MemType::VEC_STORE>();
      StoreAlign(reinterpret_cast<uint8_t*>(to) + 32, q);
    }
    if constexpr (sizeof(T) == 2 || sizeof(T) == 4) {
      if (row.api == kMaskFromRegister) {
        store_mask = true;
        MaskGenWithRegTensor<T, 5>(p, x);
      }
    }
    if (row.api == kMaskPattern) {
      store_mask = true;
#define PATTERN(name)                                         \
  if (row.mode == static_cast<uint32_t>(MaskPattern::name)) { \
    p = CreateMask<T, MaskPattern::name>();                   \
  }
      PATTERN(ALL)
      PATTERN(VL1)
      PATTERN(VL2)
      PATTERN(VL3)
      PATTERN(VL4)
      PATTERN(VL8)
      PATTERN(VL16)
      PATTERN(VL32)
      PATTERN(VL64)
      PATTERN(M3)
      PATTERN(M4)
      PATTERN(H)
      PATTERN(Q)
      PATTERN(ALLF)
    }
    LocalMemBar<MemType::VEC_LOAD, MemType::VEC_STORE>();
    if (store_mask) {
      StoreAlign(reinterpret_cast<uint8_t*>(to), p);
    } else {
      StoreAlign(to, d, all);
      StoreAlign(to + kCount<T>, e, all);
    }
  }
}

template <typename To, typename From>
void Reductions(const Row& row, const Operands& o) {
  if (row.dtype != static_cast<uint32_t>(twin::kDtypeOf<To>)) return;
  if (row.other != static_cast<uint32_t>(twin::kDtypeOf<From>)) return;
  To* to = As<To>(o.dst).GetPhyAddr();
  __VEC_SCOPE__ {
    RegTensor<From> x;
    RegTensor<To> d;
    MaskReg all = CreateMask<uint8_t>();
    MaskReg mask = MaskOf<From>(row, o);
    LoadAlign(x, As<From>(o.src0).GetPhyAddr());
    LoadAlign(d, to);
    if constexpr (twin::kReducesTo<ReduceType::SUM, To, From>) {
      if (row.api == kReduce && row.mode == 0) Reduce<ReduceType::SUM>(d, x, mask);
      if (row.api == kReduceDataBlock && row.mode == 0) {
        ReduceDataBlock<ReduceType::SUM>(d, x, mask);
      }
    }
    if constexpr (std::is_same_v<To, From>) {
      if (row.api == kReduce && row.mode == 1) Reduce<ReduceType::MAX>(d, x, mask);
      if (row.api == kReduce && row.mode == 2) Reduce<ReduceType::MIN>(d, x, mask);
      if (row.api == kReduceDataBlock && row.mode == 1) {
        ReduceDataBlock<ReduceType::MAX>(d, x, mask);
      }
      if (row.api == kReduceDataBlock && row.mode == 2) {
        ReduceDataBlock<ReduceType::MIN>(d, x, mask);
      }
    }
    if constexpr (twin::kRegTakes<twin::RegOp::kPairReduceElem, From>) {
      if (row.api == kPairReduceElem) PairReduceElem(d, x, mask);
    }
    LocalMemBar<MemType::VEC_LOAD, MemType::VEC_STORE>();
    StoreAlign(to, d, all);
  }
}

template <typename Wide, typename Narrow>
void Packs(const Row& row, const Operands& o) {
  const bool pack = row.api == kPack;
  if (row.dtype != static_cast<uint32_t>(pack ? twin::kDtypeOf<Narrow> : twin::kDtypeOf<Wide>))
    return;
  if (row.other != static_cast<uint32_t>(pack ? twin::kDtypeOf<Wide> : twin::kDtypeOf<Narrow>))
    return;
  uint8_t* to = o.dst.GetPhyAddr();
  __VEC_SCOPE__ {
    RegTensor<Wide> wide;
    RegTensor<Narrow> narrow;
    MaskReg half = CreateMask<uint8_t, MaskPattern::H>();
    MaskReg all = CreateMask<uint8_t>();
    if (pack) {
      if constexpr (twin::kPacks<Narrow, Wide>) {
        LoadAlign(wide, As<Wide>(o.src0).GetPhyAddr());
        if (row.mode == 0) Pack(narrow, wide);
        if (row.mode == 1) Pack<Narrow, Wide, HighLowPart::HIGHEST>(narrow, wide);
        MaskReg part = half;
        if (row.mode == 1) Not(part, half, all);
        StoreAlign(to, reinterpret_cast<RegTensor<uint8_t>&>(narrow), part);
      }
    } else if constexpr (twin::kUnpacks<Wide, Narrow>) {
      LoadAlign(narrow, As<Narrow>(o.src0).GetPhyAddr());
      if (row.mode == 0) UnPack(wide, narrow);
      if (row.mode == 1) UnPack<Wide, Narrow, HighLowPart::HIGHEST>(wide, narrow);
      StoreAlign(to, reinterpret_cast<RegTensor<uint8_t>&>(wide), all);
    }
  }
}

}  // namespace

void Call(const Row& row, const Operands& o) {
  if (row.api == kPack || row.api == kUnPack) {
    Packs<int16_t, uint8_t>(row, o);
    Packs<uint16_t, uint8_t>(row, o);
    Packs<int32_t, uint16_t>(row, o);
    Packs<uint32_t, uint16_t>(row, o);
    Packs<int16_t, int8_t>(row, o);
    Packs<int32_t, int16_t>(row, o);
    return;
  }
  if (row.api == kReduce || row.api == kReduceDataBlock || row.api == kPairReduceElem) {
    Reductions<float, float>(row, o);
    Reductions<half, half>(row, o);
    Reductions<int32_t, int32_t>(row, o);
    Reductions<uint32_t, uint32_t>(row, o);
    Reductions<int32_t, int16_t>(row, o);
    Reductions<uint32_t, uint16_t>(row, o);
    Reductions<int16_t, int16_t>(row, o);
    Reductions<uint16_t, uint16_t>(row, o);
    return;
  }
  Shuffles<float>(row, o);
  Shuffles<half>(row, o);
  Shuffles<bfloat16_t>(row, o);
  Shuffles<int8_t>(row, o);
  Shuffles<uint8_t>(row, o);
  Shuffles<int16_t>(row, o);
  Shuffles<uint16_t>(row, o);
  Shuffles<int32_t>(row, o);
  Shuffles<uint32_t>(row, o);
}
