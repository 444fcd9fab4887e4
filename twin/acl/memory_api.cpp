// acl: memory of the device and of the host, copies and fills.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "acl/acl.h"
#include "tiling/answer.h"
#include "twin/acl/device_memory.h"
#include "twin/acl/errors.h"
#include "twin/acl/runtime.h"

using normgrad::Answer;
using normgrad::Refuse;
using normgrad::WithCommas;
using normgrad::acl::Block;
using normgrad::acl::Context;
using normgrad::acl::DeviceMemory;
using normgrad::acl::Fail;
using normgrad::acl::Report;
using normgrad::acl::Runtime;
using normgrad::acl::Stream;
using normgrad::acl::Task;
using normgrad::acl::Use;

namespace {

constexpr size_t kHostAlignBytes = 64;

// One side of a copy: `pitch` bytes from row to row.
struct Side {
  const char* name;  // "dst", "src"
  uint8_t* address;
  uint64_t pitch;
  bool on_device;
  std::shared_ptr<Block> block;  // of the device

  uint8_t* Row(uint64_t row) const {
    uint8_t* first = on_device ? block->At(address) : address;
    return first + row * pitch;
  }
};

struct Copy {
  Side dst;
  Side src;
  uint64_t width;
  uint64_t height;

  void Run() const {
    for (uint64_t row = 0; row < height; ++row) std::memmove(dst.Row(row), src.Row(row), width);
  }
};

// Memory of aclrtMallocHost; other host memory is not known here.
class HostMemory {
 public:
  static HostMemory& Get() {
    static auto* memory = new HostMemory();
    return *memory;
  }

  void* Allocate(uint64_t bytes) {
    void* address = nullptr;
    if (posix_memalign(&address, kHostAlignBytes, bytes) != 0) return nullptr;
    const std::lock_guard<std::mutex> lock(mutex_);
    live_[static_cast<uint8_t*>(address)] = bytes;
    return address;
  }

  bool Free(void* address) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (live_.erase(static_cast<uint8_t*>(address)) == 0) return false;
    std::free(address);
    return true;
  }

  Answer Check(const std::string& what, const uint8_t* address, uint64_t bytes) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    auto after = live_.upper_bound(const_cast<uint8_t*>(address));
    if (after == live_.begin()) return Answer{};
    const auto& [begin, size] = *std::prev(after);
    if (address >= begin + size || bytes <= size - static_cast<uint64_t>(address - begin)) {
      return Answer{};
    }
    return Refuse(ACL_ERROR_RT_PARAM_INVALID,
                  what + " reaches past the end of " + WithCommas(size) +
                      " bytes of aclrtMallocHost: allocate more, or copy less");
  }

 private:
  mutable std::mutex mutex_;
  std::map<uint8_t*, uint64_t> live_;
};

Answer NoContext(const char* call) {
  std::shared_ptr<Context> context;
  return Runtime::Get().Current(call, &context);
}

bool IsDeviceSide(aclrtMemcpyKind kind, bool dst) {
  switch (kind) {
    case ACL_MEMCPY_HOST_TO_DEVICE:
    case ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE:
      return dst;
    case ACL_MEMCPY_DEVICE_TO_HOST:
      return !dst;
    default:
      return kind != ACL_MEMCPY_HOST_TO_HOST;
  }
}

// Where a side lies, by what the kind says and by what its address is.
Answer Place(const char* call, aclrtMemcpyKind kind, bool dst, uint64_t bytes, Side* side) {
  const std::string what = std::string(side->name) + " of " + call;
  if (side->address == nullptr) {
    return Refuse(ACL_ERROR_INVALID_PARAM, what + " is null: pass memory");
  }
  const bool is_device = DeviceMemory::Get().Contains(side->address);
  side->on_device = kind == ACL_MEMCPY_DEFAULT ? is_device : IsDeviceSide(kind, dst);
  if (side->on_device != is_device) {
    return Refuse(ACL_ERROR_RT_PARAM_INVALID,
                  what + " is " + (is_device ? "device" : "host") +
                      " memory, but the kind of copy " + std::to_string(kind) + " wants " +
                      (is_device ? "host" : "device") + " memory there: choose the kind that fits");
  }
  return is_device ? DeviceMemory::Get().Find(what, side->address, bytes, &side->block)
                   : HostMemory::Get().Check(what, side->address, bytes);
}

