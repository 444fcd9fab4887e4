#include "twin/machine/instruction.h"

#include <string>
#include <vector>

#include "twin/observers/cost_table.h"
#include "twin/rules/overlap.h"

namespace normgrad::twin {
namespace {

std::string Range(uint64_t begin, uint64_t end) {
  return "bytes " + std::to_string(begin) + " to " + std::to_string(end);
}

template <typename F>
void ForEachRange(const Footprint& footprint, F f) {
  for (uint32_t outer = 0; outer < footprint.outer_count; ++outer) {
    for (uint32_t inner = 0; inner < footprint.inner_count; ++inner) {
      const uint32_t begin =
          footprint.begin + outer * footprint.outer_stride + inner * footprint.inner_stride;
      f(begin, begin + footprint.length);
    }
  }
}

}  // namespace

Footprint Footprint::Collapsed() const {
  Footprint f = *this;
  if (f.inner_count > 1 && f.inner_stride == f.length) {
    f.length *= f.inner_count;
    f.inner_count = 1;
  } else if (f.inner_count > 1 && f.inner_stride == 0) {
    f.inner_count = 1;  // the same block again
  }
  if (f.outer_count > 1 && f.outer_stride == 0) f.outer_count = 1;
  if (f.inner_count == 1 && f.outer_count > 1 && f.outer_stride == f.length) {
    f.length *= f.outer_count;
    f.outer_count = 1;
  }
  return f;
}

Instruction::Instruction(Api api, Site site)
    : core_(ThisCore()), api_(api), site_(site), pipe_(PipeIndex(FactsOf(api).pipe)) {
  if (!core_.checks_all()) return;
  sequence_ = core_.clocks().Issue(pipe_);
  core_.Remember(pipe_, sequence_, api, site);
}

Instruction::~Instruction() {
  const auto mark = [this](const PendingUb& pending) {
    ForEachRange(pending.footprint, [&](uint32_t begin, uint32_t end) {
      core_.ub_races().Mark(pending.write, pipe_, sequence_, begin, end);
    });
  };
  for (int i = 0; i < pending_ub_count_; ++i) mark(pending_ub_[i]);
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

Rule Instruction::RaceRule(int other_pipe) const {
  return other_pipe == pipe_ ? Rule::kRaceInPipe : Rule::kRacePipes;
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

void Instruction::CheckUbRace(bool write, const UbOperand& operand, const char* name,
                              const Footprint& f) {
  if (pending_ub_count_ < kInlineUb) {
    pending_ub_[pending_ub_count_++] = {write, f};
  } else {
    more_ub_.push_back({write, f});
  }
  const PipeTimes& known = core_.clocks().Known(pipe_);
  UbConflict conflict;
  // The hull first: most strided accesses meet nothing new anywhere near.
  if (!core_.ub_races().Check(write, f.begin, f.hull_end(), known, &conflict)) return;
  bool found = false;
  ForEachRange(f, [&](uint32_t begin, uint32_t end) {
    if (found || !core_.ub_races().Check(write, begin, end, known, &conflict)) return;
    found = true;
    const uint32_t base = core_.buffer(operand.buffer).begin;
    Report(RaceRule(conflict.pipe), core_.Describe(operand.buffer), conflict.begin - base,
           conflict.end - base,
           std::string(name) + (write ? " overwrites " : " reads ") +
               Range(conflict.begin - base, conflict.end - base) + " that " +
               core_.Recall(conflict.pipe, conflict.sequence) + " may still be " +
               (conflict.is_write ? "writing" : "reading"));
  });
}

void Instruction::CheckGmRace(GmAccess access, const GmAllocation& allocation, uint64_t begin,
                              uint64_t length, uint64_t count, uint64_t stride) {
  const bool write = access != GmAccess::kRead;
  pending_gm_[pending_gm_count_++] = {write, &allocation, begin, length, count, stride};
  const PipeTimes& known = core_.clocks().Known(pipe_);
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t at = begin + i * stride;
    core_.AddGmSpan(&allocation, at, at + length, access, api_, site_, pipe_, sequence_);
    GmConflict conflict;
    if (!core_.gm_order().Check(&allocation, write, at, at + length, known, &conflict)) continue;
    Report(RaceRule(conflict.pipe), "GM " + allocation.name, conflict.begin, conflict.end,
           std::string(write ? "it overwrites " : "it reads ") +
               Range(conflict.begin, conflict.end) + " of " + allocation.name + " that " +
               core_.Recall(conflict.pipe, conflict.sequence) + " may still be " +
               (conflict.is_write ? "writing" : "reading"));
    break;
  }
}

void Instruction::Report(Rule rule, const std::string& buffer, uint64_t begin, uint64_t end,
                         const std::string& message) {
  core_.Report(rule, FactsOf(api_).name, FactsOf(api_).pipe, buffer, begin, end, site_, message);
}

void Instruction::Require(bool holds, Rule rule, const UbOperand& operand, const char* name,
                          uint64_t value, const char* allowed) {
  if (holds || !core_.checks()) return;
  Report(rule, core_.Describe(operand.buffer), 0, 0,
         std::string(name) + " is " + std::to_string(value) + "; allowed: " + allowed);
}

void Instruction::RequireAligned(const UbOperand& operand, const char* name, uint32_t bytes) {
  if (operand.begin % bytes == 0 || !core_.checks()) return;
  const uint32_t offset = operand.begin - core_.buffer(operand.buffer).begin;
  Report(Rule::kUbAlign, core_.Describe(operand.buffer), offset, offset,
         std::string(name) + " starts " + std::to_string(operand.begin % bytes) +
             " bytes past a multiple of " + std::to_string(bytes));
}

bool Instruction::InBounds(const UbOperand& operand, const char* name, const Footprint& f) {
  const Buffer& buffer = core_.buffer(operand.buffer);
  const uint32_t end = buffer.begin + buffer.bytes;
  if (f.begin < buffer.begin || f.hull_end() > end) {
    const uint32_t over = f.hull_end() > end ? f.hull_end() - end : 0;
    Report(Rule::kUbBounds, core_.Describe(operand.buffer), f.begin - buffer.begin,
           f.hull_end() - buffer.begin,
           std::string(name) + " covers " +
               Range(f.begin - buffer.begin, f.hull_end() - buffer.begin) + " of a buffer of " +
               std::to_string(buffer.bytes) + ": " + std::to_string(over) + " bytes too far");
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
           f.hull_end() - buffer.begin, std::string(name) + " is " + state);
  }
  return true;
}

bool Instruction::Reads(const UbOperand& operand, const char* name, const Footprint& footprint) {
  if (footprint.empty()) return true;
  if (!InBounds(operand, name, footprint)) return false;
  if (!core_.checks_all()) return true;
  CheckUbRace(false, operand, name, footprint);
  const UbInitMap& init = core_.init();
  const uint32_t hull_end = footprint.hull_end();
  if (init.FirstUnwritten(footprint.begin, hull_end) == hull_end) return true;
  ForEachRange(footprint, [&](uint32_t begin, uint32_t end) {
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
  if (!InBounds(operand, name, footprint)) return false;
  if (!core_.checks_all()) return true;
  CheckOverlap(operand, footprint);
  CheckUbRace(true, operand, name, footprint);
  UbInitMap& init = core_.init();
  ForEachRange(footprint, [&](uint32_t begin, uint32_t end) { init.Mark(begin, end); });
  return true;
}

bool Instruction::CheckGm(const uint8_t* address, uint64_t length, uint64_t count, uint64_t stride,
                          const GmAllocation** found) {
  const GmAllocation* allocation = core_.launch().gm().Find(address);
  *found = allocation;
  if (allocation == nullptr) {
    Report(Rule::kGmBounds, "", 0, 0, "this launch has no GM tensor at all");
    return false;
  }
  const int64_t begin = address - allocation->base;
  const int64_t end = begin + static_cast<int64_t>((count - 1) * stride + length);
  if (begin >= 0 && end <= static_cast<int64_t>(allocation->bytes)) {
    if (core_.checks()) {
      CheckDataCache(*allocation, static_cast<uint64_t>(begin), static_cast<uint64_t>(end));
    }
    return true;
  }
  const int64_t over = end - static_cast<int64_t>(allocation->bytes);
  Report(Rule::kGmBounds, "GM " + allocation->name, static_cast<uint64_t>(begin < 0 ? 0 : begin),
         static_cast<uint64_t>(end),
         allocation->name + " has " + std::to_string(allocation->bytes) +
             " bytes, the transfer covers " + std::to_string(begin) + " to " + std::to_string(end) +
             (over > 0 ? ": " + std::to_string(over) + " bytes too far" : ""));
  return false;
}

bool Instruction::ReadsGm(const uint8_t* address, uint64_t length, uint64_t count,
                          uint64_t stride) {
  if (length == 0 || count == 0) return true;
  const GmAllocation* allocation = nullptr;
  if (!CheckGm(address, length, count, stride, &allocation)) return false;
  // Nobody may write an input, so reading one races with nothing.
  if (allocation->init == nullptr || !core_.checks_all()) return true;
  CheckGmRace(GmAccess::kRead, *allocation, static_cast<uint64_t>(address - allocation->base),
              length, count, stride);
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t begin = static_cast<uint64_t>(address - allocation->base) + i * stride;
    if (!RequireWritten(*allocation, begin, begin + length)) break;
  }
  return true;
}

bool Instruction::RequireWritten(const GmAllocation& allocation, uint64_t begin, uint64_t end) {
  const uint64_t at = allocation.init->FirstUnwritten(begin, end);
  if (at == end) return true;
  Report(Rule::kGmUninit, "GM " + allocation.name, at, end,
         "byte " + std::to_string(at) + " of " + allocation.name + " was never written");
  return false;
}

void Instruction::CheckDataCache(const GmAllocation& allocation, uint64_t begin, uint64_t end) {
  const auto& lines = core_.dirty_lines();
  if (lines.empty() || pipe_ == PipeIndex(PIPE_S)) return;
  const auto first = reinterpret_cast<uint64_t>(allocation.base + begin) / kLineBytes * kLineBytes;
  const auto it = lines.lower_bound(first);
  if (it == lines.end() || it->first >= reinterpret_cast<uint64_t>(allocation.base + end)) return;
  Report(Rule::kDataCache, "GM " + allocation.name, begin, end,
         "SetValue in line " + std::to_string(it->second.line) +
             " stored into these 64-byte lines, which still sit in the data cache: "
             "DataCacheCleanAndInvalid is missing");
}

void Instruction::LeaveInDataCache(const uint8_t* address, uint64_t length) {
  const auto begin = reinterpret_cast<uint64_t>(address) / kLineBytes * kLineBytes;
  const auto end = reinterpret_cast<uint64_t>(address) + length;
  const GmAllocation* allocation = core_.launch().gm().Find(address);
  for (uint64_t line = begin; line < end; line += kLineBytes) {
    core_.dirty_lines()[line] = site_;
    if (!core_.checks_all()) continue;
    // Tensors start on a line, so a line never reaches before one.
    const uint64_t offset = line - reinterpret_cast<uint64_t>(allocation->base);
    core_.AddGmSpan(allocation, offset, offset + kLineBytes, GmAccess::kLine, api_, site_, pipe_,
                    sequence_);
  }
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

bool Instruction::WritesGm(const uint8_t* address, uint64_t length, uint64_t count, uint64_t stride,
                           GmAccess access) {
  if (length == 0 || count == 0) return true;
  const GmAllocation* allocation = nullptr;
  if (!CheckGm(address, length, count, stride, &allocation)) return false;
  const uint64_t begin = static_cast<uint64_t>(address - allocation->base);
  if (allocation->init == nullptr) {
    if (core_.checks()) {
      Report(Rule::kGmInput, "GM " + allocation->name, begin, begin + (count - 1) * stride + length,
             allocation->name + " is an input; only outputs and the workspace may be written");
    }
    return true;
  }
  if (core_.checks_all()) CheckGmRace(access, *allocation, begin, length, count, stride);
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t at = begin + i * stride;
    if (access == GmAccess::kAtomic && core_.checks_all()) {
      RequireWritten(*allocation, at, at + length);  // an addition reads what is there
    }
    allocation->init->Mark(begin + i * stride, begin + i * stride + length);
  }
  return true;
}

void Instruction::CountVector(uint64_t repeats) {
  Counters& counters = core_.counters();
  ++counters.vector_instructions;
  counters.vector_repeats += repeats;
  counters.vector_slope_cycles += repeats * SlopeCycles(api_);
}

}  // namespace normgrad::twin
