// A call that the architecture lacks is a compile error. But a source that is built as for the
// vendor's CPU debugging (__CCE_KT_TEST__) may hold such calls as long as it never comes to them:
// the vendor's headers compile them, and published kernels serve several chips with one source.
#ifndef NORMGRAD_TWIN_RULES_MISSING_H_
#define NORMGRAD_TWIN_RULES_MISSING_H_

#include "twin/machine/site.h"

namespace normgrad::twin {

[[noreturn]] void ReportMissingApi(const char* api, Site site);

}  // namespace normgrad::twin

#define NORMGRAD_TEXT_OF(x) #x
#define NORMGRAD_TEXT(x) NORMGRAD_TEXT_OF(x)

// `exists` must depend on a template parameter, so that it is asked per call.
#ifdef __CCE_KT_TEST__
#define NORMGRAD_MUST_EXIST(exists, api, where) \
  if constexpr (!(exists)) normgrad::twin::ReportMissingApi(api, site)
#else
#define NORMGRAD_MUST_EXIST(exists, api, where) \
  static_assert(exists, "AscendC::" api " does not exist on " where)
#endif

#endif  // NORMGRAD_TWIN_RULES_MISSING_H_
