// The arithmetic of memory-based calls as the chip of the launch does it. On 3510 each such call
// runs as a vector function, so its loops are those of the register instructions.
#ifndef NORMGRAD_TWIN_API_OPERATIONS_3510_H_
#define NORMGRAD_TWIN_API_OPERATIONS_3510_H_

#include "twin/api/operations.h"
#include "twin/machine/instruction.h"

namespace normgrad::twin {

BinaryFn BinaryOf(Instruction& in, Api api, Dtype dtype);
UnaryFn UnaryOf(Instruction& in, Api api, Dtype dtype);
ScalarFn ScalarOf(Instruction& in, Api api, Dtype dtype);

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_API_OPERATIONS_3510_H_
