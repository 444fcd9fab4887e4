#include "twin/machine/schedule.h"

#include <numeric>
#include <thread>
#include <utility>

namespace normgrad::twin {
namespace {

// SplitMix64 (Steele, Lea, Flood 2014): the same draws on every platform, unlike <random>'s shuffle.
uint64_t NextRandom(uint64_t& state) {
  uint64_t z = (state += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

}  // namespace

Schedule::Schedule(uint32_t cores, uint32_t host_threads, uint64_t seed)
    : cores_(cores),
      host_threads_(host_threads == 0 ? 1 : host_threads),
      random_(seed),
      states_(cores, State::kReady),
      order_(cores) {
  for (uint32_t core = 0; core < cores; ++core) {
    wake_.push_back(std::make_unique<std::condition_variable>());
  }
  std::iota(order_.begin(), order_.end(), 0u);
  DrawOrder();
}

void Schedule::DrawOrder() {
  if (random_ == 0) return;
  for (uint32_t i = cores_; i > 1; --i) std::swap(order_[i - 1], order_[NextRandom(random_) % i]);
}

void Schedule::Run(const std::function<void(uint32_t)>& body) {
  std::vector<std::thread> threads;
  threads.reserve(cores_);
  for (uint32_t core = 0; core < cores_; ++core) {
    threads.emplace_back([this, core, &body] {
      Begin(core);
      if (!stopped()) body(core);
      End(core);
    });
  }
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    Dispatch();
  }
  for (std::thread& thread : threads) thread.join();
}

void Schedule::Dispatch() {
  for (const uint32_t core : order_) {
    if (running_ >= host_threads_) return;
    if (states_[core] != State::kReady) continue;
    states_[core] = State::kRunning;
    ++running_;
    wake_[core]->notify_one();
  }
}

void Schedule::Begin(uint32_t core) {
  std::unique_lock<std::mutex> lock(mutex_);
  wake_[core]->wait(lock, [&] { return stopped_ || states_[core] == State::kRunning; });
}

void Schedule::End(uint32_t core) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (states_[core] == State::kRunning) --running_;
  states_[core] = State::kEnded;
  ++ended_;
  ReleaseMeeting();
  Dispatch();
}

Schedule::Meeting Schedule::SyncAll(uint32_t core) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (stopped_) return Meeting::kStopped;
  states_[core] = State::kWaiting;
  --running_;
  ++waiting_;
  ReleaseMeeting();
  Dispatch();
  wake_[core]->wait(lock, [&] { return stopped_ || states_[core] == State::kRunning; });
  if (stopped_) return Meeting::kStopped;
  return someone_missing_ ? Meeting::kSomeEnded : Meeting::kMet;
}

void Schedule::ReleaseMeeting() {
  if (waiting_ == 0 || waiting_ + ended_ < cores_) return;
  someone_missing_ = ended_ > 0;
  waiting_ = 0;
  if (on_meeting_) on_meeting_();
  for (State& state : states_) {
    if (state == State::kWaiting) state = State::kReady;
  }
  DrawOrder();
}

void Schedule::Stop() {
  const std::lock_guard<std::mutex> lock(mutex_);
  stopped_ = true;
  for (const auto& wake : wake_) wake->notify_one();
}

bool Schedule::stopped() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return stopped_;
}

}  // namespace normgrad::twin
