// Device memory. What a client gets is an address in an arena that no instruction can read or
// write: a host that dereferences it ends with a sentence. The bytes themselves lie elsewhere,
// between pages that fault, and only the runtime knows where.
#ifndef NORMGRAD_TWIN_ACL_DEVICE_MEMORY_H_
#define NORMGRAD_TWIN_ACL_DEVICE_MEMORY_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tiling/answer.h"

namespace normgrad::acl {

// The bytes of one allocation; they live as long as anybody works on them.
class Block {
 public:
  Block(uint64_t device, uint64_t bytes);  // throws std::bad_alloc
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  ~Block();

  uint8_t* At(const void* address) const {
    return bytes_at_ + (reinterpret_cast<uint64_t>(address) - device_);
  }
  uint64_t device() const { return device_; }
  uint64_t bytes() const { return bytes_; }

 private:
  uint64_t device_;
  uint64_t bytes_;
  void* mapping_;
  uint64_t mapping_bytes_;
  uint8_t* bytes_at_;
};

// Bytes of device memory that work on a stream still reads or writes.
struct Use {
  uint64_t begin;
  uint64_t end;
  bool writes;
};

class DeviceMemory {
 public:
  static DeviceMemory& Get();

  Answer Allocate(uint64_t bytes, void** address);
  Answer Free(const void* address);
  void FreeAll();

  // The block that holds all of [address, address + bytes). `what` begins the sentence.
  Answer Find(const std::string& what, const void* address, uint64_t bytes,
              std::shared_ptr<Block>* block) const;
  bool Contains(const void* address) const;  // live or not: is it an address of the device

  // Work in flight: between these calls the range belongs to a stream.
  void Begin(const std::vector<Use>& uses);
  void End(const std::vector<Use>& uses);
  // Refuses what the host must not do to a range before the stream was synchronised.
  Answer CheckIdle(const std::string& what, const void* address, uint64_t bytes, bool writes) const;

  uint64_t total_bytes() const;
  uint64_t free_bytes() const;

 private:
  DeviceMemory();
  Answer NotHere(const std::string& what, uint64_t address, uint64_t bytes) const;
  Answer Idle(const std::string& what, uint64_t begin, uint64_t end, bool writes) const;
  uint64_t Place(uint64_t bytes);

  mutable std::mutex mutex_;
  uint64_t arena_begin_ = 0;
  uint64_t arena_end_ = 0;
  uint64_t next_ = 0;
  uint64_t live_bytes_ = 0;
  std::map<uint64_t, std::shared_ptr<Block>> live_;
  std::map<uint64_t, uint64_t> freed_;  // address -> bytes, until the address is used again
  std::vector<Use> uses_;
};

}  // namespace normgrad::acl

#endif  // NORMGRAD_TWIN_ACL_DEVICE_MEMORY_H_
