// nnopbase: what an operator's host code builds its executor with, and what a client does with it.
#include <algorithm>
#include <cassert>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "aclnn_kernels/contiguous.h"
#include "op_host/common/call.h"
#include "opdev/framework_op.h"
#include "opdev/make_op_executor.h"
#include "opdev/op_dfx.h"
#include "opdev/platform.h"
#include "opdev/tensor_view_utils.h"
#include "tiling/capi.h"
#include "tiling/knobs.h"
#include "twin/acl/errors.h"
#include "twin/acl/program.h"
#include "twin/acl/runtime.h"
#include "twin/acl/tensors.h"
#include "twin/machine/dtype.h"

namespace normgrad::acl {
namespace {

Registry<aclOpExecutor>& Executors() {
  static auto* executors = new Registry<aclOpExecutor>("executor", "the first phase");
  return *executors;
}

// The name `at` of "DFX_IN(dy, x), DFX_OUT(dx)".
std::string NameAt(const char* names, int at) {
  std::string name;
  for (const char* letter = names; *letter != '\0'; ++letter) {
    if (*letter == ',' && at-- == 0) break;
    if (*letter == ',' || *letter == '(') {
      name.clear();
    } else if (*letter != ' ' && *letter != ')') {
      name += *letter;
    }
  }
  return name;
}

std::vector<std::string> Split(const char* names) {
  std::vector<std::string> all;
  int count = 1;
  for (const char* letter = names; *letter != '\0'; ++letter) count += *letter == ',';
  for (int at = 0; at < count; ++at) all.push_back(NameAt(names, at));
  return all;
}

// "RmsNormGrad" -> "rms_norm_grad"
std::string SnakeCase(const char* name) {
  std::string snake;
  for (const char* letter = name; *letter != '\0'; ++letter) {
    const bool is_upper = *letter >= 'A' && *letter <= 'Z';
    if (is_upper && !snake.empty()) snake += '_';
    snake += is_upper ? static_cast<char>(*letter - 'A' + 'a') : *letter;
  }
  return snake;
}

bool NotAlive(const char* names, int at, const std::string& why) {
  Fail(ACLNN_ERR_PARAM_INVALID, NameAt(names, at) + ": " + why);
  return false;
}

Answer Plan(const Attributes& attributes, KernelStep* step) {
  const std::vector<TensorDesc> descriptors = Describe(step->tensors);
  NormgradAnswer answer = {};
  int32_t code = normgrad_check(step->op.c_str(), step->soc->name, descriptors.data(),
                                static_cast<int32_t>(descriptors.size()), &attributes,
                                &step->problem, &answer);
  if (code == kSuccess) {
    PlanOptions options = {};
    options.det_strong = Runtime::Get().Deterministic() >= 2 ? 1 : 0;
    const Answer wishes = ReadKnobs(std::getenv(kKnobsVariable), &options);
    if (!wishes.ok()) return wishes;
    code = normgrad_plan(step->op.c_str(), step->soc->name, &step->problem, &options, &step->plan,
                         &answer);
  }
  return Answer{code, answer.sentence};
}

}  // namespace

void LogError(int code, const char* format, ...) {
  char sentence[1024];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(sentence, sizeof sentence, format, arguments);
  va_end(arguments);
  Fail(code, sentence);
}

bool IsArray(const aclIntArray* array, std::string* why);
bool IsArray(const aclBoolArray* array, std::string* why);

bool IsAlive(const char* names, int at, const aclTensor* tensor) {
  std::string why;
  return tensor == nullptr || Tensors().Find(tensor, &why) != nullptr || NotAlive(names, at, why);
}
bool IsAlive(const char* names, int at, const aclIntArray* array) {
  std::string why;
  return array == nullptr || IsArray(array, &why) || NotAlive(names, at, why);
}
bool IsAlive(const char* names, int at, const aclBoolArray* array) {
  std::string why;
  return array == nullptr || IsArray(array, &why) || NotAlive(names, at, why);
}

aclnnStatus CheckFirstPhase(const char* api, const uint64_t* workspace_bytes,
                            aclOpExecutor* const* executor) {
  if (workspace_bytes != nullptr && executor != nullptr) return ACLNN_SUCCESS;
  return Fail(ACLNN_ERR_PARAM_NULLPTR, std::string(api) + "GetWorkspaceSize was given a null " +
                                           (executor == nullptr ? "executor" : "workspaceSize") +
                                           ": pass the address of a variable");
}

aclnnStatus AddKernel(aclOpExecutor* executor, const char* op_type, const KernelArguments& inputs,
                      const KernelArguments& outputs, const KernelAttributes& attributes) {
  auto step = std::make_unique<KernelStep>();
  Program& program = *executor->program;
  step->op = SnakeCase(op_type);
  step->inputs = inputs.tensors.size();
  step->names = Split(inputs.names);
  for (const std::string& name : Split(outputs.names)) step->names.push_back(name);
  const auto& outs = outputs.tensors;
  assert(std::find(outs.begin(), outs.end(), nullptr) == outs.end());
  for (const KernelArguments* side : {&inputs, &outputs}) {
    for (const aclTensor* tensor : side->tensors) {
      std::string unused;
      const bool is_client = Tensors().Find(tensor, &unused) != nullptr;
      step->tensors.push_back(is_client ? program.Snapshot(tensor) : tensor);  // null stays null
    }
  }
  Answer answer = Runtime::Get().FindChip(&step->soc);
  const Attributes described =
      attributes.quant_mode == nullptr
          ? Describe(attributes.normalized_shape, attributes.output_mask)
          : DescribeQuantisation(attributes.quant_mode, attributes.div_mode, attributes.dst_type);
  if (answer.ok()) answer = Plan(described, step.get());
  if (!answer.ok()) return Fail(answer.code, answer.sentence);
  if (step->plan.cores == 0) return ACLNN_SUCCESS;
  program.TakeWorkspace(step->plan.workspace_bytes);
  program.steps.emplace_back();
  program.steps.back().kernel = std::move(step);
  return ACLNN_SUCCESS;
}

}  // namespace normgrad::acl

