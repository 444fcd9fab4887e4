// Loads and stores of registers: every distribution, blocks, unaligned addresses, masks as data.
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

}  // namespace

void Call(const Row& row, const Operands& o) {
  OfType<float>(row, o);
  OfType<half>(row, o);
  OfType<uint8_t>(row, o);
}
