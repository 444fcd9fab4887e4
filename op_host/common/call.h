// What the first phase of every operator does: describes its tensors, asks which chip it is, says
// no with the sentence of the check, and lets results reach the caller's views.
#ifndef NORMGRAD_OP_HOST_COMMON_CALL_H_
#define NORMGRAD_OP_HOST_COMMON_CALL_H_

#include <cstdint>
#include <vector>

#include "aclnn/acl_meta.h"
#include "opdev/op_executor.h"
#include "tiling/answer.h"
#include "tiling/chip.h"
#include "tiling/problem.h"

namespace normgrad {

// A null tensor is one that is not present.
TensorDesc Describe(const aclTensor* tensor);
std::vector<TensorDesc> Describe(const std::vector<const aclTensor*>& tensors);

Attributes Describe(const aclIntArray* normalized_shape, const aclBoolArray* output_mask);

// A dst_type of -1: dx itself says.
Attributes DescribeQuantisation(const char* quant_mode, bool div_mode, int64_t dst_type);

// The chip of this thread's device.
Answer FindCallersSoc(const Soc** soc);

// Refuses layouts in which an axis of the shape is not an axis of the memory.
Answer CheckFormats(const std::vector<const aclTensor*>& tensors, const char* const* names);

// Logs the sentence of a refusal and returns its code.
aclnnStatus Refused(const Answer& answer);

// What the kernel writes: the caller's tensor, or one in the workspace where that is a view.
const aclTensor* OutputFor(const aclTensor* out, aclOpExecutor* executor);
// Stands for an output that nobody asked for: CANN drops a null output from the kernel's arguments,
// and those behind it would move up.
const aclTensor* Unwanted(DType dtype, aclOpExecutor* executor);
// After the kernel: the caller's view gets what was written. False: it could not be.
bool Deliver(const aclTensor* written, const aclTensor* out, aclOpExecutor* executor);
// The sum of no rows.
bool DeliverZeros(const aclTensor* out, aclOpExecutor* executor);

}  // namespace normgrad

#endif  // NORMGRAD_OP_HOST_COMMON_CALL_H_
