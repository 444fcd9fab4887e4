// Streams run their work in order, each on a thread of its own; events join streams and the host.
#ifndef NORMGRAD_TWIN_ACL_STREAM_H_
#define NORMGRAD_TWIN_ACL_STREAM_H_

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "tiling/answer.h"
#include "twin/acl/device_memory.h"

namespace normgrad::acl {

struct Task {
  std::function<Answer()> run;
  std::vector<Use> uses;
  // An event is set and waited for even after a failure: who waits for it must not wait for ever.
  bool always = false;
};

class Context;

class Stream {
 public:
  explicit Stream(const Context* context);
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { End(); }

  void Enqueue(Task task);
  // Waits until all work has ended; a negative time-out is none. Returns what the first failed
  // piece of work said since the last call; work behind a failure is not run.
  Answer Synchronize(int32_t timeout_ms);
  bool idle() const;
  void End();  // after the work that was asked for; nothing is enqueued any more
  const Context* context() const { return context_; }

 private:
  void Work();

  const Context* context_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> tasks_;
  bool running_ = false;
  bool ends_ = false;
  Answer failure_;
  std::thread worker_;
};

class Event {
 public:
  // One point in a stream's work. Recording again makes another one.
  struct Mark {
    std::mutex mutex;
    std::condition_variable changed;
    bool reached = false;
    std::chrono::steady_clock::time_point when;
    void Reach();
    bool Wait(int32_t timeout_ms);  // false: not within the time
    bool Reached();
  };

  std::shared_ptr<Mark> Renew();
  void Reset();
  std::shared_ptr<Mark> mark() const;  // null: never recorded

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<Mark> mark_;
};

}  // namespace normgrad::acl

#endif  // NORMGRAD_TWIN_ACL_STREAM_H_
