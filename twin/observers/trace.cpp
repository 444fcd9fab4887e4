// Chrome's trace format: a process per core, a thread per pipe, times in microseconds. An
// instruction is as long as it occupies its pipe; what waits for its result shows as a gap.
#include <cmath>
#include <cstdio>
#include <memory>

#include "twin/machine/ids.h"
#include "twin/observers/launch_time.h"

namespace normgrad::twin {
namespace {

constexpr const char* kThreads[kPipes] = {"SCALAR", "VECTOR", "MTE2", "MTE3"};

struct Closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

void NameThread(std::FILE* file, size_t core, int pipe) {
  std::fprintf(file,
               ",\n{\"ph\": \"M\", \"pid\": %zu, \"tid\": %d, \"name\": \"thread_name\", "
               "\"args\": {\"name\": \"%s\"}}",
               core, pipe, kThreads[pipe]);
  std::fprintf(file,
               ",\n{\"ph\": \"M\", \"pid\": %zu, \"tid\": %d, \"name\": \"thread_sort_index\", "
               "\"args\": {\"sort_index\": %d}}",
               core, pipe, pipe);
}

}  // namespace

bool LaunchTime::WriteTrace(const std::string& path) const {
  const std::unique_ptr<std::FILE, Closer> out(std::fopen(path.c_str(), "w"));
  if (out == nullptr) return false;
  std::FILE* file = out.get();
  std::fprintf(file,
               "{\"displayTimeUnit\": \"ns\",\n\"otherData\": {\"soc\": \"%s\", \"residency\": "
               "\"cold\", \"calibrated\": \"%s\"},\n\"traceEvents\": [",
               soc_.name, costs_.calibrated ? "yes" : "no");
  // Viewers work in whole nanoseconds: both ends are rounded, so that neighbours stay neighbours.
  const auto ns = [this](double cycles) { return std::llround(Us(cycles) * 1000); };
  const auto write = [&](const char* name, size_t core, int pipe, double begin, double end,
                         Site site) {
    std::fprintf(file,
                 ",\n{\"ph\": \"X\", \"pid\": %zu, \"tid\": %d, \"name\": \"%s\", \"ts\": %.3f, "
                 "\"dur\": %.3f",
                 core, pipe, name, static_cast<double>(ns(begin)) / 1000,
                 static_cast<double>(ns(end) - ns(begin)) / 1000);
    if (site.file != nullptr) {
      std::fprintf(file, ", \"args\": {\"at\": \"%s:%d\"}", site.file, site.line);
    }
    std::fprintf(file, "}");
  };
  for (size_t core = 0; core < cores_.size(); ++core) {
    std::fprintf(file,
                 "%s\n{\"ph\": \"M\", \"pid\": %zu, \"name\": \"process_name\", \"args\": "
                 "{\"name\": \"core %zu\"}}",
                 core == 0 ? "" : ",", core, core);
    std::fprintf(file,
                 ",\n{\"ph\": \"M\", \"pid\": %zu, \"name\": \"process_sort_index\", \"args\": "
                 "{\"sort_index\": %zu}}",
                 core, core);
    for (int pipe = 0; pipe < kPipes; ++pipe) NameThread(file, core, pipe);
    const CoreTime& time = cores_[core];
    for (size_t i = 0; i < placed_.size(); ++i) {
      const Segment& segment = time.segments[i];
      const bool last = i + 1 == placed_.size();
      const size_t end = last ? time.slices.size() : time.segments[i + 1].first_slice;
      const double zero = placed_[i].begin[kCold] - Mix(segment.begin, kCold, placed_[i]);
      for (size_t k = segment.first_slice; k < end; ++k) {
        const Slice& slice = time.slices[k];
        write(slice.name, core, slice.pipe, zero + Mix(slice.begin, kCold, placed_[i]),
              zero + Mix(slice.end, kCold, placed_[i]), slice.site);
      }
      const double here = placed_[i].begin[kCold] + Mix(segment.length, kCold, placed_[i]);
      if (!last && here < placed_[i].end[kCold]) {
        write("SyncAll", core, 0, here, placed_[i].end[kCold], {nullptr, 0});
      }
    }
  }
  std::fprintf(file, "\n]}\n");
  return std::ferror(file) == 0;
}

}  // namespace normgrad::twin
