// What every phase begins with: its name for logs, and the check that its arguments are alive.
#ifndef NORMGRAD_TWIN_ACL_OP_DFX_H_
#define NORMGRAD_TWIN_ACL_OP_DFX_H_

#include <cstdint>
#include <tuple>

#include "opdev/op_executor.h"

namespace normgrad::acl {

// Null, or an object that its client has not destroyed; `at` is its place among all arguments.
bool IsAlive(const char* names, int at, const aclTensor* tensor);
bool IsAlive(const char* names, int at, const aclIntArray* array);
bool IsAlive(const char* names, int at, const aclBoolArray* array);
template <typename T>
bool IsAlive(const char* /*names*/, int /*at*/, const T& /*value*/) {
  return true;
}

aclnnStatus CheckFirstPhase(const char* api, const uint64_t* workspace_bytes,
                            aclOpExecutor* const* executor);

template <typename... Arguments>
aclnnStatus BeginFirstPhase(const char* api, const uint64_t* workspace_bytes,
                            aclOpExecutor* const* executor, const char* names,
                            const std::tuple<Arguments...>& arguments) {
  const aclnnStatus status = CheckFirstPhase(api, workspace_bytes, executor);
  if (status != ACLNN_SUCCESS) return status;
  return std::apply(
             [names](const auto&... each) {
               int at = 0;
               return (IsAlive(names, at++, each) && ...);
             },
             arguments)
             ? ACLNN_SUCCESS
             : ACLNN_ERR_PARAM_INVALID;
}

}  // namespace normgrad::acl

#define DFX_IN(...) std::make_tuple(__VA_ARGS__)
#define DFX_OUT(...) std::make_tuple(__VA_ARGS__)
#define L2_DFX_PHASE_1(API, IN, OUT)                                            \
  do {                                                                          \
    const aclnnStatus begun = ::normgrad::acl::BeginFirstPhase(                 \
        #API, workspaceSize, executor, #IN ", " #OUT, std::tuple_cat(IN, OUT)); \
    if (begun != ACLNN_SUCCESS) return begun;                                   \
  } while (false)
#define L2_DFX_PHASE_2(API) static_cast<void>(#API)
#define L0_DFX(NAME, ...) static_cast<void>(#NAME)
#define OP_TYPE_REGISTER(NAME) static_assert(sizeof(#NAME) > 1, "an operator has a name")

#endif  // NORMGRAD_TWIN_ACL_OP_DFX_H_
