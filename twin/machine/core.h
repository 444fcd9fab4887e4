// One core: its UB, the buffers that its pipe has handed out, its flags, its counters.
#ifndef NORMGRAD_TWIN_MACHINE_CORE_H_
#define NORMGRAD_TWIN_MACHINE_CORE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "twin/api/vector_registers.h"
#include "twin/machine/clocks.h"
#include "twin/machine/control.h"
#include "twin/machine/cross_core.h"
#include "twin/machine/dtype.h"
#include "twin/machine/ids.h"
#include "twin/machine/launch.h"
#include "twin/machine/pages.h"
#include "twin/observers/counters.h"
#include "twin/observers/cycles.h"
#include "twin/observers/gm_races.h"
#include "twin/observers/ub_races.h"
#include "twin/observers/uninit.h"

namespace normgrad::twin {

enum class BufferState : uint8_t { kFree, kAllocated, kEnqueued, kDequeued, kStatic, kGone };

// What a pipe says at some point of the program, for another one to wait for.
struct Event {
  PipeTimes order;
  Moment time;
};

// A stretch of UB that InitBuffer handed out: one buffer of a queue, or a TBuf.
struct Buffer {
  uint32_t begin;
  uint32_t bytes;
  AscendC::TPosition position;
  BufferState state;
  uint16_t owner;    // ordinal of the queue or TBuf in this pipe
  uint16_t ordinal;  // of the buffer in its queue
  bool is_queue;
  bool ever_freed;  // the next AllocTensor waits for the event of that FreeTensor
  Site declared;    // InitBuffer
  Site site;        // of InitBuffer, and later of AllocTensor
  Event event;      // what the buffer's pending event says: set by EnQue or FreeTensor
};

class Core {
 public:
  Core(Launch& launch, uint32_t index);
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  uint32_t index() const { return index_; }
  Launch& launch() { return launch_; }
  const LaunchOptions& options() const { return launch_.options(); }
  uint8_t* ub() { return ub_.begin(); }
  UbInitMap& init() { return init_; }
  Counters& counters() { return counters_; }
  PipeClocks& clocks() { return clocks_; }
  Cycles& cycles() { return cycles_; }
  UbRaces& ub_races() { return ub_races_; }
  GmOrder& gm_order() { return gm_order_; }
  VectorRegisters& vector_registers() { return vector_registers_; }
  void AddGmSpan(const void* allocation, uint64_t begin, uint64_t end, GmAccess access, Api api,
                 Site site, int pipe, uint32_t sequence);

  // What this core knows of all cores; its own entry says what `pipe` has behind it.
  CoreTimes CrossTimes(int pipe) const;
  // After a wait for other cores: everything in `times` has finished, for every pipe.
  void LearnCrossTimes(const CoreTimes& times);

  // Atomic mode of copies to GM.
  struct AtomicMode {
    bool on;
    Dtype dtype;
    Site site;
  };
  AtomicMode& atomic() { return atomic_; }

  const ControlRegister& control() const { return control_; }
  // Writes value's bits to the control register, from `first` on as many as `mask` has.
  void SetControl(int first, uint64_t mask, uint64_t value, Site site) {
    control_.Set(first, mask, value);
    control_site_ = site;
  }

  // How often this core has met the others over a workspace of a soft SyncAll.
  int32_t& soft_meetings(const void* workspace) { return soft_meetings_[workspace]; }

  // 64 B lines of GM that scalar stores have left in the data cache, and who stored.
  std::map<uint64_t, Site>& dirty_lines() { return dirty_lines_; }

  // Who was instruction `sequence` of `pipe`? Only the newest ones are remembered.
  void Remember(int pipe, uint32_t sequence, Api api, Site site) {
    std::vector<Past>& past = history_[pipe];
    const size_t at = sequence % kHistory;
    if (at >= past.size()) past.resize(at + 1);  // as many as a pipe has had, up to kHistory
    past[at] = {sequence, api, site};
  }
  std::string Recall(int pipe, uint32_t sequence) const;

