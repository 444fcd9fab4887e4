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
#include "twin/machine/footprint.h"

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
  bool Check(bool write, const Footprint& footprint, const PipeTimes& known,
             UbConflict* conflict) const;
  void Mark(bool write, int pipe, uint32_t sequence, const Footprint& footprint);

  // Every instruction so far is known to every pipe.
  void Forget();

 private:
  struct Exact {
    uint32_t marks[2][kPipes][32];  // [read, write][pipe][byte]
  };

  // From the first to the last byte of something; empty at first.
  struct Hull {
    uint32_t begin = ~0u;
    uint32_t end = 0;
    void Add(uint32_t from, uint32_t to) {
      begin = from < begin ? from : begin;
      end = to > end ? to : end;
    }
    bool Meets(uint32_t from, uint32_t to) const { return from < end && begin < to; }
  };

  // Where the newest accesses of a pipe were: few are ever unknown to another one, and asking each
  // of them is cheaper than scanning marks.
  struct Recent {
    static constexpr uint32_t kSize = 16;
    uint32_t sequences[kSize] = {};
    uint32_t begins[kSize] = {};  // of the footprints' hulls: most questions end here
    uint32_t ends[kSize] = {};
    Footprint footprints[kSize] = {};
    uint32_t newest = 0;  // index
    void Add(uint32_t sequence, const Footprint& footprint);
    // False: nothing after `known` met these bytes. True: it may have.
    bool MayMeet(const Footprint& footprint, uint32_t known) const;
  };

  bool CheckPipe(bool other_writes, int pipe, uint32_t begin, uint32_t end, uint32_t known,
                 UbConflict* conflict) const;
  void MarkRange(bool write, int pipe, uint32_t sequence, uint32_t begin, uint32_t end);
  uint32_t ExactOf(uint32_t block);
  void MarkBytes(bool write, int pipe, uint32_t sequence, uint32_t begin, uint32_t end);

  std::vector<uint32_t> marks_[2][kPipes];
  uint32_t last_[2][kPipes] = {};  // newest mark of each kind
  Recent recent_[2][kPipes];
  Hull exact_hull_;
  std::vector<uint32_t> exact_of_;  // per block: 0, or 1 + index into exact_
  std::vector<Exact> exact_;
};

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_OBSERVERS_UB_RACES_H_
