#include "twin/acl/stream.h"

#include <utility>

#include "acl/acl_base.h"

namespace normgrad::acl {
namespace {

// Waits for `done` under a lock; false: not within the time. A negative time is none.
template <typename Condition>
bool WaitFor(std::condition_variable& changed, std::unique_lock<std::mutex>& lock,
             int32_t timeout_ms, Condition done) {
  if (timeout_ms < 0) {
    changed.wait(lock, done);
    return true;
  }
  // A system clock: sanitizers of the compilers that we support do not know the wait for a steady
  // one.
  const auto until = std::chrono::system_clock::now() + std::chrono::milliseconds(timeout_ms);
  return changed.wait_until(lock, until, done);
}

}  // namespace

Stream::Stream(const Context* context) : context_(context), worker_([this] { Work(); }) {}

void Stream::End() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (ends_) return;
    ends_ = true;
  }
  changed_.notify_all();
  worker_.join();
}

void Stream::Enqueue(Task task) {
  DeviceMemory::Get().Begin(task.uses);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!ends_) {
      tasks_.push_back(std::move(task));
      changed_.notify_all();
      return;
    }
  }
  // Another thread has destroyed the stream meanwhile: nobody runs this any more, nobody waits for
  // it.
  DeviceMemory::Get().End(task.uses);
  if (task.always) task.run();
}

bool Stream::idle() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return tasks_.empty() && !running_;
}

Answer Stream::Synchronize(int32_t timeout_ms) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (!WaitFor(changed_, lock, timeout_ms, [this] { return tasks_.empty() && !running_; })) {
    return Refuse(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
                  "the stream's work did not end within " + std::to_string(timeout_ms) +
                      " ms: allow more, the twin is slower than a chip");
  }
  return std::exchange(failure_, Answer{});
}

void Stream::Work() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ends_ || !tasks_.empty(); });
    if (tasks_.empty()) return;  // what was asked for before the end is done
    Task task = std::move(tasks_.front());
    tasks_.pop_front();
    running_ = true;
    const bool runs = failure_.ok() || task.always;
    lock.unlock();
    Answer answer = runs ? task.run() : Answer{};
    DeviceMemory::Get().End(task.uses);
    task = Task{};  // whatever it holds goes before anybody hears of its end
    lock.lock();
    running_ = false;
    if (failure_.ok()) failure_ = std::move(answer);
    changed_.notify_all();
  }
}

void Event::Mark::Reach() {
  {
    const std::lock_guard<std::mutex> lock(mutex);
    reached = true;
    when = std::chrono::steady_clock::now();
  }
  changed.notify_all();
}

bool Event::Mark::Wait(int32_t timeout_ms) {
  std::unique_lock<std::mutex> lock(mutex);
  return WaitFor(changed, lock, timeout_ms, [this] { return reached; });
}

bool Event::Mark::Reached() {
  const std::lock_guard<std::mutex> lock(mutex);
  return reached;
}

std::shared_ptr<Event::Mark> Event::Renew() {
  const std::lock_guard<std::mutex> lock(mutex_);
  mark_ = std::make_shared<Mark>();
  return mark_;
}

void Event::Reset() {
  const std::lock_guard<std::mutex> lock(mutex_);
  mark_.reset();
}

std::shared_ptr<Event::Mark> Event::mark() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return mark_;
}

}  // namespace normgrad::acl
