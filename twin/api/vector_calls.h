// What the templates of the vector headers call: the vector instructions of the prebuilt library.
#ifndef NORMGRAD_TWIN_API_VECTOR_CALLS_H_
#define NORMGRAD_TWIN_API_VECTOR_CALLS_H_

#include <cstdint>

#include "twin/api/lane_spec.h"
#include "twin/api/operations.h"
#include "twin/api/tensor.h"
#include "twin/api/vector_params.h"

namespace normgrad::twin {

using AscendC::BinaryRepeatParams;
using AscendC::UnaryRepeatParams;

void VectorBinary(Api api, Dtype dtype, UbOperand dst, UbOperand src0, UbOperand src1,
                  const LaneSpec& spec, const BinaryRepeatParams& strides, Site site);
void VectorUnary(Api api, Dtype dtype, UbOperand dst, UbOperand src, const LaneSpec& spec,
                 const UnaryRepeatParams& strides, Site site);
void VectorScalar(Api api, Dtype dtype, UbOperand dst, UbOperand src, const void* scalar,
                  const LaneSpec& spec, const UnaryRepeatParams& strides, Site site);
// fp16 factors, fp32 sum.
void VectorMixedMulAddDst(UbOperand dst, UbOperand src0, UbOperand src1, const LaneSpec& spec,
                          const BinaryRepeatParams& strides, Site site);
void VectorMixedAxpy(UbOperand dst, UbOperand src, const void* scalar, const LaneSpec& spec,
                     const UnaryRepeatParams& strides, Site site);

void VectorCast(Dtype dst_dtype, Dtype src_dtype, UbOperand dst, UbOperand src,
                AscendC::RoundMode mode, const LaneSpec& spec, const UnaryRepeatParams& strides,
                Site site);

void VectorDuplicate(Dtype dtype, UbOperand dst, const void* value, const LaneSpec& spec,
                     uint32_t block_stride, uint32_t repeat_stride, Site site);
void VectorBrcb(Dtype dtype, UbOperand dst, UbOperand src, uint32_t repeats,
                const AscendC::BrcbRepeatParams& strides, Site site);
void VectorCopy(Dtype dtype, UbOperand dst, UbOperand src, const LaneSpec& spec,
                const AscendC::CopyRepeatParams& strides, Site site);

// Strides of reductions: the destination's in results, the source's in blocks.
struct ReduceStrides {
  int32_t dst_repeat;
  int32_t src_block;
  int32_t src_repeat;
};
void VectorReduceRepeat(Api api, Dtype dtype, UbOperand dst, UbOperand src, const LaneSpec& spec,
                        const ReduceStrides& strides, AscendC::ReduceOrder order, Site site);
void VectorReduceBlock(Api api, Dtype dtype, UbOperand dst, UbOperand src, const LaneSpec& spec,
                       const ReduceStrides& strides, Site site);
void VectorReducePair(Dtype dtype, UbOperand dst, UbOperand src, const LaneSpec& spec,
                      const ReduceStrides& strides, Site site);
void VectorReduceSum(Dtype dtype, UbOperand dst, UbOperand src, UbOperand tmp, const LaneSpec& spec,
                     int32_t src_repeat_stride, Site site);
void VectorReduceExtreme(Api api, Dtype dtype, UbOperand dst, UbOperand src, UbOperand tmp,
                         const LaneSpec& spec, int32_t src_repeat_stride, bool with_index,
                         Site site);
uint64_t VectorAccumulator();

// Without a scalar, src1 is an operand; without a destination, the result goes to the register.
void VectorCompare(Dtype dtype, UbOperand dst, UbOperand src0, UbOperand src1,
                   AscendC::CMPMODE mode, const LaneSpec& spec, const BinaryRepeatParams& strides,
                   Site site);
void VectorCompareScalar(Dtype dtype, UbOperand dst, UbOperand src, const void* scalar,
                         AscendC::CMPMODE mode, const LaneSpec& spec,
                         const UnaryRepeatParams& strides, Site site);
void VectorCompareToRegister(Dtype dtype, UbOperand src0, UbOperand src1, AscendC::CMPMODE mode,
                             const LaneSpec& spec, const BinaryRepeatParams& strides, Site site);
void VectorSelect(Dtype dtype, UbOperand dst, UbOperand mask, UbOperand src0, UbOperand src1,
                  AscendC::SELMODE mode, const LaneSpec& spec, const BinaryRepeatParams& strides,
                  Site site);
void VectorSelectScalar(Dtype dtype, UbOperand dst, UbOperand mask, UbOperand src0,
                        const void* scalar, AscendC::SELMODE mode, const LaneSpec& spec,
                        const BinaryRepeatParams& strides, Site site);
void VectorSelectByRegister(Dtype dtype, UbOperand dst, UbOperand src0, UbOperand src1,
                            uint32_t repeats, const BinaryRepeatParams& strides, Site site);
void SetCompareRegister(UbOperand src, Site site);
void GetCompareRegister(UbOperand dst, Site site);

void VectorTranspose(Dtype dtype, const UbOperand* dst, const UbOperand* src,
                     const AscendC::TransDataTo5HDParams& params, Site site);
void VectorTransposeAt(Dtype dtype, const uint64_t* dst, const uint64_t* src,
                       const AscendC::TransDataTo5HDParams& params, Site site);

void SetMaskMode(bool counter);
void SetMaskRegister(uint64_t high, uint64_t low);
void SetMaskLanes(uint64_t count, uint32_t element_bytes);  // in counter mode: elements

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_API_VECTOR_CALLS_H_
