// Plans that were searched for (`normgrad tune`) and beat the planner's own choice. The rows of
// tiling/tuned/<soc>.csv become a table when the planner is built; one whose kernels have changed
// since does not.
#ifndef NORMGRAD_TILING_TUNED_H_
#define NORMGRAD_TILING_TUNED_H_

#include <cstdint>
#include <string>

#include "tiling/chip.h"
#include "tiling/problem.h"

namespace normgrad {

// Which problems a row is for, and the wishes that serve them.
struct TunedRow {
  const char* soc;
  const char* op;
  DType dtype;
  DType gamma_dtype;
  uint64_t least_rows;
  uint64_t most_rows;
  uint64_t cols;
  uint32_t det_strong;
  const char* strategy;
  uint32_t chunk_cols;
  uint32_t rows_per_tile;
  uint32_t buffers;
  uint32_t cores;
  const char* text;  // for people
};

// The row for a problem all of whose outputs are asked for; null: there is none, or the caller has
// wishes. CANN's tiling functions know the family and the cores of a device, not its product: then
// the row of a product with as many cores serves.
const TunedRow* FindTuned(const Soc& soc, const std::string& op, const Problem& problem,
                          const PlanOptions& options);

PlanOptions WishesOf(const TunedRow& row, PlanOptions options);

}  // namespace normgrad

#endif  // NORMGRAD_TILING_TUNED_H_
