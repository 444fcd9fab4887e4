// What the machine has to say against a kernel.
#ifndef NORMGRAD_TWIN_MACHINE_FINDING_H_
#define NORMGRAD_TWIN_MACHINE_FINDING_H_

#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "twin/machine/site.h"
#include "twin/rules/rules.h"

namespace normgrad::twin {

// "grid.h:81": a site as a sentence names it.
std::string PlaceOf(const Site& site);

// "bytes 0 to 32".
std::string Range(uint64_t begin, uint64_t end);

// What a finding is about: "VECIN queue 1 buffer 0" and where InitBuffer handed it out, "GM x" and
// nothing, or nothing at all.
struct BufferName {
  std::string name;
  std::string declared;
  BufferName(const char* text) : name(text) {}             // NOLINT: a name is a text
  BufferName(std::string text) : name(std::move(text)) {}  // NOLINT
  BufferName(std::string text, std::string place)
      : name(std::move(text)), declared(std::move(place)) {}
};

struct Finding {
  Rule rule;
  std::string message;  // one sentence with values
  const char* api;
  uint32_t core;
  const char* pipe;
  BufferName buffer;
  uint64_t begin_byte;  // range inside the buffer
  uint64_t end_byte;
  Site site;
  uint64_t count;                      // folded repeats: same rule, call and line
  std::set<uint32_t> cores = {};       // all of the repeats
  std::vector<uint64_t> callers = {};  // offsets into the unit, innermost first; callers.h
};

// Findings of one launch; cores add to it concurrently.
class FindingLog {
 public:
  void Add(Finding finding);
  // Findings name callers in the object of this symbol.
  void set_unit(const void* symbol) { unit_ = symbol; }
  std::vector<Finding> Sorted() const;  // by core, then in the order in which they were found
  bool empty() const;

 private:
  static constexpr size_t kMaxKinds =
      200;  // different (rule, call, line); more are counted, not kept
  mutable std::mutex mutex_;
  std::vector<Finding> findings_;
  const void* unit_ = nullptr;
};

// Thrown on a fatal finding; unwinds the kernel on this core and ends the launch.
struct KernelStopped {};

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_MACHINE_FINDING_H_
