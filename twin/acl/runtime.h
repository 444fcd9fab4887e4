// What is there once of a process: the device, its contexts, its streams and events.
#ifndef NORMGRAD_TWIN_ACL_RUNTIME_H_
#define NORMGRAD_TWIN_ACL_RUNTIME_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "tiling/answer.h"
#include "tiling/chip.h"
#include "twin/acl/registry.h"
#include "twin/acl/stream.h"

namespace normgrad::acl {

constexpr int32_t kDevices = 1;

class Context {
 public:
  std::shared_ptr<Stream> default_stream();  // made when it is first needed
  void EndDefaultStream();
  void SetParameter(int32_t option, int64_t value);
  bool Parameter(int32_t option, int64_t* value) const;

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<Stream> default_stream_;
  std::map<int32_t, int64_t> parameters_;
};

class Runtime {
 public:
  static Runtime& Get();

  Answer Init();
  Answer Finalize();
  Answer SetDevice(int32_t device);
  Answer ResetDevice(int32_t device);

  // The context of this thread, or the sentence that says how to get one.
  Answer Current(const std::string& what, std::shared_ptr<Context>* context) const;
  // The stream of a handle (null: the context's own), which must belong to this thread's context.
  Answer FindStream(const std::string& what, void* handle, std::shared_ptr<Stream>* stream);
  Answer SynchronizeDevice(int32_t timeout_ms);

  // The chip that NORMGRAD_SOC names, read when the device is set.
  Answer FindChip(const Soc** soc) const;
  int64_t Deterministic() const;  // level for this thread's context

  void SetParameter(int32_t option, int64_t value);
  bool Parameter(int32_t option, int64_t* value) const;

  Registry<Context> contexts{"context", "aclrtCreateContext"};
  Registry<Stream> streams{"stream", "aclrtCreateStream"};
  Registry<Event> events{"event", "aclrtCreateEvent"};

 private:
  Runtime() = default;
  Answer CheckDevice(const std::string& what, int32_t device) const;
  void ReleaseDevice();

  mutable std::mutex mutex_;
  bool initialised_ = false;
  int users_ = 0;  // aclrtSetDevice without its aclrtResetDevice
  std::atomic<const Soc*> soc_{nullptr};
  Context* primary_ = nullptr;
  std::map<int32_t, int64_t> parameters_;
};

// Of this thread, by its handle: another thread may have destroyed it.
extern thread_local Context* current_context;

}  // namespace normgrad::acl

#endif  // NORMGRAD_TWIN_ACL_RUNTIME_H_
