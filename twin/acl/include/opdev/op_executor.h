// An executor: the steps that the first phase has found, which the second phase puts on a stream.
#ifndef NORMGRAD_TWIN_ACL_OP_EXECUTOR_H_
#define NORMGRAD_TWIN_ACL_OP_EXECUTOR_H_

#include <cstdint>
#include <memory>

#include "opdev/common_types.h"
#include "opdev/op_errno.h"
#include "opdev/op_log.h"

namespace normgrad::acl {
struct Program;
}

struct aclOpExecutor {
  aclOpExecutor();
  ~aclOpExecutor();
  aclTensor* AllocTensor(const op::Shape& shape, op::DataType dataType,
                         op::Format format = op::Format::FORMAT_ND);
  // A constant of `size` elements.
  const aclTensor* ConvertToTensor(const float* value, uint64_t size, op::DataType dataType);
  // The same bytes seen otherwise.
  aclTensor* CreateView(const aclTensor* tensor, const op::Shape& shape,
                        const op::Shape& storageShape, const op::Strides& strides, int64_t offset);
  uint64_t GetWorkspaceSize() const;

  std::shared_ptr<normgrad::acl::Program> program;  // the twin's; null: used up
};

class UniqueExecutor {
 public:
  explicit UniqueExecutor(const char* function);
  aclOpExecutor* get() const { return executor_.get(); }
  aclOpExecutor* operator->() const { return executor_.get(); }
  void ReleaseTo(aclOpExecutor** executor);

 private:
  std::shared_ptr<aclOpExecutor> executor_;
};

aclnnStatus CommonOpExecutorRun(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                aclrtStream stream);

#endif  // NORMGRAD_TWIN_ACL_OP_EXECUTOR_H_
