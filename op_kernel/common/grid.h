// Vector instructions over a rows x cols piece of UB in which an operand does not step like the
// data: one value per row, one value per column, or the same array further on.
//
// An instruction takes 8 blocks of 8 fp32 and repeats at most 255 times; its blocks and its repeats
// step as told. Three shapes cover every piece with full instructions:
//   across  64 columns a repeat, along one row;
//   down    64 columns a repeat, row after row;
//   eight   8 columns of 8 rows a repeat, for what is left beside the 64s: 129 columns take 2.1
//           repeats a row instead of 3, 8 columns an eighth of one.
#ifndef OP_KERNEL_COMMON_GRID_H_
#define OP_KERNEL_COMMON_GRID_H_

#include "op_kernel/common/units.h"

constexpr uint32_t kMaxStride = 255;  // of blocks and repeats, in blocks

// One instruction. Strides are in blocks: of the data, of an array with one block per row, of one
// row that every row meets.
struct GridPiece {
  uint32_t row;
  uint32_t col;
  uint32_t offset;  // of (row, col) in elements
  uint8_t repeats;
  uint8_t data_block, data_repeat;
  uint8_t row_block, row_repeat;
  uint8_t column_block, column_repeat;
  uint64_t mask[2];  // lanes of a repeat
};

__aicore__ inline uint64_t FirstLanes(uint32_t lanes) {
  return lanes >= kRepeatElemsFp32 ? ~uint64_t{0} : (uint64_t{1} << lanes) - 1;
}

// The first `cols` columns of each of `rows` blocks.
__aicore__ inline uint64_t FirstColumns(uint32_t rows, uint32_t cols) {
  constexpr uint64_t kFirstOfEach = 0x0101010101010101;
  const uint64_t columns = (uint64_t{1} << cols) - 1;
  return FirstLanes(rows * kBlockElemsFp32) & (kFirstOfEach * columns);
}

template <typename Op>
__aicore__ inline void GoDown(uint32_t rows, uint32_t first_col, uint32_t cols, uint32_t pitch,
                              const Op& op) {
  GridPiece piece = {};
  piece.col = first_col;
  piece.data_block = 1;
  piece.data_repeat = static_cast<uint8_t>(pitch / kBlockElemsFp32);
  piece.row_repeat = 1;
  piece.column_block = 1;
  piece.mask[0] = FirstLanes(cols);
  for (uint32_t row = 0; row < rows; row += kMaxRepeats) {
    piece.row = row;
    piece.offset = row * pitch + first_col;
    piece.repeats = static_cast<uint8_t>(Smaller(kMaxRepeats, rows - row));
    op(piece);
  }
}

template <typename Op>
__aicore__ inline void GoAcross(uint32_t row, uint32_t cols, uint32_t pitch, const Op& op) {
  GridPiece piece = {};
  piece.row = row;
  piece.data_block = 1;
  piece.data_repeat = 8;
  piece.column_block = 1;
  piece.column_repeat = 8;
  for (uint32_t col = 0; col < cols;) {
    const uint32_t left = (cols - col) / kRepeatElemsFp32;
    piece.col = col;
    piece.offset = row * pitch + col;
    piece.mask[0] = FirstLanes(cols - col);
    piece.repeats = static_cast<uint8_t>(left > 0 ? Smaller(kMaxRepeats, left) : 1);
    op(piece);
    col += piece.repeats * kRepeatElemsFp32;
  }
}

// Columns [first_col, first_col + cols), fewer than 64, eight rows at a time.
template <typename Op>
__aicore__ inline void GoByEight(uint32_t rows, uint32_t first_col, uint32_t cols, uint32_t pitch,
                                 const Op& op) {
  constexpr uint32_t kRowsPerRepeat = 8;
  GridPiece piece = {};
  piece.data_block = static_cast<uint8_t>(pitch / kBlockElemsFp32);
  piece.data_repeat = static_cast<uint8_t>(kRowsPerRepeat * piece.data_block);
  piece.row_block = 1;
  piece.row_repeat = 8;
  for (uint32_t col = 0; col < cols; col += kBlockElemsFp32) {
    const uint32_t lanes = Smaller(kBlockElemsFp32, cols - col);
    piece.col = first_col + col;
    for (uint32_t row = 0; row < rows;) {
      const uint32_t repeats = Smaller(kMaxRepeats, (rows - row) / kRowsPerRepeat);
      const uint32_t done = repeats > 0 ? repeats * kRowsPerRepeat : rows - row;
      piece.row = row;
      piece.offset = row * pitch + piece.col;
      piece.repeats = static_cast<uint8_t>(repeats > 0 ? repeats : 1);
      piece.mask[0] = FirstColumns(Smaller(kRowsPerRepeat, done), lanes);
      op(piece);
      row += done;
    }
  }
}

