// How register calls move elements: every distribution of loads and stores, blocks, unaligned
// addresses, masks as data, interleaving, packing, comparing, reducing.
#include "tests/twin/conformance/registers.h"

namespace {

enum Api : uint32_t {
  kLoad,
  kLoadTwo,
  kLoadBlocks,
  kLoadMask,
  kLoadUnaligned,
  kLoadAddress,
  kStore,
  kStoreTwo,
  kStoreBlocks,
  kStoreMask,
  kStoreUnaligned,
  kStoreAddress,
  kStorePart,
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

// Loads in row.mode, stores the register whole.
#define LOAD(dist) \
  if (row.mode == static_cast<uint32_t>(LoadDist::dist)) LoadAlign<T, LoadDist::dist>(r, from);
#define LOAD_TWO(dist)                                     \
  if (row.mode == static_cast<uint32_t>(LoadDist::dist)) { \
    LoadAlign<T, LoadDist::dist>(r, second, from);         \
  }
#define STORE(dist)                                       \
  if (row.mode == static_cast<uint32_t>(StoreDist::dist)) \
    StoreAlign<T, StoreDist::dist>(to, r, mask);
#define STORE_TWO(dist)                                     \
  if (row.mode == static_cast<uint32_t>(StoreDist::dist)) { \
    StoreAlign<T, StoreDist::dist>(to, r, second, mask);    \
  }

template <typename T>
void Loads(const Row& row, const Operands& o) {
  T* from = As<T>(o.src0).GetPhyAddr() + row.strides[0];
  T* to = As<T>(o.dst).GetPhyAddr();
  uint8_t* bits = o.src1.GetPhyAddr();
  __VEC_SCOPE__ {
    RegTensor<T> r, second;
    MaskReg all = CreateMask<uint8_t>();
    MaskReg mask = MaskOf<T>(row, o);
    bool two = false;
    if (row.api == kLoad) {
      LOAD(DIST_NORM)
      LOAD(DIST_BRC_B8)
      LOAD(DIST_BRC_B16)
      LOAD(DIST_BRC_B32)
      LOAD(DIST_US_B8)
      LOAD(DIST_US_B16)
      LOAD(DIST_DS_B8)
      LOAD(DIST_DS_B16)
      LOAD(DIST_UNPACK_B8)
      LOAD(DIST_UNPACK_B16)
      LOAD(DIST_UNPACK_B32)
      LOAD(DIST_UNPACK4_B8)
      LOAD(DIST_BLK)
      LOAD(DIST_E2B_B16)
      LOAD(DIST_E2B_B32)
    }
    if (row.api == kLoadTwo) {
      two = true;
      LOAD_TWO(DIST_DINTLV_B8)
      LOAD_TWO(DIST_DINTLV_B16)
      LOAD_TWO(DIST_DINTLV_B32)
    }
    if (row.api == kLoadBlocks && row.mode == 0) {
      LoadAlign<T, DataCopyMode::DATA_BLOCK_COPY>(r, from, row.strides[1], mask);
    }
    if (row.api == kLoadBlocks && row.mode == 1) {
      two = true;
      LoadAlign<T, DataCopyMode::DATA_BLOCK_COPY, PostLiteral::POST_MODE_UPDATE>(
          r, from, row.strides[1], row.strides[2], mask);
      LoadAlign<T, DataCopyMode::DATA_BLOCK_COPY, PostLiteral::POST_MODE_NORMAL>(
          second, from, row.strides[1], row.strides[2], mask);
    }
    if (row.api == kLoadMask) {
      MaskReg loaded;
      if (row.mode == 0) LoadAlign(loaded, bits + row.strides[0]);
      if (row.mode == 1) LoadAlign<uint8_t, MaskDist::DIST_US>(loaded, bits + row.strides[0]);
      if (row.mode == 2) LoadAlign<uint8_t, MaskDist::DIST_DS>(loaded, bits + row.strides[0]);
      LoadAlign(r, from);
      LoadAlign(second, from + kCount<T>);
      Select(r, r, second, loaded);
    }
    if (row.api == kLoadUnaligned && row.mode == 0) Load(r, from);
    if (row.api == kLoadUnaligned && row.mode == 1) {
      two = true;
      UnalignRegForLoad held;
      LoadUnAlignPre(held, from);
      LoadUnAlign(second, held, from, row.strides[1]);
      LoadUnAlign(r, held, from);
      Move(second, second, mask);
    }
    if (row.api == kLoadAddress) {
      two = true;
      AddrReg offset = CreateAddrReg<T>(2, row.strides[1], 1, row.strides[2]);
      LoadAlign(r, from, offset);
      LoadAlign<T, PostLiteral::POST_MODE_UPDATE>(second, from,
                                                  static_cast<int32_t>(row.strides[3]));
      LoadAlign(second, from);
    }
    StoreAlign(to, r, all);
    if (two) StoreAlign(to + kCount<T>, second, all);
  }
}

template <typename T>
void Stores(const Row& row, const Operands& o) {
  T* from = As<T>(o.src0).GetPhyAddr();
  T* to = As<T>(o.dst).GetPhyAddr() + row.strides[0];
  __VEC_SCOPE__ {
    RegTensor<T> r, second;
    MaskReg mask = MaskOf<T>(row, o);
    LoadAlign(r, from);
    LoadAlign(second, from + kCount<T>);
    if (row.api == kStore) {
      STORE(DIST_NORM)
      if constexpr (sizeof(T) == 1) {
        STORE(DIST_NORM_B8)
        STORE(DIST_FIRST_ELEMENT_B8)
      }
      if constexpr (sizeof(T) == 2) {
        STORE(DIST_NORM_B16)
        STORE(DIST_FIRST_ELEMENT_B16)
      }
      if constexpr (sizeof(T) == 4) {
        STORE(DIST_NORM_B32)
        STORE(DIST_FIRST_ELEMENT_B32)
      }
    }
    if (row.api == kStorePart) {  // a mask of the elements that the distribution names
      uint32_t count = row.count;
      if (row.mode == static_cast<uint32_t>(StoreDist::DIST_PACK_B16))
        mask = UpdateMask<half>(count);
      if (row.mode == static_cast<uint32_t>(StoreDist::DIST_PACK_B32))
        mask = UpdateMask<float>(count);
      if (row.mode == static_cast<uint32_t>(StoreDist::DIST_PACK_B64)) {
        mask = UpdateMask<int64_t>(count);
      }
      if (row.mode == static_cast<uint32_t>(StoreDist::DIST_PACK4_B32))
        mask = UpdateMask<float>(count);
      STORE(DIST_PACK_B16)
      STORE(DIST_PACK_B32)
      STORE(DIST_PACK_B64)
      STORE(DIST_PACK4_B32)
    }
    if (row.api == kStoreTwo) {
      STORE_TWO(DIST_INTLV_B8)
      STORE_TWO(DIST_INTLV_B16)
      STORE_TWO(DIST_INTLV_B32)
    }
    if (row.api == kStoreBlocks) {
      StoreAlign<T, DataCopyMode::DATA_BLOCK_COPY, PostLiteral::POST_MODE_UPDATE>(
          to, r, row.strides[1], row.strides[2], mask);
      StoreAlign<T, DataCopyMode::DATA_BLOCK_COPY>(to, second, row.strides[1], mask);
    }
    if (row.api == kStoreMask && row.mode == 0) StoreAlign(to, mask);
    if (row.api == kStoreMask && row.mode == 1) StoreAlign<T, MaskDist::DIST_PACK>(to, mask);
    if (row.api == kStoreUnaligned && row.mode == 0) {
      Store(to, r, row.count & 0xFFFF);
    }
    if (row.api == kStoreUnaligned && row.mode == 1) {
      UnalignRegForStore held;
      StoreUnAlign(to, r, held, row.strides[1]);
      StoreUnAlign(to, second, held, row.strides[2]);
      StoreUnAlignPost(to, held, 0);
    }
    if (row.api == kStoreAddress) {
      AddrReg offset = CreateAddrReg<T>(3, row.strides[1]);
      StoreAlign(to, r, offset, mask);
      StoreAlign<T, PostLiteral::POST_MODE_UPDATE>(to, second, static_cast<int32_t>(row.strides[2]),
                                                   mask);
      StoreAlign(to, second, mask);
    }
  }
}

template <typename T>
void OfType(const Row& row, const Operands& o) {
  if (row.dtype != static_cast<uint32_t>(twin::kDtypeOf<T>)) return;
  if (row.api <= kLoadAddress) return Loads<T>(row, o);
  if (row.api <= kStorePart) return Stores<T>(row, o);
}

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
  if (row.api >= kInterleave) {
    Shuffles<float>(row, o);
    Shuffles<half>(row, o);
    Shuffles<bfloat16_t>(row, o);
    Shuffles<int8_t>(row, o);
    Shuffles<uint8_t>(row, o);
    Shuffles<int16_t>(row, o);
    Shuffles<uint16_t>(row, o);
    Shuffles<int32_t>(row, o);
    Shuffles<uint32_t>(row, o);
    return;
  }
  OfType<float>(row, o);
  OfType<half>(row, o);
  OfType<uint8_t>(row, o);
}
