#include "twin/observers/cycles.h"

#include <algorithm>

namespace normgrad::twin {
namespace {

constexpr int kScalarPipe = 0;
constexpr int kVectorPipe = 1;

// The comparison that compilers turn into one instruction.
double Later(double a, double b) { return a > b ? a : b; }

Moment Later(const Moment& a, const Moment& b) {
  Moment later;
  for (int lane = 0; lane < kLanes; ++lane) later.at[lane] = Later(a.at[lane], b.at[lane]);
  return later;
}

Moment Minus(const Moment& a, const Moment& b) {
  Moment difference;
  for (int lane = 0; lane < kLanes; ++lane) difference.at[lane] = a.at[lane] - b.at[lane];
  return difference;
}

// Bytes of the lines or pieces that [begin, begin + length) touches; `line` is a power of two.
uint64_t WholeBytes(uint64_t begin, uint64_t length, uint64_t line) {
  return ((begin + length + line - 1) & ~(line - 1)) - (begin & ~(line - 1));
}

}  // namespace

void Cycles::Pool::Insert(int at, Gap gap) {
  if (gap.begin >= gap.end) return;
  if (count_ == kGaps) {  // the oldest one goes
    if (at == 0) return;
    std::copy(gaps_ + 1, gaps_ + at, gaps_);
    gaps_[at - 1] = gap;
    return;
  }
  std::copy_backward(gaps_ + at, gaps_ + count_, gaps_ + count_ + 1);
  gaps_[at] = gap;
  ++count_;
}

double Cycles::Pool::Served(double begin, double cycles) const {
  for (int i = 0; i <= count_; ++i) {
    // Behind the last gap all is booked up to `free_`, and nothing after it.
    const Gap gap = i < count_ ? gaps_[i] : Gap{free_, free_};
    if (gap.begin > begin) {
      const double shared = gap.begin - begin;
      if (2 * cycles <= shared) return begin + 2 * cycles;
      cycles -= shared / 2;
      begin = gap.begin;
    }
    if (gap.end > begin) {
      if (begin + cycles <= gap.end) return begin + cycles;
      cycles -= gap.end - begin;
      begin = gap.end;
    }
  }
  return begin + cycles;
}

void Cycles::Pool::Book(double begin, double cycles) {
  for (int i = 0; i < count_;) {
    const Gap gap = gaps_[i];
    if (gap.end <= begin) {
      ++i;
      continue;
    }
    const double from = Later(begin, gap.begin);
    const double end = std::min(gap.end, from + cycles);
    std::copy(gaps_ + i + 1, gaps_ + count_, gaps_ + i);
    --count_;
    Insert(i, {end, gap.end});
    Insert(i, {gap.begin, from});
    cycles -= end - from;
    if (cycles <= 0) return;
    begin = gap.end;  // all of it is used; what was before `from` lies behind
  }
  const double from = Later(begin, free_);
  Insert(count_, {free_, from});
  free_ = from + cycles;
}

Cycles::Cycles(CycleMode mode, const Soc& soc, uint32_t cores, bool autosync)
    : on_(mode != CycleMode::kOff),
      trace_(mode == CycleMode::kTrace),
      autosync_(autosync),
      costs_(CostsOf(soc.chip->arch)) {
  // GB/s over MHz is kilobytes per cycle.
  const double cycles_per_byte = cores * soc.clock_mhz / 1000.0;
  pool_cycles_per_byte_[kCold] = cycles_per_byte / soc.gm_pool_gb_per_s;
  pool_cycles_per_byte_[kResident] = cycles_per_byte / soc.l2_pool_gb_per_s;
}

void Cycles::Keep(const char* name, int pipe, const Moment& begin, const Moment& end, Site site) {
  slices_.push_back({name, site, pipe, begin, end});
}

void Cycles::Spend(const char* name, double cycles, Site site) {
  PipeState& scalar = pipes_[kScalarPipe];
  const Moment begin = scalar.free;
  for (int lane = 0; lane < kLanes; ++lane) {
    scalar.free.at[lane] += cycles;
    scalar.busy.at[lane] += cycles;
  }
  if (trace_) Keep(name, kScalarPipe, begin, scalar.free, site);
}

void Cycles::AddCall(const char* name, double cycles, Site site) { Spend(name, cycles, site); }

void Cycles::AddVector(Api api, uint64_t repeats, bool odd_count, Site site) {
  const char* name = FactsOf(api).name;
  Spend(name, costs_.scalar.issue_cycles, site);
  const VectorCost cost = costs_.vector.of[static_cast<int>(api)];
  const double occupied = static_cast<double>(repeats * cost.slope_cycles) +
                          (odd_count ? costs_.odd_count_cycles : 0.0);
  PipeState& pipe = pipes_[kVectorPipe];
  if (autosync_) pipe.ready = Later(pipe.ready, pipe.done);
  Moment begin = Later(Later(pipe.free, pipe.ready), scalar());
  Moment end;
  for (int lane = 0; lane < kLanes; ++lane) {
    pipe.free.at[lane] = begin.at[lane] + occupied;
    end.at[lane] = pipe.free.at[lane] + cost.latency_cycles;
    // Behind another one its start costs nothing: it overlaps with the end of that.
    const double before = Later(begin.at[lane], pipe.done.at[lane]);
    pipe.busy.at[lane] += Later(end.at[lane] - before, 0.0);
  }
  pipe.done = Later(pipe.done, end);
  if (trace_) Keep(name, kVectorPipe, begin, pipe.free, site);
}

void Cycles::AddCopy(Api api, const uint8_t* address, uint64_t length, uint64_t count,
                     uint64_t stride, Site site) {
  const ApiFacts& facts = FactsOf(api);
  Spend(facts.name, costs_.scalar.copy_issue_cycles, site);
  const auto first = reinterpret_cast<uint64_t>(address);
  uint64_t ports = 0;
  uint64_t pool = 0;
  for (uint64_t i = 0; i < count; ++i) {
    ports += WholeBytes(first + i * stride, length, costs_.piece_bytes);
    pool += WholeBytes(first + i * stride, length, costs_.line_bytes);
  }
  // Blocks that stand side by side share lines, and those come from memory once.
  pool = std::min(pool, WholeBytes(first, (count - 1) * stride + length, costs_.line_bytes));
  gm_bytes_ += static_cast<double>(pool);
  const bool loads = facts.pipe == PIPE_MTE2;
  const EngineCosts& engine = loads ? costs_.load : costs_.store;
  const double occupied = engine.start_cycles + static_cast<double>(ports) / engine.bytes_per_cycle;
  PipeState& pipe = pipes_[PipeIndex(facts.pipe)];
  const Moment begin = Later(Later(pipe.free, pipe.ready), scalar());
  for (int lane = 0; lane < kLanes; ++lane) {
    double end = begin.at[lane] + occupied;
    if (lane != kAlone) {
      const double served = static_cast<double>(pool) * pool_cycles_per_byte_[lane];
      end = Later(end, pools_[lane].Take(begin.at[lane], served));
    }
    pipe.free.at[lane] = end;
    pipe.busy.at[lane] += end - begin.at[lane];
    pipe.done.at[lane] = end + engine.latency_cycles;
  }
  if (trace_) Keep(facts.name, PipeIndex(facts.pipe), begin, pipe.free, site);
}

void Cycles::AddScalar(Api api, Site site) {
  // The compiler sets flags between the scalar and the vector unit where they share UB.
  const bool gm = api == Api::kGlobalGetValue || api == Api::kGlobalSetValue;
  if (autosync_ && !gm) Wait(kScalarPipe, Signal(kVectorPipe));
  Spend(FactsOf(api).name,
        api == Api::kGlobalGetValue ? costs_.scalar.gm_read_cycles : costs_.scalar.ub_cycles, site);
}

Moment Cycles::Signal(int pipe) const {
  const PipeState& state = pipes_[pipe];
  if (pipe == kScalarPipe) return state.free;
  return Later(Later(state.done, state.ready), pipes_[kScalarPipe].free);
}

void Cycles::Wait(int pipe, const Moment& moment) {
  if (pipe != kScalarPipe) {
    pipes_[pipe].ready = Later(pipes_[pipe].ready, moment);
    return;
  }
  const Moment begin = scalar();
  scalar() = Later(scalar(), moment);
  if (trace_) Keep("wait", kScalarPipe, begin, scalar(), {nullptr, 0});
  Spend("wait", costs_.scalar.wait_cycles, {nullptr, 0});
}

Moment Cycles::End() const {
  Moment end = pipes_[kScalarPipe].free;
  for (int pipe = 1; pipe < kPipes; ++pipe) {
    end = Later(end, Later(pipes_[pipe].done, pipes_[pipe].ready));
  }
  for (int lane = 0; lane < kLanes; ++lane) end.at[lane] = Later(end.at[lane], pools_[lane].free());
  return end;
}

void Cycles::BarrierAll() {
  if (!on_) return;
  const Moment end = End();
  scalar() = end;
  for (int pipe = 1; pipe < kPipes; ++pipe) pipes_[pipe].ready = end;
}

void Cycles::CloseSegment() {
  if (!on_) return;
  BarrierAll();
  Segment segment;
  segment.begin = segment_begin_;
  segment.length = Minus(scalar(), segment_begin_);
  segment.gm_bytes = gm_bytes_;
  segment.first_slice = first_slice_;
  for (int pipe = 0; pipe < kPipes; ++pipe) {
    segment.busy[pipe] = pipes_[pipe].busy;
    pipes_[pipe].busy = {};
  }
  segments_.push_back(segment);
  segment_begin_ = scalar();
  gm_bytes_ = 0;
  first_slice_ = slices_.size();
}

void Cycles::Shared::Join(const Shared& other) {
  if (other.segment < segment) return;
  moment = other.segment > segment ? other.moment : Later(moment, other.moment);
  segment = other.segment;
}

Cycles::Shared Cycles::Share(int pipe) const {
  return {segments_.size(), Minus(Signal(pipe), segment_begin_)};
}

void Cycles::AwaitShared(int pipe, const Shared& shared) {
  // What was set before the last meeting lies behind everybody.
  if (!on_ || shared.segment < segments_.size()) return;
  Moment moment = segment_begin_;
  for (int lane = 0; lane < kLanes; ++lane) moment.at[lane] += shared.moment.at[lane];
  Wait(pipe, moment);
}

}  // namespace normgrad::twin
