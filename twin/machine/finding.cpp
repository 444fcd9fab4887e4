#include "twin/machine/finding.h"

#include <algorithm>
#include <cstring>

#include "twin/machine/callers.h"

namespace normgrad::twin {

std::string PlaceOf(const Site& site) {
  const char* slash = std::strrchr(site.file, '/');
  return std::string(slash != nullptr ? slash + 1 : site.file) + ":" + std::to_string(site.line);
}

std::string Range(uint64_t begin, uint64_t end) {
  return "bytes " + std::to_string(begin) + " to " + std::to_string(end);
}

void FindingLog::Add(Finding finding) {
  const std::lock_guard<std::mutex> lock(mutex_);
  finding.cores.insert(finding.core);
  for (Finding& known : findings_) {
    if (known.rule == finding.rule && known.site.line == finding.site.line &&
        std::strcmp(known.api, finding.api) == 0 &&
        std::strcmp(known.site.file, finding.site.file) == 0) {
      // The lowest core's text stands, so that two runs print the same.
      const uint64_t count = known.count + finding.count;
      finding.cores.merge(known.cores);
      if (finding.core < known.core) {
        finding.callers = CallersIn(unit_);
        known = std::move(finding);
      } else {
        known.cores = std::move(finding.cores);
      }
      known.count = count;
      return;
    }
  }
  if (findings_.size() >= kMaxKinds) return;
  finding.callers = CallersIn(unit_);
  findings_.push_back(std::move(finding));
}

std::vector<Finding> FindingLog::Sorted() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<Finding> sorted = findings_;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Finding& a, const Finding& b) { return a.core < b.core; });
  return sorted;
}

bool FindingLog::empty() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return findings_.empty();
}

}  // namespace normgrad::twin
