// Which accesses of a vector function wait for which: see vector_function.h.
#include "twin/machine/vector_function.h"
#include "twin/machine/vector_memory.h"

namespace normgrad::twin {

uint32_t VectorFunction::NewAccess(bool write, RegOp op, uint32_t reg, uint32_t begin, uint32_t end,
                                   Site site) {
  return memory_.Add(write, {site, op, reg}, begin, end);
}

void VectorFunction::CheckLoad(RegOp op, uint32_t begin, uint32_t end, uint32_t reg, uint32_t reg2,
                               Site site, Loaded* loaded) {
  bool first = true;
  memory_.AnyAfter(true, begin, end, store_load_, [&](uint32_t access, uint32_t from, uint32_t to) {
    const uint32_t from_reg = memory_.At(access).reg;
    if (from_reg == reg || from_reg == reg2) return false;
    loaded->whole = false;
    for (uint32_t i = from - begin; i < to - begin; ++i)
      loaded->valid[i / kRegBytes].Clear(i % kRegBytes);
    if (!first) return false;
    first = false;
    loaded->origin =
        memory_.NewOrigin({Rule::kRaceInFunction, op, site, buffer_, from, to, access});
    return false;
  });
}

void VectorFunction::CheckStore(RegOp op, uint32_t begin, uint32_t end, uint32_t reg,
                                const RegBits& loads, Site site) {
  const auto depends = [&](uint32_t access) { return loads.at(access % kRegBytes); };
  const bool late = memory_.AnyAfter(false, begin, end, load_store_,
                                     [&](uint32_t access, uint32_t from, uint32_t to) {
                                       if (depends(access) || memory_.At(access).reg == reg)
                                         return false;
                                       ReportOrder(op, true, {access, false, from, to}, site);
                                       return true;
                                     });
  if (late) return;
  memory_.AnyAfter(true, begin, end, store_store_,
                   [&](uint32_t access, uint32_t from, uint32_t to) {
                     if (memory_.At(access).reg == reg) return false;
                     // It waits for a load that waited for that store.
                     const uint32_t load = memory_.LoadAt(from);
                     if (load > access && depends(load)) return false;
                     ReportOrder(op, true, {access, true, from, to}, site);
                     return true;
                   });
}

void VectorFunction::ReportOrder(RegOp op, bool write, const Conflict& conflict, Site site) {
  const VectorMemory::Access& other = memory_.At(conflict.access);
  const uint32_t base = core_.buffer(buffer_).begin;
  const char* source = conflict.write ? "VEC_STORE" : "VEC_LOAD";
  Report(Rule::kRaceInFunction, op, conflict.begin, conflict.end, site,
         std::string(write ? "overwrites " : "loads ") +
             Range(conflict.begin - base, conflict.end - base) + " that " + FactsOf(other.op).name +
             " (" + PlaceOf(other.site) + ") may still be " +
             (conflict.write ? "storing" : "loading") + ": LocalMemBar<" + source + ", " +
             (write ? "VEC_STORE" : "VEC_LOAD") + "> orders them");
}

bool VectorFunction::ReportRace(uint32_t origin) {
  if (origin == 0) return false;
  VectorMemory::Origin& race = memory_.OriginAt(origin);
  if (race.rule != Rule::kRaceInFunction) return false;
  if (race.reported) return true;
  race.reported = true;
  buffer_ = race.buffer;
  ReportOrder(race.op, false, {race.store, true, race.begin, race.end}, race.site);
  return true;
}

void VectorFunction::ReportUndefined(RegOp op, const char* name, const RegData& data,
                                     const RegBits& bad, Site site) {
  const std::string where = "byte " + std::to_string(bad.FirstSet()) + " of the register";
  if (data.function != serial_ || data.origin == 0) {
    const char* why =
        data.function == 0 ? "nobody has written it"
        : data.function != serial_
            ? "it was written in another vector function, and lives no longer than that"
            : "nobody has written it";
    core_.Report(Rule::kRegUndefined, FactsOf(op).name, PIPE_V, "", 0, 0, site,
                 std::string(name) + " holds nothing defined at " + where + ": " + why);
    return;
  }
  if (ReportRace(data.origin)) return;
  const VectorMemory::Origin origin = memory_.OriginAt(data.origin);
  buffer_ = origin.buffer;
  const bool past = origin.rule == Rule::kUbBounds;
  Report(origin.rule, origin.op, origin.begin, origin.end, origin.site,
         std::string(past ? "what lies behind the buffer" : "what was never written") +
             " decides a result of " + FactsOf(op).name + " (" + PlaceOf(site) + "), at " + where);
}

}  // namespace normgrad::twin
