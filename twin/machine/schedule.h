// When cores run. A core runs until a cross-core point: a meeting, a flag of another core, an
// atomic, its end. Only there does another one take its place, in an order drawn from the seed.
// `host_threads` threads take turns with all cores, and a core stays with the thread that began it;
// what happens at cross-core points happens one at a time, once no core runs, so that the
// results of a kernel without races never depend on the host. Two cores that race do run beside
// each other: their finding is always the same, their numbers need not be.
#ifndef NORMGRAD_TWIN_MACHINE_SCHEDULE_H_
#define NORMGRAD_TWIN_MACHINE_SCHEDULE_H_

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "twin/machine/fiber.h"

namespace normgrad::twin {

class Schedule {
 public:
  // seed 0: cores in natural order; any other value draws orders.
  Schedule(uint32_t cores, uint32_t host_threads, uint64_t seed);

  using PerCore = std::function<void(uint32_t core)>;

  // Runs body(core) for every core and returns when all have ended. Whenever a thread goes on with
  // a core it calls going_on(core) first.
  void Run(const PerCore& body, const PerCore& going_on);

  enum class Wake {
    kGo,
    kNever,    // nobody is left who could make `ready` true: silicon would hang
    kStopped,  // the launch was stopped
  };

  // Called by a core: does `arrive`, then waits until `ready` holds. Both run with the schedule
  // held: they may read and write what all cores share.
  Wake Block(uint32_t core, const std::function<void()>& arrive, std::function<bool()> ready);

  // Called by a core: `action` is done when no core runs, in turn with the others that are there.
  Wake TakeTurn(uint32_t core, std::function<void()> action);

  // From inside `arrive`: a new order for what comes.
  void DrawOrder();

  // Ends the launch: every waiting core returns with kStopped.
  void Stop();
  bool stopped() const;

 private:
  enum class State { kReady, kRunning, kBlocked, kAtTurn, kEnded };

  struct CoreState {
    State state = State::kReady;
    bool never = false;
    uint32_t thread = 0;           // that began it
    std::unique_ptr<Fiber> fiber;  // once it has begun
    std::function<bool()> ready;
    std::function<void()> action;
  };
  using Lock = std::unique_lock<std::mutex>;

  // A thread's work: cores, one after another, until there is none left for it.
  void Work(uint32_t thread, const PerCore& body, const PerCore& going_on);
  // All of these with mutex_ held. The core that `thread` goes on with, or how many there are.
  uint32_t Next(uint32_t thread) const;
  bool MayRun(const CoreState& core, uint32_t thread) const;
  bool Done(uint32_t thread) const;
  Wake Park(Lock& lock, uint32_t core, State state);
  void Settle();  // lets go on whoever can
  bool AnyReady() const;
  bool UnblockReady();
  bool TakeTurns();

  const uint32_t host_threads_;
  uint64_t random_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<CoreState>> cores_;
  std::vector<uint32_t> order_;
  std::condition_variable wake_;
  uint32_t running_ = 0;
  bool stopped_ = false;
};

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_MACHINE_SCHEDULE_H_
