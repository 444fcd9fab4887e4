// What the templates of control.h call.
#ifndef NORMGRAD_TWIN_API_CONTROL_CALLS_H_
#define NORMGRAD_TWIN_API_CONTROL_CALLS_H_

#include <cstdint>

#include "twin/machine/site.h"

namespace normgrad::twin {

void SetControlBits(int first, int last, int64_t value, Site site);
int64_t GetControlBits(int first, int last);
void ResetControlBits(int first, int last, Site site);

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_API_CONTROL_CALLS_H_
