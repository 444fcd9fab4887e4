// Which access touched a byte of UB last, per pipe and per kind of access. Marks are sequence
// numbers per 32 B block. Blocks that were touched in part get a record per byte on top; their
// block mark is then an upper bound.
#ifndef NORMGRAD_TWIN_OBSERVERS_UB_MARKS_H_
#define NORMGRAD_TWIN_OBSERVERS_UB_MARKS_H_

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

class UbMarks {
 public:
  explicit UbMarks(uint32_t ub_bytes) : blocks_(ub_bytes / kBlockBytes) {}

  // Newer accesses of a kind and pipe come later.
  void Mark(bool write, int pipe, uint32_t sequence, const Footprint& footprint);
  uint32_t newest(bool write, int pipe) const { return newest_[write][pipe]; }

  // The first bytes of `footprint` that one access newer than `known` touched last, if any.
  bool Find(bool write, int pipe, const Footprint& footprint, uint32_t known,
            UbConflict* conflict) const;

  // No mark so far will be asked for again.
  void Forget();

 private:
  struct Exact {
    uint32_t marks[2][kPipes][kBlockBytes];  // [read, write][pipe][byte]
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

  bool FindInRange(bool write, int pipe, uint32_t begin, uint32_t end, uint32_t known,
                   UbConflict* conflict) const;
  // The mark of byte `at`; all bytes up to *until have it.
  uint32_t MarkAt(bool write, int pipe, uint32_t at, uint32_t* until) const;
  void MarkRange(bool write, int pipe, uint32_t sequence, uint32_t begin, uint32_t end);
  uint32_t ExactOf(uint32_t block);
  void MarkBytes(bool write, int pipe, uint32_t sequence, uint32_t begin, uint32_t end);

  const uint32_t blocks_;
  std::vector<uint32_t> marks_[2][kPipes];  // empty until the first mark
  uint32_t newest_[2][kPipes] = {};
  Hull exact_hull_;
  std::vector<uint32_t> exact_of_;  // per block: 0, or 1 + index into exact_; empty at first
  std::vector<Exact> exact_;
};

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_OBSERVERS_UB_MARKS_H_
