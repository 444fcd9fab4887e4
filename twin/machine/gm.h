// Global memory of one launch: the operator's tensors, its workspace and its tiling data, each an
// allocation with exact bounds between pages that fault.
#ifndef NORMGRAD_TWIN_MACHINE_GM_H_
#define NORMGRAD_TWIN_MACHINE_GM_H_

#include <cstdint>
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
  uint64_t CountUnwritten() const;

 private:
  uint64_t bytes_;
  std::vector<uint64_t> words_;
};

struct GmAllocation {
  std::string name;
  GmRole role;
  uint8_t* base;
  uint64_t bytes;
  GmInitMap* init;  // null: every byte counts as written (inputs)
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

  // The host zeroes the first bytes of an allocation; at most all of them.
  void Zero(uint8_t* base, uint64_t bytes);

  // The allocation that contains `address` or, if none does, the nearest one at or below it.
  const GmAllocation* Find(const uint8_t* address) const;
  const std::vector<GmAllocation>& allocations() const { return allocations_; }

 private:
  uint8_t* Reserve(uint64_t bytes, int fd, bool shared, const std::string& name);
  void Add(const std::string& name, GmRole role, uint8_t* base, uint64_t bytes);

  struct Mapping {
    void* address;
    uint64_t bytes;
  };
  std::vector<Mapping> mappings_;
  std::vector<GmAllocation> allocations_;  // by address
};

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_MACHINE_GM_H_
