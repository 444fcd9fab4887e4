// What register calls translate to: the work is done in the prebuilt library, on registers without
// a type.
#ifndef NORMGRAD_TWIN_API_REG_CALLS_H_
#define NORMGRAD_TWIN_API_REG_CALLS_H_

#include <cstdint>

#include "twin/api/operations.h"
#include "twin/api/reg_types.h"

namespace normgrad::twin {

// How an element by element call works.
struct RegMode {
  Dtype dtype;
  bool merge;  // lanes that the mask leaves out keep what dst held; else they become 0
  bool flush;  // subnormal numbers count as 0
};

void RegBinary(RegOp op, const RegMode& mode, RegData& dst, const RegData& a, const RegData& b,
               const MaskData& mask, Site site);
void RegUnary(RegOp op, const RegMode& mode, RegData& dst, const RegData& src, const MaskData& mask,
              Site site);
void RegScalar(RegOp op, const RegMode& mode, RegData& dst, const RegData& src, const void* scalar,
               const MaskData& mask, Site site);
// fp16 sources, fp32 lanes: exp(a - b) of lanes 2 i + part; and src x scalar rounded to fp16 there.
void RegExpSubHalf(uint32_t part, RegData& dst, const RegData& a, const RegData& b,
                   const MaskData& mask, Site site);
void RegMulsCast(uint32_t part, RegData& dst, const RegData& src, float scalar,
                 const MaskData& mask, Site site);

void RegCompare(Dtype dtype, AscendC::CMPMODE mode, MaskData& dst, const RegData& a,
                const RegData& b, const MaskData& mask, Site site);
void RegCompareScalar(Dtype dtype, AscendC::CMPMODE mode, MaskData& dst, const RegData& a,
                      const void* scalar, const MaskData& mask, Site site);
void RegSelect(uint32_t width, RegData& dst, const RegData& a, const RegData& b,
               const MaskData& mask, Site site);

// `mask` null: all lanes.
void RegFill(uint32_t width, bool merge, RegData& dst, const void* scalar, const MaskData* mask,
             Site site);
void RegSpread(uint32_t width, bool merge, RegData& dst, const RegData& src, const MaskData& mask,
               Site site);
void RegMove(uint32_t width, RegData& dst, const RegData& src, const MaskData* mask, Site site);
void RegInterleave(bool back, uint32_t width, RegData& dst0, RegData& dst1, const RegData& a,
                   const RegData& b, Site site);
// Elements of `width` bytes to half of it, or from half of it.
void RegPack(uint32_t width, bool high, RegData& dst, const RegData& src, Site site);
void RegUnpack(uint32_t width, bool sign, bool high, RegData& dst, const RegData& src, Site site);

struct RegCastMode {
  Dtype dst;
  Dtype src;
  AscendC::RoundMode round;
  AscendC::Reg::SatMode sat;
  uint32_t part;  // which of the narrower elements
  bool merge;
};
void RegCast(const RegCastMode& mode, RegData& dst, const RegData& src, const MaskData& mask,
             Site site);

enum class RegReduction : uint8_t { kSum, kMax, kMin };
// One result of a register, of each 32 B block, or of each pair.
enum class RegGroup : uint8_t { kAll, kBlock, kPair };
void RegReduce(RegGroup group, RegReduction reduction, Dtype dtype, RegData& dst,
               const RegData& src, const MaskData& mask, Site site);

AscendC::Reg::MaskReg RegCreateMask(uint32_t width, AscendC::Reg::MaskPattern pattern, Site site);
AscendC::Reg::MaskReg RegUpdateMask(uint32_t width, uint32_t& count, Site site);
enum class MaskLogic : uint8_t { kAnd, kOr, kXor, kNot, kMove, kSelect };
void RegMaskLogic(MaskLogic logic, MaskData& dst, const MaskData& a, const MaskData& b,
                  const MaskData* mask, Site site);
void RegMaskPack(bool unpack, bool high, MaskData& dst, const MaskData& src, Site site);
void RegMaskInterleave(bool back, uint32_t width, MaskData& dst0, MaskData& dst1, const MaskData& a,
                       const MaskData& b, Site site);
void RegMaskFrom(uint32_t width, uint32_t piece, MaskData& dst, const RegData& src, Site site);
void RegCountAddress(Site site);

void RegLoad(AscendC::Reg::LoadDist dist, RegData& dst, const void* address, Site site);
void RegLoadTwo(AscendC::Reg::LoadDist dist, RegData& dst0, RegData& dst1, const void* address,
                Site site);
void RegLoadBlocks(RegData& dst, const void* address, uint32_t stride, const MaskData& mask,
                   Site site);
void RegLoadMask(AscendC::Reg::MaskDist dist, MaskData& dst, const void* address, Site site);
void RegLoadUnalignedPre(UnalignedData& unaligned, const void* address, Site site);
// `step_bytes`: how far the address goes on.
void RegLoadUnaligned(RegData& dst, UnalignedData& unaligned, const void* address,
                      uint32_t step_bytes, Site site);

void RegStore(AscendC::Reg::StoreDist dist, void* address, const RegData& src, const MaskData& mask,
              Site site);
void RegStoreTwo(AscendC::Reg::StoreDist dist, void* address, const RegData& a, const RegData& b,
                 Site site);
void RegStoreBlocks(void* address, const RegData& src, uint32_t stride, const MaskData& mask,
                    Site site);
void RegStoreMask(AscendC::Reg::MaskDist dist, void* address, const MaskData& mask, Site site);
void RegStoreUnaligned(void* address, const RegData& src, UnalignedData& unaligned, uint32_t bytes,
                       Site site);
// `address`: where the last store ended, or null.
void RegStoreUnalignedPost(void* address, UnalignedData& unaligned, Site site);

template <typename T>
T* RegMoved(T* address, int32_t bytes) {
  return reinterpret_cast<T*>(reinterpret_cast<uint8_t*>(address) + bytes);
}
template <typename T>
T* RegAddress(T* address, const AscendC::Reg::AddrReg& offset) {
  return RegMoved(address, static_cast<int32_t>(offset.offset_bytes));
}

void RegBarrier(AscendC::Reg::MemType source, AscendC::Reg::MemType destination, Site site);

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_API_REG_CALLS_H_
