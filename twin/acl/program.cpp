#include "twin/acl/program.h"

#include <algorithm>
#include <utility>

#include "opdev/op_errno.h"
#include "twin/acl/launch.h"
#include "twin/acl/tensors.h"

namespace normgrad::acl {
namespace {

constexpr uint64_t kWorkspaceAlignBytes = 512;

// Where the first element of a view is, for as long as the work lasts.
struct Operand {
  const aclTensor* tensor = nullptr;
  std::shared_ptr<Block> block;
  uint8_t* first = nullptr;  // null: no element
};

struct Resolved {
  Operand from;
  Operand to;
  const KernelStep* kernel = nullptr;
  std::vector<Operand> operands;
};

class Resolver {
 public:
  Resolver(uint64_t workspace, std::shared_ptr<Block> block)
      : workspace_(workspace), block_(std::move(block)) {}

  Answer Resolve(const std::string& name, const aclTensor& tensor, bool writes, Operand* operand) {
    operand->tensor = &tensor;
    if (IsEmpty(tensor.view_shape)) return Answer{};
    if (tensor.place == aclTensor::Place::kHost) {
      operand->first = const_cast<uint8_t*>(tensor.host_bytes.data());
      return Answer{};
    }
    if (tensor.place == aclTensor::Place::kWorkspace) {
      operand->block = block_;
      operand->first = block_->At(reinterpret_cast<void*>(workspace_ + tensor.workspace_offset));
      return Answer{};
    }
    int64_t begin = 0;
    int64_t end = 0;
    Answer answer = Extent(tensor, &begin, &end);
    if (!answer.ok()) return Refuse(answer.code, name + " " + answer.sentence);
    const auto base = reinterpret_cast<uint64_t>(tensor.address);
    const auto* lowest = reinterpret_cast<const void*>(base + static_cast<uint64_t>(begin));
    answer = DeviceMemory::Get().Find("the memory of " + name,
                                      tensor.address == nullptr ? nullptr : lowest,
                                      static_cast<uint64_t>(end - begin), &operand->block);
    if (!answer.ok()) return Refuse(ACLNN_ERR_PARAM_INVALID, answer.sentence);
    const auto offset = static_cast<uint64_t>(tensor.view_offset) * ItemBytes(tensor.data_type);
    operand->first = operand->block->At(reinterpret_cast<void*>(base + offset));
    uses_.push_back(
        {base + static_cast<uint64_t>(begin), base + static_cast<uint64_t>(end), writes});
    return Answer{};
  }

  std::vector<Use>& uses() { return uses_; }

 private:
  uint64_t workspace_;
  std::shared_ptr<Block> block_;
  std::vector<Use> uses_;
};

void Copy(const Resolved& step) {
  if (step.from.first == nullptr) return;
  const aclTensor& to = *step.to.tensor;
  CopyView(to.view_shape.dims(), ItemBytes(to.data_type), step.to.first, to.view_strides,
           step.from.first, step.from.tensor->view_strides);
}

Answer Launch(const Resolved& step) {
  std::vector<LaunchTensor> tensors;
  for (size_t i = 0; i < step.operands.size(); ++i) {
    uint64_t bytes = 0;
    const aclTensor* tensor = step.operands[i].tensor;
    if (tensor != nullptr) CountBytes(*tensor, &bytes);
    const char* role = tensor == nullptr ? "null" : i < step.kernel->inputs ? "in" : "out";
    tensors.push_back({step.kernel->names[i], role, step.operands[i].first, bytes});
  }
  return RunLaunch(*step.kernel, tensors);
}

}  // namespace

aclTensor* Program::Snapshot(const aclTensor* client) {
  std::unique_ptr<aclTensor>& copy = clients[client];
  if (copy == nullptr) copy = std::make_unique<aclTensor>(*client);
  return copy.get();
}

aclTensor* Program::Make(const op::Shape& shape, op::DataType type, aclTensor::Place place) {
  made.push_back(std::make_unique<aclTensor>());
  aclTensor* tensor = made.back().get();
  tensor->view_shape = shape;
  tensor->storage_shape = shape;
  tensor->view_strides = ContiguousStrides(shape.dims());
  tensor->data_type = type;
  tensor->place = place;
  return tensor;
}

uint64_t Program::TakeWorkspace(uint64_t bytes) {
  const uint64_t offset = workspace_bytes;
  workspace_bytes +=
      (bytes + kWorkspaceAlignBytes - 1) / kWorkspaceAlignBytes * kWorkspaceAlignBytes;
  return offset;
}

Answer Program::Run(const std::shared_ptr<const Program>& program, void* workspace,
                    uint64_t given_bytes, Stream& stream) {
  const uint64_t asked_bytes = program->workspace_bytes;
  std::shared_ptr<Block> block;
  if (asked_bytes > 0) {
    if (given_bytes < asked_bytes) {
      return Refuse(ACLNN_ERR_PARAM_INVALID, "the workspace has " + WithCommas(given_bytes) +
                                                 " bytes: the first phase "
                                                 "asked for " +
                                                 WithCommas(asked_bytes) + "; pass that many");
    }
    const Answer answer = DeviceMemory::Get().Find("the workspace", workspace, given_bytes, &block);
    if (!answer.ok()) return Refuse(ACLNN_ERR_PARAM_INVALID, answer.sentence);
  }
  const auto at = reinterpret_cast<uint64_t>(workspace);
  Resolver resolver(at, block);
  if (block != nullptr) resolver.uses().push_back({at, at + asked_bytes, true});
  auto work = std::make_shared<std::vector<Resolved>>();
  for (const Step& step : program->steps) {
    work->emplace_back();
    Resolved& resolved = work->back();
    Answer answer;
    if (step.kernel == nullptr) {
      answer = resolver.Resolve("an input", *step.from, false, &resolved.from);
      if (answer.ok()) answer = resolver.Resolve("an output", *step.to, true, &resolved.to);
    } else {
      resolved.kernel = step.kernel.get();
      resolved.operands.resize(step.kernel->tensors.size());
      for (size_t i = 0; answer.ok() && i < resolved.operands.size(); ++i) {
        if (step.kernel->tensors[i] == nullptr) continue;
        answer = resolver.Resolve(step.kernel->names[i], *step.kernel->tensors[i],
                                  i >= step.kernel->inputs, &resolved.operands[i]);
      }
    }
    if (!answer.ok()) return answer;
  }
  stream.Enqueue(Task{[work, program] {
                        for (const Resolved& step : *work) {
                          if (step.kernel == nullptr) {
                            Copy(step);
                            continue;
                          }
                          const Answer answer = Launch(step);
                          if (!answer.ok()) return answer;
                        }
                        return Answer{};
                      },
                      std::move(resolver.uses())});
  return Answer{};
}

}  // namespace normgrad::acl
