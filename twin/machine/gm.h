// Global memory of one launch: the operator's tensors, its workspace and its tiling data, each an
// allocation with exact bounds between pages that fault.
#ifndef NORMGRAD_TWIN_MACHINE_GM_H_
#define NORMGRAD_TWIN_MACHINE_GM_H_

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace normgrad::twin {

enum class GmRole { kIn, kOut, kScratch };

// One bit per byte: has anything been written there? Several cores mark one word concurrently.
class GmInitMap {
 public:
  explicit GmInitMap(uint64_t bytes);
  void Mark(uint64_t begin, uint64_t end);
  // First byte in [begin, end) that was never written, or `end`.
  uint64_t FirstUnwritten(uint64_t begin, uint64_t end) const;
  uint64_t CountUnwritten(uint64_t begin, uint64_t end) const;

 private:
  struct Freed {
    void operator()(uint64_t* words) const { std::free(words); }
  };
  // From calloc, whose large blocks are pages that exist once something was written to them: the
  // map of a tensor that is hardly touched must not be larger than what is touched.
  std::unique_ptr<uint64_t[], Freed> words_;
};

struct GmRange {
  uint64_t begin;
  uint64_t end;
};

struct GmAllocation {
  std::string name;
  GmRole role;
  uint8_t* base;
  uint64_t bytes;
  GmInitMap* init;              // null: every byte counts as written (inputs)
  std::vector<GmRange> slices;  // of an output, what the host reads back
};

class Gm {
 public:
  Gm() = default;
  Gm(const Gm&) = delete;
  Gm& operator=(const Gm&) = delete;
  ~Gm();

  // Maps `file` (exactly `bytes` long) between guard pages; outputs are filled with 0xFF, which is
  // NaN in every floating type, so that what a kernel forgets to write can't pass for a result.
  // Returns the address that the kernel gets. Throws std::runtime_error with a sentence.
  uint8_t* Map(const std::string& name, GmRole role, uint64_t bytes, const std::string& file);
  uint8_t* Allocate(const std::string& name, GmRole role, uint64_t bytes);

  // A tensor that may be larger than the memory: zeros, of which a page exists once it is written.
  // Of an output only `slices` are poisoned and read back.
  uint8_t* MapSparse(const std::string& name, GmRole role, uint64_t bytes,
                     const std::vector<GmRange>& slices);

  // The host zeroes the first bytes of an allocation; at most all of them.
  void Zero(uint8_t* base, uint64_t bytes);

  // The allocation that contains `address` or, if none does, the nearest one at or below it.
  const GmAllocation* Find(const uint8_t* address) const;
  const std::vector<GmAllocation>& allocations() const { return allocations_; }

 private:
  uint8_t* Reserve(uint64_t bytes, uint64_t guard, int fd, bool shared, const std::string& name);
  void Add(const std::string& name, GmRole role, uint8_t* base, uint64_t bytes,
           std::vector<GmRange> slices = {});

  struct Mapping {
    void* address;
    uint64_t bytes;
  };
  std::vector<Mapping> mappings_;
  std::vector<GmAllocation> allocations_;  // by address
};

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_MACHINE_GM_H_
