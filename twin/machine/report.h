// The launch as JSON, for the harness.
#ifndef NORMGRAD_TWIN_MACHINE_REPORT_H_
#define NORMGRAD_TWIN_MACHINE_REPORT_H_

#include <string>

namespace normgrad::twin {

class Launch;

std::string ReportJson(Launch& launch, double wall_s, double cpu_s);

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_MACHINE_REPORT_H_
