// When cores run. A core runs until it meets the others (SyncAll) or ends; only there does another
// one take its place, in an order drawn from the seed. Each core is a thread of its own, but only
// `host_threads` of them hold a permit at a time, so that results never depend on the host.
#ifndef NORMGRAD_TWIN_MACHINE_SCHEDULE_H_
#define NORMGRAD_TWIN_MACHINE_SCHEDULE_H_

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace normgrad::twin {

class Schedule {
 public:
  // seed 0: cores in natural order; any other value draws an order.
  Schedule(uint32_t cores, uint32_t host_threads, uint64_t seed);

  // Called whenever all cores have met, before any goes on.
  void set_on_meeting(std::function<void()> on_meeting) { on_meeting_ = std::move(on_meeting); }

  // Runs body(core) for every core and returns when all have ended.
  void Run(const std::function<void(uint32_t)>& body);

  enum class Meeting { kMet, kSomeEnded, kStopped };
  // Called by a core: waits until all cores have called it.
  Meeting SyncAll(uint32_t core);

  // Ends the launch: every waiting core returns with kStopped.
  void Stop();
  bool stopped() const;

 private:
  enum class State { kReady, kRunning, kWaiting, kEnded };

  void Begin(uint32_t core);
  void End(uint32_t core);
  void ReleaseMeeting();   // with mutex_ held
  void Dispatch();         // with mutex_ held
  void DrawOrder();

  const uint32_t cores_;
  const uint32_t host_threads_;
  uint64_t random_;
  std::function<void()> on_meeting_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<std::condition_variable>> wake_;
  std::vector<State> states_;
  std::vector<uint32_t> order_;
  uint32_t running_ = 0;
  uint32_t waiting_ = 0;
  uint32_t ended_ = 0;
  bool someone_missing_ = false;
  bool stopped_ = false;
};

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_MACHINE_SCHEDULE_H_
