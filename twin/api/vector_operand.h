// Operands of vector instructions, repeat by repeat. For the .cpp files of the library only.
#ifndef NORMGRAD_TWIN_API_VECTOR_OPERAND_H_
#define NORMGRAD_TWIN_API_VECTOR_OPERAND_H_

#include <cstring>
#include <initializer_list>

#include "twin/api/lanes.h"

namespace normgrad::twin {

struct VectorOperand {
  UbOperand at;
  const char* name;
  Stride stride;
  uint32_t element_bytes;

  uint32_t At(uint32_t repeat) const { return at.begin + repeat * stride.repeat * kBlockBytes; }
};

// Sums and products of this type keep to its finite range.
inline bool Saturates(Instruction& in, Dtype dtype) {
  const ControlRegister& control = in.core().control();
  const bool is_float = dtype == Dtype::kF32 || dtype == Dtype::kF16 || dtype == Dtype::kBf16;
  return is_float ? control.arithmetic_saturates() : control.integers_saturate();
}

// What every element by element instruction announces; false: it must not be carried out.
bool Announce(Instruction& in, const Lanes& lanes, const VectorOperand& dst, bool reads_dst,
              std::initializer_list<VectorOperand> sources);

constexpr uint32_t kLineBytes = 256;   // all lanes of one repeat of the widest operand
constexpr uint32_t kSpreadLines = 16;  // 4 KB: long enough for vector code, short enough for L1

// One source operand, repeat by repeat, as contiguous lanes.
class Source {
 public:
  Source(Instruction& in, const VectorOperand& operand, const Lanes& lanes)
      : in_(in),
        begin_(operand.at.begin),
        stride_(operand.stride),
        lanes_(lanes.WithElementBytes(operand.element_bytes)) {}

  const uint8_t* Repeat(uint32_t repeat) {
    const uint32_t at = begin_ + repeat * stride_.repeat * kBlockBytes;
    if (stride_.block == 1) return in_.ub(at);
    // Up to the last active lane: what lies behind may be outside of UB.
    const uint32_t blocks = lanes_.blocks(repeat);
    for (uint32_t block = 0; block < blocks; ++block) {
      std::memcpy(line_ + block * kBlockBytes, in_.ub(at + block * stride_.block * kBlockBytes),
                  kBlockBytes);
    }
    return line_;
  }

