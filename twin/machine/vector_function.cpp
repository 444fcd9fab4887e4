#include "twin/machine/vector_function.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "twin/machine/clones.h"
#include "twin/machine/vector_memory.h"

namespace normgrad::twin {
namespace {

// Asked for by every register instruction: the model of the executable's own libraries is a load.
__attribute__((tls_model("initial-exec"))) thread_local VectorFunction* running = nullptr;

}  // namespace

RegData::RegData()
    : valid(RegBits::None()),
      loads(RegBits::None()),
      id(static_cast<uint32_t>(reinterpret_cast<uintptr_t>(this) / alignof(RegData))),
      origin(0) {}

RegData::RegData(const RegData& other) : RegData() { *this = other; }

RegData& RegData::operator=(const RegData& other) {
  std::memcpy(bytes, other.bytes, sizeof bytes);
  valid = other.valid;
  loads = other.loads;
  function = other.function;
  origin = other.origin;
  return *this;
}

UnalignedData::~UnalignedData() {
  if (begin == end || !VectorFunction::Running()) return;
  VectorFunction& function = *running;
  function.Break(Rule::kUnaligned, RegOp::kStoreUnAlign,
                 std::to_string(end - begin) +
                     " bytes are still in the unaligned register: StoreUnAlignPost stores them",
                 site);
}

bool VectorFunction::Running() { return running != nullptr; }

VectorFunction::VectorFunction(Site site)
    : core_(ThisCore()),
      memory_(VectorMemory::Here()),
      checks_(core_.checks()),
      checks_all_(core_.checks_all()),
      site_(site),
      serial_(memory_.NewFunction()),
      first_access_(memory_.next_access()),
      store_load_(first_access_ - 1),
      load_store_(first_access_ - 1),
      store_store_(first_access_ - 1) {
  if (running != nullptr) {
    core_.Report(Rule::kVectorFunction, "__VEC_SCOPE__", PIPE_V, "", 0, 0, site,
                 "a vector function inside of another one");
  }
  running = this;
  core_.set_in_vector_function(true);
  if (!checks_all_) return;
  sequence_ = core_.clocks().Issue(PipeIndex(PIPE_V));
  core_.Remember(PipeIndex(PIPE_V), sequence_, Api::kVectorFunction, site);
  for (const bool write : {false, true}) {
    Ranges& others = others_[write];
    const PipeTimes& known = core_.clocks().Known(PipeIndex(PIPE_V));
    core_.ub_races().ForEachUnknown(write, known, [&](uint32_t begin, uint32_t end) {
      const uint32_t at = std::min(others.used, kRanges - 1);
      others.begin[at] = others.used == kRanges ? std::min(others.begin[at], begin) : begin;
      others.end[at] = others.used == kRanges ? std::max(others.end[at], end) : end;
      others.used = at + 1;
    });
  }
}

VectorFunction::~VectorFunction() {
  running = nullptr;
  core_.set_in_vector_function(false);
  for (const bool write : {false, true}) {
    for (uint32_t i = 0; i < touched_[write].used; ++i) MarkRange(write, i);
  }
  Counters& counters = core_.counters();
  uint64_t* const classes[] = {&counters.register_loads,      &counters.register_stores,
                               &counters.register_arithmetic, &counters.register_casts,
                               &counters.register_reductions, &counters.register_moves,
                               &counters.register_masks,      &counters.register_barriers};
  double cycles = 0.0;
  for (int op = 0; op < kRegOps; ++op) {
    const RegFacts& facts = FactsOf(static_cast<RegOp>(op));
    *classes[static_cast<int>(facts.type)] += counts_[op];
    cycles += counts_[op] * facts.cycles;
  }
  core_.cycles().Vector(Api::kVectorFunction, static_cast<uint64_t>(cycles), false, site_);
  ++counters.vector_functions;
  counters.register_load_bytes += load_bytes_;
  counters.register_store_bytes += store_bytes_;
}

VectorFunction& VectorFunction::Issue(RegOp op, Site site) {
  if (running == nullptr) {
    ThisCore().Report(Rule::kVectorFunction, FactsOf(op).name, PIPE_V, "", 0, 0, site,
                      "a register instruction outside of a vector function");
  }
  ++running->counts_[static_cast<int>(op)];
  return *running;
}

void VectorFunction::Report(Rule rule, RegOp op, uint32_t begin, uint32_t end, Site site,
                            const std::string& message) {
  const uint32_t base = core_.buffer(buffer_).begin;
  core_.Report(rule, FactsOf(op).name, PIPE_V, core_.Describe(buffer_), begin - base, end - base,
               site, message);
}

void VectorFunction::Break(Rule rule, RegOp op, const std::string& message, Site site) {
  if (!checks_) return;
  core_.Report(rule, FactsOf(op).name, PIPE_V, "", 0, 0, site, message);
}

void VectorFunction::RequireMask(RegOp op, const MaskData& mask, uint32_t element_bytes,
                                 Site site) {
  if (!checks_) return;
  if (!mask.written) {
    Break(Rule::kRegUndefined, op, "the mask register was never written", site);
  }
  const uint32_t made_for = mask.element_bytes;
  if (made_for == 0 || element_bytes == 0 || made_for == element_bytes) return;
  if (mask.Lanes(element_bytes).all()) return;
  Break(Rule::kMaskType, op,
        "the mask was made for elements of " + std::to_string(made_for) +
            " bytes, the call has elements of " + std::to_string(element_bytes) +
            ": other lanes are meant",
        site);
}

uint32_t VectorFunction::UbAddress(RegOp op, const void* address, Site site) {
  const auto* at = static_cast<const uint8_t*>(address);
  const uint32_t bytes = core_.options().soc->chip->ub_bytes;
  if (at >= core_.ub() && at <= core_.ub() + bytes) return static_cast<uint32_t>(at - core_.ub());
  buffer_ = 0;
  Report(Rule::kUbBounds, op, 0, 0, site, "the address does not lie in UB");
  return 0;
}

void VectorFunction::RequireAligned(RegOp op, uint32_t begin, uint32_t bytes, Site site) {
  if (begin % bytes == 0 || !checks_) return;
  FindBuffer(begin, site);
  Report(Rule::kUbAlign, op, begin, begin, site,
         "the address is " + std::to_string(begin % bytes) + " bytes past a multiple of " +
             std::to_string(bytes));
}

// Few buffers are in use at a place of the source.
void VectorFunction::FindBuffer(uint32_t begin, Site site) {
  uint16_t& cached = buffers_[static_cast<uint32_t>(site.line) % 8];
  const Buffer& buffer = core_.buffer(cached);
  if (cached == 0 || begin < buffer.begin || begin >= buffer.begin + buffer.bytes) {
    cached = core_.BufferAt(begin);
  }
  buffer_ = cached;
}

void VectorFunction::CheckOwner(RegOp op, uint32_t begin, uint32_t end, Site site) {
  const BufferState state = core_.buffer(buffer_).state;
  if (!checks_ || state == BufferState::kAllocated || state == BufferState::kDequeued ||
      state == BufferState::kStatic) {
    return;
  }
  Report(Rule::kTensorFreed, op, begin, end, site,
         std::string("the buffer is ") + (state == BufferState::kEnqueued
                                              ? "enqueued, not dequeued"
                                              : "freed or never allocated"));
}

VectorFunction::Loaded VectorFunction::Load(RegOp op, uint32_t begin, uint32_t length, uint32_t reg,
                                            uint32_t reg2, Site site) {
  const uint32_t end = begin + length;
  load_bytes_ += length;
  FindBuffer(begin, site);
  if (end > core_.options().soc->chip->ub_bytes) {
    Report(Rule::kUbBounds, op, begin, end, site, "the load reaches past the end of UB");
  }
  Loaded loaded{true, {RegBits::All(), RegBits::All()}, RegBits::None(), 0};
  const Buffer& buffer = core_.buffer(buffer_);
  const uint32_t limit = buffer_ == 0 ? begin : std::min(end, buffer.begin + buffer.bytes);
  if (limit > begin) CheckOwner(op, begin, limit, site);
  if (!checks_all_) return loaded;
  if (limit > begin) {
    if (others_[0].Meets(begin, limit)) CheckOthers(false, op, begin, limit, site);
    NoteRange(false, begin, limit);
  }
  FindUnwritten(op, begin, end, limit, site, &loaded);
  if (limit > begin) CheckLoad(op, begin, limit, reg, reg2, site, &loaded);
  loaded.loads.Set(NewAccess(false, op, reg, begin, limit, site) % kRegBytes);
  if (reg != 0) memory_.LoadInto(reg, &loaded.loads);
  if (reg2 != reg) memory_.LoadInto(reg2, &loaded.loads);
  return loaded;
}

void VectorFunction::FindUnwritten(RegOp op, uint32_t begin, uint32_t end, uint32_t limit,
                                   Site site, Loaded* loaded) {
  const UbInitMap& init = core_.init();
  uint32_t at = init.FirstUnwritten(begin, limit);
  if (at == end) return;
  loaded->whole = false;
  loaded->valid[0] = loaded->valid[1] = RegBits::None();
  loaded->origin = memory_.NewOrigin(
      {at < limit ? Rule::kUbUninit : Rule::kUbBounds, op, site, buffer_, at, end});
  for (uint32_t from = begin; from < limit; from = at + 1) {
    at = init.FirstUnwritten(from, limit);
    for (uint32_t i = from; i < at; ++i) {
      loaded->valid[(i - begin) / kRegBytes].Set((i - begin) % kRegBytes);
    }
  }
}

void VectorFunction::Store(RegOp op, uint32_t begin, uint32_t length, const uint8_t* line,
                           uint32_t offset, const RegBits* valid, uint32_t origin,
                           const RegBits& loads, uint32_t reg, Site site) {
  const uint32_t end = begin + length;
  store_bytes_ += length;
  FindBuffer(begin, site);
  const Buffer& buffer = core_.buffer(buffer_);
  if (buffer_ == 0 || end > buffer.begin + buffer.bytes) {
    Report(Rule::kUbBounds, op, begin, end, site,
           buffer_ == 0 ? "the store lies in no buffer" : "the store reaches past its buffer");
  }
  CheckOwner(op, begin, end, site);
  if (checks_all_) {
    CheckStore(op, begin, end, reg, loads, site);
    if (others_[1].Meets(begin, end)) CheckOthers(true, op, begin, end, site);
    NoteRange(true, begin, end);
    NewAccess(true, op, reg, begin, end, site);
    core_.init().Mark(begin, end);
    for (uint32_t i = 0; valid != nullptr && i < length; ++i) {
      const uint32_t at = offset + i;
      if (valid[at / kRegBytes].at(at % kRegBytes) || ReportRace(origin)) continue;
      core_.init().Clear(begin + i, begin + i + 1);
    }
  }
  std::memcpy(core_.ub() + begin, line + offset, length);
}

void VectorFunction::Barrier(const MemoryBarrier& barrier) {
  const uint32_t done = memory_.next_access() - 1;
  if (barrier.store_load) store_load_ = done;
  if (barrier.load_store) load_store_ = done;
  if (barrier.store_store) store_store_ = done;
}

void VectorFunction::CheckOthers(bool write, RegOp op, uint32_t begin, uint32_t end, Site site) {
  UbConflict conflict;
  const PipeTimes& known = core_.clocks().Known(PipeIndex(PIPE_V));
  if (!core_.ub_races().Check(write, Footprint::Range(begin, end - begin), known, &conflict)) {
    return;
  }
  const uint32_t base = core_.buffer(buffer_).begin;
  Report(Rule::kRacePipes, op, conflict.begin, conflict.end, site,
         std::string(write ? "overwrites " : "reads ") +
             Range(conflict.begin - base, conflict.end - base) + " that " +
             core_.Recall(conflict.pipe, conflict.sequence) + " may still be " +
             (conflict.is_write ? "writing" : "reading"));
}

void VectorFunction::NoteRange(bool write, uint32_t begin, uint32_t end) {
  Ranges& ranges = touched_[write];
  for (uint32_t step = 0; step < ranges.used; ++step) {
    const uint32_t i = (ranges.last + step) % ranges.used;
    if (begin > ranges.end[i] || end < ranges.begin[i]) continue;
    ranges.begin[i] = std::min(ranges.begin[i], begin);
    ranges.end[i] = std::max(ranges.end[i], end);
    ranges.last = i;
    return;
  }
  if (ranges.used < kRanges) {
    ranges.last = ranges.used++;
  } else {
    ranges.last = (ranges.last + 1) % kRanges;
    MarkRange(write, ranges.last);
  }
  ranges.begin[ranges.last] = begin;
  ranges.end[ranges.last] = end;
}

void VectorFunction::MarkRange(bool write, uint32_t index) {
  const Ranges& ranges = touched_[write];
  const uint32_t length = ranges.end[index] - ranges.begin[index];
  core_.ub_races().Mark(write, PipeIndex(PIPE_V), sequence_,
                        Footprint::Range(ranges.begin[index], length));
}

}  // namespace normgrad::twin
