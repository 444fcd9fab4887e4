// Where the dtype of dy, x, gamma and dx meets fp32, the dtype of all arithmetic. A 16-bit tensor
// is cast into a work array; an fp32 tensor is worked on in place, in its queue's own buffer.
#ifndef OP_KERNEL_COMMON_FP32_EDGE_H_
#define OP_KERNEL_COMMON_FP32_EDGE_H_

#include "kernel_operator.h"

// To nearest even. To fp16 that is what the mode NONE does, which all chips have.
template <typename T>
constexpr AscendC::RoundMode kNarrowingMode = AscendC::RoundMode::CAST_RINT;
template <>
constexpr AscendC::RoundMode kNarrowingMode<half> = AscendC::RoundMode::CAST_NONE;

template <typename T>
struct Fp32Edge {
  static constexpr bool kInPlace = false;

  __aicore__ static inline AscendC::LocalTensor<float> Load(const AscendC::LocalTensor<T>& src,
                                                            const AscendC::LocalTensor<float>& work,
                                                            uint32_t count) {
    AscendC::Cast(work, src, AscendC::RoundMode::CAST_NONE, count);
    return work;
  }

  // Where the result is computed before Store.
  __aicore__ static inline AscendC::LocalTensor<float> Target(
      const AscendC::LocalTensor<T>&, const AscendC::LocalTensor<float>& work) {
    return work;
  }

  __aicore__ static inline void Store(const AscendC::LocalTensor<T>& dst,
                                      const AscendC::LocalTensor<float>& result, uint32_t count) {
    AscendC::PipeBarrier<PIPE_V>();
    Narrow(dst, result, count);
  }

  __aicore__ static inline void Widen(const AscendC::LocalTensor<float>& dst,
                                      const AscendC::LocalTensor<T>& src, uint32_t count) {
    AscendC::Cast(dst, src, AscendC::RoundMode::CAST_NONE, count);
  }

  __aicore__ static inline void Narrow(const AscendC::LocalTensor<T>& dst,
                                       const AscendC::LocalTensor<float>& src, uint32_t count) {
    AscendC::Cast(dst, src, kNarrowingMode<T>, count);
  }
};

template <>
struct Fp32Edge<float> {
  static constexpr bool kInPlace = true;

  __aicore__ static inline AscendC::LocalTensor<float> Load(const AscendC::LocalTensor<float>& src,
                                                            const AscendC::LocalTensor<float>&,
                                                            uint32_t) {
    return src;
  }

  __aicore__ static inline AscendC::LocalTensor<float> Target(
      const AscendC::LocalTensor<float>& dst, const AscendC::LocalTensor<float>&) {
    return dst;
  }

  __aicore__ static inline void Store(const AscendC::LocalTensor<float>&,
                                      const AscendC::LocalTensor<float>&, uint32_t) {}

  __aicore__ static inline void Widen(const AscendC::LocalTensor<float>& dst,
                                      const AscendC::LocalTensor<float>& src, uint32_t count) {
    AscendC::DataCopy(dst, src, count);
  }

  __aicore__ static inline void Narrow(const AscendC::LocalTensor<float>& dst,
                                       const AscendC::LocalTensor<float>& src, uint32_t count) {
    AscendC::DataCopy(dst, src, count);
  }
};

#endif  // OP_KERNEL_COMMON_FP32_EDGE_H_
