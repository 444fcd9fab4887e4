#include "twin/machine/schedule.h"

#include <numeric>
#include <thread>
#include <utility>

namespace normgrad::twin {
namespace {

// SplitMix64 (Steele, Lea, Flood 2014): the same draws on every platform, unlike <random>'s
// shuffle.
uint64_t NextRandom(uint64_t& state) {
  uint64_t z = (state += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

}  // namespace

Schedule::Schedule(uint32_t cores, uint32_t host_threads, uint64_t seed)
    : host_threads_(host_threads == 0 ? 1 : host_threads), random_(seed), order_(cores) {
  for (uint32_t core = 0; core < cores; ++core) cores_.push_back(std::make_unique<CoreState>());
  std::iota(order_.begin(), order_.end(), 0u);
  DrawOrder();
}

void Schedule::DrawOrder() {
  if (random_ == 0) return;
  for (size_t i = order_.size(); i > 1; --i) {
    std::swap(order_[i - 1], order_[NextRandom(random_) % i]);
  }
}

void Schedule::Run(const std::function<void(uint32_t)>& body) {
  std::vector<std::thread> threads;
  threads.reserve(cores_.size());
  for (uint32_t core = 0; core < cores_.size(); ++core) {
    threads.emplace_back([this, core, &body] {
      CoreState& mine = *cores_[core];
      bool run = false;
      {
        std::unique_lock<std::mutex> lock(mutex_);
        mine.wake.wait(lock, [&] { return stopped_ || mine.state == State::kRunning; });
        run = !stopped_;
      }
      if (run) body(core);
      const std::lock_guard<std::mutex> lock(mutex_);
      if (mine.state == State::kRunning) --running_;
      mine.state = State::kEnded;
      Settle();
    });
  }
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    Dispatch();
  }
  for (std::thread& thread : threads) thread.join();
}

Schedule::Wake Schedule::Block(uint32_t core, const std::function<void()>& arrive,
                               std::function<bool()> ready) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (stopped_) return Wake::kStopped;
  arrive();
  cores_[core]->ready = std::move(ready);
  return Park(lock, core, State::kBlocked);
}

Schedule::Wake Schedule::TakeTurn(uint32_t core, std::function<void()> action) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (stopped_) return Wake::kStopped;
  cores_[core]->action = std::move(action);
  return Park(lock, core, State::kAtTurn);
}

Schedule::Wake Schedule::Park(std::unique_lock<std::mutex>& lock, uint32_t core, State state) {
  CoreState& mine = *cores_[core];
  mine.state = state;
  --running_;
  Settle();
  mine.wake.wait(lock, [&] { return stopped_ || mine.state == State::kRunning; });
  if (stopped_) return Wake::kStopped;
  return mine.never ? Wake::kNever : Wake::kGo;
}

void Schedule::Settle() {
  if (stopped_) return;
  UnblockReady();
  Dispatch();
  if (running_ > 0) return;
  // Nobody runs and nobody could: atomics and the like happen now, in turn.
  if (TakeTurns()) {
    UnblockReady();
    Dispatch();
    return;
  }
  for (const auto& core : cores_) {
    if (core->state != State::kBlocked) continue;
    core->never = true;
    core->state = State::kReady;
  }
  Dispatch();
}

bool Schedule::UnblockReady() {
  bool any = false;
  for (const auto& core : cores_) {
    if (core->state != State::kBlocked || !core->ready()) continue;
    core->state = State::kReady;
    any = true;
  }
  return any;
}

bool Schedule::TakeTurns() {
  bool any = false;
  for (const uint32_t core : order_) {
    if (cores_[core]->state != State::kAtTurn) continue;
    cores_[core]->action();
    cores_[core]->state = State::kReady;
    any = true;
  }
  if (any) DrawOrder();
  return any;
}

void Schedule::Dispatch() {
  for (const uint32_t core : order_) {
    if (running_ >= host_threads_) return;
    if (cores_[core]->state != State::kReady) continue;
    cores_[core]->state = State::kRunning;
    ++running_;
    cores_[core]->wake.notify_one();
  }
}

void Schedule::Stop() {
  const std::lock_guard<std::mutex> lock(mutex_);
  stopped_ = true;
  for (const auto& core : cores_) core->wake.notify_one();
}

bool Schedule::stopped() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return stopped_;
}

}  // namespace normgrad::twin
