// The planner's C interface: what Python (ctypes) and C callers use. Plain structs, fixed widths,
// no ownership: every string in an answer is copied into the caller's struct.
#ifndef NORMGRAD_TILING_CAPI_H_
#define NORMGRAD_TILING_CAPI_H_

#include <cstdint>

#include "tiling/problem.h"

extern "C" {

constexpr uint32_t kMaxTilingBytes = 1024;
constexpr uint32_t kMaxPlanBuffers = 25;  // of both phases
constexpr uint32_t kMaxPlanFields = 64;

struct NormgradSoc {
  char name[32];
  char family[32];
  uint32_t arch;
  uint32_t cores;
  uint32_t clock_mhz;
  uint32_t ub_bytes;
  uint32_t ub_plan_bytes;
  uint32_t event_ids;
  uint32_t has_bf16;
  uint32_t saturates;
  uint64_t l2_bytes;
  double hbm_gb_per_s;
  double achievable_gb_per_s;
  double gm_pool_gb_per_s;
  double l2_pool_gb_per_s;
};

struct NormgradBuffer {
  char name[32];
  uint32_t bytes;  // of one buffer
  uint32_t count;
  uint32_t phase;  // 1: alive while dx is computed; 2: after the pipe's reset
};

struct NormgradField {  // one field of the tiling data, for tables and --json
  char name[32];
  double value;   // exact for every integer below 2^53
  char unit[16];  // "rows", "elems", "bytes", "" ...
};

struct NormgradAnswer {
  int32_t code;        // kSuccess or a status code of problem.h
  char sentence[512];  // empty on success
};

struct NormgradPlan {
  char strategy[32];
  char reason[512];  // why this strategy, in one sentence with numbers
  uint64_t tiling_key;
  uint32_t cores;  // 0: nothing to launch
  uint32_t ub_limit_bytes;
  uint64_t workspace_bytes;
  uint64_t minimum_bytes;  // each input read once, each output written once
  uint32_t tiling_bytes;
  uint32_t buffer_count;
  uint32_t field_count;
  double declared_c;  // C of the error budget: 4, or what the strategy declares
  char tuned[256];    // the row of tiling/tuned that it comes from, if any
  uint8_t tiling[kMaxTilingBytes];
  NormgradBuffer buffers[kMaxPlanBuffers];
  NormgradField fields[kMaxPlanFields];
};

struct NormgradRange {  // values from `least` to `most` by `step`, or doubling where that is 0
  uint32_t least;
  uint32_t most;  // 0: this is no knob here
  uint32_t step;
};

struct NormgradKnobs {  // of one strategy
  char strategy[32];
  NormgradRange rows_per_tile;
  NormgradRange chunk_cols;
  NormgradRange buffers;
  NormgradRange cores;
};

// Bytes of one of the structs named here ("NormgradPlan", "TensorDesc", ...), 0 for any other name:
// a caller in another language compares its own layout with it.
int32_t normgrad_struct_bytes(const char* name);

int32_t normgrad_soc_count();
int32_t normgrad_soc_at(int32_t index, NormgradSoc* out);       // 0, or -1: no such index
int32_t normgrad_find_soc(const char* name, NormgradSoc* out);  // 0, or -1: unknown name

// One row of the operator's dtype table on an architecture. Returns the number of rows; fills
// `dy`, `gamma` for row `index` where it exists. 0 rows: the operator is not on this chip.
int32_t normgrad_dtype_combination(const char* op, uint32_t arch, int32_t index, int32_t* dy,
                                   int32_t* gamma);

// `tensors` in the operator's IR order, inputs then outputs (rms_norm_grad: dy, x, rstd, gamma, dx,
// dgamma). `problem` is filled on success only. Returns the code, the same as answer->code.
int32_t normgrad_check(const char* op, const char* soc, const normgrad::TensorDesc* tensors,
                       int32_t count, const normgrad::Attributes* attributes,
                       normgrad::Problem* problem, NormgradAnswer* answer);

int32_t normgrad_plan(const char* op, const char* soc, const normgrad::Problem* problem,
                      const normgrad::PlanOptions* options, NormgradPlan* plan,
                      NormgradAnswer* answer);

// The number of strategies that the problem may take (tiling/knobs.h); fills `out` for the one with
// this index where it exists. 0, too, for names that are unknown.
int32_t normgrad_knobs(const char* op, const char* soc, const normgrad::Problem* problem,
                       const normgrad::PlanOptions* options, int32_t index, NormgradKnobs* out);

}  // extern "C"

#endif  // NORMGRAD_TILING_CAPI_H_
