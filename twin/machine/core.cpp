#include "twin/machine/core.h"

#include <algorithm>

namespace normgrad::twin {
namespace {

// The library is there from the start of the process, so its thread-local storage has a fixed
// place.
__attribute__((tls_model("initial-exec"))) thread_local Core* this_core = nullptr;

}  // namespace

Core& ThisCore() { return *this_core; }
void SetThisCore(Core* core) { this_core = core; }

Core::Core(Launch& launch, uint32_t index)
    : launch_(launch),
      index_(index),
      checks_(launch.options().check != CheckLevel::kOff),
      checks_all_(launch.options().check == CheckLevel::kAll),
      ub_(launch.MakeUb(index)),
      init_(launch.options().soc->chip->ub_bytes),
      clocks_(launch.options().sync == SyncMode::kAutosync,
              launch.options().soc->chip->vector_in_order),
      cycles_(launch.options().cycles, *launch.options().soc, launch.options().cores,
              launch.options().sync == SyncMode::kAutosync),
      ub_races_(launch.options().soc->chip->ub_bytes),
      control_(launch.options().soc->chip->arch, launch.options().soc->chip->saturates) {
  segments_.emplace_back(launch.options().cores);
  // Buffer 0 is what a LocalTensor that was never handed out lies in: nothing.
  buffers_.push_back({0,
                      0,
                      AscendC::TPosition::VECCALC,
                      BufferState::kGone,
                      0,
                      0,
                      false,
                      false,
                      {"", 0},
                      {"", 0},
                      {}});
}

void Core::Report(Rule rule, const char* api, pipe_t pipe, const BufferName& buffer, uint64_t begin,
                  uint64_t end, Site site, const std::string& message) {
  launch_.findings().Add({rule, message, api, index_, NameOf(pipe), buffer, begin, end, site, 1});
  if (FactsOf(rule).fatal) throw KernelStopped();
}

uint16_t Core::AddBuffers(AscendC::TPosition position, bool is_queue, uint32_t count,
                          uint32_t bytes, Site site) {
  const uint16_t first = static_cast<uint16_t>(buffers_.size());
  const uint32_t rounded = (bytes + kBlockBytes - 1) / kBlockBytes * kBlockBytes;
  const uint64_t wanted = ub_used_ + uint64_t{count} * rounded;
  if (wanted > options().ub_bytes) {
    Report(Rule::kUbOverflow, "InitBuffer", PIPE_S, NameOf(position), ub_used_, wanted, site,
           "this buffer would raise UB use to " + std::to_string(wanted) +
               " bytes; the launch has " + std::to_string(options().ub_bytes));
  }
  for (uint32_t i = 0; i < count; ++i) {
    buffers_.push_back({ub_used_,
                        rounded,
                        position,
                        is_queue ? BufferState::kFree : BufferState::kStatic,
                        owners_,
                        static_cast<uint16_t>(i),
                        is_queue,
                        false,
                        site,
                        site,
                        {}});
    // What an earlier phase left in this place is not this buffer's content.
    init_.Clear(ub_used_, ub_used_ + rounded);
    ub_used_ += rounded;
  }
  ++owners_;
  ub_high_water_ = std::max(ub_high_water_, ub_used_);
  // 64 buffers in a pipe; each live buffer of a position holds event ids of its own, of which there
  // are 8 (4 on 1001). On 3510 the buffers of all queues share mutex ids: the headers have 27.
  constexpr uint32_t kMutexIds = 27;
  const bool shared = options().soc->chip->arch == 3510;
  const auto of_position = std::count_if(buffers_.begin(), buffers_.end(), [&](const Buffer& b) {
    return b.is_queue && (shared || b.position == position) && b.state != BufferState::kGone;
  });
  const auto live = std::count_if(buffers_.begin(), buffers_.end(),
                                  [](const Buffer& b) { return b.state != BufferState::kGone; });
  const uint32_t limit = shared ? kMutexIds : options().soc->chip->event_ids;
  if (checks() && ((is_queue && of_position > static_cast<int64_t>(limit)) || live > 64)) {
    Report(Rule::kBufferCount, "InitBuffer", PIPE_S, NameOf(position), 0, 0, site,
           std::string(shared ? "all queues" : NameOf(position)) + " now have " +
               std::to_string(of_position) + " buffers and the pipe " + std::to_string(live) +
               "; this chip allows " + std::to_string(limit) +
               (shared ? " in queues" : " per queue position") + " and 64 in all");
  }
  return first;
}

uint16_t Core::LendRest(uint32_t bytes, Site site) {
  const uint32_t left = (options().ub_bytes - ub_used_) / kBlockBytes * kBlockBytes;
  if (left == 0) {
    Report(Rule::kUbOverflow, "InitBuffer", PIPE_S, "", ub_used_, ub_used_ + kBlockBytes, site,
           "the call needs UB of its own, and the buffers have taken all of it");
  }
  const uint32_t lent = std::min(bytes, left);
  Buffer rest = buffers_[0];
  rest.begin = ub_used_;
  rest.bytes = lent;
  rest.position = AscendC::TPosition::VECOUT;
  rest.state = BufferState::kStatic;
  rest.owner = owners_;
  rest.site = site;
  buffers_.push_back(rest);
  ub_high_water_ = std::max(ub_high_water_, ub_used_ + lent);
  return static_cast<uint16_t>(buffers_.size() - 1);
}

bool Core::HasBuffers() const {
  return std::any_of(buffers_.begin(), buffers_.end(),
                     [](const Buffer& b) { return b.state != BufferState::kGone; });
}

uint16_t Core::BufferAt(uint32_t address) const {
  for (size_t id = buffers_.size(); id-- > 1;) {
    const Buffer& buffer = buffers_[id];
    const bool inside = address >= buffer.begin && address < buffer.begin + buffer.bytes;
    if (inside && buffer.state != BufferState::kGone) return static_cast<uint16_t>(id);
  }
  return 0;
}

BufferName Core::Describe(uint16_t id) const {
  if (id == 0) return "no buffer";
  const Buffer& buffer = buffers_[id];
  const std::string owner = std::to_string(buffer.owner);
  return {buffer.is_queue ? std::string(NameOf(buffer.position)) + " queue " + owner + " buffer " +
                                std::to_string(buffer.ordinal)
                          : "TBuf " + owner,
          PlaceOf(buffer.declared)};
}

void Core::ReportLeaks(const char* api, Site site) {
  if (!checks()) return;
  for (uint16_t id = 1; id < buffers_.size(); ++id) {
    const BufferState state = buffers_[id].state;
    if (state == BufferState::kFree || state == BufferState::kStatic ||
        state == BufferState::kGone) {
      continue;
    }
    const bool queued = state == BufferState::kEnqueued;
    const std::string until = site.file != nullptr ? " before " + PlaceOf(site) : "";
    Report(Rule::kQueueLeak, api, PIPE_S, Describe(id), 0, buffers_[id].bytes, buffers_[id].site,
           (queued ? "the tensor that AllocTensor gave here was enqueued but never dequeued"
                   : "the tensor that AllocTensor gave here never went back with FreeTensor") +
               until);
  }
}

void Core::ResetPipe(const char* api, Site site) {
  ReportLeaks(api, site);
  for (Buffer& buffer : buffers_) buffer.state = BufferState::kGone;
  ub_used_ = 0;
}

void Core::Finish() {
  ReportLeaks("end of kernel", {nullptr, 0});
  if (!checks()) return;
  if (atomic_.on) {
    Report(Rule::kAtomicLeft, "SetAtomicAdd", PIPE_S, "", 0, 0, atomic_.site,
           "the atomic mode set here is still on: SetAtomicNone is missing");
  }
  if (control_.bits() != control_.at_start()) {
    Report(Rule::kControlLeft, "SetCtrlSpr", PIPE_S, "", 0, 0, control_site_,
           "the control register's " +
               ControlRegister::BitsOf(control_.bits() ^ control_.at_start()) +
               " differs at the end of the kernel from its start: write back what GetCtrlSpr gave");
  }
  if (!dirty_lines_.empty()) {
    const auto& [line, stored] = *dirty_lines_.begin();
    const auto* address = reinterpret_cast<const uint8_t*>(line);
    const GmAllocation* allocation = launch_.gm().Find(address);
    const uint64_t begin =
        address > allocation->base ? static_cast<uint64_t>(address - allocation->base) : 0;
    Report(
        Rule::kDataCache, "SetValue", PIPE_S, "GM " + allocation->name, begin, begin + 64, stored,
        "what was stored here never left the data cache (" + std::to_string(dirty_lines_.size()) +
            " lines of 64 bytes): DataCacheCleanAndInvalid is missing");
  }
  for (int event = 0; event < kHardEvents; ++event) {
    for (int id = 0; id < 8; ++id) {
      if ((flags_[event] >> id & 1u) == 0) continue;
      const std::string name = NameOf(static_cast<AscendC::HardEvent>(event));
      Report(Rule::kFlagLeftSet, "SetFlag", PIPE_S, "", 0, 0, flag_sites_[event][id],
             "flag " + name + " id " + std::to_string(id) + " was set here and never waited for");
    }
  }
}

std::string Core::Recall(int pipe, uint32_t sequence) const {
  const size_t at = sequence % kHistory;
  const std::string where = std::string("pipe ") + NameOf(PipeAt(pipe));
  if (at >= history_[pipe].size() || history_[pipe][at].sequence != sequence) {
    return "an earlier instruction of " + where;
  }
  const Past& past = history_[pipe][at];
  return std::string(FactsOf(past.api).name) + " in " + PlaceOf(past.site) + " (" + where + ")";
}

void Core::BarrierAll() {
  clocks_.BarrierAll();
  cycles_.BarrierAll();
  ub_races_.Forget();
  gm_order_.Forget();
}

void Core::Meet() {
  cycles_.CloseSegment();
  launch_.meeting().Deposit(index_, std::move(gm_spans_), std::move(segments_));
  gm_spans_.clear();
  segments_.clear();
  segments_.emplace_back(options().cores);
}

void Core::AddGmSpan(const void* allocation, uint64_t begin, uint64_t end, GmAccess access, Api api,
                     Site site, int pipe, uint32_t sequence) {
  AddSpan(gm_spans_, {allocation, begin, end, access, api, site, pipe, sequence,
                      static_cast<uint32_t>(segments_.size() - 1)});
}

CoreTimes Core::CrossTimes(int pipe) const {
  CoreTimes times = segments_.back();
  times[index_] = clocks_.Set(pipe);
  return times;
}

void Core::LearnCrossTimes(const CoreTimes& times) {
  CoreTimes known = segments_.back();
  for (size_t core = 0; core < times.size(); ++core) known[core].Join(times[core]);
  for (int pipe = 0; pipe < kPipes; ++pipe) clocks_.Wait(pipe, known[index_]);
  segments_.push_back(std::move(known));
}

bool Core::ValidEventId(AscendC::HardEvent event, int id, const char* api, Site site) {
  // By hand 0 to 5 may be used: 6 is reserved, 7 belongs to the compiler's own synchronisation.
  const int limit = std::min<int>(6, static_cast<int>(options().soc->chip->event_ids));
  if (id >= 0 && id < limit) return true;
  // With checks off a wrong id must still not leave the table.
  if (!checks() && id >= 0 && id < 8) return true;
  Report(Rule::kFlagId, api, PIPE_S, "", 0, 0, site,
         std::string("event id ") + std::to_string(id) + " of " + NameOf(event) +
             ": this chip offers ids 0 to " + std::to_string(limit - 1) + " for use by hand");
  return false;
}

void Core::SetFlag(AscendC::HardEvent event, int id, Site site) {
  ++counters_.flags_set;
  cycles_.OrderCall("SetFlag", site);
  if (!ValidEventId(event, id, "SetFlag", site)) return;
  uint32_t& bits = flags_[Index(event)];
  if (checks() && (bits >> id & 1u) != 0) {
    const Site first = flag_sites_[Index(event)][id];
    Report(Rule::kFlagSetTwice, "SetFlag", PIPE_S, "", 0, 0, site,
           std::string("flag ") + NameOf(event) + " id " + std::to_string(id) +
               " is still set from " + PlaceOf(first));
  }
  bits |= 1u << id;
  flag_events_[Index(event)][id] = Signal(PipeIndex(SourceOf(event)));
  flag_sites_[Index(event)][id] = site;
}

void Core::WaitFlag(AscendC::HardEvent event, int id, Site site) {
  ++counters_.flags_waited;
  cycles_.OrderCall("WaitFlag", site);
  if (!ValidEventId(event, id, "WaitFlag", site)) return;
  uint32_t& bits = flags_[Index(event)];
  if ((bits >> id & 1u) == 0) {
    Report(Rule::kFlagNotSet, "WaitFlag", PIPE_S, "", 0, 0, site,
           std::string("flag ") + NameOf(event) + " id " + std::to_string(id) +
               " was not set before: the core would wait for ever");
  }
  bits &= ~(1u << id);
  Await(PipeIndex(DestinationOf(event)), flag_events_[Index(event)][id]);
}

int Core::FreeEventId(AscendC::HardEvent event, bool hold, Site site) {
  const uint32_t taken = held_[Index(event)] | flags_[Index(event)];
  const int id = __builtin_ctz(~taken);
  if (!ValidEventId(event, id, hold ? "AllocEventID" : "FetchEventID", site)) return 0;
  if (hold) held_[Index(event)] |= 1u << id;
  return id;
}

}  // namespace normgrad::twin
