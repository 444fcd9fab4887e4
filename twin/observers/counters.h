// What a launch has moved and issued, exactly: bytes that the instructions ask for (not rounded to
// blocks or bursts), calls, repeats.
#ifndef NORMGRAD_TWIN_OBSERVERS_COUNTERS_H_
#define NORMGRAD_TWIN_OBSERVERS_COUNTERS_H_

#include <cstdint>

namespace normgrad::twin {

// The names are those of the report's JSON.
#define NORMGRAD_COUNTERS(X)                                                      \
  X(gm_read_bytes)  /* by MTE2 */                                                 \
  X(gm_write_bytes) /* by MTE3 */                                                 \
  X(gm_read_bursts) /* blocks of GM that one copy instruction names */            \
  X(gm_write_bursts)                                                              \
  X(copy_instructions)                                                            \
  X(vector_instructions)                                                          \
  X(vector_repeats)      /* of 256 B, the last of a first-n call counted whole */ \
  X(vector_slope_cycles) /* slope x repeats, see cost_table.h */                  \
  X(scalar_ub_reads)                                                              \
  X(scalar_ub_writes)                                                             \
  X(scalar_gm_reads)                                                              \
  X(scalar_gm_writes)                                                             \
  X(flags_set) /* by SetFlag and by queues */                                     \
  X(flags_waited)                                                                 \
  X(barriers)                                                                     \
  X(sync_all) /* per core */                                                      \
  X(atomics)                                                                      \
  X(vector_functions)                                                             \
  X(register_loads) /* register instructions of each kind, and bytes of UB */     \
  X(register_stores)                                                              \
  X(register_arithmetic)                                                          \
  X(register_casts)                                                               \
  X(register_reductions)                                                          \
  X(register_moves)                                                               \
  X(register_masks)                                                               \
  X(register_barriers)                                                            \
  X(register_load_bytes)                                                          \
  X(register_store_bytes)

struct Counters {
#define NORMGRAD_COUNTER(name) uint64_t name = 0;
  NORMGRAD_COUNTERS(NORMGRAD_COUNTER)
#undef NORMGRAD_COUNTER
};

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_OBSERVERS_COUNTERS_H_