Answer Prepare(const char* call, aclrtMemcpyKind kind, Copy* copy) {
  if (kind < ACL_MEMCPY_HOST_TO_HOST || kind > ACL_MEMCPY_INTER_DEVICE_TO_DEVICE) {
    return Refuse(ACL_ERROR_INVALID_PARAM, std::string(call) + " was given kind " +
                                               std::to_string(kind) +
                                               ": there are kinds 0 to 7; use aclrtMemcpyKind");
  }
  const Answer answer = NoContext(call);
  if (!answer.ok()) return answer;
  for (Side* side : {&copy->dst, &copy->src}) {
    if (copy->height > 1 && side->pitch < copy->width) {
      return Refuse(ACL_ERROR_INVALID_PARAM, std::string(call) + " copies rows of " +
                                                 WithCommas(copy->width) + " bytes that lie " +
                                                 WithCommas(side->pitch) + " bytes apart in " +
                                                 side->name + ": the pitch is at least the width");
    }
    uint64_t span = 0;
    if (__builtin_mul_overflow(side->pitch, copy->height - 1, &span) ||
        __builtin_add_overflow(span, copy->width, &span)) {
      return Refuse(ACL_ERROR_INVALID_PARAM,
                    std::string(call) + " covers more than 2^64 bytes of " + side->name);
    }
    const Answer placed = Place(call, kind, side == &copy->dst, span, side);
    if (!placed.ok()) return placed;
  }
  return Answer{};
}

std::vector<Use> UsesOf(const Copy& copy) {
  std::vector<Use> uses;
  for (const Side* side : {&copy.dst, &copy.src}) {
    if (!side->on_device) continue;
    const auto begin = reinterpret_cast<uint64_t>(side->address);
    uses.push_back(
        {begin, begin + side->pitch * (copy.height - 1) + copy.width, side == &copy.dst});
  }
  return uses;
}

// A copy by the host itself is not ordered with what streams do.
Answer RunNow(const char* call, const Copy& copy) {
  for (const Use& use : UsesOf(copy)) {
    const Answer idle = DeviceMemory::Get().CheckIdle(call, reinterpret_cast<void*>(use.begin),
                                                      use.end - use.begin, use.writes);
    if (!idle.ok()) return idle;
  }
  copy.Run();
  return Answer{};
}

Answer RunOnStream(const char* call, const Copy& copy, aclrtStream handle) {
  std::shared_ptr<Stream> stream;
  const Answer answer = Runtime::Get().FindStream(call, handle, &stream);
  if (!answer.ok()) return answer;
  stream->Enqueue(Task{[copy] {
                         copy.Run();
                         return Answer{};
                       },
                       UsesOf(copy)});
  return Answer{};
}

Answer CheckCount(const char* call, const char* room_name, uint64_t room, uint64_t count) {
  if (count <= room) return Answer{};
  return Refuse(ACL_ERROR_RT_PARAM_INVALID, std::string(call) + " of " + WithCommas(count) +
                                                " bytes into " + WithCommas(room) +
                                                ": count is at most " + room_name);
}

Copy Flat(void* dst, const void* src, uint64_t count) {
  auto* from = static_cast<uint8_t*>(const_cast<void*>(src));
  return Copy{{"dst", static_cast<uint8_t*>(dst), count, false, nullptr},
              {"src", from, count, false, nullptr},
              count,
              1};
}

Copy Rows(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height) {
  Copy copy = Flat(dst, src, width);
  copy.dst.pitch = dpitch;
  copy.src.pitch = spitch;
  copy.height = height;
  return copy;
}

// A fill is a copy whose source is the value.
Answer PrepareFill(const char* call, void* dst, size_t max, size_t count, Copy* copy) {
  Answer answer = CheckCount(call, "maxCount", max, count);
  if (answer.ok()) answer = NoContext(call);
  *copy = Flat(dst, nullptr, count);
  if (!answer.ok()) return answer;
  const aclrtMemcpyKind kind =
      DeviceMemory::Get().Contains(dst) ? ACL_MEMCPY_HOST_TO_DEVICE : ACL_MEMCPY_HOST_TO_HOST;
  return Place(call, kind, true, count, &copy->dst);
}

aclError Malloc(const char* call, void** address, size_t size) {
  if (address == nullptr) {
    return Fail(ACL_ERROR_INVALID_PARAM, std::string(call) + " was given a null devPtr");
  }
  *address = nullptr;
  if (size == 0) {
    return Fail(ACL_ERROR_INVALID_PARAM,
                std::string(call) +
                    " of 0 bytes: allocate 1 byte or more, an empty tensor needs "
                    "no memory");
  }
  Answer answer = NoContext(call);
  if (answer.ok()) answer = DeviceMemory::Get().Allocate(size, address);
  return Report(answer);
}

}  // namespace

