// The control register of a core, as far as it decides how numbers saturate. Bits, reset values and
// meaning: SetCtrlSpr page; the reset value in full: the headers of 3510 (0x1000000000000008).
#ifndef NORMGRAD_TWIN_MACHINE_CONTROL_H_
#define NORMGRAD_TWIN_MACHINE_CONTROL_H_

#include <cstdint>
#include <string>

namespace normgrad::twin {

class ControlRegister {
 public:
  static constexpr uint64_t kReset = 0x1000000000000008;
  static constexpr int kFloatsKeepInf = 48;        // 0: Inf becomes the largest, NaN 0
  static constexpr int kIntegersSaturate = 53;     // sums and products; 0: the low bits stay
  static constexpr int kConversionsTruncate = 59;  // to integers; 0: the nearest in range
  static constexpr int kGlobal = 60;  // bits 48 and 59 decide; 0: each instruction does

  // Bits 48, 59 and 60 came with 3510; on 2201 bit 48 alone exists and always counts. What the
  // chips without it do is fixed. A host may choose Inf and NaN or saturation where bit 48 exists;
  // Inf and NaN are its default.
  ControlRegister(uint32_t arch, bool saturates)
      : arch_(arch),
        bits_((arch == 3510 ? kReset : 0) | (saturates ? 0 : uint64_t{1} << kFloatsKeepInf)),
        start_(bits_) {}

  uint64_t bits() const { return bits_; }
  uint64_t at_start() const { return start_; }
  void Set(int first, uint64_t mask, uint64_t value) {
    bits_ = (bits_ & ~(mask << first)) | (value & mask) << first;
  }

  // "bit 48" or "bits 48, 60"
  static std::string BitsOf(uint64_t set) {
    std::string names;
    for (int bit = 0; bit < 64; ++bit) {
      if ((set >> bit & 1u) != 0) names += (names.empty() ? "" : ", ") + std::to_string(bit);
    }
    return ((set & (set - 1)) == 0 ? "bit " : "bits ") + names;
  }

  // fp16 arithmetic. Where each instruction decides for itself, arithmetic has no say and keeps
  // Inf and NaN.
  bool arithmetic_saturates() const { return Global() && !Bit(kFloatsKeepInf); }
  bool integers_saturate() const { return Bit(kIntegersSaturate); }
  // Conversions; `own` is what the instruction says.
  bool floats_saturate(bool own) const { return Global() ? !Bit(kFloatsKeepInf) : own; }
  bool conversions_truncate(bool own) const { return Global() ? Bit(kConversionsTruncate) : own; }

 private:
  bool Bit(int bit) const { return (bits_ >> bit & 1u) != 0; }
  bool Global() const { return arch_ != 3510 || Bit(kGlobal); }

  uint32_t arch_;
  uint64_t bits_;
  uint64_t start_;
};

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_MACHINE_CONTROL_H_
