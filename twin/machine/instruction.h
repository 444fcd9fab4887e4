// The one funnel: every call of a kernel that touches memory announces here what it reads and
// writes, before its meaning is carried out. Rules and counters hang on this and on nothing else.
#ifndef NORMGRAD_TWIN_MACHINE_INSTRUCTION_H_
#define NORMGRAD_TWIN_MACHINE_INSTRUCTION_H_

#include <cstdint>

#include "twin/api/tensor.h"
#include "twin/machine/core.h"
#include "twin/machine/footprint.h"
#include "twin/rules/api_table.h"

namespace normgrad::twin {

class Instruction {
 public:
  Instruction(Api api, Site site);
  Instruction(const Instruction&) = delete;
  Instruction& operator=(const Instruction&) = delete;
  // Only now do this instruction's accesses count for later ones: one that works in place does not
  // race with itself.
  ~Instruction();

  Core& core() { return core_; }
  const char* name() const { return FactsOf(api_).name; }  // as the kernel spells the call
  uint8_t* ub(uint32_t begin) { return core_.ub() + begin; }

  // Each reports what is wrong and returns false if the call must not be carried out.
  bool Reads(const UbOperand& operand, const char* name, const Footprint& footprint);
  bool Writes(const UbOperand& operand, const char* name, const Footprint& footprint);
  bool ReadsGm(const uint8_t* address, uint64_t length, uint64_t count, uint64_t stride);
  bool WritesGm(const uint8_t* address, uint64_t length, uint64_t count, uint64_t stride,
                GmAccess access = GmAccess::kWrite);

  // A scalar store: its 64 B lines stay in the data cache until they are cleaned, and are written
  // back whole.
  void LeaveInDataCache(const uint8_t* address, uint64_t length);

  // Bytes in [begin, end) of UB now hold nothing defined.
  void Undefines(uint32_t begin, uint32_t end) { core_.init().Clear(begin, end); }

  // Requirements on parameters: rule broken -> finding, and the call is still carried out.
  void Require(bool holds, Rule rule, const UbOperand& operand, const char* name, uint64_t value,
               const char* allowed);
  void Require(bool holds, Rule rule, const UbOperand& operand, const std::string& message);
  void RequireAligned(const UbOperand& operand, const char* name, uint32_t bytes);

  // The operand must lie in a buffer of one of these positions.
  void RequirePosition(const UbOperand& operand, const char* name, bool veccalc_allowed);

  // This call adds up into its destination, step by step: it may overlap its source so.
  void AllowAccumulation() { may_accumulate_ = true; }

  // `odd_count`: the call counts elements, and they fill no whole repeats.
  void CountVector(uint64_t repeats, bool odd_count = false);
  void TimeCopy(const uint8_t* address, uint64_t length, uint64_t count, uint64_t stride) {
    core_.cycles().Copy(api_, address, length, count, stride, site_);
  }

 private:
  bool InBounds(const UbOperand& operand, const char* name, const Footprint& f, uint32_t hull_end);
  bool CheckGm(const uint8_t* address, uint64_t length, uint64_t count, uint64_t stride,
               const GmAllocation** allocation);
  void CheckOverlap(const UbOperand& operand, const Footprint& dst);
  void CheckUbRace(bool write, const UbOperand& operand, const char* name, const Footprint& f,
                   uint32_t hull_end);
  void CheckGmRace(GmAccess access, const GmAllocation& allocation, uint64_t begin, uint64_t length,
                   uint64_t count, uint64_t stride);
  void CheckDataCache(const GmAllocation& allocation, uint64_t begin, uint64_t end);
  bool RequireWritten(const GmAllocation& allocation, uint64_t begin, uint64_t end);
  Rule RaceRule(int other_pipe) const;
  void Report(Rule rule, const BufferName& buffer, uint64_t begin, uint64_t end,
              const std::string& message);

  struct PendingUb {
    bool write;
    Footprint footprint;
  };
  struct PendingGm {
    bool write;
    const GmAllocation* allocation;
    uint64_t begin;
    uint64_t length;
    uint64_t count;
    uint64_t stride;
  };
  static constexpr uint64_t kLineBytes = 64;  // of the data cache
  static constexpr int kInlineUb = 6;         // a bit mask may need more: those go to more_ub_

  Core& core_;
  const Api api_;
  const Site site_;
  const int pipe_;
  const bool all_;  // checks
  uint32_t sequence_ = 0;
  bool may_accumulate_ = false;
  int pending_ub_count_ = 0;
  PendingUb pending_ub_[kInlineUb];
  std::vector<PendingUb> more_ub_;
  int pending_gm_count_ = 0;
  PendingGm pending_gm_[1];
};

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_MACHINE_INSTRUCTION_H_