 private:
  Instruction& in_;
  const uint32_t begin_;
  const Stride stride_;
  const Lanes lanes_;
  alignas(64) uint8_t line_[kLineBytes];
};

// Runs f(repeat, dst lanes, first lane, lanes) for every repeat and run of active lanes. A
// destination with a block stride is worked on in a line of its own and written back block by
// block.
template <typename F>
void ForEachDestination(Instruction& in, const VectorOperand& dst, const Lanes& lanes, F f) {
  const uint32_t element = dst.element_bytes;
  alignas(64) uint8_t line[kLineBytes];
  for (uint32_t repeat = 0; repeat < lanes.repeats(); ++repeat) {
    const uint32_t at = dst.at.begin + repeat * dst.stride.repeat * kBlockBytes;
    if (dst.stride.block == 1) {
      lanes.ForEachRun(repeat, lanes.lanes(), [&](uint32_t lane, uint32_t count) {
        f(repeat, in.ub(at + lane * element), lane, count);
      });
      continue;
    }
    lanes.ForEachRun(repeat, kBlockBytes / element, [&](uint32_t lane, uint32_t count) {
      const uint32_t offset = lane * element;
      uint8_t* home =
          in.ub(at + offset / kBlockBytes * dst.stride.block * kBlockBytes + offset % kBlockBytes);
      std::memcpy(line, home, count * element);
      f(repeat, line, lane, count);
      std::memcpy(home, line, count * element);
    });
  }
}

inline bool Contiguous(const Lanes& lanes, std::initializer_list<VectorOperand> operands) {
  if (lanes.contiguous() == 0) return false;
  for (const VectorOperand& operand : operands) {
    if (!lanes.contiguous(operand.stride, operand.element_bytes)) return false;
  }
  return true;
}

// How many lanes each repeat has, if they are its first ones and operands have no gaps inside a
// repeat; else 0.
inline uint32_t LanesOfRows(const Lanes& lanes, std::initializer_list<VectorOperand> operands) {
  for (const VectorOperand& operand : operands) {
    if (operand.stride.block != 1) return 0;
  }
  return lanes.same_first();
}

// Element by element with one or two sources: f(dst, source lanes..., count).
template <typename F>
void RunUnary(Instruction& in, const Lanes& lanes, const VectorOperand& dst,
              const VectorOperand& src, F f) {
  if (Contiguous(lanes, {dst, src})) {
    f(in.ub(dst.at.begin), in.ub(src.at.begin), lanes.contiguous());
    return;
  }
  if (const uint32_t n = LanesOfRows(lanes, {dst, src}); n > 0) {
    for (uint32_t repeat = 0; repeat < lanes.repeats(); ++repeat) {
      f(in.ub(dst.At(repeat)), in.ub(src.At(repeat)), n);
    }
    return;
  }
  Source a(in, src, lanes);
  ForEachDestination(in, dst, lanes, [&](uint32_t repeat, uint8_t* d, uint32_t lane, uint32_t n) {
    f(d, a.Repeat(repeat) + lane * src.element_bytes, n);
  });
}

// The common case of src1 with the same blocks in every repeat, while the others are contiguous:
// its line is spread once, so that f works on many repeats at a time. False: not that case.
template <typename F>
bool RunWithOneLine(Instruction& in, const Lanes& lanes, const VectorOperand& dst,
                    const VectorOperand& src0, const VectorOperand& src1, F f) {
  const uint32_t bytes = dst.element_bytes;
  if (src1.stride.repeat != 0 || lanes.repeats() < 2 || !Contiguous(lanes, {dst, src0}) ||
      src0.element_bytes != bytes || src1.element_bytes != bytes) {
    return false;
  }
  const uint32_t count = static_cast<uint32_t>(lanes.contiguous());
  const uint32_t line_bytes = lanes.lanes() * bytes;
  const uint32_t hull_bytes =
      (line_bytes / kBlockBytes - 1) * src1.stride.block * kBlockBytes + kBlockBytes;
  // A line that an early repeat writes to reads differently in a later one.
  if (dst.at.begin < src1.at.begin + hull_bytes && src1.at.begin < dst.at.begin + count * bytes) {
    return false;
  }
  Source source(in, src1, lanes);
  const uint8_t* line = source.Repeat(0);
  alignas(64) uint8_t spread[kSpreadLines * kLineBytes];
  const uint32_t lines = std::min(lanes.repeats(), kSpreadLines);
  for (uint32_t i = 0; i < lines; ++i) std::memcpy(spread + i * line_bytes, line, line_bytes);
  for (uint32_t done = 0; done < count; done += lines * lanes.lanes()) {
    f(in.ub(dst.at.begin + done * bytes), in.ub(src0.at.begin + done * bytes), spread,
      std::min(count - done, lines * lanes.lanes()));
  }
  return true;
}

template <typename F>
void RunBinary(Instruction& in, const Lanes& lanes, const VectorOperand& dst,
               const VectorOperand& src0, const VectorOperand& src1, F f) {
  if (Contiguous(lanes, {dst, src0, src1})) {
    f(in.ub(dst.at.begin), in.ub(src0.at.begin), in.ub(src1.at.begin), lanes.contiguous());
    return;
  }
  if (RunWithOneLine(in, lanes, dst, src0, src1, f)) return;
  if (const uint32_t n = LanesOfRows(lanes, {dst, src0, src1}); n > 0) {
    for (uint32_t repeat = 0; repeat < lanes.repeats(); ++repeat) {
      f(in.ub(dst.At(repeat)), in.ub(src0.At(repeat)), in.ub(src1.At(repeat)), n);
    }
    return;
  }
  Source a(in, src0, lanes);
  Source b(in, src1, lanes);
  ForEachDestination(in, dst, lanes, [&](uint32_t repeat, uint8_t* d, uint32_t lane, uint32_t n) {
    f(d, a.Repeat(repeat) + lane * src0.element_bytes, b.Repeat(repeat) + lane * src1.element_bytes,
      n);
  });
}

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_API_VECTOR_OPERAND_H_
