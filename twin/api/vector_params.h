// Repeat parameters of vector instructions: strides in 32 B blocks.
#ifndef NORMGRAD_TWIN_API_VECTOR_PARAMS_H_
#define NORMGRAD_TWIN_API_VECTOR_PARAMS_H_

#include <cstdint>

namespace AscendC {

constexpr int32_t ONE_BLK_SIZE = 32;           // bytes of a block
constexpr int32_t ONE_REPEAT_BYTE_SIZE = 256;  // bytes of a repeat
constexpr int32_t DEFAULT_BLK_NUM = 8;         // blocks of a repeat
constexpr int32_t DEFAULT_BLK_STRIDE = 1;
constexpr uint8_t DEFAULT_REPEAT_STRIDE = 8;
constexpr int32_t MAX_REPEAT_TIMES = 255;
constexpr uint64_t MASK_PLACEHOLDER = 0;  // where the mask register stands instead
constexpr uint64_t MASK_PLACEHOLDER_LIST[2] = {0, 0};
constexpr int32_t NCHW_CONV_ADDR_LIST_SIZE = 16;

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
      : dstBlkStride(dst_blk),
        srcBlkStride(src_blk),
        dstRepStride(dst_rep),
        srcRepStride(src_rep) {}
  uint16_t dstBlkStride = 1;
  uint16_t srcBlkStride = 1;
  uint8_t dstRepStride = 8;
  uint8_t srcRepStride = 8;
};

struct BrcbRepeatParams {
  BrcbRepeatParams() = default;
  BrcbRepeatParams(uint16_t dst_blk, uint16_t dst_rep)
      : dstBlkStride(dst_blk), dstRepStride(dst_rep) {}
  uint16_t dstBlkStride = 1;
  uint16_t dstRepStride = 8;
};

struct CopyRepeatParams {
  CopyRepeatParams() = default;
  CopyRepeatParams(uint16_t dst_blk, uint16_t src_blk, uint16_t dst_rep, uint16_t src_rep)
      : dstStride(dst_blk), srcStride(src_blk), dstRepeatSize(dst_rep), srcRepeatSize(src_rep) {}
  uint16_t dstStride = 1;
  uint16_t srcStride = 1;
  uint16_t dstRepeatSize = 8;
  uint16_t srcRepeatSize = 8;
};

struct TransDataTo5HDParams {
  TransDataTo5HDParams() = default;
  TransDataTo5HDParams(bool dst_high, bool src_high, uint8_t repeats, uint16_t dst_rep,
                       uint16_t src_rep)
      : dstHighHalf(dst_high),
        srcHighHalf(src_high),
        repeatTimes(repeats),
        dstRepStride(dst_rep),
        srcRepStride(src_rep) {}
  bool dstHighHalf = false;  // of one-byte elements only: which half of a block
  bool srcHighHalf = false;
  uint8_t repeatTimes = 1;
  uint16_t dstRepStride = 0;
  uint16_t srcRepStride = 0;
};

}  // namespace AscendC

#endif  // NORMGRAD_TWIN_API_VECTOR_PARAMS_H_
