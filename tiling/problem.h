// What the operators of this family are asked to do, in one plain struct that every layer shares.
#ifndef NORMGRAD_TILING_PROBLEM_H_
#define NORMGRAD_TILING_PROBLEM_H_

#include <cstdint>

namespace normgrad {

// Values are those of aclDataType (a published enum), so that the C API needs no translation.
enum class DType : int32_t {
  kUndefined = -1,
  kFloat32 = 0,
  kFloat16 = 1,
  kInt8 = 2,
  kInt32 = 3,
  kBfloat16 = 27,
  kHifloat8 = 34,
};

uint32_t SizeOf(DType dtype);     // bytes of one element, 0 for kUndefined
const char* NameOf(DType dtype);  // "fp32", "fp16", "bf16", "int8", "int32", "hif8"

constexpr int kMaxRank = 8;

// A tensor as a caller hands it over. strides count elements; a contiguous tensor may leave
// `strides` at zero.
struct TensorDesc {
  int32_t present;  // 0: a null pointer
  DType dtype;
  int32_t rank;
  int64_t shape[kMaxRank];
  int64_t strides[kMaxRank];
};

// What a caller says beside the tensors; an operator reads what belongs to it. A shape or a mask
// may be longer than there is room for: it is refused by its length.
struct Attributes {
  int32_t has_normalized_shape;  // 0: a null pointer
  int32_t normalized_rank;
  int64_t normalized_shape[kMaxRank];
  int32_t has_output_mask;
  int32_t mask_length;
  int32_t output_mask[3];  // which outputs are asked for: dx, dgamma, dbeta
  int32_t has_quant_mode;
  char quant_mode[16];  // as much of it as there is room for
  int32_t div_mode;     // 1: dx is divided by its scale
  int32_t dst_type;     // of dx, a number of DType; kUndefined: dx itself says
};

// What a check has made of a call: everything a planner needs besides the chip.
struct Problem {
  uint64_t rows;          // product of the leading axes
  uint64_t cols;          // product of the normalised axes
  DType dtype;            // of dy, x and dx
  DType gamma_dtype;      // of gamma; kUndefined: there is none, which counts as ones
  DType stats_dtype;      // of rstd and mean
  DType sums_dtype;       // of dgamma and dbeta
  uint32_t outputs;       // that are asked for: kWantsDx ... of norm_grad.h
  uint32_t has_mean;      // 1: x - mean instead of x, and dbeta is an output
  uint32_t is_quantised;  // 1: dx has one byte an element, and there is a scale ...
  DType dx_dtype;         // which it then is in
  DType scale_dtype;      // ... in this dtype
  uint32_t divides;       // 1: dx is divided by it, 0: multiplied
  uint32_t has_offset;    // 1: and a number is added
  // What the planner takes from the chip, for its own use.
  uint32_t copy_cols;      // columns in steps of which rows are copied: 1, or a block's
  uint32_t by_element;     // 1: rows are less than a block, which is the least that is copied
  uint32_t meeting_bytes;  // of UB that a meeting of all cores needs; 0: it is the hardware's
  uint32_t in_registers;   // 1: it is programmed in registers
  uint32_t lanes_bytes;    // of UB that sums over lanes need; 0: there are instructions for them
  uint32_t event_ids;      // flags of one kind
};

// Status codes of the published API (contracts.md lists which check gives which).
constexpr int32_t kSuccess = 0;
constexpr int32_t kNullArgument = 161001;
constexpr int32_t kInvalidArgument = 161002;
constexpr int32_t kTilingRefused = 561002;
constexpr int32_t kNotOnThisChip = 561003;

// What plans that were searched for (tiling/tuned) have to do with a call.
enum class TunedUse : uint32_t {
  kLook = 0,  // one for this problem is taken, unless the caller has wishes of its own
  kIgnore = 1,
  kFrom = 2,  // the wishes are those of such a plan
};

// Wishes that win over the planner's own choice, so that a test can reach every path at small size.
// Zero or null means "planner's choice".
struct PlanOptions {
  uint32_t ub_bytes;  // UB that the plan may use
  uint32_t cores;
  uint32_t chunk_cols;  // a multiple of kLeafCols
  uint32_t rows_per_tile;
  uint32_t det_strong;   // 1: dgamma has the same bits for any number of cores
  const char* strategy;  // for example "DxWholeRow"
  uint32_t buffers;      // of x and dy; DxInPlaceRow: places of segments
  TunedUse tuned;
  uint64_t
      tile_for_rows;  // tiles are cut as for a problem of so many rows, of which these are some
};

// The order in which a row is summed depends on cols alone: leaves of this many columns.
constexpr uint32_t kLeafCols = 512;

}  // namespace normgrad

#endif  // NORMGRAD_TILING_PROBLEM_H_
