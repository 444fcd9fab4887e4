#include "twin/acl/runtime.h"

#include <cstdlib>
#include <utility>

#include "acl/acl.h"
#include "twin/acl/device_memory.h"
#include "twin/acl/errors.h"

namespace normgrad::acl {
namespace {

constexpr char kDefaultSoc[] = "ascend910b4";

}  // namespace

thread_local Context* current_context = nullptr;

std::shared_ptr<Stream> Context::default_stream() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (default_stream_ == nullptr) default_stream_ = std::make_shared<Stream>(this);
  return default_stream_;
}

void Context::EndDefaultStream() {
  std::shared_ptr<Stream> stream;
  const std::lock_guard<std::mutex> lock(mutex_);
  stream.swap(default_stream_);
}

void Context::SetParameter(int32_t option, int64_t value) {
  const std::lock_guard<std::mutex> lock(mutex_);
  parameters_[option] = value;
}

bool Context::Parameter(int32_t option, int64_t* value) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = parameters_.find(option);
  if (found == parameters_.end()) return false;
  *value = found->second;
  return true;
}

Runtime& Runtime::Get() {
  static auto* runtime = new Runtime();  // threads may still use it while the process ends
  return *runtime;
}

Answer Runtime::Init() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (initialised_) {
    return Refuse(ACL_ERROR_REPEAT_INITIALIZE, "aclInit was called before: call it once");
  }
  initialised_ = true;
  return Answer{};
}

Answer Runtime::Finalize() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!initialised_) {
      return Refuse(ACL_ERROR_UNINITIALIZE, "aclFinalize without aclInit: call aclInit first");
    }
    initialised_ = false;
    if (users_ == 0) return Answer{};
    users_ = 0;
  }
  ReleaseDevice();
  return Answer{};
}

Answer Runtime::CheckDevice(const std::string& what, int32_t device) const {
  if (!initialised_) {
    return Refuse(ACL_ERROR_UNINITIALIZE, what + " before aclInit: call aclInit first");
  }
  if (device < 0 || device >= kDevices) {
    return Refuse(ACL_ERROR_RT_INVALID_DEVICEID, what + " of device " + std::to_string(device) +
                                                     ": the twin has device 0 alone; use it");
  }
  return Answer{};
}

Answer Runtime::SetDevice(int32_t device) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const Answer answer = CheckDevice("aclrtSetDevice", device);
  if (!answer.ok()) return answer;
  if (users_ == 0) {
    const char* chosen = std::getenv("NORMGRAD_SOC");
    const std::string name = chosen != nullptr && *chosen != '\0' ? chosen : kDefaultSoc;
    const Soc* soc = FindSoc(name.c_str());
    if (soc == nullptr) {
      return Refuse(ACL_ERROR_INVALID_PARAM,
                    "NORMGRAD_SOC is " + name +
                        ", which is no chip: products are named as ascend910b4; `normgrad list "
                        "--socs` shows all of them");
    }
    soc_ = soc;
    primary_ = contexts.Add(std::make_shared<Context>());
  }
  ++users_;
  current_context = primary_;
  return Answer{};
}

Answer Runtime::ResetDevice(int32_t device) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const Answer answer = CheckDevice("aclrtResetDevice", device);
    if (!answer.ok()) return answer;
    if (users_ == 0) {
      return Refuse(ACL_ERROR_RT_CONTEXT_NULL,
                    "aclrtResetDevice of a device that is not set: call aclrtSetDevice first");
    }
    if (--users_ > 0) return Answer{};
  }
  ReleaseDevice();
  return Answer{};
}

// Work in flight ends first; then nothing of the device is left.
void Runtime::ReleaseDevice() {
  std::string unused;
  for (const auto& stream : streams.All()) {
    streams.Remove(stream.get(), &unused);
    stream->End();
  }
  for (const auto& context : contexts.All()) {
    context->EndDefaultStream();
    contexts.Remove(context.get(), &unused);
  }
  DeviceMemory::Get().FreeAll();
}

Answer Runtime::Current(const std::string& what, std::shared_ptr<Context>* context) const {
  std::string unused;
  *context = contexts.Find(current_context, &unused);
  if (*context != nullptr) return Answer{};
  return Refuse(ACL_ERROR_RT_CONTEXT_NULL,
                what +
                    " on a thread that has no context: call aclrtSetDevice or "
                    "aclrtSetCurrentContext on this thread first");
}

Answer Runtime::FindStream(const std::string& what, void* handle, std::shared_ptr<Stream>* stream) {
  std::shared_ptr<Context> context;
  const Answer answer = Current(what, &context);
  if (!answer.ok()) return answer;
  if (handle == nullptr) {
    *stream = context->default_stream();
    return Answer{};
  }
  std::string why;
  *stream = streams.Find(handle, &why);
  if (*stream == nullptr) return Refuse(ACL_ERROR_RT_INVALID_HANDLE, what + ": " + why);
  if ((*stream)->context() != context.get()) {
    return Refuse(ACL_ERROR_RT_STREAM_CONTEXT,
                  what +
                      " on a stream of another context: make that context current with "
                      "aclrtSetCurrentContext");
  }
  return Answer{};
}

Answer Runtime::SynchronizeDevice(int32_t timeout_ms) {
  std::shared_ptr<Context> context;
  Answer first = Current("aclrtSynchronizeDevice", &context);
  if (!first.ok()) return first;
  std::vector<std::shared_ptr<Stream>> all = streams.All();
  for (const auto& each : contexts.All()) all.push_back(each->default_stream());
  for (const auto& stream : all) {
    const Answer answer = stream->Synchronize(timeout_ms);
    if (first.ok()) first = answer;
  }
  return first;
}

Answer Runtime::FindChip(const Soc** soc) const {
  *soc = soc_;
  if (*soc != nullptr) return Answer{};
  return Refuse(ACL_ERROR_RT_CONTEXT_NULL, "no device is set: call aclrtSetDevice first");
}

void Runtime::SetParameter(int32_t option, int64_t value) {
  const std::lock_guard<std::mutex> lock(mutex_);
  parameters_[option] = value;
}

bool Runtime::Parameter(int32_t option, int64_t* value) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = parameters_.find(option);
  if (found == parameters_.end()) return false;
  *value = found->second;
  return true;
}

int64_t Runtime::Deterministic() const {
  std::string unused;
  const std::shared_ptr<Context> context = contexts.Find(current_context, &unused);
  int64_t level = 0;
  if (context != nullptr && context->Parameter(ACL_OPT_DETERMINISTIC, &level)) return level;
  Parameter(ACL_OPT_DETERMINISTIC, &level);
  return level;
}

}  // namespace normgrad::acl
