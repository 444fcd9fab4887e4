// LocalTensor and GlobalTensor: typed views of UB and GM.
#ifndef NORMGRAD_TWIN_API_TENSOR_H_
#define NORMGRAD_TWIN_API_TENSOR_H_

#include <cstdint>

#include "twin/machine/dtype.h"
#include "twin/machine/ids.h"
#include "twin/machine/site.h"

namespace normgrad::twin {

struct UbOperand {
  uint32_t begin;   // byte address in UB
  uint16_t buffer;  // id of the Buffer it lies in
};

// Scalar accesses, out of line: meaning in scalar.cpp.
void LocalGet(const UbOperand& operand, uint64_t offset_bytes, void* value, uint32_t bytes, Site);
void LocalSet(const UbOperand& operand, uint64_t offset_bytes, const void* value, uint32_t bytes,
              Site);
void GlobalGet(const uint8_t* address, void* value, uint32_t bytes, Site);
void GlobalSet(uint8_t* address, const void* value, uint32_t bytes, Site);
uint8_t* UbAddress(uint32_t begin);  // where the byte is in this process

}  // namespace normgrad::twin

namespace AscendC {

template <typename T>
class LocalTensor {
 public:
  using PrimType = T;

  LocalTensor() = default;
  // Made by queues and TBufs only; `bytes` counts from `begin` to the end of what was handed out.
  LocalTensor(uint32_t begin, uint32_t bytes, uint16_t buffer, TPosition position)
      : begin_(begin), bytes_(bytes), buffer_(buffer), position_(position) {}

  LocalTensor operator[](uint32_t offset_elems) const {
    const uint32_t step = offset_elems * static_cast<uint32_t>(sizeof(T));
    return {begin_ + step, bytes_ > step ? bytes_ - step : 0, buffer_, position_};
  }

  template <typename U>
  LocalTensor<U> ReinterpretCast() const {
    return {begin_, bytes_, buffer_, position_};
  }

  T GetValue(uint32_t index, NORMGRAD_SITE) const {
    T value;
    normgrad::twin::LocalGet(Operand(), uint64_t{index} * sizeof(T), &value, sizeof(T), site);
    return value;
  }
  void SetValue(uint32_t index, T value, NORMGRAD_SITE) const {
    normgrad::twin::LocalSet(Operand(), uint64_t{index} * sizeof(T), &value, sizeof(T), site);
  }

  uint32_t GetSize() const { return bytes_ / static_cast<uint32_t>(sizeof(T)); }
  T* GetPhyAddr() const { return reinterpret_cast<T*>(normgrad::twin::UbAddress(begin_)); }
  TPosition GetPosition() const { return position_; }

  normgrad::twin::UbOperand Operand() const { return {begin_, buffer_}; }

 private:
  uint32_t begin_ = 0;
  uint32_t bytes_ = 0;
  uint16_t buffer_ = 0;
  TPosition position_ = TPosition::VECCALC;
};

template <typename T>
class GlobalTensor {
 public:
  using PrimType = T;

  void SetGlobalBuffer(T* address, uint64_t size_elems) {
    address_ = address;
    size_elems_ = size_elems;
  }
  void SetGlobalBuffer(T* address) { SetGlobalBuffer(address, 0); }

  GlobalTensor operator[](uint64_t offset_elems) const {
    GlobalTensor moved;
    moved.SetGlobalBuffer(address_ + offset_elems, size_elems_);
    return moved;
  }

  T GetValue(uint64_t index, NORMGRAD_SITE) const {
    T value;
    normgrad::twin::GlobalGet(Bytes() + index * sizeof(T), &value, sizeof(T), site);
    return value;
  }
  void SetValue(uint64_t index, T value, NORMGRAD_SITE) const {
    normgrad::twin::GlobalSet(Bytes() + index * sizeof(T), &value, sizeof(T), site);
  }

  const T* GetPhyAddr() const { return address_; }
  uint64_t GetSize() const { return size_elems_; }

  uint8_t* Bytes() const { return reinterpret_cast<uint8_t*>(address_); }

 private:
  T* address_ = nullptr;
  uint64_t size_elems_ = 0;
};

}  // namespace AscendC

#endif  // NORMGRAD_TWIN_API_TENSOR_H_
