// acl: initialisation, devices, contexts and system parameters.
#include <mutex>
#include <string>

#include "acl/acl.h"
#include "aclnn/aclnn_base.h"
#include "twin/acl/errors.h"
#include "twin/acl/runtime.h"

using normgrad::Answer;
using normgrad::acl::Context;
using normgrad::acl::Fail;
using normgrad::acl::Report;
using normgrad::acl::Runtime;

namespace {

aclError NullArgument(const char* call, const char* argument) {
  return Fail(ACL_ERROR_INVALID_PARAM, std::string(call) + " was given a null " + argument +
                                           ": pass the address of a variable");
}

// What a chip of the table is called by the vendor: Ascend910B4, Ascend910_9391, Ascend950PR_9599.
std::string VendorName(const std::string& name) {
  std::string vendor = name;
  for (char& letter : vendor) {
    if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
  }
  return "Ascend" + vendor.substr(std::string("ascend").size());
}

Answer CheckParameter(const char* call, aclSysParamOpt option, int64_t value) {
  if (option < ACL_OPT_DETERMINISTIC || option > ACL_OPT_ENABLE_KERNEL_EARLY_START) {
    return normgrad::Refuse(ACL_ERROR_INVALID_PARAM,
                            std::string(call) + " was given option " + std::to_string(option) +
                                ": there are options 0 to 3; use aclSysParamOpt");
  }
  if (option == ACL_OPT_DETERMINISTIC && (value < 0 || value > 3)) {
    return normgrad::Refuse(ACL_ERROR_INVALID_PARAM,
                            std::string(call) + " sets ACL_OPT_DETERMINISTIC to " +
                                std::to_string(value) +
                                ": 0 is off, 1 deterministic, 2 and 3 also independent of the "
                                "number of cores; use one of them");
  }
  return Answer{};
}

}  // namespace

extern "C" {

aclError aclInit(const char* /*configPath*/) { return Report(Runtime::Get().Init()); }
aclError aclFinalize() { return Report(Runtime::Get().Finalize()); }
aclnnStatus aclnnInit(const char* /*configPath*/) { return ACLNN_SUCCESS; }
aclnnStatus aclnnFinalize() { return ACLNN_SUCCESS; }

aclError aclrtSetDevice(int32_t deviceId) { return Report(Runtime::Get().SetDevice(deviceId)); }
aclError aclrtResetDevice(int32_t deviceId) { return Report(Runtime::Get().ResetDevice(deviceId)); }
aclError aclrtResetDeviceForce(int32_t deviceId) { return aclrtResetDevice(deviceId); }

aclError aclrtGetDevice(int32_t* deviceId) {
  if (deviceId == nullptr) return NullArgument("aclrtGetDevice", "deviceId");
  std::shared_ptr<Context> context;
  const Answer answer = Runtime::Get().Current("aclrtGetDevice", &context);
  if (answer.ok()) *deviceId = 0;
  return Report(answer);
}

aclError aclrtGetDeviceCount(uint32_t* count) {
  if (count == nullptr) return NullArgument("aclrtGetDeviceCount", "count");
  *count = normgrad::acl::kDevices;
  return ACL_SUCCESS;
}

aclError aclrtGetRunMode(aclrtRunMode* runMode) {
  if (runMode == nullptr) return NullArgument("aclrtGetRunMode", "runMode");
  *runMode = ACL_HOST;
  return ACL_SUCCESS;
}

aclError aclrtSynchronizeDevice() { return Report(Runtime::Get().SynchronizeDevice(-1)); }
aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout) {
  return Report(Runtime::Get().SynchronizeDevice(timeout));
}

const char* aclrtGetSocName() {
  const normgrad::Soc* soc = nullptr;
  const Answer answer = Runtime::Get().FindChip(&soc);
  if (!answer.ok()) {
    Fail(answer.code, "aclrtGetSocName: " + answer.sentence);
    return nullptr;
  }
  static thread_local std::string name;
  name = VendorName(soc->name);
  return name.c_str();
}

