#include "twin/machine/gm.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <stdexcept>
#include <utility>

#include "twin/machine/pages.h"

namespace normgrad::twin {
namespace {

// Guards on both sides: wide enough that a runaway index faults instead of reaching a neighbour.
constexpr uint64_t kGuardBytes = 1 << 20;
constexpr int kPoison = 0xFF;

uint64_t RoundUp(uint64_t value, uint64_t step) { return (value + step - 1) / step * step; }

uint64_t MaskBelow(uint64_t bit) { return (uint64_t{1} << bit) - 1; }

}  // namespace

GmInitMap::GmInitMap(uint64_t bytes)
    : words_(static_cast<uint64_t*>(std::calloc(bytes / 64 + 1, sizeof(uint64_t)))) {
  if (words_ == nullptr) throw std::bad_alloc();
}

void GmInitMap::Mark(uint64_t begin, uint64_t end) {
  if (begin >= end) return;
  const uint64_t first = begin / 64;
  const uint64_t last = end / 64;
  const auto set = [this](uint64_t word, uint64_t mask) {
    // Only edge words are shared between cores.
    __atomic_fetch_or(&words_[word], mask, __ATOMIC_RELAXED);
  };
  if (first == last) {
    set(first, MaskBelow(end % 64) & ~MaskBelow(begin % 64));
    return;
  }
  set(first, ~MaskBelow(begin % 64));
  for (uint64_t word = first + 1; word < last; ++word) words_[word] = ~uint64_t{0};
  if (end % 64 != 0) set(last, MaskBelow(end % 64));
}

uint64_t GmInitMap::FirstUnwritten(uint64_t begin, uint64_t end) const {
  for (uint64_t word = begin / 64; word * 64 < end; ++word) {
    uint64_t missing = ~__atomic_load_n(&words_[word], __ATOMIC_RELAXED);
    if (word == begin / 64) missing &= ~MaskBelow(begin % 64);
    if (missing == 0) continue;
    const uint64_t at = word * 64 + static_cast<uint64_t>(__builtin_ctzll(missing));
    return std::min(at, end);
  }
  return end;
}

uint64_t GmInitMap::CountUnwritten(uint64_t begin, uint64_t end) const {
  uint64_t unwritten = 0;
  for (uint64_t word = begin / 64; word * 64 < end; ++word) {
    uint64_t missing = ~words_[word];
    if (word == begin / 64) missing &= ~MaskBelow(begin % 64);
    if (end - word * 64 < 64) missing &= MaskBelow(end % 64);
    unwritten += static_cast<uint64_t>(__builtin_popcountll(missing));
  }
  return unwritten;
}

Gm::~Gm() {
  for (const Mapping& mapping : mappings_) munmap(mapping.address, mapping.bytes);
  for (const GmAllocation& allocation : allocations_) delete allocation.init;
}

uint8_t* Gm::Reserve(uint64_t bytes, uint64_t guard, int fd, bool shared, const std::string& name) {
  const uint64_t body = std::max(RoundUp(bytes, kPageBytes), kPageBytes);
  const uint64_t total = body + 2 * guard;
  void* whole = mmap(nullptr, total, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (whole == MAP_FAILED) {
    throw std::runtime_error("no address space for " + name + " of " + std::to_string(bytes) +
                             " bytes: " + std::strerror(errno));
  }
  mappings_.push_back({whole, total});
  uint8_t* base = static_cast<uint8_t*>(whole) + guard;
  // A private mapping of an input keeps the caller's copy whole whatever the kernel does to it.
  const int flags = MAP_FIXED | MAP_NORESERVE | (shared ? MAP_SHARED : MAP_PRIVATE) |
                    (fd < 0 ? MAP_ANONYMOUS : 0);
  if (bytes > 0 && mmap(base, body, PROT_READ | PROT_WRITE, flags, fd, 0) == MAP_FAILED) {
    throw std::runtime_error("can't map " + name + " of " + std::to_string(bytes) +
                             " bytes: " + std::strerror(errno));
  }
  return base;
}

void Gm::Add(const std::string& name, GmRole role, uint8_t* base, uint64_t bytes,
             std::vector<GmRange> slices) {
  GmInitMap* init = role == GmRole::kIn ? nullptr : new GmInitMap(bytes);
  allocations_.push_back({name, role, base, bytes, init, std::move(slices)});
  std::sort(allocations_.begin(), allocations_.end(),
            [](const GmAllocation& a, const GmAllocation& b) { return a.base < b.base; });
}

uint8_t* Gm::Map(const std::string& name, GmRole role, uint64_t bytes, const std::string& file) {
  uint8_t* base = nullptr;
  if (bytes == 0) {
    base = Reserve(0, kGuardBytes, -1, false, name);
  } else {
    const int fd = open(file.c_str(), O_RDWR | O_CLOEXEC);
    if (fd < 0) throw std::runtime_error("can't open " + file + ": " + std::strerror(errno));
    struct stat status = {};
    const bool sized = fstat(fd, &status) == 0 && static_cast<uint64_t>(status.st_size) == bytes;
    if (!sized) {
      close(fd);
      throw std::runtime_error(file + " holds " + std::to_string(status.st_size) + " bytes, " +
                               name + " needs " + std::to_string(bytes));
    }
    base = Reserve(bytes, kGuardBytes, fd, role == GmRole::kOut, name);
    close(fd);
    if (role == GmRole::kOut) {
      MakePagesToWrite(base, bytes);
      std::memset(base, kPoison, bytes);
    } else {
      MakePagesToRead(base, bytes);
    }
  }
  Add(name, role, base, bytes, {{0, bytes}});
  return base;
}

uint8_t* Gm::MapSparse(const std::string& name, GmRole role, uint64_t bytes,
                       const std::vector<GmRange>& slices) {
  // As wide as the tensor: an offset that has lost its upper bits stays between the guards.
  const uint64_t guard = std::max(RoundUp(bytes, kPageBytes), kGuardBytes);
  uint8_t* base = Reserve(bytes, guard, -1, false, name);
  for (const GmRange& slice : slices) {
    if (slice.begin > slice.end || slice.end > bytes) {
      throw std::runtime_error(name + " has " + std::to_string(bytes) +
                               " bytes, a slice of it is " + std::to_string(slice.begin) + " to " +
                               std::to_string(slice.end));
    }
    if (role == GmRole::kOut) std::memset(base + slice.begin, kPoison, slice.end - slice.begin);
  }
  Add(name, role, base, bytes, slices);
  return base;
}

uint8_t* Gm::Allocate(const std::string& name, GmRole role, uint64_t bytes) {
  uint8_t* base = Reserve(bytes, kGuardBytes, -1, false, name);
  if (bytes > 0) std::memset(base, kPoison, bytes);
  Add(name, role, base, bytes);
  return base;
}

void Gm::Zero(uint8_t* base, uint64_t bytes) {
  const GmAllocation* allocation = Find(base);
  const uint64_t zeroed = std::min(bytes, allocation->bytes);
  std::memset(base, 0, zeroed);
  allocation->init->Mark(0, zeroed);
}

const GmAllocation* Gm::Find(const uint8_t* address) const {
  const GmAllocation* found = nullptr;
  for (const GmAllocation& allocation : allocations_) {
    if (allocation.base > address) break;
    found = &allocation;
  }
  return found != nullptr ? found : (allocations_.empty() ? nullptr : &allocations_.front());
}

}  // namespace normgrad::twin
