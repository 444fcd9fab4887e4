#include "twin/machine/schedule.h"

#include <algorithm>
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

void Schedule::Run(const PerCore& body, const PerCore& going_on) {
  const uint32_t count = std::min(host_threads_, static_cast<uint32_t>(cores_.size()));
  std::vector<std::thread> threads;
  for (uint32_t thread = 1; thread < count; ++thread) {
    threads.emplace_back([this, thread, &body, &going_on] { Work(thread, body, going_on); });
  }
  Work(0, body, going_on);
  for (std::thread& thread : threads) thread.join();
}

void Schedule::Work(uint32_t thread, const PerCore& body, const PerCore& going_on) {
  Lock lock(mutex_);
  while (!Done(thread)) {
    const uint32_t index = Next(thread);
    if (index == cores_.size()) {
      wake_.wait(lock);
      continue;
    }
    CoreState& core = *cores_[index];
    if (core.fiber == nullptr) {
      core.thread = thread;
      core.fiber = std::make_unique<Fiber>([&body, index] { body(index); });
    }
    core.state = State::kRunning;
    ++running_;
    lock.unlock();
    going_on(index);
    core.fiber->Resume();
    lock.lock();
    if (core.fiber->ended()) core.state = State::kEnded;
    --running_;
    Settle();
  }
}

uint32_t Schedule::Next(uint32_t thread) const {
  for (const uint32_t index : order_) {
    if (MayRun(*cores_[index], thread)) return index;
  }
  return static_cast<uint32_t>(cores_.size());
}

bool Schedule::MayRun(const CoreState& core, uint32_t thread) const {
  const bool begun = core.fiber != nullptr;
  if (core.state == State::kEnded || (begun && core.thread != thread)) return false;
  // In a launch that was stopped those that have begun come to their end, and no others begin.
  return stopped_ ? begun : core.state == State::kReady;
}

bool Schedule::Done(uint32_t thread) const {
  return std::all_of(cores_.begin(), cores_.end(), [&](const auto& core) {
    if (core->state == State::kEnded) return true;
    return core->fiber != nullptr ? core->thread != thread : stopped_;
  });
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

Schedule::Wake Schedule::Park(Lock& lock, uint32_t core, State state) {
  CoreState& mine = *cores_[core];
  mine.state = state;
  lock.unlock();
  mine.fiber->Suspend();
  lock.lock();
  if (stopped_) return Wake::kStopped;
  return mine.never ? Wake::kNever : Wake::kGo;
}

void Schedule::Settle() {
  if (stopped_) return;
  bool any = UnblockReady();
  // Nobody runs and nobody could: atomics and the like happen now, in turn.
  if (running_ == 0 && !AnyReady() && TakeTurns()) {
    UnblockReady();
    any = true;
  }
  if (running_ == 0 && !AnyReady()) {
    for (const auto& core : cores_) {
      if (core->state != State::kBlocked) continue;
      core->never = true;
      core->state = State::kReady;
      any = true;
    }
  }
  if (any) wake_.notify_all();
}

bool Schedule::AnyReady() const {
  return std::any_of(cores_.begin(), cores_.end(),
                     [](const auto& core) { return core->state == State::kReady; });
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

void Schedule::Stop() {
  const std::lock_guard<std::mutex> lock(mutex_);
  stopped_ = true;
  wake_.notify_all();
}

bool Schedule::stopped() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return stopped_;
}

}  // namespace normgrad::twin
