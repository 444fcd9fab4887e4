// UbRaces against a model that keeps one number per byte: random programs over few footprints, as
// loops have them, and over more than it remembers. Runs as a unit, because a unit is what the
// tests can build against the twin; its tiling is the seed, its output says what differed.
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "kernel_operator.h"
#include "twin/machine/clocks.h"
#include "twin/observers/ub_races.h"

namespace {

using namespace normgrad::twin;  // NOLINT: a test of its inside

constexpr uint32_t kUbBytes = 64 << 10;
constexpr uint32_t kTextBytes = 4096;
constexpr uint32_t kPrograms = 60;
constexpr uint32_t kSteps = 3000;

class Model {
 public:
  bool Check(bool write, const Footprint& footprint, const PipeTimes& known,
             UbConflict* conflict) const {
    for (const bool other_writes : {true, false}) {
      if (!write && !other_writes) continue;
      for (int pipe = 0; pipe < kPipes; ++pipe) {
        if (Find(other_writes, pipe, footprint, known.finished[pipe], conflict)) return true;
      }
    }
    return false;
  }

  void Mark(bool write, int pipe, uint32_t sequence, const Footprint& footprint) {
    footprint.ForEachRange([&](uint32_t begin, uint32_t end) {
      for (uint32_t at = begin; at < end; ++at) marks_[write][pipe][at] = sequence;
    });
  }

 private:
  bool Find(bool write, int pipe, const Footprint& footprint, uint32_t known,
            UbConflict* conflict) const {
    const uint32_t* marks = marks_[write][pipe];
    bool found = false;
    footprint.ForEachRange([&](uint32_t begin, uint32_t end) {
      for (uint32_t at = begin; at < end && !found; ++at) {
        if (marks[at] <= known) continue;
        uint32_t stop = at;
        while (stop < end && marks[stop] == marks[at]) ++stop;
        *conflict = {pipe, marks[at], write, at, stop};
        found = true;
      }
    });
    return found;
  }

  uint32_t marks_[2][kPipes][kUbBytes] = {};
};

std::string TextOf(const UbConflict& c) {
  return "pipe " + std::to_string(c.pipe) + " number " + std::to_string(c.sequence) +
         (c.is_write ? " writes " : " reads ") + std::to_string(c.begin) + ".." +
         std::to_string(c.end);
}

class Program {
 public:
  explicit Program(uint32_t seed)
      : random_(seed), clocks_(false, Draw(4) == 0), races_(kUbBytes), footprints_(Pool()) {}

  // What differed first, or nothing.
  std::string Run() {
    for (uint32_t step = 0; step < kSteps; ++step) {
      if (Draw(8) < syncs_) {
        Synchronise();
        continue;
      }
      const std::string difference = Access();
      if (!difference.empty()) return "step " + std::to_string(step) + ": " + difference;
    }
    return "";
  }
  uint32_t conflicts() const { return conflicts_; }
  uint32_t checks() const { return checks_; }

 private:
  uint32_t Draw(uint32_t below) { return static_cast<uint32_t>(random_()) % below; }

  std::vector<Footprint> Pool() {
    constexpr uint32_t kCounts[] = {20, 100, 1000, 1000};
    std::vector<Footprint> pool(kCounts[Draw(4)]);
    const uint32_t grain = Draw(2) == 0 ? kBlockBytes : 4;
    for (Footprint& f : pool) f = AnyFootprint(grain);
    return pool;
  }

  Footprint AnyFootprint(uint32_t grain) {
    for (;;) {
      Footprint f = Footprint::Range(Draw(kUbBytes / grain) * grain, (1 + Draw(16)) * grain);
      if (Draw(2) == 0) {
        f.outer_count = 1 + Draw(8);
        f.outer_stride = Draw(24) * grain;
      }
      if (Draw(4) == 0) {
        f.inner_count = 1 + Draw(4);
        f.inner_stride = Draw(20) * grain;
      }
      f = f.Collapsed();
      if (f.hull_end() <= kUbBytes) return f;
    }
  }

