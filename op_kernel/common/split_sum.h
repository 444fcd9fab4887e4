// Sums of fp32 rows to nearly twice the precision, where the output has no coarser rounding to hide
// their errors behind: a value is split into its upper 16 bits and the rest, and both are summed by
// themselves. Values of 8 significant bits add up without an error as long as their sum has no more
// than 24, and the error of the rest is 2^-8 of what it would be.
//
// Why: an error of a row's mean is the same for all columns of the row, up to the number of levels
// of its tree and three roundings more. With plain sums fp32 dx exceeded its budget (C = 4) at
// 10000x1000 (1.05 of it, uniform in [0, 1]) and at 1000000x24 (1.42, heavy tails); see
// docs/rms_norm_grad.md.
#ifndef OP_KERNEL_COMMON_SPLIT_SUM_H_
#define OP_KERNEL_COMMON_SPLIT_SUM_H_

#include "op_kernel/common/chip.h"
#include "op_kernel/common/grid.h"
#include "tiling/norm_grad.h"

// The upper half of an fp32: sign, exponent, 7 bits of the fraction.
constexpr uint32_t kUpperHalf = 0xFFFF0000;

// Each of the lower 32 bits twice: fp32 lanes as pairs of 16-bit lanes.
__aicore__ inline uint64_t EachTwice(uint64_t bits) {
  bits &= 0xFFFFFFFF;
  bits = (bits | bits << 16) & 0x0000FFFF0000FFFF;
  bits = (bits | bits << 8) & 0x00FF00FF00FF00FF;
  bits = (bits | bits << 4) & 0x0F0F0F0F0F0F0F0F;
  bits = (bits | bits << 2) & 0x3333333333333333;
  bits = (bits | bits << 1) & 0x5555555555555555;
  return bits | bits << 1;
}

// upper = src without its lower half; upper_half is a block of kUpperHalf
struct TakeUpper {
  AscendC::LocalTensor<float> upper;
  AscendC::LocalTensor<float> src;
  AscendC::LocalTensor<uint16_t> upper_half;
  __aicore__ inline void operator()(GridPiece& p) const {
    uint64_t pairs[2] = {EachTwice(p.mask[0]), EachTwice(p.mask[0] >> 32)};
    AscendC::And(upper[p.offset].ReinterpretCast<uint16_t>(),
                 src[p.offset].ReinterpretCast<uint16_t>(), upper_half, pairs, p.repeats,
                 {p.data_block, p.data_block, 0, p.data_repeat, p.data_repeat, 0});
  }
};

// dst = a - b
struct SubEach {
  AscendC::LocalTensor<float> dst;
  AscendC::LocalTensor<float> a;
  AscendC::LocalTensor<float> b;
  __aicore__ inline void operator()(GridPiece& p) const {
    AscendC::Sub(dst[p.offset], a[p.offset], b[p.offset], p.mask, p.repeats, SameSteps(p));
  }
};

// Sums of some rows, one fp32 per row; arrays of whole repeats, of which the first two are written
// to their ends.
struct SplitRows {
  static constexpr uint32_t kSpares = 5;

  AscendC::LocalTensor<float> upper;  // the result takes this place
  AscendC::LocalTensor<float> lower;
  AscendC::LocalTensor<float> spare;  // kSpares arrays
  uint32_t pitch;                     // from one of them to the next
  uint32_t rows;
};

class SplitSum {
 public:
  __aicore__ inline void Init(const NormGradTiling& plan, AscendC::TPipe* pipe) {
    terms_ = plan.sum_terms;
    cols_ = static_cast<float>(plan.cols);
    factor_ = plan.mean_factor;
    takes_whole_sum_ = plan.cols <= kMostWholeCols && (plan.cols & (plan.cols - 1)) == 0;
    if (!IsSplit()) return;
    pipe->InitBuffer(buf_, plan.ub.sum_bits);
    AscendC::Duplicate(buf_.Get<int32_t>(), static_cast<int32_t>(kUpperHalf), kBlockElemsFp32);
    AscendC::PipeBarrier<PIPE_V>();
  }

  __aicore__ inline bool IsSplit() const { return terms_ > 1; }
  __aicore__ inline uint32_t Terms() const { return terms_; }
  __aicore__ inline AscendC::LocalTensor<uint16_t> UpperHalf() { return buf_.Get<uint16_t>(); }

