// Races in UB: two accesses to a byte, at least one of them a write, that nothing orders.
//
// Marks are sequence numbers, per pipe and 32 B block: the last read and the last write. Blocks
// that were touched in part get a record per byte on top; their block mark is then an upper bound.
// A check first asks whether the other pipe has done anything new at all, so that code with flags
// in place scans nothing.
#ifndef NORMGRAD_TWIN_OBSERVERS_UB_RACES_H_
#define NORMGRAD_TWIN_OBSERVERS_UB_RACES_H_

#include <cstdint>
#include <vector>

#include "twin/machine/clocks.h"

namespace normgrad::twin {

struct UbConflict {
  int pipe;           // of the other access
  uint32_t sequence;  // its number in that pipe
  bool is_write;
  uint32_t begin;  // bytes of UB concerned
  uint32_t end;
};

class UbRaces {
 public:
  explicit UbRaces(uint32_t ub_bytes);

  // Does anything that `known` does not cover conflict with this access? Yes: fills *conflict.
  bool Check(bool write, uint32_t begin, uint32_t end, const PipeTimes& known,
             UbConflict* conflict) const;
  void Mark(bool write, int pipe, uint32_t sequence, uint32_t begin, uint32_t end);

  // Every instruction so far is known to every pipe.
  void Forget();

 private:
  struct Exact {
    uint32_t marks[2][kPipes][32];  // [read, write][pipe][byte]
  };

  bool CheckPipe(bool other_writes, int pipe, uint32_t begin, uint32_t end, uint32_t known,
                 UbConflict* conflict) const;
  uint32_t ExactOf(uint32_t block);
  void MarkBytes(bool write, int pipe, uint32_t sequence, uint32_t begin, uint32_t end);

  std::vector<uint32_t> marks_[2][kPipes];
  uint32_t last_[2][kPipes] = {};   // newest mark of each kind
  std::vector<uint32_t> exact_of_;  // per block: 0, or 1 + index into exact_
  std::vector<Exact> exact_;
};

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_OBSERVERS_UB_RACES_H_
