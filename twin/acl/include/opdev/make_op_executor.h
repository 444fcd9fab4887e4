// How an operator's host code makes an executor and adds its kernel to it.
#ifndef NORMGRAD_TWIN_ACL_MAKE_OP_EXECUTOR_H_
#define NORMGRAD_TWIN_ACL_MAKE_OP_EXECUTOR_H_

#include <vector>

#include "opdev/op_executor.h"

namespace normgrad::acl {

// Arguments of a kernel, and how the host code names them, with commas between.
struct KernelArguments {
  std::vector<const aclTensor*> tensors;
  const char* names;
};

struct KernelAttributes {
  const aclBoolArray* output_mask;
  const aclIntArray* normalized_shape;
};

// A null input is one that the operator does without. An output is never null: CANN would leave it
// out of the kernel's arguments, and those behind it would move up.
aclnnStatus AddKernel(aclOpExecutor* executor, const char* op_type, const KernelArguments& inputs,
                      const KernelArguments& outputs, const KernelAttributes& attributes = {});

}  // namespace normgrad::acl

#define CREATE_EXECUTOR() UniqueExecutor(__func__)
#define OP_INPUT(...) (::normgrad::acl::KernelArguments{{__VA_ARGS__}, #__VA_ARGS__})
#define OP_OUTPUT(...) (::normgrad::acl::KernelArguments{{__VA_ARGS__}, #__VA_ARGS__})
#define OP_ATTR(...) (::normgrad::acl::KernelAttributes{__VA_ARGS__})
#define ADD_TO_LAUNCHER_LIST_AICORE(KERNEL_NAME, ...) \
  ::normgrad::acl::AddKernel(executor, #KERNEL_NAME, __VA_ARGS__)

#endif  // NORMGRAD_TWIN_ACL_MAKE_OP_EXECUTOR_H_
