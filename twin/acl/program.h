// What an executor holds: steps over tensors, whose addresses are known in the second phase alone.
#ifndef NORMGRAD_TWIN_ACL_PROGRAM_H_
#define NORMGRAD_TWIN_ACL_PROGRAM_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "opdev/common_types.h"
#include "tiling/answer.h"
#include "tiling/capi.h"
#include "tiling/chip.h"
#include "twin/acl/stream.h"

namespace normgrad::acl {

struct KernelStep {
  std::string op;  // "rms_norm_grad"
  const Soc* soc;
  Problem problem;
  NormgradPlan plan;
  std::vector<const aclTensor*> tensors;  // inputs, then outputs
  size_t inputs;
  std::vector<std::string> names;
};

// Either the elements of one view go to another, or a kernel runs.
struct Step {
  const aclTensor* from = nullptr;
  const aclTensor* to = nullptr;
  std::unique_ptr<KernelStep> kernel;
};

struct Program {
  // A client's tensor as it was in the first phase.
  aclTensor* Snapshot(const aclTensor* client);
  aclTensor* Make(const op::Shape& shape, op::DataType type, aclTensor::Place place);
  uint64_t TakeWorkspace(uint64_t bytes);  // returns the offset

  // Second phase: everything is checked, then the steps are put on the stream.
  static Answer Run(const std::shared_ptr<const Program>& program, void* workspace,
                    uint64_t given_bytes, Stream& stream);

  std::map<const aclTensor*, std::unique_ptr<aclTensor>> clients;
  std::vector<std::unique_ptr<aclTensor>> made;
  std::vector<Step> steps;
  uint64_t workspace_bytes = 0;
  bool repeatable = false;
};

}  // namespace normgrad::acl

#endif  // NORMGRAD_TWIN_ACL_PROGRAM_H_