using normgrad::Answer;
using normgrad::acl::Executors;
using normgrad::acl::Fail;
using normgrad::acl::Program;
using normgrad::acl::Report;
using normgrad::acl::Runtime;
using normgrad::acl::Tensors;

aclOpExecutor::aclOpExecutor() : program(std::make_shared<Program>()) {}
aclOpExecutor::~aclOpExecutor() = default;

aclTensor* aclOpExecutor::AllocTensor(const op::Shape& shape, op::DataType dataType,
                                      op::Format /*format*/) {
  aclTensor* tensor = program->Make(shape, dataType, aclTensor::Place::kWorkspace);
  uint64_t bytes = 0;
  if (!normgrad::acl::CountBytes(*tensor, &bytes)) {
    Fail(ACLNN_ERR_PARAM_INVALID, "a tensor of more than 2^60 bytes: split the call by rows");
    return nullptr;
  }
  tensor->workspace_offset = program->TakeWorkspace(bytes);
  return tensor;
}

const aclTensor* aclOpExecutor::ConvertToTensor(const float* value, uint64_t size,
                                                op::DataType dataType) {
  const op::Shape shape({static_cast<int64_t>(size)});
  aclTensor* tensor = program->Make(shape, dataType, aclTensor::Place::kHost);
  const uint64_t item = normgrad::acl::ItemBytes(dataType);
  tensor->host_bytes.resize(size * item);
  for (uint64_t at = 0; at < size; ++at) {
    uint8_t* to = &tensor->host_bytes[at * item];
    if (dataType == op::DataType::DT_FLOAT) {
      std::memcpy(to, &value[at], item);
    } else if (dataType == op::DataType::DT_FLOAT16) {
      const half converted(value[at]);
      std::memcpy(to, &converted, item);
    } else if (dataType == op::DataType::DT_BF16) {
      const bfloat16_t converted(value[at]);
      std::memcpy(to, &converted, item);
    } else {
      Fail(ACLNN_ERR_PARAM_INVALID, "a constant is fp32, fp16 or bf16");
      return nullptr;
    }
  }
  return tensor;
}

aclTensor* aclOpExecutor::CreateView(const aclTensor* tensor, const op::Shape& shape,
                                     const op::Shape& storageShape, const op::Strides& strides,
                                     int64_t offset) {
  aclTensor* view = program->Make(shape, tensor->data_type, tensor->place);
  *view = *tensor;
  view->view_shape = shape;
  view->storage_shape = storageShape;
  view->view_strides = strides;
  view->view_offset = offset;
  return view;
}

uint64_t aclOpExecutor::GetWorkspaceSize() const { return program->workspace_bytes; }

UniqueExecutor::UniqueExecutor(const char* /*function*/)
    : executor_(std::make_shared<aclOpExecutor>()) {}

void UniqueExecutor::ReleaseTo(aclOpExecutor** executor) {
  *executor = Executors().Add(std::move(executor_));
}

