// Meaning of TransDataTo5HD: sixteen blocks become columns.
#include "twin/api/vector_calls.h"
#include "twin/api/vector_operand.h"

namespace normgrad::twin {
namespace {

constexpr uint32_t kList = AscendC::NCHW_CONV_ADDR_LIST_SIZE;

// Element `e` of every source block, one after the other, fills the destination's row `e`. Rows of
// 4-byte elements take two blocks of the list, rows of bytes half a block.
void TransposeOnce(Dtype dtype, const AscendC::TransDataTo5HDParams& p,
                   const uint8_t (&from)[kList][kBlockBytes], uint8_t (&to)[kList][kBlockBytes]) {
  const uint32_t bytes = BytesOf(dtype);
  const uint32_t src_half = bytes == 1 && p.srcHighHalf ? kBlockBytes / 2 : 0;
  const uint32_t dst_half = bytes == 1 && p.dstHighHalf ? kBlockBytes / 2 : 0;
  const uint32_t elements = bytes == 4 ? 8 : 16;
  for (uint32_t e = 0; e < elements; ++e) {
    for (uint32_t row = 0; row < kList; ++row) {
      const uint32_t at = row * bytes;
      uint8_t* block = bytes == 4 ? to[2 * e + at / kBlockBytes] : to[e] + dst_half;
      std::memcpy(block + at % kBlockBytes, from[row] + src_half + e * bytes, bytes);
    }
  }
}

}  // namespace

void VectorTranspose(Dtype dtype, const UbOperand* dst, const UbOperand* src,
                     const AscendC::TransDataTo5HDParams& p, Site site) {
  Instruction in(Api::kTransDataTo5HD, site);
  for (uint32_t i = 0; i < kList; ++i) {
    in.RequireAligned(dst[i], "dst", kBlockBytes);
    in.RequireAligned(src[i], "src", kBlockBytes);
  }
  const bool bytes = BytesOf(dtype) == 1;
  const uint32_t length = bytes ? kBlockBytes / 2 : kBlockBytes;
  const uint32_t src_begin = bytes && p.srcHighHalf ? kBlockBytes / 2 : 0;
  const uint32_t dst_begin = bytes && p.dstHighHalf ? kBlockBytes / 2 : 0;
  // A single repeat starts one stride behind the listed addresses, as the page says.
  const uint32_t skip = p.repeatTimes == 1 ? 1 : 0;
  bool carry_out = true;
  const auto blocks = [&](const UbOperand& operand, uint32_t stride, uint32_t offset) {
    return Footprint{operand.begin + offset + skip * stride * kBlockBytes,
                     length,
                     1,
                     0,
                     p.repeatTimes,
                     stride * kBlockBytes}
        .Collapsed();
  };
  if (p.repeatTimes == 0) return;
  for (uint32_t i = 0; i < kList; ++i) {
    carry_out = in.Reads(src[i], "src", blocks(src[i], p.srcRepStride, src_begin)) && carry_out;
  }
  for (uint32_t i = 0; i < kList; ++i) {
    carry_out = in.Writes(dst[i], "dst", blocks(dst[i], p.dstRepStride, dst_begin)) && carry_out;
  }
  in.CountVector(2u * p.repeatTimes);  // a repeat moves 512 B
  if (!carry_out) return;
  for (uint32_t repeat = 0; repeat < p.repeatTimes; ++repeat) {
    uint8_t from[kList][kBlockBytes];
    uint8_t to[kList][kBlockBytes];
    for (uint32_t i = 0; i < kList; ++i) {
      std::memcpy(from[i], in.ub(src[i].begin + (repeat + skip) * p.srcRepStride * kBlockBytes),
                  kBlockBytes);
      std::memcpy(to[i], in.ub(dst[i].begin + (repeat + skip) * p.dstRepStride * kBlockBytes),
                  kBlockBytes);
    }
    TransposeOnce(dtype, p, from, to);
    for (uint32_t i = 0; i < kList; ++i) {
      std::memcpy(in.ub(dst[i].begin + (repeat + skip) * p.dstRepStride * kBlockBytes), to[i],
                  kBlockBytes);
    }
  }
}

uint8_t* UbAddress(uint32_t begin) { return ThisCore().ub() + begin; }

void VectorTransposeAt(Dtype dtype, const uint64_t* dst, const uint64_t* src,
                       const AscendC::TransDataTo5HDParams& p, Site site) {
  Core& core = ThisCore();
  const auto operand = [&](uint64_t address) {
    const uint32_t begin =
        static_cast<uint32_t>(reinterpret_cast<const uint8_t*>(address) - core.ub());
    return UbOperand{begin, core.BufferAt(begin)};
  };
  UbOperand dst_list[kList];
  UbOperand src_list[kList];
  for (uint32_t i = 0; i < kList; ++i) {
    dst_list[i] = operand(dst[i]);
    src_list[i] = operand(src[i]);
  }
  VectorTranspose(dtype, dst_list, src_list, p, site);
}

}  // namespace normgrad::twin
