// The plan of an operator of the family that crosses from host to kernel. C++11-clean and plain
// data: CANN's host build, CANN's kernel compiler and g++ all read this file.
#ifndef NORMGRAD_TILING_NORM_GRAD_H_
#define NORMGRAD_TILING_NORM_GRAD_H_

#include <cstdint>

// Keys reach the kernel compiler as decimal digits (it finds them by text in the preprocessed
// source), hence macros; the enum is what C++ code compares against.
#define NORM_GRAD_KEY_DX_WHOLE_ROW 1
#define NORM_GRAD_KEY_DX_IN_PLACE_ROW 2
#define NORM_GRAD_KEY_DX_SPLIT_ROW 3
#define NORM_GRAD_KEY_DX_FEW_ROWS 4

enum class NormGradKey : uint32_t {
  kDxWholeRow = 1,
  kDxInPlaceRow = 2,
  kDxSplitRow = 3,
  kDxFewRows = 4,
};
static_assert(static_cast<uint32_t>(NormGradKey::kDxWholeRow) == NORM_GRAD_KEY_DX_WHOLE_ROW,
              "the macro and the enum name one key");
static_assert(static_cast<uint32_t>(NormGradKey::kDxInPlaceRow) == NORM_GRAD_KEY_DX_IN_PLACE_ROW,
              "the macro and the enum name one key");
static_assert(static_cast<uint32_t>(NormGradKey::kDxSplitRow) == NORM_GRAD_KEY_DX_SPLIT_ROW,
              "the macro and the enum name one key");
static_assert(static_cast<uint32_t>(NormGradKey::kDxFewRows) == NORM_GRAD_KEY_DX_FEW_ROWS,
              "the macro and the enum name one key");

// Which outputs are computed, as bits.
constexpr uint32_t kWantsDx = 1;
constexpr uint32_t kWantsDgamma = 2;
constexpr uint32_t kWantsDbeta = 4;

// UB of a meeting over GM: a block for each core to count in. 32 are more cores than any chip has
// that meets so; a plan's tiles do not depend on their number.
constexpr uint32_t kMeetingBytes = 32 * 32;

// Partial sums that are added up in pairs, as one block; blocks are so in turn.
constexpr uint32_t kPartialsPerBlock = 64;

// Bytes of one buffer of each name; how many there are of a queue's is in NormGradTiling, and an
// operator that subtracts the mean has two of rstd_block, mean_block, leaf_parts and leaf_sums. A
// strategy that cuts rows (DxSplitRow, DxFewRows) has the chunk's columns where others have
// pitch_cols, and a chunk's leaves instead of a row's.
struct NormGradUbBytes {
  uint32_t dy_in;    // rows_per_tile x pitch_cols, dtype of dy; or one segment
  uint32_t x_in;     // as dy_in; in DxInPlaceRow dx is written here, over x
  uint32_t rstd_in;  // queue: rstd_rows in the dtype of rstd, in whole blocks, and as many means;
                     // rows that are cut: group_rows
  uint32_t stats_wide;   // the same in fp32 where they come in 16 bits
  uint32_t dx_out;       // queue: as dy_in, and at least a chunk's fp32 sum; not in DxInPlaceRow;
                         // in the dtype of dx
  uint32_t scale;        // a block of what dx is quantised with, and one of what it is moved by
  uint32_t gamma_in;     // queue of one: a chunk in gamma's dtype; rows that are cut only
  uint32_t gamma;        // pitch_cols: fp32 if gamma_is_wide, else gamma's dtype
  uint32_t sum_hi;       // pitch_cols fp32, rounded up to 256 B: the running sum over rows ...
  uint32_t sum_lo;       // ... and what it could not hold; 0: one accumulator
  uint32_t lane_mask;    // a bit for each column that the two-sum works on together
  uint32_t work;         // one fp32 work array; see work_arrays
  uint32_t half_rows;    // DxWholeRow: half the rows of a step, fp32, at least sum_hi; registers:
                         // per row, 64 lanes of each part of a leaf that waits for the others
  uint32_t rstd_block;   // rstd_rows (rounded up to 8) blocks of 32 B, rstd repeated 8 times
  uint32_t rstd_values;  // rstd_rows fp32, rounded up to 8; 0: steps do not all begin on eight rows
  uint32_t upper_parts;  // DxWholeRow: a step's rows, fp32, for split sums of few columns; or 0
  uint32_t mean_block;   // rows_per_step (rounded up to 8) blocks: minus the mean, times rstd; for
                         // split sums at least six times rows_per_step fp32, rounded up to 64
  uint32_t leaf_parts;   // sum_terms x rows_per_step (rounded up to 8) x leaf_pitch blocks
  uint32_t leaf_sums;    // sum_terms x rows_per_step x leaf_pitch fp32; 0: a row is one leaf
  uint32_t sum_bits;     // split sums: a block, and a bit for each row; 0: sums are plain
  uint32_t row_sums;     // rows_per_step fp32, rounded up to 8, for each sum and for minus cols; of
                         // split sums and rounded up to 64, for upper and lower ones;
                         // DxSplitRow: group_rows fp32, rounded up to 8, per level of its tree;
                         // DxFewRows: twice as many
  uint32_t lanes;        // blocks that are turned, where fp32 has no sums over lanes
  uint32_t leaf_in;      // DxFewRows: leaf sums of some rows, or 4,096 of one; or parts of
                         // leaf sums, a block each
  uint32_t leaf_read;    // DxFewRows: what such parts come to
  uint32_t leaf_tops;    // DxFewRows: 64 fp32, and one per 4,096 leaves of a row
  uint32_t partials_in;  // second phase, queue: a block of strips, fp32
  uint32_t sum_out;      // second phase, queue: a strip
  uint32_t strip_hi;     // second phase: a strip rounded up to 256 B, only for more than 64 blocks
  uint32_t strip_lo;     // second phase: as strip_hi
  uint32_t strip_mask;   // second phase: a bit for each column of strip_hi
};