aclnnStatus CommonOpExecutorRun(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                aclrtStream stream) {
  std::string why;
  const std::shared_ptr<aclOpExecutor> found = Executors().Find(executor, &why);
  if (found == nullptr) {
    return Fail(executor == nullptr ? ACLNN_ERR_PARAM_NULLPTR : ACLNN_ERR_PARAM_INVALID, why);
  }
  std::shared_ptr<normgrad::acl::Stream> runs;
  Answer answer = Runtime::Get().FindStream("the second phase", stream, &runs);
  if (!answer.ok()) return Report(answer);
  const std::shared_ptr<Program> program = found->program;
  for (const auto& client : program->clients) {
    if (program->repeatable || Tensors().Find(client.first, &why) != nullptr) continue;
    return Fail(ACLNN_ERR_PARAM_INVALID,
                "a tensor of the first phase was destroyed before the second phase: destroy "
                "tensors after it");
  }
  answer = Program::Run(program, workspace, workspaceSize, *runs);
  if (answer.ok() && !program->repeatable) {
    found->program.reset();
    Executors().Remove(executor, &why);
  }
  return Report(answer);
}

namespace l0op {

const aclTensor* Contiguous(const aclTensor* x, aclOpExecutor* executor) {
  if (x == nullptr) return nullptr;
  std::string unused;
  const bool is_client = Tensors().Find(x, &unused) != nullptr;
  const aclTensor* view = is_client ? executor->program->Snapshot(x) : x;
  if (op::IsContiguous(view)) return view;
  aclTensor* dense = executor->AllocTensor(view->view_shape, view->data_type);
  if (dense == nullptr) return nullptr;
  executor->program->steps.push_back({view, dense, nullptr});
  return dense;
}

const aclTensor* ViewCopy(const aclTensor* x, const aclTensor* y, aclOpExecutor* executor) {
  if (x == nullptr || y == nullptr) return nullptr;
  aclTensor* view = executor->program->Snapshot(y);
  executor->program->steps.push_back({x, view, nullptr});
  return view;
}

}  // namespace l0op

namespace op {

// Constants lie where the copy that follows can read them.
const aclTensor* CopyToNpu(const aclTensor* src, aclOpExecutor* /*executor*/) { return src; }

const PlatformInfo& GetCurrentPlatformInfo() {
  static thread_local PlatformInfo info;
  const normgrad::Soc* soc = nullptr;
  info.soc_long_version = Runtime::Get().FindChip(&soc).ok() ? soc->name : "";
  return info;
}

}  // namespace op

extern "C" {

aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor* executor) {
  std::string why;
  const std::shared_ptr<aclOpExecutor> found = Executors().Find(executor, &why);
  if (found == nullptr) {
    return Fail(ACLNN_ERR_INNER_NULLPTR, "aclSetAclOpExecutorRepeatable: " + why);
  }
  found->program->repeatable = true;
  return ACLNN_SUCCESS;
}

aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor* executor) {
  std::string why;
  const std::shared_ptr<aclOpExecutor> found = Executors().Remove(executor, &why);
  if (found == nullptr) return Fail(ACLNN_ERR_INNER_NULLPTR, "aclDestroyAclOpExecutor: " + why);
  found->program.reset();
  return ACLNN_SUCCESS;
}

}  // extern "C"

namespace {

// What runs keeps the address that it has found; the next second phase takes the new one.
aclnnStatus SetAddress(const char* call, aclOpExecutor* executor, size_t index, aclTensor* tensor,
                       void* address) {
  std::string why;
  const std::shared_ptr<aclOpExecutor> found = Executors().Find(executor, &why);
  if (found == nullptr) return Fail(ACLNN_ERR_INNER_NULLPTR, std::string(call) + ": " + why);
  if (Tensors().Find(tensor, &why) == nullptr) {
    return Fail(ACLNN_ERR_INNER_NULLPTR, std::string(call) + ": " + why);
  }
  const auto snapshot = found->program->clients.find(tensor);
  if (snapshot == found->program->clients.end()) {
    return Fail(ACLNN_ERR_PARAM_INVALID,
                std::string(call) + " of argument " + std::to_string(index) +
                    ": the first phase was not given this tensor; pass the one it had");
  }
  tensor->address = address;
  snapshot->second->address = address;
  return ACLNN_SUCCESS;
}

}  // namespace

extern "C" {

aclnnStatus aclSetInputTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor,
                                  void* addr) {
  return SetAddress("aclSetInputTensorAddr", executor, index, tensor, addr);
}

aclnnStatus aclSetOutputTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor,
                                   void* addr) {
  return SetAddress("aclSetOutputTensorAddr", executor, index, tensor, addr);
}

}  // extern "C"
