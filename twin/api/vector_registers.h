// Registers of a core's vector unit that outlive an instruction.
#ifndef NORMGRAD_TWIN_API_VECTOR_REGISTERS_H_
#define NORMGRAD_TWIN_API_VECTOR_REGISTERS_H_

#include <cstdint>

namespace normgrad::twin {

struct VectorRegisters {
  // Normal mode: one bit per lane of a repeat. Counter mode: mask[0] counts elements, and repeat
  // times are ignored.
  bool counter_mode = false;
  uint64_t mask[2] = {~uint64_t{0}, ~uint64_t{0}};
  // What ReduceSum over the first n elements left in the accumulator, in the element's format.
  uint64_t accumulator = 0;
  // Result of the Compare without a destination, for Select.
  uint8_t compare[16] = {};
};

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_API_VECTOR_REGISTERS_H_
