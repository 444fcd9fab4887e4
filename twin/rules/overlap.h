// When may a destination overlap a source of the same vector instruction?
#ifndef NORMGRAD_TWIN_RULES_OVERLAP_H_
#define NORMGRAD_TWIN_RULES_OVERLAP_H_

#include "twin/machine/footprint.h"

namespace normgrad::twin {

// Inside a repeat: exactly the same bytes, or none in common. From one repeat to later ones: what
// is written is not read again. A contiguous range counts as repeats of 256 B.
bool OverlapAllowed(const Footprint& dst, const Footprint& src);

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_RULES_OVERLAP_H_
