#include "twin/observers/gm_races.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace normgrad::twin {
namespace {

bool Conflict(GmAccess a, GmAccess b) {
  if (a == GmAccess::kRead || b == GmAccess::kRead) {
    // Reading bytes that a neighbour's line rewrites with what they hold is harmless.
    const GmAccess other = a == GmAccess::kRead ? b : a;
    return other == GmAccess::kWrite || other == GmAccess::kAtomic;
  }
  return a != GmAccess::kAtomic || b != GmAccess::kAtomic;
}

}  // namespace

bool GmOrder::Check(const void* allocation, bool write, uint64_t begin, uint64_t end,
                    const PipeTimes& known, GmConflict* conflict) const {
  const auto found = marks_.find(allocation);
  if (found == marks_.end()) return false;
  for (const bool other_writes : {true, false}) {
    if (!write && !other_writes) continue;  // two reads
    const Intervals& intervals = found->second.kinds[other_writes];
    auto it = intervals.upper_bound(begin);
    if (it != intervals.begin()) --it;
    for (; it != intervals.end() && it->first < end; ++it) {
      const Mark_& mark = it->second;
      if (mark.end <= begin || mark.sequence <= known.finished[mark.pipe]) continue;
      *conflict = {mark.pipe, mark.sequence, other_writes, std::max(begin, it->first),
                   std::min(end, mark.end)};
      return true;
    }
  }
  return false;
}

void GmOrder::Mark(const void* allocation, bool write, int pipe, uint32_t sequence, uint64_t begin,
                   uint64_t end) {
  Intervals& intervals = marks_[allocation].kinds[write];
  auto it = intervals.upper_bound(begin);
  if (it != intervals.begin()) --it;
  while (it != intervals.end() && it->first < end) {
    const uint64_t old_begin = it->first;
    const Mark_ old = it->second;
    if (old.end <= begin) {
      ++it;
      continue;
    }
    it = intervals.erase(it);
    if (old_begin < begin) intervals[old_begin] = {begin, old.pipe, old.sequence};
    if (old.end > end) it = intervals.emplace(end, old).first;
  }
  intervals[begin] = {end, pipe, sequence};
}

void AddSpan(std::vector<GmSpan>& spans, const GmSpan& span) {
  if (!spans.empty()) {
    GmSpan& last = spans.back();
    const bool alike = last.allocation == span.allocation && last.access == span.access &&
                       last.site.line == span.site.line && last.site.file == span.site.file &&
                       last.pipe == span.pipe && last.segment == span.segment;
    if (alike && span.begin >= last.begin && span.begin <= last.end) {
      last.end = std::max(last.end, span.end);
      last.sequence = span.sequence;
      return;
    }
  }
  spans.push_back(span);
}

void GmMeeting::Deposit(uint32_t core, std::vector<GmSpan> spans, std::vector<CoreTimes> segments) {
  const std::lock_guard<std::mutex> lock(mutex_);
  segments_[core] = std::move(segments);
  for (const GmSpan& span : spans) spans_.push_back({span, core});
}

void GmMeeting::Forgive(const void* allocation, uint64_t begin, uint64_t end) {
  const std::lock_guard<std::mutex> lock(mutex_);
  forgiven_.push_back({allocation, begin, end});
}

bool GmMeeting::IsForgiven(const GmSpan& a, const GmSpan& b) const {
  if (a.access != GmAccess::kWrite || b.access != GmAccess::kWrite) return false;
  const uint64_t begin = std::max(a.begin, b.begin);
  const uint64_t end = std::min(a.end, b.end);
  return std::any_of(forgiven_.begin(), forgiven_.end(), [&](const Forgiven& f) {
    return f.allocation == a.allocation && f.begin <= begin && end <= f.end;
  });
}

bool GmMeeting::Before(const Owned& first, const Owned& second) const {
  const auto segments = segments_.find(second.core);
  if (segments == segments_.end()) return false;
  const CoreTimes& known = segments->second[second.span.segment];
  return first.core < known.size() &&
         known[first.core].finished[first.span.pipe] >= first.span.sequence;
}

void GmMeeting::Resolve(const Report& report) {
  const std::lock_guard<std::mutex> lock(mutex_);
  // In address order, and the lower core first: the same findings whatever order cores came in.
  std::sort(spans_.begin(), spans_.end(), [](const Owned& a, const Owned& b) {
    return std::tie(a.span.allocation, a.span.begin, a.core, a.span.end) <
           std::tie(b.span.allocation, b.span.begin, b.core, b.span.end);
  });
  std::vector<const Owned*> open;  // that reach as far as the current span's begin
  for (const Owned& current : spans_) {
    open.erase(std::remove_if(open.begin(), open.end(),
                              [&](const Owned* earlier) {
                                return earlier->span.allocation != current.span.allocation ||
                                       earlier->span.end <= current.span.begin;
                              }),
               open.end());
    for (const Owned* earlier : open) {
      if (earlier->core == current.core || !Conflict(earlier->span.access, current.span.access) ||
          Before(*earlier, current) || Before(current, *earlier) ||
          IsForgiven(earlier->span, current.span)) {
        continue;
      }
      const Owned& low = earlier->core < current.core ? *earlier : current;
      const Owned& high = earlier->core < current.core ? current : *earlier;
      report(low.core, low.span, high.core, high.span);
    }
    open.push_back(&current);
  }
  spans_.clear();
  segments_.clear();
  forgiven_.clear();
}

}  // namespace normgrad::twin
