// Vector instructions over a rows x cols piece of UB in which an operand does not step like the
// data: one value per row, one value per column, or the same array further on.
//
// One instruction repeats at most 255 times. Repeats step either down the rows (one group of 64
// columns at a time) or across a row; the shape that needs fewer instructions is taken.
#ifndef OP_KERNEL_RMS_NORM_GRAD_GRID_H_
#define OP_KERNEL_RMS_NORM_GRAD_GRID_H_

#include "op_kernel/rms_norm_grad/gm_rows.h"

// What one instruction works on: `repeats` times `lanes` columns from (row, col), stepping by
// `step_blocks`; `down` tells whether a step is one row or 64 columns.
struct GridPiece {
  uint32_t row;
  uint32_t col;
  uint32_t offset;  // of (row, col) in elements
  uint64_t lanes;
  uint8_t repeats;
  uint8_t step_blocks;
  bool down;
};

template <typename Op>
__aicore__ inline void ForGrid(uint32_t rows, uint32_t cols, uint32_t pitch, const Op& op) {
  const uint32_t pitch_blocks = pitch / kBlockElemsFp32;
  const uint32_t groups = (cols + kRepeatElemsFp32 - 1) / kRepeatElemsFp32;
  GridPiece piece;
  if (pitch_blocks <= 255 && rows >= groups) {
    piece.down = true;
    piece.step_blocks = static_cast<uint8_t>(pitch_blocks);
    for (uint32_t col = 0; col < cols; col += kRepeatElemsFp32) {
      piece.col = col;
      piece.lanes = Smaller(kRepeatElemsFp32, cols - col);
      for (uint32_t row = 0; row < rows; row += kMaxRepeats) {
        piece.row = row;
        piece.offset = row * pitch + col;
        piece.repeats = static_cast<uint8_t>(Smaller(kMaxRepeats, rows - row));
        op(piece);
      }
    }
    return;
  }
  piece.down = false;
  piece.step_blocks = 8;
  for (uint32_t row = 0; row < rows; ++row) {
    piece.row = row;
    for (uint32_t col = 0; col < cols;) {
      const uint32_t left = (cols - col) / kRepeatElemsFp32;
      piece.col = col;
      piece.offset = row * pitch + col;
      piece.lanes = left > 0 ? kRepeatElemsFp32 : cols - col;
      piece.repeats = static_cast<uint8_t>(left > 0 ? Smaller(kMaxRepeats, left) : 1);
      op(piece);
      col += left > 0 ? piece.repeats * kRepeatElemsFp32 : cols - col;
    }
  }
}

// Both operands step like the data.
__aicore__ inline AscendC::BinaryRepeatParams SameSteps(const GridPiece& p) {
  return {1, 1, 1, p.step_blocks, p.step_blocks, p.step_blocks};
}

// src1 is one 32 B block per row, all of its lanes equal: block stride 0 repeats it over the
// columns.
__aicore__ inline AscendC::BinaryRepeatParams RowSteps(const GridPiece& p) {
  return {1, 1, 0, p.step_blocks, p.step_blocks, static_cast<uint8_t>(p.down ? 1 : 0)};
}

// src1 is one row that every row meets.
__aicore__ inline AscendC::BinaryRepeatParams ColumnSteps(const GridPiece& p) {
  return {1, 1, 1, p.step_blocks, p.step_blocks, static_cast<uint8_t>(p.down ? 0 : 8)};
}

// dst = src * (the row's value)
struct MulByRow {
  AscendC::LocalTensor<float> dst;
  AscendC::LocalTensor<float> src;
  AscendC::LocalTensor<float> row_blocks;
  __aicore__ inline void operator()(const GridPiece& p) const {
    AscendC::Mul(dst[p.offset], src[p.offset], row_blocks[p.row * kBlockElemsFp32], p.lanes,
                 p.repeats, RowSteps(p));
  }
};

// dst += src * (the row's value)
struct AddScaledByRow {
  AscendC::LocalTensor<float> dst;
  AscendC::LocalTensor<float> src;
  AscendC::LocalTensor<float> row_blocks;
  __aicore__ inline void operator()(const GridPiece& p) const {
    AscendC::MulAddDst(dst[p.offset], src[p.offset], row_blocks[p.row * kBlockElemsFp32], p.lanes,
                       p.repeats, RowSteps(p));
  }
};

// data *= (the column's value)
struct MulByColumn {
  AscendC::LocalTensor<float> data;
  AscendC::LocalTensor<float> columns;
  __aicore__ inline void operator()(const GridPiece& p) const {
    AscendC::Mul(data[p.offset], data[p.offset], columns[p.col], p.lanes, p.repeats,
                 ColumnSteps(p));
  }
};

// data += data further on: one level of a sum by halving
struct AddShifted {
  AscendC::LocalTensor<float> data;
  uint32_t shift_elems;
  __aicore__ inline void operator()(const GridPiece& p) const {
    AscendC::Add(data[p.offset], data[p.offset], data[p.offset + shift_elems], p.lanes, p.repeats,
                 SameSteps(p));
  }
};

#endif  // OP_KERNEL_RMS_NORM_GRAD_GRID_H_
