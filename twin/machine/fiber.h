// A body with a stack of its own, which a thread goes on with and which comes back when it likes.
// A core is one: changing from one to the next costs a function call, where two threads that hand
// over to each other wait for the host's scheduler. It stays on the thread that began it, since
// what compiled code knows of thread-local places must not change under it.
#ifndef NORMGRAD_TWIN_MACHINE_FIBER_H_
#define NORMGRAD_TWIN_MACHINE_FIBER_H_

#include <ucontext.h>

#include <cstddef>
#include <functional>

#include "twin/machine/pages.h"

namespace normgrad::twin {

class Fiber {
 public:
  // The body must let no exception out.
  explicit Fiber(std::function<void()> body);
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;
  ~Fiber();

  // On the thread: goes on with the body until it suspends or ends.
  void Resume();
  // In the body: back to where Resume was called.
  void Suspend();
  bool ended() const { return ended_; }

 private:
  static void Enter(unsigned high, unsigned low);
  void Leave(bool for_good);

  const std::function<void()> body_;
  const Pages stack_;
  ucontext_t inside_;
  ucontext_t outside_;
  bool ended_ = false;
  // What sanitizers want to know of a change of stacks.
  void* fake_inside_ = nullptr;
  const void* outside_bottom_ = nullptr;
  size_t outside_bytes_ = 0;
  void* tsan_inside_ = nullptr;
  void* tsan_outside_ = nullptr;
};

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_MACHINE_FIBER_H_
