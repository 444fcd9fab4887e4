#include "twin/machine/instruction.h"

#include <string>
#include <vector>

#include "twin/observers/cost_table.h"
#include "twin/rules/overlap.h"

namespace normgrad::twin {
Instruction::Instruction(Api api, Site site)
    : core_(ThisCore()),
      api_(api),
      site_(site),
      pipe_(PipeIndex(FactsOf(api).pipe)),
      all_(core_.checks_all()) {
  if (core_.in_vector_function()) {
    Report(Rule::kVectorFunction, "", 0, 0, "a vector function holds register instructions only");
  }
  if (!all_) return;
  sequence_ = core_.clocks().Issue(pipe_);
  core_.Remember(pipe_, sequence_, api, site);
}

Instruction::~Instruction() {
  if (!all_) return;
  const auto mark = [this](const PendingUb& pending) {
    core_.ub_races().Mark(pending.write, pipe_, sequence_, pending.footprint);
  };
  // A write is the last that was announced. What is read and written in place needs no mark of the
  // read: whoever conflicts with it conflicts with the write.
  const int last = pending_ub_count_ - 1;
  for (int i = 0; i <= last; ++i) {
    const bool in_place = i < last && pending_ub_[last].write &&
                          pending_ub_[i].footprint == pending_ub_[last].footprint;
    if (!in_place) mark(pending_ub_[i]);
  }
  for (const PendingUb& pending : more_ub_) mark(pending);
  for (int i = 0; i < pending_gm_count_; ++i) {
    const PendingGm& pending = pending_gm_[i];
    for (uint64_t block = 0; block < pending.count; ++block) {
      const uint64_t begin = pending.begin + block * pending.stride;
      core_.gm_order().Mark(pending.allocation, pending.write, pipe_, sequence_, begin,
                            begin + pending.length);
    }
  }
}

void Instruction::Report(Rule rule, const BufferName& buffer, uint64_t begin, uint64_t end,
                         const std::string& message) {
  core_.Report(rule, FactsOf(api_).name, FactsOf(api_).pipe, buffer, begin, end, site_, message);
}

void Instruction::Require(bool holds, Rule rule, const UbOperand& operand, const char* name,
                          uint64_t value, const char* allowed) {
  if (holds) return;
  Require(holds, rule, operand,
          std::string(name) + " is " + std::to_string(value) + "; allowed: " + allowed);
}

void Instruction::Require(bool holds, Rule rule, const UbOperand& operand,
                          const std::string& message) {
  if (!holds && core_.checks()) Report(rule, core_.Describe(operand.buffer), 0, 0, message);
}

void Instruction::RequireAligned(const UbOperand& operand, const char* name, uint32_t bytes) {
  if (operand.begin % bytes == 0 || !core_.checks()) return;
  const uint32_t offset = operand.begin - core_.buffer(operand.buffer).begin;
  Report(Rule::kUbAlign, core_.Describe(operand.buffer), offset, offset,
         std::string(name) + " starts " + std::to_string(operand.begin % bytes) +
             " bytes past a multiple of " + std::to_string(bytes));
}

void Instruction::RequirePosition(const UbOperand& operand, const char* name,
                                  bool veccalc_allowed) {
  if (!core_.checks()) return;
  const AscendC::TPosition position = core_.buffer(operand.buffer).position;
  const bool allowed = position == AscendC::TPosition::VECIN ||
                       position == AscendC::TPosition::VECOUT ||
                       (veccalc_allowed && position == AscendC::TPosition::VECCALC);
  if (allowed || operand.buffer == 0) return;
  Report(Rule::kPosition, core_.Describe(operand.buffer), 0, 0,
         std::string(name) + " lies in " + NameOf(position) + "; allowed: VECIN, VECOUT" +
             (veccalc_allowed ? ", VECCALC" : ""));
}

bool Instruction::InBounds(const UbOperand& operand, const char* name, const Footprint& f,
                           uint32_t hull_end) {
  const Buffer& buffer = core_.buffer(operand.buffer);
  const uint32_t end = buffer.begin + buffer.bytes;
  if (f.begin < buffer.begin || hull_end > end) {
    const uint32_t over = hull_end > end ? hull_end - end : 0;
    Report(Rule::kUbBounds, core_.Describe(operand.buffer), f.begin - buffer.begin,
           hull_end - buffer.begin,
           std::string(name) + " covers " + Range(f.begin - buffer.begin, hull_end - buffer.begin) +
               " of a buffer of " + std::to_string(buffer.bytes) + ": " + std::to_string(over) +
               " bytes too far");
    return false;
  }
  if (!core_.checks()) return true;
  const bool owned = buffer.state == BufferState::kAllocated ||
                     buffer.state == BufferState::kDequeued || buffer.state == BufferState::kStatic;
  if (!owned) {
    const char* state = buffer.state == BufferState::kFree       ? "freed or never allocated"
                        : buffer.state == BufferState::kEnqueued ? "enqueued, not dequeued"
                                                                 : "of a pipe that was reset";
    Report(Rule::kTensorFreed, core_.Describe(operand.buffer), f.begin - buffer.begin,
           hull_end - buffer.begin, std::string(name) + " is " + state);
  }
  return true;
}

bool Instruction::Reads(const UbOperand& operand, const char* name, const Footprint& footprint) {
  if (footprint.empty()) return true;
  const uint32_t hull_end = footprint.hull_end();
  if (!InBounds(operand, name, footprint, hull_end)) return false;
  if (!all_) return true;
  CheckUbRace(false, operand, name, footprint, hull_end);
  const UbInitMap& init = core_.init();
  if (init.FirstUnwritten(footprint.begin, hull_end) == hull_end) return true;
  footprint.ForEachRange([&](uint32_t begin, uint32_t end) {
    const uint32_t at = init.FirstUnwritten(begin, end);
    if (at == end) return;
    const uint32_t base = core_.buffer(operand.buffer).begin;
    Report(Rule::kUbUninit, core_.Describe(operand.buffer), at - base, end - base,
           std::string(name) + ": byte " + std::to_string(at - base) +
               " of the buffer was never written");
  });
  return true;
}

bool Instruction::Writes(const UbOperand& operand, const char* name, const Footprint& footprint) {
  if (footprint.empty()) return true;
  const uint32_t hull_end = footprint.hull_end();
  if (!InBounds(operand, name, footprint, hull_end)) return false;
  if (!all_) return true;
  CheckOverlap(operand, footprint);
  CheckUbRace(true, operand, name, footprint, hull_end);
  UbInitMap& init = core_.init();
  if (!init.Whole(footprint.begin, hull_end)) {
    footprint.ForEachRange([&](uint32_t begin, uint32_t end) { init.Mark(begin, end); });
  }
  return true;
}

void Instruction::CheckOverlap(const UbOperand& operand, const Footprint& dst) {
  if (may_accumulate_ || FactsOf(api_).pipe != PIPE_V) return;
  for (int i = 0; i < pending_ub_count_; ++i) {
    const PendingUb& pending = pending_ub_[i];
    if (pending.write || OverlapAllowed(dst, pending.footprint)) continue;
    const uint32_t base = core_.buffer(operand.buffer).begin;
    Report(Rule::kOverlap, core_.Describe(operand.buffer), dst.begin - base, dst.hull_end() - base,
           "dst (" + Range(dst.begin - base, dst.hull_end() - base) +
               ") overlaps a source that starts at byte " +
               std::to_string(static_cast<int64_t>(pending.footprint.begin) - base) +
               ": inside a repeat they must be the same bytes or none in common");
    return;
  }
}

Rule Instruction::RaceRule(int other_pipe) const {
  return other_pipe == pipe_ ? Rule::kRaceInPipe : Rule::kRacePipes;
}

void Instruction::CheckUbRace(bool write, const UbOperand& operand, const char* name,
                              const Footprint& f, uint32_t hull_end) {
  if (pending_ub_count_ < kInlineUb) {
    pending_ub_[pending_ub_count_++] = {write, f};
  } else {
    more_ub_.push_back({write, f});
  }
  const PipeTimes& known = core_.clocks().Known(pipe_);
  UbConflict conflict;
  if (!core_.ub_races().Check(write, f, hull_end, known, &conflict)) return;
  const uint32_t base = core_.buffer(operand.buffer).begin;
  Report(RaceRule(conflict.pipe), core_.Describe(operand.buffer), conflict.begin - base,
         conflict.end - base,
         std::string(name) + (write ? " overwrites " : " reads ") +
             Range(conflict.begin - base, conflict.end - base) + " that " +
             core_.Recall(conflict.pipe, conflict.sequence) + " may still be " +
             (conflict.is_write ? "writing" : "reading"));
}

void Instruction::CountVector(uint64_t repeats, bool odd_count) {
  core_.cycles().Vector(api_, repeats, odd_count, site_);
  Counters& counters = core_.counters();
  ++counters.vector_instructions;
  counters.vector_repeats += repeats;
  counters.vector_slope_cycles += repeats * SlopeCycles(api_);
}

}  // namespace normgrad::twin
