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

// In the order of an operator's description: each has its own.
struct KernelAttributes {
  KernelAttributes() = default;
  KernelAttributes(const aclBoolArray* mask, const aclIntArray* shape)
      : output_mask(mask), normalized_shape(shape) {}
  KernelAttributes(const char* mode, bool divides, int64_t type)
      : quant_mode(mode), div_mode(divides), dst_type(type) {}

  const aclBoolArray* output_mask = nullptr;
  const aclIntArray* normalized_shape = nullptr;
  const char* quant_mode = nullptr;
  bool div_mode = false;
  int64_t dst_type = -1;
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
