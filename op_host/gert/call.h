// What every tiling function does around the check and the planner: reads CANN's context, writes
// the plan into it.
#ifndef OP_HOST_GERT_CALL_H_
#define OP_HOST_GERT_CALL_H_

#include <cstddef>

#include "exe_graph/runtime/tiling_context.h"
#include "tiling/answer.h"
#include "tiling/chip.h"
#include "tiling/plan.h"
#include "tiling/problem.h"

namespace normgrad {

// An operator as tiling sees it: how many tensors it has, who checks a call, who plans it.
struct TiledOp {
  const char* type;  // "RmsNormGrad"
  size_t inputs;
  size_t outputs;
  Answer (*check)(const Soc& soc, const TensorDesc* tensors, const Attributes& attributes,
                  Problem* problem);
  Answer (*plan)(const Soc& soc, const Problem& problem, const PlanOptions& options, Plan* plan);
};

// All of a tiling function but the operator's attributes, which the caller has read. A refusal is
// told to the user; a log of CANN's would need headers that not every version has.
ge::graphStatus Tile(const TiledOp& op, const Attributes& attributes, gert::TilingContext* context);

}  // namespace normgrad

#endif  // OP_HOST_GERT_CALL_H_
