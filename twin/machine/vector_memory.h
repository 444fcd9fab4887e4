// What the vector functions on this host thread have loaded and stored: the newest load and store
// of every 4 bytes of UB, and who they were. A function runs to its end before another core does,
// so one of these per thread is enough. Numbers only grow: those of earlier functions are simply
// old.
#ifndef NORMGRAD_TWIN_MACHINE_VECTOR_MEMORY_H_
#define NORMGRAD_TWIN_MACHINE_VECTOR_MEMORY_H_

#include <cstdint>
#include <vector>

#include "twin/machine/registers.h"
#include "twin/machine/site.h"
#include "twin/rules/reg_table.h"
#include "twin/rules/rules.h"

namespace normgrad::twin {

class VectorMemory {
 public:
  struct Access {
    Site site;
    RegOp op;
    uint32_t reg;
  };
  // A piece of less than 4 bytes at either end of an access.
  struct Piece {
    uint32_t begin;
    uint32_t end;
    uint32_t access;
    bool write;
  };
  // Why bytes of a register mean nothing: what a load met at bytes [begin, end) of UB.
  struct Origin {
    Rule rule;
    RegOp op;
    Site site;
    uint16_t buffer;
    uint32_t begin;
    uint32_t end;
    uint32_t store = 0;  // of a race, the other access
    bool reported = false;
  };

  static VectorMemory& Here();

  uint32_t NewFunction();  // forgets who the accesses of the last one were
  uint32_t next_access() const { return first_ + static_cast<uint32_t>(accesses_.size()); }
  uint32_t Add(bool write, const Access& access, uint32_t begin, uint32_t end);
  const Access& At(uint32_t access) const { return accesses_[access - first_]; }
  uint32_t NewOrigin(const Origin& origin) {
    origins_.push_back(origin);
    return static_cast<uint32_t>(origins_.size());
  }
  Origin& OriginAt(uint32_t origin) { return origins_[origin - 1]; }

  // Calls f(access, begin, end) for the newest loads or stores of these bytes that came after
  // `known`, until it returns true.
  template <typename F>
  bool AnyAfter(bool write, uint32_t begin, uint32_t end, uint32_t known, F f) const;
  // A load into a register waits for earlier ones into it: adds those to `loads`, and notes them.
  void LoadInto(uint32_t reg, RegBits* loads) {
    InRegister& in = registers_[reg % kRegisters];
    if (in.reg == reg && in.function == functions_) *loads = *loads | in.loads;
    in = {reg, functions_, *loads};
  }
  // The newest load of the 4 bytes around `at`.
  uint32_t LoadAt(uint32_t at) const { return marks_[0][at / kGranule]; }

 private:
  static constexpr uint32_t kGranule = 4;
  VectorMemory();
  uint32_t Newest(bool write, uint32_t first, uint32_t count) const;

  // The loads into each register of this function; two registers in one place forget each other.
  static constexpr uint32_t kRegisters = 256;
  struct InRegister {
    uint32_t reg;
    uint32_t function;
    RegBits loads;
  };
  InRegister registers_[kRegisters] = {};

  std::vector<uint32_t> marks_[2];  // [read, write][granule]
  std::vector<Access> accesses_;
  std::vector<Piece> pieces_;
  std::vector<Origin> origins_;
  uint32_t first_ = 1;
  uint32_t functions_ = 0;
};

template <typename F>
bool VectorMemory::AnyAfter(bool write, uint32_t begin, uint32_t end, uint32_t known, F f) const {
  const uint32_t first = begin / kGranule;
  const uint32_t last = (end + kGranule - 1) / kGranule;
  if (Newest(write, first, last - first) > known) {
    const uint32_t* marks = marks_[write].data();
    for (uint32_t at = first; at < last;) {
      uint32_t next = at + 1;
      while (next < last && marks[next] == marks[at]) ++next;
      const uint32_t from = at * kGranule < begin ? begin : at * kGranule;
      const uint32_t to = next * kGranule > end ? end : next * kGranule;
      if (marks[at] > known && f(marks[at], from, to)) return true;
      at = next;
    }
  }
  for (const Piece& piece : pieces_) {
    if (piece.write != write || piece.access <= known) continue;
    if (piece.begin >= end || piece.end <= begin) continue;
    if (f(piece.access, piece.begin < begin ? begin : piece.begin,
          piece.end > end ? end : piece.end)) {
      return true;
    }
  }
  return false;
}

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_MACHINE_VECTOR_MEMORY_H_
