// RmsNormGrad: the plan that crosses from host to kernel. C++11-clean and plain data: CANN's host
// build, CANN's kernel compiler and g++ all read this file.
#ifndef NORMGRAD_TILING_RMS_NORM_GRAD_H_
#define NORMGRAD_TILING_RMS_NORM_GRAD_H_

#include <cstdint>

// Keys reach the kernel compiler as decimal digits (it finds them by text in the preprocessed
// source), hence macros; the enum is what C++ code compares against.
#define RMS_NORM_GRAD_KEY_DX_WHOLE_ROW 1
#define RMS_NORM_GRAD_KEY_DX_CHUNKED_ROW 2

enum class RmsNormGradKey : uint32_t {
  kDxWholeRow = 1,
  kDxChunkedRow = 2,
};
static_assert(static_cast<uint32_t>(RmsNormGradKey::kDxWholeRow) == RMS_NORM_GRAD_KEY_DX_WHOLE_ROW,
              "the macro and the enum name one key");
static_assert(static_cast<uint32_t>(RmsNormGradKey::kDxChunkedRow) ==
                  RMS_NORM_GRAD_KEY_DX_CHUNKED_ROW,
              "the macro and the enum name one key");

// Bytes of one buffer of each name; how many buffers a queue has is in RmsNormGradTiling.
struct RmsNormGradUbBytes {
  uint32_t dy_in;        // queue: rows_per_tile x pitch_cols, dtype of dy
  uint32_t x_in;         // queue: as dy_in; also carries gamma once, at the start
  uint32_t rstd_in;      // queue: rows_per_tile fp32, rounded up to 8
  uint32_t dx_out;       // queue: as dy_in
  uint32_t gamma;        // pitch_cols: fp32 in DxWholeRow, gamma's dtype in DxChunkedRow
  uint32_t dgamma_hi;    // pitch_cols fp32, rounded up to 256 B: the running sum over rows ...
  uint32_t dgamma_lo;    // ... and what it has rounded away so far
  uint32_t work;         // one fp32 work array; see work_arrays
  uint32_t rstd_block;   // rows_per_tile (rounded up to 8) blocks of 32 B, rstd repeated 8 times
  uint32_t mean_block;   // as rstd_block: minus the row's mean of dy*gamma*xhat, times rstd
  uint32_t leaf_sums;    // rows_per_tile x leaf_pitch fp32
  uint32_t row_sums;     // twice rows_per_tile fp32, rounded up to 8: sums, and minus cols
  uint32_t partials_in;  // second phase, queue: cores x strip_cols fp32
  uint32_t dgamma_out;   // second phase, queue: strip_cols fp32
};

struct RmsNormGradTiling {
  // shape
  uint64_t rows;
  uint32_t cols;
  // split of rows over cores: each core has rows_per_core, the first cores_with_one_more one more
  uint64_t rows_per_core;
  uint32_t cores_with_one_more;
  uint32_t cores;
  // tile
  uint32_t rows_per_tile;
  uint32_t pitch_cols;   // cols rounded up to a 32 B block of dy: one row's length in UB
  uint32_t chunk_cols;   // columns worked on together, a multiple of 512; 0: the whole row
  uint32_t leaf_pitch;   // leaf sums of one row: 1, or ceil(cols / 512) rounded up to 8
  uint32_t in_buffers;   // of dy_in, x_in and rstd_in
  uint32_t out_buffers;  // of dx_out
  uint32_t work_arrays;  // how many of `work`
  // dgamma across cores, only read when cores > 1
  uint32_t partial_pitch_cols;  // one core's partial sums in the workspace: cols rounded up to 128
  uint32_t strip_cols;          // columns that one core sums over all cores, a multiple of 8
  RmsNormGradUbBytes ub;
};

#endif  // NORMGRAD_TILING_RMS_NORM_GRAD_H_
