// A client of aclnnRmsNormGrad in C++: four rows of eight columns in fp32, compared with the
// formula
//   dx = (dy * gamma - xhat * mean(dy * gamma * xhat)) * rstd,  xhat = x * rstd
//   dgamma = sum over rows of dy * xhat
// It compiles against CANN as it is, and on any computer with
//   normgrad client run examples/clients/rms_norm_grad.cpp --soc ascend910b4
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_rms_norm_grad.h"

namespace {

constexpr int64_t kRows = 4;
constexpr int64_t kCols = 8;

// Ends the program with the sentence of the call that failed.
void Need(int code, const char* call) {
  if (code == 0) return;
  std::fprintf(stderr, "%s: code %d\n%s\n", call, code, aclGetRecentErrMsg());
  std::exit(1);
}
#define NEED(call) Need(call, #call)

// A tensor with its device memory.
class DeviceTensor {
 public:
  DeviceTensor(const std::vector<int64_t>& shape, const std::vector<float>& values)
      : bytes_(values.size() * sizeof(float)) {
    NEED(aclrtMalloc(&memory_, bytes_, ACL_MEM_MALLOC_HUGE_FIRST));
    NEED(aclrtMemcpy(memory_, bytes_, values.data(), bytes_, ACL_MEMCPY_HOST_TO_DEVICE));
    std::vector<int64_t> strides(shape.size(), 1);
    for (size_t axis = shape.size(); axis-- > 1;) strides[axis - 1] = strides[axis] * shape[axis];
    tensor_ = aclCreateTensor(shape.data(), shape.size(), ACL_FLOAT, strides.data(), 0,
                              ACL_FORMAT_ND, shape.data(), shape.size(), memory_);
  }
  DeviceTensor(const DeviceTensor&) = delete;
  DeviceTensor& operator=(const DeviceTensor&) = delete;
  ~DeviceTensor() {
    aclDestroyTensor(tensor_);
    aclrtFree(memory_);
  }

  aclTensor* get() const { return tensor_; }
  std::vector<float> Read() const {
    std::vector<float> values(bytes_ / sizeof(float));
    NEED(aclrtMemcpy(values.data(), bytes_, memory_, bytes_, ACL_MEMCPY_DEVICE_TO_HOST));
    return values;
  }

 private:
  size_t bytes_;
  void* memory_ = nullptr;
  aclTensor* tensor_ = nullptr;
};

// The largest distance of `got` from the formula.
double WorstError(const std::vector<float>& dy, const std::vector<float>& x,
                  const std::vector<float>& rstd, const std::vector<float>& gamma,
                  const std::vector<float>& dx, const std::vector<float>& dgamma) {
  double worst = 0;
  std::vector<double> sums(kCols, 0.0);
  for (int64_t row = 0; row < kRows; ++row) {
    double mean = 0;
    for (int64_t col = 0; col < kCols; ++col) {
      const size_t at = row * kCols + col;
      const double xhat = double{x[at]} * rstd[row];
      mean += double{dy[at]} * gamma[col] * xhat / kCols;
      sums[col] += dy[at] * xhat;
    }
    for (int64_t col = 0; col < kCols; ++col) {
      const size_t at = row * kCols + col;
      const double want = (double{dy[at]} * gamma[col] - x[at] * rstd[row] * mean) * rstd[row];
      worst = std::max(worst, std::fabs(dx[at] - want));
    }
  }
  for (int64_t col = 0; col < kCols; ++col) {
    worst = std::max(worst, std::fabs(dgamma[col] - sums[col]));
  }
  return worst;
}

void Run(aclrtStream stream) {
  std::vector<float> dy(kRows * kCols), x(kRows * kCols), rstd(kRows), gamma(kCols);
  for (int64_t row = 0; row < kRows; ++row) {
    double squares = 0;
    for (int64_t col = 0; col < kCols; ++col) {
      x[row * kCols + col] = 0.25f * static_cast<float>((3 * row + 5 * col) % 11) - 1.0f;
      dy[row * kCols + col] = 0.125f * static_cast<float>((7 * row + 2 * col) % 13) - 0.5f;
      squares += x[row * kCols + col] * x[row * kCols + col];
    }
    rstd[row] = static_cast<float>(1.0 / std::sqrt(squares / kCols + 1e-6));
  }
  for (int64_t col = 0; col < kCols; ++col) gamma[col] = 1.0f + 0.0625f * static_cast<float>(col);

  const DeviceTensor device_dy({kRows, kCols}, dy), device_x({kRows, kCols}, x);
  const DeviceTensor device_rstd({kRows}, rstd), device_gamma({kCols}, gamma);
  const DeviceTensor dx({kRows, kCols}, std::vector<float>(kRows * kCols));
  const DeviceTensor dgamma({kCols}, std::vector<float>(kCols));

  uint64_t workspace_bytes = 0;
  aclOpExecutor* executor = nullptr;
  NEED(aclnnRmsNormGradGetWorkspaceSize(device_dy.get(), device_x.get(), device_rstd.get(),
                                        device_gamma.get(), dx.get(), dgamma.get(),
                                        &workspace_bytes, &executor));
  void* workspace = nullptr;
  if (workspace_bytes > 0) {
    NEED(aclrtMalloc(&workspace, workspace_bytes, ACL_MEM_MALLOC_HUGE_FIRST));
  }
  NEED(aclnnRmsNormGrad(workspace, workspace_bytes, executor, stream));
  NEED(aclrtSynchronizeStream(stream));
  if (workspace != nullptr) NEED(aclrtFree(workspace));

  const std::vector<float> got_dx = dx.Read(), got_dgamma = dgamma.Read();
  std::printf("dx[0]    ");
  for (int64_t col = 0; col < kCols; ++col) std::printf(" %9.6f", got_dx[col]);
  std::printf("\ndgamma   ");
  for (const float value : got_dgamma) std::printf(" %9.6f", value);
  const double worst = WorstError(dy, x, rstd, gamma, got_dx, got_dgamma);
  std::printf("\nworst error %.1e on %s\n", worst, aclrtGetSocName());
  if (!(worst < 1e-6)) std::exit(1);
}

}  // namespace

int main() {
  NEED(aclInit(nullptr));
  NEED(aclrtSetDevice(0));
  aclrtStream stream = nullptr;
  NEED(aclrtCreateStream(&stream));
  Run(stream);
  NEED(aclrtDestroyStream(stream));
  NEED(aclrtResetDevice(0));
  NEED(aclFinalize());
}
