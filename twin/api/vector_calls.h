// What the templates of vector.h call: the vector instructions of the prebuilt library.
#ifndef NORMGRAD_TWIN_API_VECTOR_CALLS_H_
#define NORMGRAD_TWIN_API_VECTOR_CALLS_H_

#include <cstdint>

#include "twin/api/lanes.h"
#include "twin/api/operations.h"
#include "twin/api/tensor.h"

namespace AscendC {

struct BinaryRepeatParams {
  BinaryRepeatParams() = default;
  BinaryRepeatParams(uint8_t dst_blk, uint8_t src0_blk, uint8_t src1_blk, uint8_t dst_rep,
                     uint8_t src0_rep, uint8_t src1_rep)
      : dstBlkStride(dst_blk),
        src0BlkStride(src0_blk),
        src1BlkStride(src1_blk),
        dstRepStride(dst_rep),
        src0RepStride(src0_rep),
        src1RepStride(src1_rep) {}
  uint8_t dstBlkStride = 1;
  uint8_t src0BlkStride = 1;
  uint8_t src1BlkStride = 1;
  uint8_t dstRepStride = 8;
  uint8_t src0RepStride = 8;
  uint8_t src1RepStride = 8;
};

struct UnaryRepeatParams {
  UnaryRepeatParams() = default;
  UnaryRepeatParams(uint16_t dst_blk, uint16_t src_blk, uint8_t dst_rep, uint8_t src_rep)
      : dstBlkStride(dst_blk), srcBlkStride(src_blk), dstRepStride(dst_rep), srcRepStride(src_rep) {}
  uint16_t dstBlkStride = 1;
  uint16_t srcBlkStride = 1;
  uint8_t dstRepStride = 8;
  uint8_t srcRepStride = 8;
};

struct BrcbRepeatParams {
  BrcbRepeatParams() = default;
  BrcbRepeatParams(uint16_t dst_blk, uint16_t dst_rep) : dstBlkStride(dst_blk), dstRepStride(dst_rep) {}
  uint16_t dstBlkStride = 1;
  uint16_t dstRepStride = 8;
};

}  // namespace AscendC

namespace normgrad::twin {

void VectorBinary(Api api, Dtype dtype, UbOperand dst, UbOperand src0, UbOperand src1,
                  const Lanes& lanes, const AscendC::BinaryRepeatParams& strides, Site site);
void VectorScalar(Api api, Dtype dtype, UbOperand dst, UbOperand src, float scalar,
                  const Lanes& lanes, const AscendC::UnaryRepeatParams& strides, Site site);
void VectorCast(Dtype dst_dtype, Dtype src_dtype, UbOperand dst, UbOperand src,
                AscendC::RoundMode mode, const Lanes& lanes,
                const AscendC::UnaryRepeatParams& strides, Site site);
void VectorDuplicate(UbOperand dst, const void* value, const Lanes& lanes, Stride stride, Site site);
void VectorBrcb(UbOperand dst, UbOperand src, uint32_t element_bytes, uint32_t repeats,
                const AscendC::BrcbRepeatParams& strides, Site site);
void VectorWholeReduceSum(Dtype dtype, UbOperand dst, UbOperand src, const Lanes& lanes,
                          uint32_t dst_stride_elems, Stride src_stride, Site site);
void VectorCompare(UbOperand dst, UbOperand src0, UbOperand src1, AscendC::CMPMODE mode,
                   uint32_t count, Site site);
void VectorSelectScalar(UbOperand dst, UbOperand mask, UbOperand src0, float src1,
                        AscendC::SELMODE mode, uint32_t count, Site site);

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_API_VECTOR_CALLS_H_