  void Synchronise() {
    const int from = static_cast<int>(Draw(kPipes));
    const int to = static_cast<int>(Draw(kPipes));
    const uint32_t kind = Draw(3000);
    if (kind == 0) {  // rarely: more is then forgotten than is ever remembered in between
      clocks_.BarrierAll();
      races_.Forget();
    } else if (kind < 1000) {
      clocks_.Barrier(from);
    } else if (kind < 2000) {
      flag_ = clocks_.Set(from);
    } else {
      clocks_.Wait(to, kind < 2500 ? flag_ : clocks_.Set(from));
    }
  }

  // Quiet programs are well ordered but for the scalar pipe, which comes rarely and knows little:
  // few conflicts, and those with what was done long ago.
  int PipeOfAccess() {
    if (!quiet_) return static_cast<int>(Draw(kPipes));
    if (Draw(50) == 0) return 0;
    const int pipe = 1 + static_cast<int>(Draw(kPipes - 1));
    for (int other = 0; other < kPipes && Draw(100) != 0; ++other) {
      clocks_.Wait(pipe, clocks_.Set(other));
    }
    return pipe;
  }

  std::string Access() {
    const int pipe = PipeOfAccess();
    const uint32_t sequence = clocks_.Issue(pipe);
    const uint32_t operands = 1 + Draw(3);
    std::vector<Footprint> touched;
    for (uint32_t i = 0; i < operands; ++i) {
      touched.push_back(footprints_[Draw(static_cast<uint32_t>(footprints_.size()))]);
      const bool write = i + 1 == operands;
      UbConflict ours = {}, theirs = {};
      const PipeTimes& known = clocks_.Known(pipe);
      const bool found = races_.Check(write, touched.back(), known, &ours);
      const bool expected = model_.Check(write, touched.back(), known, &theirs);
      ++checks_;
      conflicts_ += expected ? 1 : 0;
      if (found != expected || (found && TextOf(ours) != TextOf(theirs))) {
        return "found " + (found ? TextOf(ours) : "nothing") + ", expected " +
               (expected ? TextOf(theirs) : "nothing");
      }
    }
    for (uint32_t i = 0; i < operands; ++i) {
      races_.Mark(i + 1 == operands, pipe, sequence, touched[i]);
      model_.Mark(i + 1 == operands, pipe, sequence, touched[i]);
    }
    return "";
  }

  std::mt19937 random_;
  const bool quiet_ = Draw(2) == 0;
  const uint32_t syncs_ = quiet_ ? 0 : 2 + Draw(6);  // of eight steps
  PipeClocks clocks_;
  UbRaces races_;
  Model model_;
  const std::vector<Footprint> footprints_;
  PipeTimes flag_;
  uint32_t checks_ = 0;
  uint32_t conflicts_ = 0;
};

}  // namespace

extern "C" const unsigned normgrad_unit_arch = __NPU_ARCH__;

// Arguments: the text that comes out, workspace, tiling (the first seed).
extern "C" void normgrad_unit_launch(uint8_t* const* args) {
  uint32_t seed = 0;
  std::memcpy(&seed, args[2], sizeof seed);
  uint32_t checks = 0, conflicts = 0;
  std::string text;
  for (uint32_t i = 0; i < kPrograms && text.empty(); ++i) {
    Program program(seed + i);
    text = program.Run();
    if (!text.empty()) text = "seed " + std::to_string(seed + i) + ", " + text;
    checks += program.checks();
    conflicts += program.conflicts();
  }
  if (text.empty()) {
    text = std::to_string(conflicts) + " conflicts in " + std::to_string(checks) + " checks";
  }
  std::memset(args[0], 0, kTextBytes);
  std::memcpy(args[0], text.data(), text.size());
}
