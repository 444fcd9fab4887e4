// A kernel launch: a process of its own, the same that the harness uses, with the tensors in files
// of memory.
#ifndef NORMGRAD_TWIN_ACL_LAUNCH_H_
#define NORMGRAD_TWIN_ACL_LAUNCH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tiling/answer.h"

namespace normgrad::acl {

struct KernelStep;

struct LaunchTensor {
  std::string name;
  std::string role;   // "in", "out", "null"
  uint8_t* bytes_at;  // null: no element
  uint64_t bytes;
};

// Waits for the end. A broken rule or a crash is an answer with its sentence.
Answer RunLaunch(const KernelStep& step, const std::vector<LaunchTensor>& tensors);

}  // namespace normgrad::acl

#endif  // NORMGRAD_TWIN_ACL_LAUNCH_H_
