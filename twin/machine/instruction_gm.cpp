// The funnel's GM side: bounds, bytes never written, order, the data cache.
#include <string>

#include "twin/machine/instruction.h"

namespace normgrad::twin {
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

bool Instruction::RequireWritten(const GmAllocation& allocation, uint64_t begin, uint64_t end) {
  const uint64_t at = allocation.init->FirstUnwritten(begin, end);
  if (at == end) return true;
  Report(Rule::kGmUninit, "GM " + allocation.name, at, end,
         "byte " + std::to_string(at) + " of " + allocation.name + " was never written");
  return false;
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

void Instruction::CheckDataCache(const GmAllocation& allocation, uint64_t begin, uint64_t end) {
  const auto& lines = core_.dirty_lines();
  if (lines.empty() || pipe_ == PipeIndex(PIPE_S)) return;
  const auto first = reinterpret_cast<uint64_t>(allocation.base + begin) / kLineBytes * kLineBytes;
  const auto it = lines.lower_bound(first);
  if (it == lines.end() || it->first >= reinterpret_cast<uint64_t>(allocation.base + end)) return;
  Report(Rule::kDataCache, "GM " + allocation.name, begin, end,
         "SetValue in " + PlaceOf(it->second) +
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

}  // namespace normgrad::twin