// Of the interface that this library follows.
aclError aclrtGetVersion(int32_t* majorVersion, int32_t* minorVersion, int32_t* patchVersion) {
  if (majorVersion == nullptr || minorVersion == nullptr || patchVersion == nullptr) {
    return NullArgument("aclrtGetVersion", "argument");
  }
  *majorVersion = 1;
  *minorVersion = 0;
  *patchVersion = 0;
  return ACL_SUCCESS;
}

aclError aclrtCreateContext(aclrtContext* context, int32_t deviceId) {
  if (context == nullptr) return NullArgument("aclrtCreateContext", "context");
  const Answer answer = Runtime::Get().SetDevice(deviceId);
  if (!answer.ok()) return Report(answer);
  Context* made = Runtime::Get().contexts.Add(std::make_shared<Context>());
  normgrad::acl::current_context = made;
  *context = made;
  return ACL_SUCCESS;
}

aclError aclrtDestroyContext(aclrtContext context) {
  std::string why;
  const std::shared_ptr<Context> gone = Runtime::Get().contexts.Remove(context, &why);
  if (gone == nullptr) return Fail(ACL_ERROR_RT_CONTEXT_NULL, "aclrtDestroyContext: " + why);
  for (const auto& stream : Runtime::Get().streams.All()) {
    if (stream->context() != gone.get()) continue;
    Runtime::Get().streams.Remove(stream.get(), &why);
    stream->End();
  }
  gone->EndDefaultStream();
  return Report(Runtime::Get().ResetDevice(0));
}

aclError aclrtSetCurrentContext(aclrtContext context) {
  std::string why;
  const std::shared_ptr<Context> found = Runtime::Get().contexts.Find(context, &why);
  if (found == nullptr) return Fail(ACL_ERROR_RT_CONTEXT_NULL, "aclrtSetCurrentContext: " + why);
  normgrad::acl::current_context = found.get();
  return ACL_SUCCESS;
}

aclError aclrtGetCurrentContext(aclrtContext* context) {
  if (context == nullptr) return NullArgument("aclrtGetCurrentContext", "context");
  std::shared_ptr<Context> found;
  const Answer answer = Runtime::Get().Current("aclrtGetCurrentContext", &found);
  if (answer.ok()) *context = found.get();
  return Report(answer);
}

aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value) {
  const Answer answer = CheckParameter("aclrtSetSysParamOpt", opt, value);
  if (answer.ok()) Runtime::Get().SetParameter(opt, value);
  return Report(answer);
}

aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t* value) {
  if (value == nullptr) return NullArgument("aclrtGetSysParamOpt", "value");
  const Answer answer = CheckParameter("aclrtGetSysParamOpt", opt, 0);
  if (answer.ok() && !Runtime::Get().Parameter(opt, value)) *value = 0;
  return Report(answer);
}

aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value) {
  std::shared_ptr<Context> context;
  Answer answer = CheckParameter("aclrtCtxSetSysParamOpt", opt, value);
  if (answer.ok()) answer = Runtime::Get().Current("aclrtCtxSetSysParamOpt", &context);
  if (answer.ok()) context->SetParameter(opt, value);
  return Report(answer);
}

aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, int64_t* value) {
  if (value == nullptr) return NullArgument("aclrtCtxGetSysParamOpt", "value");
  std::shared_ptr<Context> context;
  Answer answer = CheckParameter("aclrtCtxGetSysParamOpt", opt, 0);
  if (answer.ok()) answer = Runtime::Get().Current("aclrtCtxGetSysParamOpt", &context);
  if (answer.ok() && !context->Parameter(opt, value) && !Runtime::Get().Parameter(opt, value)) {
    *value = 0;
  }
  return Report(answer);
}

}  // extern "C"
