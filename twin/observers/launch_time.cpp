#include "twin/observers/launch_time.h"

#include <algorithm>
#include <cstdio>

namespace normgrad::twin {
namespace {

constexpr const char* kPipeNames[kPipes] = {"scalar", "vec", "mte2", "mte3"};

std::string Number(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string Field(const std::string& name, double value) {
  return "\"" + name + "\": " + Number("%.4f", value);
}

double PoolOf(const Soc& soc, Lane lane) {
  return lane == kCold ? soc.gm_pool_gb_per_s : soc.l2_pool_gb_per_s;
}

}  // namespace

LaunchTime::LaunchTime(const Soc& soc, const std::vector<CoreTime>& cores)
    : soc_(soc), costs_(CostsOf(soc.chip->arch)), cores_(cores) {
  Placed last;
  for (size_t segment = 0; segment < cores.front().segments.size(); ++segment) {
    last = Place(segment, last);
    placed_.push_back(last);
  }
}

double LaunchTime::Mix(const Moment& moment, Lane lane, const Placed& segment) const {
  const double alone = moment.at[kAlone];
  return alone + segment.weight[lane] * (moment.at[lane] - alone);
}

LaunchTime::Placed LaunchTime::Place(size_t segment, const Placed& before) const {
  Placed placed;
  double sum = 0;
  double most = 0;
  for (const CoreTime& core : cores_) {
    sum += core.segments[segment].gm_bytes;
    most = std::max(most, core.segments[segment].gm_bytes);
  }
  const double active = most > 0 ? sum / most : 0;
  const auto count = static_cast<double>(cores_.size());
  const double port_gb_per_s =
      (costs_.load.bytes_per_cycle + costs_.store.bytes_per_cycle) * soc_.clock_mhz / 1000.0;
  for (const Lane lane : {kCold, kResident}) {
    // So many cores can move all that their ports allow.
    const double free = PoolOf(soc_, lane) / port_gb_per_s;
    const double weight = count > free ? (active - free) / (count - free) : 1;
    placed.weight[lane] = std::min(std::max(weight, 0.0), 1.0);
    placed.begin[lane] = before.end[lane];
    double longest = 0;
    for (const CoreTime& core : cores_) {
      longest = std::max(longest, Mix(core.segments[segment].length, lane, placed));
    }
    placed.end[lane] = placed.begin[lane] + longest;
  }
  return placed;
}

std::string LaunchTime::LaneJson(Lane lane) const {
  Means means;
  for (const CoreTime& core : cores_) {
    for (size_t i = 0; i < placed_.size(); ++i) {
      const Segment& segment = core.segments[i];
      const bool last = i + 1 == placed_.size();
      means.whole += last ? Mix(segment.length, lane, placed_[i])
                          : placed_[i].end[lane] - placed_[i].begin[lane];
      for (int pipe = 0; pipe < kPipes; ++pipe) {
        means.busy[pipe] += Mix(segment.busy[pipe], lane, placed_[i]);
      }
    }
  }
  const auto count = static_cast<double>(cores_.size());
  std::string json = "{" + Field("us", Us(placed_.empty() ? 0 : placed_.back().end[lane])) + ", " +
                     Field("aiv_time_us", Us(means.whole / count));
  for (int pipe = 0; pipe < kPipes; ++pipe) {
    json += ", " + Field(std::string("aiv_") + kPipeNames[pipe] + "_time_us",
                         Us(means.busy[pipe] / count));
  }
  return json + "}";
}

std::string LaunchTime::Json() const {
  const auto meetings = static_cast<double>(placed_.empty() ? 0 : placed_.size() - 1);
  return std::string("{\"calibrated\": ") + (costs_.calibrated ? "true" : "false") + ", " +
         Field("clock_mhz", soc_.clock_mhz) + ", " +
         Field("gm_pool_gb_per_s", soc_.gm_pool_gb_per_s) + ", " +
         Field("l2_pool_gb_per_s", soc_.l2_pool_gb_per_s) + ", " + Field("launch_us", kLaunchUs) +
         ", " + Field("sync_all_us", meetings * kSyncAllUs) + ",\n \"cold\": " + LaneJson(kCold) +
         ",\n \"resident\": " + LaneJson(kResident) + "}";
}

}  // namespace normgrad::twin
