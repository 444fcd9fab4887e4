// Modelled time of a launch: the cores' own times put together, meeting by meeting.
//
// Between two meetings a core lies between its time alone at GM and its time with an even share of
// the pool. How many cores are really there is the ratio of all bytes to those of the core that
// moves most: all of them where work is even, one where a single core sums up what the others have
// left. As the time grows ever faster with the number of cores, a straight line between the two is
// never too optimistic. The cores then wait for the last one.
#ifndef NORMGRAD_TWIN_OBSERVERS_LAUNCH_TIME_H_
#define NORMGRAD_TWIN_OBSERVERS_LAUNCH_TIME_H_

#include <string>
#include <vector>

#include "tiling/chip.h"
#include "twin/observers/cycles.h"

namespace normgrad::twin {

class LaunchTime {
 public:
  LaunchTime(const Soc& soc, const std::vector<CoreTime>& cores);

  // The fields of the report's JSON object "time".
  std::string Json() const;
  // The cold launch in Chrome's trace format (trace.cpp); false: the file cannot be written.
  bool WriteTrace(const std::string& path) const;

 private:
  struct Means {  // over the cores, in cycles
    double whole = 0;
    double busy[kPipes] = {};
  };
  struct Placed {  // a segment of all cores
    double begin[kLanes] = {};
    double end[kLanes] = {};
    double weight[kLanes] = {};  // of the even share against being alone
  };

  double Mix(const Moment& moment, Lane lane, const Placed& segment) const;
  Placed Place(size_t segment, const Placed& before) const;
  std::string LaneJson(Lane lane) const;
  double Us(double cycles) const { return cycles / soc_.clock_mhz; }

  const Soc& soc_;
  const Costs& costs_;
  const std::vector<CoreTime>& cores_;
  std::vector<Placed> placed_;
};

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_OBSERVERS_LAUNCH_TIME_H_
