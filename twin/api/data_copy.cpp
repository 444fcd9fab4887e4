// Meaning of the copies, padding included.
#include "twin/api/data_copy.h"

#include <algorithm>
#include <string>

#include "twin/api/atomic.h"
#include "twin/machine/instruction.h"

namespace normgrad::twin {
namespace {

uint32_t RoundUpToBlock(uint32_t bytes) {
  return (bytes + kBlockBytes - 1) / kBlockBytes * kBlockBytes;
}

// GM and VECCALC are not joined on these architectures.
void RequireQueuePosition(Instruction& in, const UbOperand& operand) {
  in.RequirePosition(operand, "the UB operand", false);
}

// DataCopy moves whole 32 B blocks.
void RequireWholeBlocks(Instruction& in, const UbOperand& operand, const BlockCopy& copy) {
  in.RequireAligned(operand, "the UB operand", kBlockBytes);
  in.Require(copy.length_bytes % kBlockBytes == 0, Rule::kCopyLength, operand,
             "the length in bytes", copy.length_bytes, "whole 32 B blocks; use DataCopyPad");
  in.Require(copy.count <= 4095, Rule::kCopyLimit, operand, "blockCount", copy.count, "0 to 4095");
}

void RequirePadCopy(Instruction& in, const UbOperand& operand, const BlockCopy& copy,
                    uint32_t element_bytes) {
  in.RequireAligned(operand, "the UB operand", kBlockBytes);
  in.Require(copy.count <= 4095, Rule::kCopyLimit, operand, "blockCount", copy.count, "0 to 4095");
  in.Require(copy.length_bytes <= 2097151, Rule::kCopyLimit, operand, "blockLen", copy.length_bytes,
             "0 to 2097151 bytes");
  in.Require(copy.length_bytes % element_bytes == 0, Rule::kCopyLength, operand, "blockLen",
             copy.length_bytes, "a multiple of the element size");
}

bool ReadGm(Instruction& in, const uint8_t* src, const BlockCopy& copy) {
  const bool dense = copy.src_gap_bytes == 0;
  return dense ? in.ReadsGm(src, uint64_t{copy.length_bytes} * copy.count, 1, 0)
               : in.ReadsGm(src, copy.length_bytes, copy.count,
                            copy.length_bytes + copy.src_gap_bytes);
}

bool WriteGm(Instruction& in, uint8_t* dst, const BlockCopy& copy) {
  const bool dense = copy.dst_gap_bytes == 0;
  const GmAccess access = in.core().atomic().on ? GmAccess::kAtomic : GmAccess::kWrite;
  return dense ? in.WritesGm(dst, uint64_t{copy.length_bytes} * copy.count, 1, 0, access)
               : in.WritesGm(dst, copy.length_bytes, copy.count,
                             copy.length_bytes + copy.dst_gap_bytes, access);
}

// Moves UB blocks of `pitch` bytes to GM, or adds them to what is there: additions of several cores
// happen in turn, in the schedule's order.
void Store(Instruction& in, uint8_t* dst, uint32_t src_begin, const BlockCopy& copy, uint64_t pitch,
           Dtype dtype, Site site) {
  Core& core = in.core();
  const auto store = [&](auto move) {
    for (uint64_t i = 0; i < copy.count; ++i) {
      move(dst + i * (copy.length_bytes + copy.dst_gap_bytes), in.ub(src_begin) + i * pitch);
    }
  };
  if (!core.atomic().on) {
    store([&](uint8_t* to, const uint8_t* from) { std::memcpy(to, from, copy.length_bytes); });
    return;
  }
  ++core.counters().atomics;
  if (core.checks() && dtype != core.atomic().dtype) {
    core.Report(Rule::kAtomicDtype, in.name(), PIPE_MTE3, "", 0, 0, site,
                std::string("the copy moves ") + NameOf(dtype) + ", the atomic mode adds " +
                    NameOf(core.atomic().dtype));
  }
  const AddFn add = AtomicAdd(core.atomic().dtype);
  const Schedule::Wake wake = core.launch().schedule().TakeTurn(core.index(), [&] {
    store([&](uint8_t* to, const uint8_t* from) { add(to, from, copy.length_bytes); });
  });
  if (wake == Schedule::Wake::kStopped) throw KernelStopped();
}

void CountRead(Instruction& in, const uint8_t* src, const BlockCopy& copy) {
  in.TimeCopy(src, copy.length_bytes, copy.count, copy.length_bytes + copy.src_gap_bytes);
  Counters& counters = in.core().counters();
  ++counters.copy_instructions;
  counters.gm_read_bytes += uint64_t{copy.length_bytes} * copy.count;
  counters.gm_read_bursts += copy.count;
}

void CountWrite(Instruction& in, const uint8_t* dst, const BlockCopy& copy) {
  in.TimeCopy(dst, copy.length_bytes, copy.count, copy.length_bytes + copy.dst_gap_bytes);
  Counters& counters = in.core().counters();
  ++counters.copy_instructions;
  counters.gm_write_bytes += uint64_t{copy.length_bytes} * copy.count;
  counters.gm_write_bursts += copy.count;
}

bool IsNop(const BlockCopy& copy) { return copy.count == 0 || copy.length_bytes == 0; }

// Blocks of `length` bytes in UB, `gap` bytes between them.
Footprint UbBlocks(const UbOperand& operand, uint32_t length, uint32_t count, uint64_t gap) {
  return Footprint{operand.begin, length, 1, 0, count, length + static_cast<uint32_t>(gap)}
      .Collapsed();
}

uint32_t ArchOf(Instruction& in) { return in.core().options().soc->chip->arch; }

// Gaps of DataCopyPad on 3510; before, their fields had no room for a wrong value. False: the call
// must not be carried out.
bool RequireGaps(Instruction& in, const UbOperand& operand, const BlockCopy& copy, bool to_ub) {
  if (ArchOf(in) != 3510) return true;
  const auto gm = static_cast<int64_t>(to_ub ? copy.src_gap_bytes : copy.dst_gap_bytes);
  const auto ub = static_cast<int64_t>(to_ub ? copy.dst_gap_bytes : copy.src_gap_bytes);
  const int64_t lowest = to_ub ? -static_cast<int64_t>(copy.length_bytes) : 0;
  const int64_t blocks = ub / static_cast<int64_t>(kBlockBytes);
  const auto require = [&](bool holds, const char* name, int64_t value, const char* allowed) {
    if (holds) return;
    in.Require(false, Rule::kStrideLimit, operand,
               std::string(name) + " is " + std::to_string(value) + "; allowed: " + allowed);
  };
  const bool inside = gm >= lowest && gm < int64_t{1} << 40 && blocks >= 0 && blocks <= 65535;
  require(gm >= lowest && gm < int64_t{1} << 40, to_ub ? "srcStride" : "dstStride", gm,
          to_ub ? "-blockLen to 2^40 - 1 bytes" : "0 to 2^40 - 1 bytes");
  require(blocks >= 0 && blocks <= 65535, to_ub ? "dstStride" : "srcStride", blocks,
          "0 to 65535 blocks");
  require(!copy.compact || to_ub || blocks == 0, "srcStride", blocks,
          "0 in compact mode, whose blocks have no gaps");
  return inside;
}

// What stands where a copy to UB moves nothing, if the kernel gives no value for it.
enum class Filler { kFirstElement, kUnknown };

void FillUp(Instruction& in, uint32_t block, uint32_t data, uint32_t data_end, uint32_t end,
            const Padding& padding, Filler filler) {
  const uint32_t element = padding.element_bytes;
  const auto fill = [&](uint32_t from, uint32_t to, const uint8_t* value) {
    for (uint32_t at = from; at + element <= to; at += element) {
      std::memcpy(in.ub(block + at), value, element);
    }
  };
  if (padding.is_pad) {
    fill(0, data, padding.value);
    fill(data_end, end, padding.value);
  } else if (filler == Filler::kFirstElement) {
    fill(data_end, end, in.ub(block + data));
  } else {
    in.Undefines(block, block + data);
    in.Undefines(block + data_end, block + end);
  }
}

}  // namespace

void CopyGmToUb(UbOperand dst, const uint8_t* src, const BlockCopy& copy, Site site) {
  Instruction in(Api::kDataCopyGmToUb, site);
  RequireQueuePosition(in, dst);
  RequireWholeBlocks(in, dst, copy);
  if (IsNop(copy)) return;
  bool carry_out = ReadGm(in, src, copy);
  carry_out =
      in.Writes(dst, "dst", UbBlocks(dst, copy.length_bytes, copy.count, copy.dst_gap_bytes)) &&
      carry_out;
  CountRead(in, src, copy);
  if (!carry_out) return;
  for (uint64_t i = 0; i < copy.count; ++i) {
    std::memcpy(in.ub(dst.begin) + i * (copy.length_bytes + copy.dst_gap_bytes),
                src + i * (copy.length_bytes + copy.src_gap_bytes), copy.length_bytes);
  }
}

void CopyUbToGm(uint8_t* dst, UbOperand src, const BlockCopy& copy, Dtype dtype, Site site) {
  Instruction in(Api::kDataCopyUbToGm, site);
  RequireQueuePosition(in, src);
  RequireWholeBlocks(in, src, copy);
  if (IsNop(copy)) return;
  bool carry_out =
      in.Reads(src, "src", UbBlocks(src, copy.length_bytes, copy.count, copy.src_gap_bytes));
  carry_out = WriteGm(in, dst, copy) && carry_out;
  CountWrite(in, dst, copy);
  if (!carry_out) return;
  Store(in, dst, src.begin, copy, copy.length_bytes + copy.src_gap_bytes, dtype, site);
}

void CopyUbToUb(UbOperand dst, UbOperand src, const BlockCopy& copy, Site site) {
  Instruction in(Api::kDataCopyUbToUb, site);
  RequireWholeBlocks(in, dst, copy);
  in.RequireAligned(src, "src", kBlockBytes);
  if (IsNop(copy)) return;
  bool carry_out =
      in.Reads(src, "src", UbBlocks(src, copy.length_bytes, copy.count, copy.src_gap_bytes));
  carry_out =
      in.Writes(dst, "dst", UbBlocks(dst, copy.length_bytes, copy.count, copy.dst_gap_bytes)) &&
      carry_out;
  in.CountVector((uint64_t{copy.length_bytes} * copy.count + kRepeatBytes - 1) / kRepeatBytes);
  if (!carry_out) return;
  for (uint64_t i = 0; i < copy.count; ++i) {
    std::memmove(in.ub(dst.begin) + i * (copy.length_bytes + copy.dst_gap_bytes),
                 in.ub(src.begin) + i * (copy.length_bytes + copy.src_gap_bytes),
                 copy.length_bytes);
  }
}

void CopyPadGmToUb(UbOperand dst, const uint8_t* src, const BlockCopy& copy, const Padding& padding,
                   Site site) {
  Instruction in(Api::kDataCopyPadGmToUb, site);
  // On 3510 these copies reach VECCALC, too.
  in.RequirePosition(dst, "the UB operand", ArchOf(in) == 3510);
  const uint32_t element = padding.element_bytes;
  const uint32_t left = copy.compact ? 0 : padding.left_elems * element;
  const uint32_t right = copy.compact ? 0 : padding.right_elems * element;
  RequirePadCopy(in, dst, copy, element);
  const bool strides = RequireGaps(in, dst, copy, true);
  in.Require(left <= kBlockBytes && right <= kBlockBytes, Rule::kCopyLimit, dst,
             "left or right padding in bytes", left > right ? left : right, "0 to 32 bytes");
  if (IsNop(copy) || !strides) return;
  bool carry_out = ReadGm(in, src, copy);
  if (copy.compact) {
    // One block in UB: what lies in GM apart lies here side by side.
    const uint64_t bytes = std::min(uint64_t{copy.length_bytes} * copy.count, uint64_t{1} << 30);
    const uint32_t end = RoundUpToBlock(static_cast<uint32_t>(bytes));
    carry_out = in.Writes(dst, "dst", UbBlocks(dst, end, 1, 0)) && carry_out;
    CountRead(in, src, copy);
    if (!carry_out) return;
    for (uint64_t i = 0; i < copy.count; ++i) {
      std::memcpy(in.ub(dst.begin) + i * copy.length_bytes,
                  src + i * (copy.length_bytes + copy.src_gap_bytes), copy.length_bytes);
    }
    FillUp(in, dst.begin, 0, static_cast<uint32_t>(bytes), end, padding, Filler::kUnknown);
    return;
  }
  const uint32_t padded = RoundUpToBlock(left + copy.length_bytes + right);
  carry_out =
      in.Writes(dst, "dst", UbBlocks(dst, padded, copy.count, copy.dst_gap_bytes)) && carry_out;
  CountRead(in, src, copy);
  if (!carry_out) return;

  // The documented dummy is the block's first element; beside paddings it is random.
  const Filler filler = left + right > 0 ? Filler::kUnknown : Filler::kFirstElement;
  for (uint64_t i = 0; i < copy.count; ++i) {
    const uint32_t begin = dst.begin + static_cast<uint32_t>(i * (padded + copy.dst_gap_bytes));
    const uint8_t* data = src + i * (copy.length_bytes + copy.src_gap_bytes);
    std::memcpy(in.ub(begin + left), data, copy.length_bytes);
    FillUp(in, begin, left, left + copy.length_bytes, padded, padding, filler);
  }
}

void CopyPadUbToGm(uint8_t* dst, UbOperand src, const BlockCopy& copy, uint32_t element_bytes,
                   Dtype dtype, Site site, Api api) {
  Instruction in(api, site);
  RequireQueuePosition(in, src);
  RequirePadCopy(in, src, copy, element_bytes);
  if (!RequireGaps(in, src, copy, false) || IsNop(copy)) return;
  // Every block starts on a 32 B boundary of UB, unless they are packed; only blockLen bytes of it
  // are read.
  const uint32_t pitch =
      copy.compact ? copy.length_bytes
                   : RoundUpToBlock(copy.length_bytes) + static_cast<uint32_t>(copy.src_gap_bytes);
  const Footprint from =
      Footprint{src.begin, copy.length_bytes, 1, 0, copy.count, pitch}.Collapsed();
  bool carry_out = in.Reads(src, "src", from);
  carry_out = WriteGm(in, dst, copy) && carry_out;
  CountWrite(in, dst, copy);
  if (!carry_out) return;
  Store(in, dst, src.begin, copy, pitch, dtype, site);
}

}  // namespace normgrad::twin
