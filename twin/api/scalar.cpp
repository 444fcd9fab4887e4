// Scalar reads and writes of UB and GM, by the scalar unit.
#include <cstring>

#include "twin/machine/instruction.h"

namespace normgrad::twin {

void LocalGet(const UbOperand& operand, uint64_t offset_bytes, void* value, uint32_t bytes,
              Site site) {
  Instruction in(Api::kLocalGetValue, site);
  in.core().cycles().Scalar(Api::kLocalGetValue, site);
  ++in.core().counters().scalar_ub_reads;
  const uint32_t begin = operand.begin + static_cast<uint32_t>(offset_bytes);
  std::memset(value, 0, bytes);
  if (in.Reads(operand, "the element", Footprint::Range(begin, bytes))) {
    std::memcpy(value, in.ub(begin), bytes);
  }
}

void LocalSet(const UbOperand& operand, uint64_t offset_bytes, const void* value, uint32_t bytes,
              Site site) {
  Instruction in(Api::kLocalSetValue, site);
  in.core().cycles().Scalar(Api::kLocalSetValue, site);
  ++in.core().counters().scalar_ub_writes;
  const uint32_t begin = operand.begin + static_cast<uint32_t>(offset_bytes);
  if (in.Writes(operand, "the element", Footprint::Range(begin, bytes))) {
    std::memcpy(in.ub(begin), value, bytes);
  }
}

void GlobalGet(const uint8_t* address, void* value, uint32_t bytes, Site site) {
  Instruction in(Api::kGlobalGetValue, site);
  in.core().cycles().Scalar(Api::kGlobalGetValue, site);
  ++in.core().counters().scalar_gm_reads;
  std::memset(value, 0, bytes);
  if (in.ReadsGm(address, bytes, 1, 0)) std::memcpy(value, address, bytes);
}

void GlobalSet(uint8_t* address, const void* value, uint32_t bytes, Site site) {
  Instruction in(Api::kGlobalSetValue, site);
  in.core().cycles().Scalar(Api::kGlobalSetValue, site);
  ++in.core().counters().scalar_gm_writes;
  if (!in.WritesGm(address, bytes, 1, 0)) return;
  std::memcpy(address, value, bytes);
  in.LeaveInDataCache(address, bytes);
}

}  // namespace normgrad::twin
