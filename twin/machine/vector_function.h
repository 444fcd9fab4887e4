// A vector function (VF) of arch 3510: one instruction of the vector pipe for everything outside,
// inside a stream of register instructions of which only some are ordered. It is the second funnel:
// every register call announces here what it reads and writes, before its meaning is carried out.
//
// Order inside (LocalMemBar page): loads and stores of the same bytes are ordered by a LocalMemBar
// of their kinds, or by using the same register, or, for a store, by depending on the load or on a
// later one into the same register. Another order the unit does not keep.
//
// Undefined bytes (UB that was never written, what lies behind the buffer, what a store that
// nothing orders may still change, a register that nobody wrote) travel along with the registers:
// full registers are loaded and computed on where only some lanes matter. They are a finding where
// they decide something: in a sum, a comparison, a mask; those of a race in a store, too. A store
// of the others leaves the bytes of UB undefined.
#ifndef NORMGRAD_TWIN_MACHINE_VECTOR_FUNCTION_H_
#define NORMGRAD_TWIN_MACHINE_VECTOR_FUNCTION_H_

#include <cstdint>
#include <string>

#include "twin/machine/core.h"
#include "twin/machine/registers.h"
#include "twin/rules/reg_table.h"

namespace normgrad::twin {

class VectorMemory;

// Of whom a LocalMemBar makes whom wait.
struct MemoryBarrier {
  bool store_load;
  bool load_store;
  bool store_store;
};

class VectorFunction {
 public:
  explicit VectorFunction(Site site);
  ~VectorFunction();
  VectorFunction(const VectorFunction&) = delete;
  VectorFunction& operator=(const VectorFunction&) = delete;

  // The one that runs; a register instruction outside of any is a finding. Counts the instruction.
  static VectorFunction& Issue(RegOp op, Site site);
  static bool Running();

  Core& core() { return core_; }
  bool checks() const { return checks_; }
  bool checks_all() const { return checks_all_; }

  // Byte address in UB; fatal if it is none.
  uint32_t UbAddress(RegOp op, const void* address, Site site);
  void RequireAligned(RegOp op, uint32_t begin, uint32_t bytes, Site site);

  // A load of [begin, begin + length) into `reg` (and `reg2`).
  struct Loaded {
    bool whole;        // all bytes mean something
    RegBits valid[2];  // which do, if not
    RegBits loads;     // what depends on the bytes depends on this
    uint32_t origin;
  };
  Loaded Load(RegOp op, uint32_t begin, uint32_t length, uint32_t reg, uint32_t reg2, Site site);

  // A store to [begin, begin + length) of what `line` has from `offset` on, which comes from `reg`.
  // All of it means something, unless `valid` says which bytes of the line do, and `origin` why the
  // others do not.
  void Store(RegOp op, uint32_t begin, uint32_t length, const uint8_t* line, uint32_t offset,
             const RegBits* valid, uint32_t origin, const RegBits& loads, uint32_t reg, Site site);
  // Why bytes of a register mean nothing; 0: nobody has written it.
  uint32_t OriginOf(const RegData& data) const {
    return data.function == serial_ ? data.origin : 0;
  }

  void Barrier(const MemoryBarrier& barrier);

  // Which bytes of a source mean anything: none of a register that this function has not written.
  RegBits ValidOf(const RegData& data) const {
    if (!checks_all_) return RegBits::All();
    return data.function == serial_ ? data.valid : RegBits::None();
  }
  // `data` now holds what depends on these loads.
  void Wrote(RegData& data, const RegBits& valid, const RegBits& loads, uint32_t origin) const {
    data.valid = valid;
    data.loads = loads;
    data.origin = origin;
    data.function = serial_;
  }

  // An operand that decides something: `used` are the bytes that count.
  void RequireDefined(RegOp op, const char* name, const RegData& data, const RegBits& used,
                      Site site) {
    const RegBits bad = used & ~ValidOf(data);
    if (!bad.none()) ReportUndefined(op, name, data, bad, site);
  }
  void RequireMask(RegOp op, const MaskData& mask, uint32_t element_bytes, Site site);
  // A rule of the call itself is broken.
  void Break(Rule rule, RegOp op, const std::string& message, Site site);

 private:
  struct Conflict {
    uint32_t access;
    bool write;
    uint32_t begin;
    uint32_t end;
  };

  uint32_t NewAccess(bool write, RegOp op, uint32_t reg, uint32_t begin, uint32_t end, Site site);
  void CheckLoad(RegOp op, uint32_t begin, uint32_t end, uint32_t reg, uint32_t reg2, Site site,
                 Loaded* loaded);
  // What of a load lies behind the buffer or was never written.
  void FindUnwritten(RegOp op, uint32_t begin, uint32_t end, uint32_t limit, Site site,
                     Loaded* loaded);
  void CheckStore(RegOp op, uint32_t begin, uint32_t end, uint32_t reg, const RegBits& loads,
                  Site site);
  void CheckOthers(bool write, RegOp op, uint32_t begin, uint32_t end, Site site);
  void CheckOwner(RegOp op, uint32_t begin, uint32_t end, Site site);
  void NoteRange(bool write, uint32_t begin, uint32_t end);
  void MarkRange(bool write, uint32_t index);
  void FindBuffer(uint32_t begin, Site site);
  void ReportUndefined(RegOp op, const char* name, const RegData& data, const RegBits& bad,
                       Site site);
  void ReportOrder(RegOp op, bool write, const Conflict& conflict, Site site);
  bool ReportRace(uint32_t origin);  // false: it is none
  void Report(Rule rule, RegOp op, uint32_t begin, uint32_t end, Site site,
              const std::string& message);

  // Ranges of UB: what the function has touched, to be marked for other pipes at its end, and what
  // other pipes may still be touching.
  static constexpr uint32_t kRanges = 16;
  struct Ranges {
    uint32_t begin[kRanges];
    uint32_t end[kRanges];
    uint32_t used = 0;
    uint32_t last = 0;
    bool Meets(uint32_t from, uint32_t to) const {
      for (uint32_t i = 0; i < used; ++i) {
        if (begin[i] < to && from < end[i]) return true;
      }
      return false;
    }
  };

  Core& core_;
  VectorMemory& memory_;
  const bool checks_;
  const bool checks_all_;
  Site site_;
  uint32_t serial_;
  uint32_t sequence_ = 0;  // of the vector pipe
  uint32_t first_access_;
  // Accesses up to these are behind a barrier of that kind.
  uint32_t store_load_;
  uint32_t load_store_;
  uint32_t store_store_;
  uint16_t buffer_ = 0;  // where the access lies
  uint16_t buffers_[8] = {};
  uint32_t counts_[kRegOps] = {};
  uint64_t load_bytes_ = 0;
  uint64_t store_bytes_ = 0;
  Ranges touched_[2];  // [read, write]
  Ranges others_[2];   // what a [read, write] must not meet
};

}  // namespace normgrad::twin

// A block of register instructions.
#define __VEC_SCOPE__ \
  if (::normgrad::twin::VectorFunction scope{::normgrad::twin::Site::Here()}; true)

#endif  // NORMGRAD_TWIN_MACHINE_VECTOR_FUNCTION_H_
