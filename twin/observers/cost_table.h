// What instructions cost, in cycles, per architecture: the model's only numbers about time inside a
// core. cost_table.cpp has the rows with their sources; what is true of a chip as a whole (clock,
// bandwidth) is in tiling/chips.cpp.
#ifndef NORMGRAD_TWIN_OBSERVERS_COST_TABLE_H_
#define NORMGRAD_TWIN_OBSERVERS_COST_TABLE_H_

#include <cstdint>

#include "twin/rules/api_table.h"

namespace normgrad::twin {

// A vector instruction occupies its pipe for slope x repeats, and its result is there `latency`
// later.
struct VectorCost {
  uint16_t latency_cycles = 0;
  uint16_t slope_cycles = 0;  // per repeat of 256 B
};

struct VectorCosts {
  VectorCost of[kApiCount];
};

// A transfer engine: each command occupies it for `start_cycles` and its bytes, and whoever waits
// for the command sees it `latency_cycles` later.
struct EngineCosts {
  double start_cycles;
  double bytes_per_cycle;
  double latency_cycles;
};

// The scalar unit, per call.
struct ScalarCosts {
  double issue_cycles;       // of a vector instruction
  double order_cycles;       // of a flag or a barrier
  double queue_cycles;       // AllocTensor, EnQue, DeQue, FreeTensor
  double copy_issue_cycles;  // of a copy
  double ub_cycles;          // reading or writing an element of UB, writing one of GM
  double gm_read_cycles;     // reading an element of GM
  double wait_cycles;        // waiting for another pipe, beside the wait itself
};

struct Costs {
  uint32_t arch;
  bool calibrated;  // against measured rows; else every print of a time says so
  VectorCosts vector;
  EngineCosts load;   // MTE2
  EngineCosts store;  // MTE3
  ScalarCosts scalar;
  // A call that counts its elements pays this where they do not fill whole repeats.
  double odd_count_cycles;
  uint32_t piece_bytes;  // an engine moves whole pieces of GM
  uint32_t line_bytes;   // memory and L2 serve whole lines
};

// Of arch 1001, 2002, 2201 or 3510.
const Costs& CostsOf(uint32_t arch);

// Launching a kernel and joining all cores are reported beside the modelled time, not in it: the
// first is the smallest difference between duration and time on the core that profiles show, 0.5 to
// 4.5 us; nobody has published the second.
constexpr double kLaunchUs = 2.5;
constexpr double kSyncAllUs = 3.0;

// The counter `vector_slope_cycles` and the budgets of kernels use the slopes of arch 2201 on every
// architecture.
uint32_t SlopeCycles(Api api);

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_OBSERVERS_COST_TABLE_H_
