#include "twin/acl/device_memory.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "acl/acl_base.h"

namespace normgrad::acl {
namespace {

constexpr uint64_t kPageBytes = 4096;
// An address is not given out again before the arena has been used up once, so that a pointer to
// what was freed is known as such. No page of the arena exists.
constexpr uint64_t kArenaBytes = uint64_t{1} << 40;
constexpr uint64_t kLeastArenaBytes = uint64_t{1} << 32;  // where an address-space limit is set
constexpr size_t kRememberedFrees = 65536;                // a few megabytes
constexpr int kPoison = 0xFF;                             // NaN in every floating type

// For the signal handler, which may take no lock.
uint64_t guarded_begin = 0;
uint64_t guarded_end = 0;
struct sigaction former_action;

void OnFault(int signal, siginfo_t* info, void* context) {
  const auto address = reinterpret_cast<uint64_t>(info->si_addr);
  if (address >= guarded_begin && address < guarded_end) {
    constexpr char kSentence[] =
        "normgrad: the host dereferenced a device pointer: device memory is read and written "
        "through aclrtMemcpy and aclrtMemset alone; copy the data to the host first\n";
    const ssize_t written = write(STDERR_FILENO, kSentence, sizeof kSentence - 1);
    static_cast<void>(written);
    // The instruction faults again and ends the process by the signal, with its core file.
    struct sigaction fallback = {};
    fallback.sa_handler = SIG_DFL;
    sigaction(signal, &fallback, nullptr);
    return;
  }
  if ((former_action.sa_flags & SA_SIGINFO) != 0) {
    former_action.sa_sigaction(signal, info, context);
  } else if (former_action.sa_handler != SIG_DFL && former_action.sa_handler != SIG_IGN) {
    former_action.sa_handler(signal);
  } else {
    sigaction(signal, &former_action, nullptr);
  }
}

void InstallHandler() {
  struct sigaction action = {};
  action.sa_sigaction = OnFault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  sigaction(SIGSEGV, &action, &former_action);
}

uint64_t RoundUp(uint64_t value) { return (value + kPageBytes - 1) / kPageBytes * kPageBytes; }

std::string Bytes(uint64_t bytes) {
  return bytes == 1 ? std::string("1 byte") : WithCommas(bytes) + " bytes";
}

}  // namespace

Block::Block(uint64_t device, uint64_t bytes) : device_(device), bytes_(bytes) {
  mapping_bytes_ = RoundUp(bytes) + 2 * kPageBytes;
  mapping_ =
      mmap(nullptr, mapping_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping_ == MAP_FAILED) throw std::bad_alloc();
  bytes_at_ = static_cast<uint8_t*>(mapping_) + kPageBytes;
  if (mprotect(bytes_at_, RoundUp(bytes), PROT_READ | PROT_WRITE) != 0) {
    munmap(mapping_, mapping_bytes_);
    throw std::bad_alloc();
  }
  std::memset(bytes_at_, kPoison, bytes);  // what nobody has written is not a zero
}

Block::~Block() { munmap(mapping_, mapping_bytes_); }

DeviceMemory& DeviceMemory::Get() {
  static auto* memory = new DeviceMemory();  // threads may still use it while the process ends
  return *memory;
}

DeviceMemory::DeviceMemory() {
  for (uint64_t bytes = kArenaBytes; bytes >= kLeastArenaBytes; bytes /= 2) {
    void* arena =
        mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (arena == MAP_FAILED) continue;
    arena_begin_ = reinterpret_cast<uint64_t>(arena);
    arena_end_ = arena_begin_ + bytes;
    break;
  }
  next_ = arena_begin_;
  guarded_begin = arena_begin_;
  guarded_end = arena_end_;
  InstallHandler();
}

bool DeviceMemory::Contains(const void* address) const {
  const auto at = reinterpret_cast<uint64_t>(address);
  return at >= arena_begin_ && at < arena_end_;
}

uint64_t DeviceMemory::total_bytes() const {
  return static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<uint64_t>(sysconf(_SC_PAGE_SIZE));
}

uint64_t DeviceMemory::free_bytes() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return total_bytes() - std::min(live_bytes_, total_bytes());
}

// Round the arena, over what is still alive. 0: it is full.
uint64_t DeviceMemory::Place(uint64_t bytes) {
  const uint64_t length = RoundUp(bytes) + kPageBytes;  // a page that belongs to nobody
  uint64_t at = next_;
  for (size_t tries = 0; tries <= live_.size() + 1; ++tries) {
    if (length > arena_end_ - at) {
      at = arena_begin_;
      continue;
    }
    auto after = live_.upper_bound(at);
    if (after != live_.begin()) {
      const Block& before = *std::prev(after)->second;
      const uint64_t end = before.device() + RoundUp(before.bytes()) + kPageBytes;
      if (end > at) {
        at = end;
        continue;
      }
    }
    if (after != live_.end() && after->first < at + length) {
      at = after->first + RoundUp(after->second->bytes()) + kPageBytes;
      continue;
    }
    freed_.erase(freed_.lower_bound(at), freed_.lower_bound(at + length));
    next_ = at + length;
    return at;
  }
  return 0;
}