  // The sums become minus the means times rstd. The factor f = -rstd / cols has two parts, too, the
  // first of 8 bits, so that the first product is exact and all of it rounded once:
  //
  //   (u1 + u2 + lower) f = u1 f1 + (u1 f2 + (u2 + lower) f)      u1 + u2 = upper, f1 + f2 = f
  //
  // Where that is no number, a term of the sum was Inf or NaN: there the plain product holds.
  __aicore__ inline void Means(const SplitRows& sums, const AscendC::LocalTensor<float>& rstd) {
    const AscendC::LocalTensor<float> factor = sums.spare;
    AscendC::Muls(factor, rstd, factor_, sums.rows);
    if (takes_whole_sum_) {
      ProductOfSum(sums, factor);
    } else {
      ProductOfParts(sums, rstd, factor);
    }
    AscendC::PipeBarrier<PIPE_V>();
  }

 private:
  static constexpr uint32_t kBlockBytes = 32;
  // Of so few columns, a power of two, the factor is exact, and a second rounding costs less than
  // the product of parts: 1.6 slope cycles per 64 elements of 8 columns.
  static constexpr uint32_t kMostWholeCols = 16;

  // Of `sum` and `plain`, which are written to their ends, what is a number, into `result`.
  __aicore__ inline void Choose(const AscendC::LocalTensor<float>& result,
                                const AscendC::LocalTensor<float>& sum,
                                const AscendC::LocalTensor<float>& plain, uint32_t rows) {
    const AscendC::LocalTensor<uint8_t> is_number = buf_.Get<uint8_t>()[kBlockBytes];
    AscendC::Compare(is_number, sum, sum, AscendC::CMPMODE::EQ, RoundUp(rows, kRepeatElemsFp32));
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Select(result, is_number, sum, plain, AscendC::SELMODE::VSEL_TENSOR_TENSOR_MODE, rows);
  }

  __aicore__ inline void ProductOfSum(const SplitRows& sums,
                                      const AscendC::LocalTensor<float>& factor) {
    const AscendC::LocalTensor<float> sum = sums.spare[sums.pitch];
    AscendC::Add(sum, sums.upper, sums.lower, RoundUp(sums.rows, kRepeatElemsFp32));
    AscendC::PipeBarrier<PIPE_V>();
    Choose(sums.upper, sum, sums.upper, sums.rows);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Mul(sums.upper, sums.upper, factor, sums.rows);
  }

  __aicore__ inline void Upper(const AscendC::LocalTensor<float>& upper,
                               const AscendC::LocalTensor<float>& src, uint32_t count) {
    ForGrid(1, count, RoundUp(count, kRepeatElemsFp32), TakeUpper{upper, src, UpperHalf()});
  }

  // f2 = -(rstd + f1 cols) / cols
  __aicore__ inline void ProductOfParts(const SplitRows& sums,
                                        const AscendC::LocalTensor<float>& rstd,
                                        const AscendC::LocalTensor<float>& factor) {
    const uint32_t rows = sums.rows;
    const AscendC::LocalTensor<float> plain = sums.spare[sums.pitch];
    const AscendC::LocalTensor<float> f1 = sums.spare[2 * sums.pitch];
    const AscendC::LocalTensor<float> f2 = sums.spare[3 * sums.pitch];
    const AscendC::LocalTensor<float> u1 = sums.spare[4 * sums.pitch];
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Mul(plain, sums.upper, factor, rows);
    Upper(f1, factor, rows);
    Upper(u1, sums.upper, rows);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Muls(f2, f1, cols_, rows);
    AscendC::Sub(sums.upper, sums.upper, u1, rows);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Add(f2, f2, rstd, rows);
    AscendC::Add(sums.lower, sums.lower, sums.upper, rows);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Muls(f2, f2, factor_, rows);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Mul(sums.upper, u1, f2, rows);
    AscendC::PipeBarrier<PIPE_V>();
    AddProduct(sums.upper, sums.lower, factor, rows);
    AscendC::PipeBarrier<PIPE_V>();
    AddProduct(sums.upper, u1, f1, rows);
    AscendC::PipeBarrier<PIPE_V>();
    Choose(sums.upper, sums.upper, plain, rows);
  }

  uint32_t terms_;
  float cols_;
  float factor_;  // -1 / cols
  bool takes_whole_sum_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> buf_;  // a block of kUpperHalf; a bit per row
};

#endif  // OP_KERNEL_COMMON_SPLIT_SUM_H_
