#include "twin/machine/fiber.h"

#include <cstdint>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace normgrad::twin {
namespace {

// As a thread has. Its pages exist once they are used; a core has 32 KB.
constexpr size_t kStackBytes = 8 << 20;
constexpr size_t kGuardBytes = 1 << 16;

}  // namespace

Fiber::Fiber(std::function<void()> body)
    : body_(std::move(body)), stack_(kStackBytes, kGuardBytes) {
  getcontext(&inside_);
  inside_.uc_stack.ss_sp = stack_.begin();
  inside_.uc_stack.ss_size = stack_.bytes();
  inside_.uc_link = nullptr;
  const auto self = reinterpret_cast<uintptr_t>(this);
  makecontext(&inside_, reinterpret_cast<void (*)()>(&Fiber::Enter), 2,
              static_cast<unsigned>(self >> 32), static_cast<unsigned>(self));
#if defined(__SANITIZE_THREAD__)
  tsan_inside_ = __tsan_create_fiber(0);
#endif
}

Fiber::~Fiber() {
#if defined(__SANITIZE_THREAD__)
  __tsan_destroy_fiber(tsan_inside_);
#endif
}

void Fiber::Enter(unsigned high, unsigned low) {
  auto* self = reinterpret_cast<Fiber*>(uintptr_t{high} << 32 | low);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(nullptr, &self->outside_bottom_, &self->outside_bytes_);
#endif
  self->body_();
  self->ended_ = true;
  self->Leave(true);
}

void Fiber::Resume() {
#if defined(__SANITIZE_ADDRESS__)
  void* fake = nullptr;
  __sanitizer_start_switch_fiber(&fake, stack_.begin(), stack_.bytes());
#endif
#if defined(__SANITIZE_THREAD__)
  tsan_outside_ = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(tsan_inside_, 0);  // in order: one thread does both
#endif
  swapcontext(&outside_, &inside_);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
#endif
}

void Fiber::Suspend() { Leave(false); }

void Fiber::Leave([[maybe_unused]] bool for_good) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(for_good ? nullptr : &fake_inside_, outside_bottom_,
                                 outside_bytes_);
#endif
#if defined(__SANITIZE_THREAD__)
  __tsan_switch_to_fiber(tsan_outside_, 0);
#endif
  swapcontext(&inside_, &outside_);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(fake_inside_, &outside_bottom_, &outside_bytes_);
#endif
}

}  // namespace normgrad::twin
