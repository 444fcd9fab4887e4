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

// The device of a call as the planner wants it.
struct Device {
  Soc soc;  // of the family, with the cores that this device has
  PlanOptions options;
};

// Inputs, then outputs; what the context has not is not present.
void DescribeTensors(const gert::TilingContext& context, size_t inputs, size_t outputs,
                     TensorDesc* tensors);

Answer FindDevice(const gert::TilingContext& context, Device* device);

ge::graphStatus StorePlan(const Plan& plan, gert::TilingContext* context);

// Tells the user why not. A log of CANN's would need headers that not every version has.
ge::graphStatus Say(const char* op, const Answer& answer);

}  // namespace normgrad

#endif  // OP_HOST_GERT_CALL_H_