  // Order between the pipes of this core. All that `pipe` has been given so far is behind a signal.
  Event Signal(int pipe) const { return {clocks_.Set(pipe), cycles_.Signal(pipe)}; }
  void Await(int pipe, const Event& event) {
    clocks_.Wait(pipe, event.order);
    cycles_.Await(pipe, event.time);
  }
  void Order(int pipe, int later_pipe) { Await(later_pipe, Signal(pipe)); }
  void Barrier(int pipe) {
    clocks_.Barrier(pipe);
    cycles_.Barrier(pipe);
  }
  // All pipes have finished: PipeBarrier<PIPE_ALL>.
  void BarrierAll();
  // Hands this core's GM accesses to the launch: it meets the others now.
  void Meet();

  // Hands out `count` buffers of `bytes` each; returns the id of the first.
  uint16_t AddBuffers(AscendC::TPosition position, bool is_queue, uint32_t count, uint32_t bytes,
                      Site site);
  Buffer& buffer(uint16_t id) { return buffers_[id]; }
  // A call that brings its own buffer works in UB that InitBuffer has not handed out: up to `bytes`
  // of it, until the call returns it.
  uint16_t LendRest(uint32_t bytes, Site site);
  void ReturnRest() { buffers_.pop_back(); }
  bool HasBuffers() const;
  uint16_t BufferAt(uint32_t address) const;  // id of the live buffer there, or 0
  BufferName Describe(uint16_t id) const;
  void ResetPipe(const char* api, Site site);  // reports leaks, then all buffers are gone
  void Finish();                               // leaks and flags at the end of the kernel
  uint32_t ub_high_water() const { return ub_high_water_; }

  // Flags: one bit per pair of pipes and event id.
  void SetFlag(AscendC::HardEvent event, int id, Site site);
  void WaitFlag(AscendC::HardEvent event, int id, Site site);
  int FreeEventId(AscendC::HardEvent event, bool hold, Site site);
  void ReleaseEventId(AscendC::HardEvent event, int id) { held_[Index(event)] &= ~(1u << id); }

  // Between the borders of a vector function only register instructions may stand.
  void set_in_vector_function(bool in) { in_vector_function_ = in; }
  bool in_vector_function() const { return in_vector_function_; }

  void set_kernel_type_mix(bool mix) { kernel_type_mix_ = mix; }
  bool kernel_type_mix() const { return kernel_type_mix_; }

  // Records the finding; throws KernelStopped if the rule is fatal.
  void Report(Rule rule, const char* api, pipe_t pipe, const BufferName& buffer, uint64_t begin,
              uint64_t end, Site site, const std::string& message);
  bool checks() const { return checks_; }
  bool checks_all() const { return checks_all_; }

 private:
  static int Index(AscendC::HardEvent event) { return static_cast<int>(event); }
  bool ValidEventId(AscendC::HardEvent event, int id, const char* api, Site site);
  void ReportLeaks(const char* api, Site site);

  static constexpr uint32_t kHistory = 1024;
  struct Past {
    uint32_t sequence;
    Api api;
    Site site;
  };

  Launch& launch_;
  const uint32_t index_;
  const bool checks_;
  const bool checks_all_;
  Pages& ub_;
  UbInitMap init_;
  std::vector<Buffer> buffers_;
  uint16_t owners_ = 0;
  uint32_t ub_used_ = 0;
  uint32_t ub_high_water_ = 0;
  uint32_t flags_[kHardEvents] = {};
  uint32_t held_[kHardEvents] = {};
  Site flag_sites_[kHardEvents][8] = {};
  Event flag_events_[kHardEvents][8] = {};
  bool in_vector_function_ = false;
  bool kernel_type_mix_ = true;  // unless the kernel sets another: the build picks what it needs
  Counters counters_;
  PipeClocks clocks_;
  Cycles cycles_;
  UbRaces ub_races_;
  GmOrder gm_order_;
  std::vector<GmSpan> gm_spans_;
  std::vector<CoreTimes> segments_;  // what was known of other cores, segment by segment
  AtomicMode atomic_{};
  ControlRegister control_;
  Site control_site_{};  // of the last change
  VectorRegisters vector_registers_;
  std::map<uint64_t, Site> dirty_lines_;
  std::map<const void*, int32_t> soft_meetings_;
  std::vector<Past> history_[kPipes];
};

// The core whose kernel runs on this thread.
Core& ThisCore();
void SetThisCore(Core* core);

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_MACHINE_CORE_H_