Answer DeviceMemory::Allocate(uint64_t bytes, void** address) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const uint64_t total = total_bytes();
  if (bytes > total || live_bytes_ > total - bytes) {
    return Refuse(ACL_ERROR_RT_MEMORY_ALLOCATION,
                  "aclrtMalloc of " + Bytes(bytes) + " beside " + Bytes(live_bytes_) +
                      " in use: the device of the twin has the " + Bytes(total) +
                      " of this computer; free memory or use smaller tensors");
  }
  const uint64_t at = Place(bytes);
  if (at == 0) {
    return Refuse(ACL_ERROR_RT_MEMORY_ALLOCATION,
                  "aclrtMalloc of " + Bytes(bytes) + ": no device addresses are left; free memory");
  }
  try {
    live_.emplace(at, std::make_shared<Block>(at, bytes));
  } catch (const std::bad_alloc&) {
    return Refuse(ACL_ERROR_RT_MEMORY_ALLOCATION,
                  "aclrtMalloc of " + Bytes(bytes) + ": this computer has no memory left for it");
  }
  live_bytes_ += bytes;
  *address = reinterpret_cast<void*>(at);
  return Answer{};
}

Answer DeviceMemory::NotHere(const std::string& what, uint64_t address, uint64_t bytes) const {
  auto after = live_.upper_bound(address);
  if (after != live_.begin()) {
    const Block& block = *std::prev(after)->second;
    if (address <= block.device() + block.bytes()) {
      const uint64_t over = address + bytes - block.device() - block.bytes();
      return Refuse(ACL_ERROR_RT_PARAM_INVALID, what + " covers " + Bytes(bytes) +
                                                    " of device memory and reaches " + Bytes(over) +
                                                    " past the end of its " + Bytes(block.bytes()) +
                                                    ": allocate more, or use less");
    }
  }
  auto freed = freed_.upper_bound(address);
  if (freed != freed_.begin()) {
    --freed;
    if (address < freed->first + std::max<uint64_t>(freed->second, 1)) {
      return Refuse(ACL_ERROR_RT_PARAM_INVALID,
                    what + " uses device memory that was freed before; free it last");
    }
  }
  const bool inside = address >= arena_begin_ && address < arena_end_;
  const char* where = address == 0 ? "is null"
                      : inside     ? "points between allocations of device memory"
                                   : "is no device memory";
  return Refuse(ACL_ERROR_RT_PARAM_INVALID,
                what + " " + where + ": pass an address that aclrtMalloc gave");
}

Answer DeviceMemory::Find(const std::string& what, const void* address, uint64_t bytes,
                          std::shared_ptr<Block>* block) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto at = reinterpret_cast<uint64_t>(address);
  const auto after = live_.upper_bound(at);
  if (after != live_.begin()) {
    const std::shared_ptr<Block>& found = std::prev(after)->second;
    const uint64_t begin = at - found->device();
    if (begin <= found->bytes() && bytes <= found->bytes() - begin) {
      *block = found;
      return Answer{};
    }
  }
  return NotHere(what, at, bytes);
}

Answer DeviceMemory::Idle(const std::string& what, uint64_t begin, uint64_t end,
                          bool writes) const {
  for (const Use& use : uses_) {
    if (use.begin < end && begin < use.end && (writes || use.writes)) {
      return Refuse(ACL_ERROR_RT_PARAM_INVALID,
                    what + " while work on a stream still " + (use.writes ? "writes" : "reads") +
                        " that memory: call aclrtSynchronizeStream first");
    }
  }
  return Answer{};
}

Answer DeviceMemory::CheckIdle(const std::string& what, const void* address, uint64_t bytes,
                               bool writes) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto begin = reinterpret_cast<uint64_t>(address);
  return Idle(what, begin, begin + bytes, writes);
}

Answer DeviceMemory::Free(const void* address) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto at = reinterpret_cast<uint64_t>(address);
  const auto found = live_.find(at);
  if (found == live_.end()) {
    if (freed_.count(at) != 0) {
      return Refuse(ACL_ERROR_RT_PARAM_INVALID,
                    "aclrtFree of device memory that was freed before: free it once");
    }
    const auto after = live_.upper_bound(at);
    if (after != live_.begin()) {
      const Block& block = *std::prev(after)->second;
      if (at < block.device() + block.bytes()) {
        return Refuse(ACL_ERROR_RT_PARAM_INVALID,
                      "aclrtFree of an address " + Bytes(at - block.device()) +
                          " inside an allocation: pass the address that aclrtMalloc gave");
      }
    }
    return NotHere("the address given to aclrtFree", at, 0);
  }
  const uint64_t bytes = found->second->bytes();
  const Answer idle = Idle("aclrtFree", at, at + bytes, true);
  if (!idle.ok()) return idle;
  live_bytes_ -= bytes;
  freed_[at] = bytes;
  if (freed_.size() > kRememberedFrees) freed_.erase(freed_.begin());  // the oldest, as a rule
  live_.erase(found);
  return Answer{};
}

void DeviceMemory::FreeAll() {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& entry : live_) freed_[entry.first] = entry.second->bytes();
  live_.clear();
  live_bytes_ = 0;
}

void DeviceMemory::Begin(const std::vector<Use>& uses) {
  const std::lock_guard<std::mutex> lock(mutex_);
  uses_.insert(uses_.end(), uses.begin(), uses.end());
}

void DeviceMemory::End(const std::vector<Use>& uses) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const Use& use : uses) {
    const auto same = [&use](const Use& each) {
      return each.begin == use.begin && each.end == use.end && each.writes == use.writes;
    };
    const auto found = std::find_if(uses_.begin(), uses_.end(), same);
    if (found != uses_.end()) uses_.erase(found);
  }
}

}  // namespace normgrad::acl
