// When may a destination overlap a source of the same vector instruction?
#ifndef NORMGRAD_TWIN_RULES_OVERLAP_H_
#define NORMGRAD_TWIN_RULES_OVERLAP_H_

#include "twin/machine/footprint.h"

namespace normgrad::twin {

// Inside a repeat: the same bytes, or none in common. A narrower result may take the place where
// its source begins: the Cast page warns of wider ones only. From one repeat to later ones: what is
// written is not read again. A contiguous range counts as repeats of 256 B of the wider elements.
bool OverlapAllowed(const Footprint& dst, const Footprint& src);

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_RULES_OVERLAP_H_
