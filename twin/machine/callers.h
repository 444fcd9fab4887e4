// Who called the function in which a finding was made: with helpers of three lines, the helper's
// own line says little. Addresses only; whoever shows a finding turns them into lines.
#ifndef NORMGRAD_TWIN_MACHINE_CALLERS_H_
#define NORMGRAD_TWIN_MACHINE_CALLERS_H_

#include <cstdint>
#include <vector>

namespace normgrad::twin {

// Frames of the calling thread or fiber that lie in the object of `symbol`, innermost first, as
// offsets into its file. Each is of the call itself, not of the instruction to return to.
std::vector<uint64_t> CallersIn(const void* symbol);

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_MACHINE_CALLERS_H_
