// Several threads with streams of their own, memory that comes and goes, events between them: for a
// run under sanitizers. Ends with 0 if every result is right.
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_rms_norm_grad.h"

namespace {

constexpr int kThreads = 3;
constexpr int kRounds = 4;
constexpr int64_t kCols = 16;

std::atomic<int> failures{0};

void Need(int code, const char* call) {
  if (code == 0) return;
  std::fprintf(stderr, "%s: code %d: %s\n", call, code, aclGetRecentErrMsg());
  ++failures;
}
#define NEED(call) Need(call, #call)

// x is 2 and rstd 1/2, so dx is (dy - mean(dy)) / 2 and dgamma is dy.
void Round(aclrtStream stream, aclrtStream reader, aclrtEvent done) {
  float values[6][kCols] = {};
  for (int64_t col = 0; col < kCols; ++col) {
    values[0][col] = static_cast<float>(col);
    values[1][col] = 2.0f;
    values[3][col] = 1.0f;
  }
  values[2][0] = 0.5f;
  const int64_t shapes[6][2] = {{1, kCols}, {1, kCols}, {1, 0}, {kCols, 0}, {1, kCols}, {kCols, 0}};
  const uint64_t ranks[6] = {2, 2, 1, 1, 2, 1};
  void* memory[6] = {};
  aclTensor* tensors[6] = {};
  for (int i = 0; i < 6; ++i) {
    const size_t bytes = (i == 2 ? 1 : kCols) * sizeof(float);
    NEED(aclrtMalloc(&memory[i], bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    NEED(aclrtMemcpyAsync(memory[i], bytes, values[i], bytes, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    tensors[i] = aclCreateTensor(shapes[i], ranks[i], ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND,
                                 shapes[i], ranks[i], memory[i]);
  }
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  NEED(aclnnRmsNormGradGetWorkspaceSize(tensors[0], tensors[1], tensors[2], tensors[3], tensors[4],
                                        tensors[5], &bytes, &executor));
  void* workspace = nullptr;
  if (bytes > 0) NEED(aclrtMalloc(&workspace, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
  NEED(aclnnRmsNormGrad(workspace, bytes, executor, stream));
  NEED(aclrtRecordEvent(done, stream));
  NEED(aclrtStreamWaitEvent(reader, done));
  float dx[kCols] = {};
  NEED(aclrtMemcpyAsync(dx, sizeof dx, memory[4], sizeof dx, ACL_MEMCPY_DEVICE_TO_HOST, reader));
  NEED(aclrtSynchronizeStream(reader));
  NEED(aclrtSynchronizeStream(stream));
  for (int64_t col = 0; col < kCols; ++col) {
    if (dx[col] != 0.5f * (static_cast<float>(col) - 0.5f * (kCols - 1))) ++failures;
  }
  for (int i = 0; i < 6; ++i) {
    NEED(aclDestroyTensor(tensors[i]));
    NEED(aclrtFree(memory[i]));
  }
  if (workspace != nullptr) NEED(aclrtFree(workspace));
}

void Work(aclrtContext context) {
  NEED(aclrtSetCurrentContext(context));
  aclrtStream stream = nullptr;
  aclrtStream reader = nullptr;
  aclrtEvent done = nullptr;
  NEED(aclrtCreateStream(&stream));
  NEED(aclrtCreateStream(&reader));
  NEED(aclrtCreateEvent(&done));
  for (int round = 0; round < kRounds; ++round) Round(stream, reader, done);
  NEED(aclrtDestroyEvent(done));
  NEED(aclrtDestroyStream(reader));
  NEED(aclrtDestroyStream(stream));
}

}  // namespace

int main() {
  NEED(aclInit(nullptr));
  NEED(aclrtSetDevice(0));
  aclrtContext context = nullptr;
  NEED(aclrtGetCurrentContext(&context));
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(Work, context);
  for (std::thread& thread : threads) thread.join();
  NEED(aclrtResetDevice(0));
  NEED(aclFinalize());
  return failures.load() == 0 ? 0 : 1;
}
