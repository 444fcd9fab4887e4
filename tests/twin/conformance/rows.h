// Runs a table of vector calls in one launch. Every row is one call, on operands that are loaded
// whole before it and a destination that is stored whole after it: what a call must leave alone is
// seen, too. A unit includes this header and defines Call.
#ifndef TESTS_TWIN_CONFORMANCE_ROWS_H_
#define TESTS_TWIN_CONFORMANCE_ROWS_H_

#include <cstring>

#include "kernel_operator.h"

using namespace AscendC;

enum Form : uint32_t {
  kFirst,         // the first n elements
  kLanes,         // repeats, a mask that counts lanes
  kBits,          // repeats, a mask with one bit per lane
  kRegister,      // as kLanes, but the mask register stands
  kRegisterBits,  // as kBits, but the mask register stands
  kCounter,       // counter mode, the mask register stands
  kCounted,       // counter mode, the call sets the count
};

struct Row {
  uint32_t api;    // in the order of the unit's own list
  uint32_t dtype;  // as normgrad::twin::Dtype, as is `other`
  uint32_t other;  // element type of a second kind of operand
  uint32_t form;
  uint32_t count;
  uint32_t repeats;
  uint32_t mode;   // of rounding, comparison, selection, order
  uint32_t alias;  // 1: src0 is dst, 2: src1 is dst
  uint64_t mask[2];
  uint32_t strides[6];  // in the order of the call's parameters
  uint8_t scalar[8];    // in the element's format
  uint32_t sets[3];     // which of the prepared operands: dst, src0, src1
  uint32_t control;     // on 3510: Control bits
};

// What a row changes in the control register; all of it is restored after its call.
enum Control : uint32_t { kEachDecides = 1, kSaturate = 2, kTruncate = 4, kIntegersSaturate = 8 };

struct RowsTiling {
  uint32_t rows;
  uint32_t unused;
};

struct Operands {
  LocalTensor<uint8_t> dst, src0, src1, tmp;
  uint8_t* spare;  // GM: the place of this row's result
};

constexpr uint32_t kOperandBytes = 16384;

void Call(const Row& row, const Operands& o);

template <typename T>
LocalTensor<T> As(const LocalTensor<uint8_t>& bytes) {
  return bytes.ReinterpretCast<T>();
}

template <typename T>
T ScalarOf(const Row& row) {
  T value;
  std::memcpy(&value, row.scalar, sizeof value);
  return value;
}

inline uint8_t U8(uint32_t value) { return static_cast<uint8_t>(value); }
inline uint16_t U16(uint32_t value) { return static_cast<uint16_t>(value); }
inline int32_t I32(uint64_t value) { return static_cast<int32_t>(value); }

inline BinaryRepeatParams Binary(const Row& row) {
  const uint32_t* s = row.strides;
  return {U8(s[0]), U8(s[1]), U8(s[2]), U8(s[3]), U8(s[4]), U8(s[5])};
}
inline UnaryRepeatParams Unary(const Row& row) {
  const uint32_t* s = row.strides;
  return {U16(s[0]), U16(s[1]), U8(s[2]), U8(s[3])};
}

constexpr uint64_t kPlaceholder = MASK_PLACEHOLDER;

// All forms of one call. `first`, `lanes`, `bits` are its arguments behind the operands.
#define CALL_FORMS(name, set_mask, stands, operands, lanes_params)                     \
  if (row.form == kFirst) name set_mask(operands, I32(row.count));                     \
  if (row.form == kLanes || row.form == kCounted)                                      \
    name set_mask(operands, row.mask[0], U8(row.repeats), lanes_params);               \
  if (row.form == kBits) name set_mask(operands, mask, U8(row.repeats), lanes_params); \
  if (row.form == kRegister || row.form == kCounter)                                   \
    name stands(operands, kPlaceholder, U8(row.repeats), lanes_params);                \
  if (row.form == kRegisterBits) name stands(operands, mask, U8(row.repeats), lanes_params);

inline void BeforeRow(const Row& row) {
  if (row.form == kRegister || row.form == kRegisterBits) {
    SetVectorMask<half>(row.mask[1], row.mask[0]);
  }
#if __NPU_ARCH__ != 1001
  if (row.form != kCounter && row.form != kCounted) return;
  SetMaskCount();
  if (row.form == kCounter) SetVectorMask<half, MaskMode::COUNTER>(0, row.mask[0]);
#endif
}

inline void SetControl([[maybe_unused]] uint32_t control, [[maybe_unused]] bool back) {
#if __NPU_ARCH__ == 3510
  if (control & kEachDecides) SetCtrlSpr<60, 60>(back);
  if (control & kSaturate) SetCtrlSpr<48, 48>(back);
  if (control & kTruncate) SetCtrlSpr<59, 59>(!back);
  if (control & kIntegersSaturate) SetCtrlSpr<53, 53>(!back);
#endif
}

inline LocalTensor<uint8_t> RowBuffer(TPipe& pipe) {
  TBuf<TPosition::VECIN> buf;
  pipe.InitBuffer(buf, kOperandBytes);
  return buf.Get<uint8_t>();
}

inline void LoadSet(const LocalTensor<uint8_t>& to, uint8_t* sets, uint32_t which) {
  GlobalTensor<uint8_t> from;
  from.SetGlobalBuffer(sets + uint64_t{which} * kOperandBytes, kOperandBytes);
  DataCopy(to, from, kOperandBytes);
}

// Arguments: rows, prepared operands, results, workspace, tiling.
inline void RunRows(uint8_t* const* args) {
  if (!TILING_KEY_IS(0)) return;
  GET_TILING_DATA_WITH_STRUCT(RowsTiling, t, args[4]);
  TPipe pipe;
  const Operands loaded{RowBuffer(pipe), RowBuffer(pipe), RowBuffer(pipe), RowBuffer(pipe),
                        nullptr};
  for (uint32_t i = 0; i < t.rows; ++i) {
    Row row;
    std::memcpy(&row, args[0] + i * sizeof row, sizeof row);
    Operands o = loaded;
    o.spare = args[2] + uint64_t{i} * kOperandBytes;
    LoadSet(o.dst, args[1], row.sets[0]);
    LoadSet(o.src0, args[1], row.sets[1]);
    LoadSet(o.src1, args[1], row.sets[2]);
    LoadSet(o.tmp, args[1], row.sets[0]);
    PipeBarrier<PIPE_ALL>();
    if (row.alias == 1) o.src0 = o.dst;
    if (row.alias == 2) o.src1 = o.dst;
    BeforeRow(row);
    SetControl(row.control, false);
    Call(row, o);
    SetControl(row.control, true);
    SetMaskNorm();
    ResetMask();
    PipeBarrier<PIPE_ALL>();
    GlobalTensor<uint8_t> out;
    out.SetGlobalBuffer(o.spare, kOperandBytes);
    DataCopy(out, o.dst, kOperandBytes);
    PipeBarrier<PIPE_ALL>();
  }
}

extern "C" const unsigned normgrad_unit_arch = __NPU_ARCH__;

extern "C" void normgrad_unit_launch(uint8_t* const* args) { RunRows(args); }

#endif  // TESTS_TWIN_CONFORMANCE_ROWS_H_