extern "C" {

aclError aclrtMalloc(void** devPtr, size_t size, aclrtMemMallocPolicy /*policy*/) {
  return Malloc("aclrtMalloc", devPtr, size);
}

aclError aclrtMallocAlign32(void** devPtr, size_t size, aclrtMemMallocPolicy /*policy*/) {
  return Malloc("aclrtMallocAlign32", devPtr, size);
}

aclError aclrtMallocCached(void** devPtr, size_t size, aclrtMemMallocPolicy /*policy*/) {
  return Malloc("aclrtMallocCached", devPtr, size);
}

aclError aclrtFree(void* devPtr) { return Report(DeviceMemory::Get().Free(devPtr)); }

aclError aclrtMallocHost(void** hostPtr, size_t size) {
  if (hostPtr == nullptr || size == 0) {
    return Fail(ACL_ERROR_INVALID_PARAM,
                "aclrtMallocHost was given a null hostPtr or a size of 0: pass the address of a "
                "pointer and 1 byte or more");
  }
  *hostPtr = HostMemory::Get().Allocate(size);
  if (*hostPtr != nullptr) return ACL_SUCCESS;
  return Fail(ACL_ERROR_BAD_ALLOC, "aclrtMallocHost of " + WithCommas(size) +
                                       " bytes: this computer has no memory left for it");
}

aclError aclrtFreeHost(void* hostPtr) {
  if (HostMemory::Get().Free(hostPtr)) return ACL_SUCCESS;
  return Fail(ACL_ERROR_RT_PARAM_INVALID,
              "aclrtFreeHost of memory that aclrtMallocHost did not give, or that was freed "
              "before: free it once");
}

aclError aclrtMemcpy(void* dst, size_t destMax, const void* src, size_t count,
                     aclrtMemcpyKind kind) {
  Answer answer = CheckCount("aclrtMemcpy", "destMax", destMax, count);
  if (!answer.ok() || count == 0) return Report(answer);
  Copy copy = Flat(dst, src, count);
  answer = Prepare("aclrtMemcpy", kind, &copy);
  if (answer.ok()) answer = RunNow("aclrtMemcpy", copy);
  return Report(answer);
}

aclError aclrtMemcpyAsync(void* dst, size_t destMax, const void* src, size_t count,
                          aclrtMemcpyKind kind, aclrtStream stream) {
  Answer answer = CheckCount("aclrtMemcpyAsync", "destMax", destMax, count);
  if (!answer.ok() || count == 0) return Report(answer);
  Copy copy = Flat(dst, src, count);
  answer = Prepare("aclrtMemcpyAsync", kind, &copy);
  if (answer.ok()) answer = RunOnStream("aclrtMemcpyAsync", copy, stream);
  return Report(answer);
}

aclError aclrtMemcpy2d(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width,
                       size_t height, aclrtMemcpyKind kind) {
  if (width == 0 || height == 0) return ACL_SUCCESS;
  Copy copy = Rows(dst, dpitch, src, spitch, width, height);
  Answer answer = Prepare("aclrtMemcpy2d", kind, &copy);
  if (answer.ok()) answer = RunNow("aclrtMemcpy2d", copy);
  return Report(answer);
}

aclError aclrtMemcpy2dAsync(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width,
                            size_t height, aclrtMemcpyKind kind, aclrtStream stream) {
  if (width == 0 || height == 0) return ACL_SUCCESS;
  Copy copy = Rows(dst, dpitch, src, spitch, width, height);
  Answer answer = Prepare("aclrtMemcpy2dAsync", kind, &copy);
  if (answer.ok()) answer = RunOnStream("aclrtMemcpy2dAsync", copy, stream);
  return Report(answer);
}

aclError aclrtMemset(void* devPtr, size_t maxCount, int32_t value, size_t count) {
  Copy fill;
  Answer answer = PrepareFill("aclrtMemset", devPtr, maxCount, count, &fill);
  if (answer.ok() && fill.dst.on_device) {
    answer = DeviceMemory::Get().CheckIdle("aclrtMemset", devPtr, count, true);
  }
  if (answer.ok()) std::memset(fill.dst.Row(0), value, count);
  return Report(answer);
}

aclError aclrtMemsetAsync(void* devPtr, size_t maxCount, int32_t value, size_t count,
                          aclrtStream stream) {
  Copy fill;
  Answer answer = PrepareFill("aclrtMemsetAsync", devPtr, maxCount, count, &fill);
  std::shared_ptr<Stream> fills;
  if (answer.ok()) answer = Runtime::Get().FindStream("aclrtMemsetAsync", stream, &fills);
  if (answer.ok()) {
    const auto begin = reinterpret_cast<uint64_t>(devPtr);
    std::vector<Use> uses;
    if (fill.dst.on_device) uses.push_back({begin, begin + count, true});
    fills->Enqueue(Task{[fill, value, count] {
                          std::memset(fill.dst.Row(0), value, count);
                          return Answer{};
                        },
                        uses});
  }
  return Report(answer);
}

aclError aclrtGetMemInfo(aclrtMemAttr /*attr*/, size_t* free, size_t* total) {
  if (free == nullptr || total == nullptr) {
    return Fail(ACL_ERROR_INVALID_PARAM, "aclrtGetMemInfo was given a null argument");
  }
  const Answer answer = NoContext("aclrtGetMemInfo");
  if (answer.ok()) {
    *free = DeviceMemory::Get().free_bytes();
    *total = DeviceMemory::Get().total_bytes();
  }
  return Report(answer);
}

}  // extern "C"