template <typename Op>
__aicore__ inline void ForGrid(uint32_t rows, uint32_t cols, uint32_t pitch, const Op& op) {
  const uint32_t pitch_blocks = pitch / kBlockElemsFp32;
  const uint32_t rest = cols % kRepeatElemsFp32;
  const uint32_t groups = cols / kRepeatElemsFp32 + (rest > 0 ? 1 : 0);
  if (pitch_blocks > kMaxStride || rows < groups) {
    for (uint32_t row = 0; row < rows; ++row) GoAcross(row, cols, pitch, op);
    return;
  }
  const uint32_t wide = cols - rest;
  for (uint32_t col = 0; col < wide; col += kRepeatElemsFp32) {
    GoDown(rows, col, kRepeatElemsFp32, pitch, op);
  }
  if (rest == 0) return;
  const uint32_t by_eight = (rest + 7) / 8 * ((rows + 7) / 8);
  if (8 * pitch_blocks <= kMaxStride && by_eight < rows) {
    GoByEight(rows, wide, rest, pitch, op);
  } else {
    GoDown(rows, wide, rest, pitch, op);
  }
}

// Both operands step like the data.
__aicore__ inline AscendC::BinaryRepeatParams SameSteps(const GridPiece& p) {
  return {p.data_block, p.data_block, p.data_block, p.data_repeat, p.data_repeat, p.data_repeat};
}

// src1 is one 32 B block per row, all of its lanes equal.
__aicore__ inline AscendC::BinaryRepeatParams RowSteps(const GridPiece& p) {
  return {p.data_block, p.data_block, p.row_block, p.data_repeat, p.data_repeat, p.row_repeat};
}

// src1 is one row that every row meets.
__aicore__ inline AscendC::BinaryRepeatParams ColumnSteps(const GridPiece& p) {
  return {p.data_block,  p.data_block,  p.column_block,
          p.data_repeat, p.data_repeat, p.column_repeat};
}

// dst = src * (the row's value)
struct MulByRow {
  AscendC::LocalTensor<float> dst;
  AscendC::LocalTensor<float> src;
  AscendC::LocalTensor<float> row_blocks;
  __aicore__ inline void operator()(GridPiece& p) const {
    AscendC::Mul(dst[p.offset], src[p.offset], row_blocks[p.row * kBlockElemsFp32], p.mask,
                 p.repeats, RowSteps(p));
  }
};

// dst = src - (the row's value)
struct SubByRow {
  AscendC::LocalTensor<float> dst;
  AscendC::LocalTensor<float> src;
  AscendC::LocalTensor<float> row_blocks;
  __aicore__ inline void operator()(GridPiece& p) const {
    AscendC::Sub(dst[p.offset], src[p.offset], row_blocks[p.row * kBlockElemsFp32], p.mask,
                 p.repeats, RowSteps(p));
  }
};

// dst = src * (the column's value)
struct MulByColumn {
  AscendC::LocalTensor<float> dst;
  AscendC::LocalTensor<float> src;
  AscendC::LocalTensor<float> columns;
  __aicore__ inline void operator()(GridPiece& p) const {
    AscendC::Mul(dst[p.offset], src[p.offset], columns[p.col], p.mask, p.repeats, ColumnSteps(p));
  }
};

// dst = a * b, on the columns that exist
struct MulEach {
  AscendC::LocalTensor<float> dst;
  AscendC::LocalTensor<float> a;
  AscendC::LocalTensor<float> b;
  __aicore__ inline void operator()(GridPiece& p) const {
    AscendC::Mul(dst[p.offset], a[p.offset], b[p.offset], p.mask, p.repeats, SameSteps(p));
  }
};

// dst = a + b, on the columns that exist
struct AddEach {
  AscendC::LocalTensor<float> dst;
  AscendC::LocalTensor<float> a;
  AscendC::LocalTensor<float> b;
  __aicore__ inline void operator()(GridPiece& p) const {
    AscendC::Add(dst[p.offset], a[p.offset], b[p.offset], p.mask, p.repeats, SameSteps(p));
  }
};

// dst = 0, on the columns that exist
struct SetZero {
  AscendC::LocalTensor<float> dst;
  __aicore__ inline void operator()(GridPiece& p) const {
    AscendC::Duplicate(dst[p.offset], 0.0f, p.mask, p.repeats, p.data_block, p.data_repeat);
  }
};

// data += data further on: one level of a sum by halving
__aicore__ inline AddEach AddShifted(const AscendC::LocalTensor<float>& data,
                                     uint32_t shift_elems) {
  return {data, data, data[shift_elems]};
}

// dst = a * b; what lies between the rows is left alone.
__aicore__ inline void MulRows(const AscendC::LocalTensor<float>& dst,
                               const AscendC::LocalTensor<float>& a,
                               const AscendC::LocalTensor<float>& b, uint32_t rows, uint32_t cols,
                               uint32_t pitch) {
  if (cols == pitch || rows == 1) {
    AscendC::Mul(dst, a, b, static_cast<int32_t>(rows * cols));
  } else {
    ForGrid(rows, cols, pitch, MulEach{dst, a, b});
  }
}

#endif  // OP_KERNEL_COMMON_GRID_H_