struct NormGradTiling {
  // shape
  uint64_t rows;
  uint32_t cols;
  // split of rows over cores (DxFewRows: over cores / col_groups row groups): each has
  // rows_per_core, the first cores_with_one_more have deal_rows more. Under det=strong rows are
  // dealt in whole groups, the last of which may be short.
  uint64_t rows_per_core;
  uint32_t cores_with_one_more;
  uint32_t cores;
  uint32_t deal_rows;  // 1, or the rows of a group, which has a partial sum of dgamma of its own
  // tile
  uint32_t rows_per_tile;  // that are copied together
  uint32_t rows_per_step;  // that are worked on together
  uint32_t rstd_rows;      // whose rstd comes together, a multiple of rows_per_tile or all
  uint32_t copy_cols;      // columns in steps of which a row is copied: 1, or a 32 B block of dy
  uint32_t ub_cols;     // a row's columns in UB: cols in whole steps, some there twice at the end
  uint32_t pitch_cols;  // one row's length in UB: cols rounded up to 8, or to a 32 B block of dy
  uint32_t dx_pitch_cols;  // of dx where it has rows of its own: as pitch_cols, by blocks of dx
  uint32_t chunk_cols;     // columns worked on together, a multiple of 512; 0: the whole row
  uint32_t segment_cols;   // columns that are copied together, a multiple of chunk_cols; 0: all
  uint32_t sum_terms;      // fp32 that a row's sum has: 1, or 2 if it is split
  float mean_factor;       // -1 / cols
  uint32_t leaf_pitch;     // leaf sums of one row: 1, or ceil(cols / 512) rounded up to 8
  uint32_t gamma_is_wide;  // 1: gamma is kept in fp32
  uint32_t in_buffers;     // of dy_in and x_in; in DxInPlaceRow the places of segments
  uint32_t out_buffers;    // of dx_out
  uint32_t work_arrays;    // how many of `work`
  uint32_t sum_places;     // of sum_hi: 1, or 2 where sums of groups leave from it in turn
  // what there is to do
  uint32_t outputs;     // kWantsDx and so on
  uint32_t has_gamma;   // 0: gamma is 1
  uint32_t sums;        // over rows: 1, or 2 with dbeta
  uint32_t divides;     // quantised dx: 1: by the scale, 0: it is multiplied
  uint32_t has_offset;  // and moved by one
  // rows that are cut: a core takes `groups` groups of at most group_rows rows, or those that are
  // dealt
  uint32_t groups;
  uint32_t group_rows;
  uint32_t is_resident;       // 1: x and dy of the only group stay in UB between the passes
  uint32_t col_groups;        // DxFewRows: cores that share a row
  uint32_t leaf_row_pitch;    // DxFewRows: a row's leaf sums in the workspace, rounded up to 128
  uint32_t leaf_read_rows;    // DxFewRows: rows whose leaf sums are read together
  uint32_t leaf_out_buffers;  // DxFewRows: of leaf_sums on their way out as blocks of parts
  uint64_t leaf_sums_at;      // DxFewRows: where they begin there, in fp32
  // dgamma over partial sums in the workspace; the other fields are only read when there are some
  uint64_t partial_slots;       // of each sum: one per core or group
  uint32_t sums_are_direct;     // 1: there is one slot, which needs no cast: the result itself
  uint32_t partial_pitch_cols;  // from one to the next: cols rounded up to 128, or few to 8
  uint32_t strip_cols;          // columns that one core adds up, a multiple of 8
  uint32_t block_strip_cols;    // the same for single blocks, before that; 0: one block is all
  uint32_t partial_buffers;     // of partials_in
  uint64_t counters_at;  // byte of the workspace where meetings are counted, if not by hardware
  NormGradUbBytes ub;
};

#endif  // NORMGRAD_TILING_NORM_GRAD_H_
