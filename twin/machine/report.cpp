#include "twin/machine/report.h"

#include <algorithm>
#include <cstdio>

#include "twin/machine/launch.h"

namespace normgrad::twin {
namespace {

std::string Quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
      quoted += escape;
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

std::string Field(const char* name, uint64_t value) {
  return Quoted(name) + ": " + std::to_string(value);
}

std::string List(const std::vector<uint64_t>& values) {
  std::string text;
  for (const uint64_t value : values) text += (text.empty() ? "" : ", ") + std::to_string(value);
  return "[" + text + "]";
}

std::string FindingJson(const Finding& f) {
  return "{\"rule\": " + Quoted(FactsOf(f.rule).id) + ", \"message\": " + Quoted(f.message) +
         ", \"api\": " + Quoted(f.api) + ", " + Field("core", f.core) +
         ", \"pipe\": " + Quoted(f.pipe) + ", \"buffer\": " + Quoted(f.buffer.name) +
         ", \"declared\": " + Quoted(f.buffer.declared) + ", " + Field("begin_byte", f.begin_byte) +
         ", " + Field("end_byte", f.end_byte) +
         ", \"file\": " + Quoted(f.site.file != nullptr ? f.site.file : "") + ", " +
         Field("line", static_cast<uint64_t>(f.site.line)) + ", " + Field("count", f.count) + ", " +
         Field("cores", f.cores.size()) + ", \"callers\": " + List(f.callers) +
         ", \"fatal\": " + (FactsOf(f.rule).fatal ? "true" : "false") + "}";
}

struct NamedCounter {
  const char* name;
  uint64_t Counters::* member;
};

constexpr NamedCounter kNamed[] = {
#define NORMGRAD_COUNTER(name) {#name, &Counters::name},
    NORMGRAD_COUNTERS(NORMGRAD_COUNTER)
#undef NORMGRAD_COUNTER
};

std::string CountersJson(const std::vector<CoreReport>& cores) {
  std::string total = "{";
  std::string per_core = "{";
  for (const NamedCounter& counter : kNamed) {
    uint64_t sum = 0;
    std::string list;
    for (const CoreReport& core : cores) {
      const uint64_t value = core.counters.*counter.member;
      sum += value;
      list += (list.empty() ? "" : ", ") + std::to_string(value);
    }
    total += Field(counter.name, sum) + ", ";
    per_core += (per_core.size() > 1 ? ", " : "") + Quoted(counter.name) + ": [" + list + "]";
  }
  uint64_t high_water = 0;
  for (const CoreReport& core : cores) {
    high_water = std::max<uint64_t>(high_water, core.ub_high_water_bytes);
  }
  return "\"counters\": " + total + Field("ub_high_water_bytes", high_water) +
         "},\n\"per_core\": " + per_core + "}";
}

std::string UnwrittenJson(const Gm& gm) {
  std::string json;
  for (const GmAllocation& allocation : gm.allocations()) {
    if (allocation.role != GmRole::kOut) continue;
    uint64_t unwritten = 0;
    for (const GmRange& slice : allocation.slices) {
      unwritten += allocation.init->CountUnwritten(slice.begin, slice.end);
    }
    json += (json.empty() ? "" : ", ") + Field(allocation.name.c_str(), unwritten);
  }
  return "\"unwritten\": {" + json + "}";
}

// Nothing of a launch that was cut short: its cores are at different places.
std::string TimeJson(const Launch& launch) {
  if (launch.options().cycles == CycleMode::kOff || !launch.finished()) return "";
  return ",\n\"time\": " + LaunchTime(*launch.options().soc, launch.core_times()).Json();
}

}  // namespace

std::string ReportJson(Launch& launch, double wall_s, double cpu_s) {
  std::string findings;
  for (const Finding& finding : launch.findings().Sorted()) {
    findings += (findings.empty() ? "" : ",\n  ") + FindingJson(finding);
  }
  char seconds[64];
  std::snprintf(seconds, sizeof seconds, "\"wall_s\": %.6f, \"cpu_s\": %.6f", wall_s, cpu_s);
  return std::string("{\"finished\": ") + (launch.finished() ? "true" : "false") +
         ",\n\"findings\": [" + findings + "],\n" + CountersJson(launch.cores()) + ",\n" +
         UnwrittenJson(launch.gm()) + TimeJson(launch) + ",\n" + seconds + "}\n";
}

}  // namespace normgrad::twin
