// Modelled time of one core: four pipes that work their instructions off in order. The scalar unit
// walks the program and hands instructions to the others; flags, queues and barriers move points in
// time between pipes.
//
// Cores are simulated one after another, so none can know how many others are at GM with it. Each
// therefore keeps its times under three assumptions at once, the lanes of a `Moment`: alone at GM,
// so that only its own ports limit it; its even share of the HBM pool; its even share of the L2
// pool. launch_time.h puts the cores together where they meet.
#ifndef NORMGRAD_TWIN_OBSERVERS_CYCLES_H_
#define NORMGRAD_TWIN_OBSERVERS_CYCLES_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "tiling/chip.h"
#include "twin/machine/clocks.h"
#include "twin/machine/site.h"
#include "twin/observers/cost_table.h"

namespace normgrad::twin {

enum Lane { kAlone, kCold, kResident, kLanes };

// A point in time, or a duration, in cycles; in each lane.
struct Moment {
  double at[kLanes] = {};
};

enum class CycleMode {
  kOff,
  kOn,
  kTrace,  // and every instruction is kept
};

// What the trace shows of one instruction.
struct Slice {
  const char* name;
  Site site;
  int pipe;
  Moment begin;
  Moment end;
};

// Between two meetings of all cores: how long, how busy each pipe was, what was asked of GM.
struct Segment {
  Moment length;
  Moment busy[kPipes];
  double gm_bytes = 0;
  Moment begin;  // in the core's own time
  size_t first_slice = 0;
};

// What one core has to say at its end.
struct CoreTime {
  std::vector<Segment> segments;
  std::vector<Slice> slices;
};

class Cycles {
 public:
  Cycles(CycleMode mode, const Soc& soc, uint32_t cores, bool autosync);

  bool on() const { return on_; }

  // An instruction of the vector pipe. `odd_count`: it counts elements that fill no whole repeats.
  void Vector(Api api, uint64_t repeats, bool odd_count, Site site) {
    if (on_) AddVector(api, repeats, odd_count, site);
  }
  // A transfer of `count` blocks of `length` bytes from `address` on, `stride` apart in GM.
  void Copy(Api api, const uint8_t* address, uint64_t length, uint64_t count, uint64_t stride,
            Site site) {
    if (on_) AddCopy(api, address, length, count, stride, site);
  }
  // The scalar unit reads or writes an element.
  void Scalar(Api api, Site site) {
    if (on_) AddScalar(api, site);
  }
  // The scalar unit is busy with a call that works on no data.
  void Call(const char* name, double cycles, Site site) {
    if (on_) AddCall(name, cycles, site);
  }
  void OrderCall(const char* name, Site site) { Call(name, costs_.scalar.order_cycles, site); }
  void QueueCall(const char* name, Site site) { Call(name, costs_.scalar.queue_cycles, site); }

  // When all that `pipe` has been given so far is done.
  Moment Signal(int pipe) const;
  // What `pipe` is given from now on begins no earlier.
  void Await(int pipe, const Moment& moment) {
    if (on_) Wait(pipe, moment);
  }
  void Barrier(int pipe) { Await(pipe, Signal(pipe)); }
  void BarrierAll();

  // All cores meet here, or the kernel ends.
  void CloseSegment();
  // What is kept of this core beyond its life.
  CoreTime Release() { return {std::move(segments_), std::move(slices_)}; }

  // Moments of this core as others see them, and back: counted from the last meeting, with its
  // number.
  struct Shared {
    size_t segment = 0;
    Moment moment;
    void Join(const Shared& other);
  };
  Shared Share(int pipe) const;
  void AwaitShared(int pipe, const Shared& shared);

 private:
  // GM serves one core at a fixed rate. The scalar unit runs ahead of the others: a store waits
  // long for its data, and loads that come later in the program begin before. So a transfer is
  // booked into the stretches in which GM has had nothing to do, the newest of which are kept. It
  // does not wait for the other engine's: while both are at GM each has half of the rate.
  class Pool {
   public:
    // When GM has served a transfer of so many cycles that comes at `begin`.
    double Take(double begin, double cycles) {
      const double end = Served(begin, cycles);
      Book(begin, cycles);
      return end;
    }
    // All that was booked has been served: sharing must not make GM faster than it is.
    double free() const { return free_; }

   private:
    static constexpr int kGaps = 16;
    struct Gap {
      double begin;
      double end;
    };
    double Served(double begin, double cycles) const;
    void Book(double begin, double cycles);
    void Insert(int at, Gap gap);

    double free_ = 0;  // nothing is to be served from here on
    int count_ = 0;
    Gap gaps_[kGaps] = {};  // by time
  };

  struct PipeState {
    Moment free;   // the next instruction can begin
    Moment ready;  // and what it waits for has happened
    Moment done;   // the results of all so far are there
    Moment busy;
  };

  void AddVector(Api api, uint64_t repeats, bool odd_count, Site site);
  void AddCopy(Api api, const uint8_t* address, uint64_t length, uint64_t count, uint64_t stride,
               Site site);
  void AddScalar(Api api, Site site);
  void AddCall(const char* name, double cycles, Site site);
  void Wait(int pipe, const Moment& moment);
  Moment& scalar() { return pipes_[0].free; }
  void Spend(const char* name, double cycles, Site site);
  void Keep(const char* name, int pipe, const Moment& begin, const Moment& end, Site site);
  Moment End() const;

  const bool on_;
  const bool trace_;
  const bool autosync_;
  const Costs& costs_;
  double pool_cycles_per_byte_[kLanes] = {};
  PipeState pipes_[kPipes];
  Pool pools_[kLanes];
  double gm_bytes_ = 0;
  Moment segment_begin_;
  std::vector<Segment> segments_;
  size_t first_slice_ = 0;
  std::vector<Slice> slices_;
};

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_OBSERVERS_CYCLES_H_
