// Order inside a core. The scalar unit issues instructions into four pipes that run beside each
// other; an instruction is known to have finished, for another one, only through a flag, a queue's
// event or a barrier. Instructions of a pipe are numbered from 1 in program order.
#ifndef NORMGRAD_TWIN_MACHINE_CLOCKS_H_
#define NORMGRAD_TWIN_MACHINE_CLOCKS_H_

#include <algorithm>
#include <cstdint>

#include "twin/machine/ids.h"

namespace normgrad::twin {

constexpr int kPipes = 4;  // S, V, MTE2, MTE3

inline int PipeIndex(pipe_t pipe) {
  switch (pipe) {
    case PIPE_V:
      return 1;
    case PIPE_MTE2:
      return 2;
    case PIPE_MTE3:
      return 3;
    default:
      return 0;
  }
}

inline pipe_t PipeAt(int index) {
  constexpr pipe_t kPipe[kPipes] = {PIPE_S, PIPE_V, PIPE_MTE2, PIPE_MTE3};
  return kPipe[index];
}

// Of each pipe, how many instructions have finished.
struct PipeTimes {
  uint32_t finished[kPipes] = {};

  void Join(const PipeTimes& other) {
    for (int pipe = 0; pipe < kPipes; ++pipe) {
      finished[pipe] = std::max(finished[pipe], other.finished[pipe]);
    }
  }
};

class PipeClocks {
 public:
  // `autosync`: the compiler inserts what it inserts in the standard operator project: PIPE_V
  // barriers, and flags around scalar accesses. `vector_in_order`: the chip itself orders the
  // instructions of the vector pipe among each other.
  PipeClocks(bool autosync, bool vector_in_order)
      : autosync_(autosync), vector_in_order_(vector_in_order) {}

  // Number of the next instruction of `pipe`; Known(pipe) is what it may rely on.
  uint32_t Issue(int pipe) {
    PipeTimes& known = known_[pipe];
    if (pipe == kScalar) {
      known.finished[kScalar] = issued_.finished[kScalar];  // the scalar unit runs in order
      if (autosync_) known = issued_;
    } else if (autosync_) {
      known.finished[kScalar] = issued_.finished[kScalar];
    }
    if (pipe == kVector && (autosync_ || vector_in_order_)) {
      known.finished[kVector] = issued_.finished[kVector];
    }
    return ++issued_.finished[pipe];
  }
  const PipeTimes& Known(int pipe) const { return known_[pipe]; }

  void Barrier(int pipe) { known_[pipe].finished[pipe] = issued_.finished[pipe]; }
  void BarrierAll() {
    for (PipeTimes& known : known_) known = issued_;
  }

  // What a flag set by `pipe` now says: all that pipe has been given so far, and all it knew of.
  PipeTimes Set(int pipe) const {
    PipeTimes times = known_[pipe];
    times.finished[pipe] = issued_.finished[pipe];
    return times;
  }
  void Wait(int pipe, const PipeTimes& times) { known_[pipe].Join(times); }

 private:
  static constexpr int kScalar = 0;
  static constexpr int kVector = 1;

  const bool autosync_;
  const bool vector_in_order_;
  PipeTimes issued_;
  PipeTimes known_[kPipes];
};

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_MACHINE_CLOCKS_H_
