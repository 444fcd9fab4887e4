// A client of aclnnRmsNormGradQuant in C++: dx of four rows of eight columns in fp32, quantised to
// int8 with a scale and an offset, compared with the formula
//   dx = (dy * gamma - xhat * mean(dy * gamma * xhat)) * rstd,  xhat = x * rstd
//   q  = round(dx / scale + offset), halves to even, at most 127 and at least -128
// It compiles against CANN as it is, and on any computer with
//   normgrad client run examples/clients/rms_norm_grad_quant.cpp --soc ascend950pr_9599
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_rms_norm_grad_quant.h"

namespace {

constexpr int64_t kRows = 4;
constexpr int64_t kCols = 8;
constexpr float kScale = 0.02f;
constexpr int32_t kOffset = 3;

// Ends the program with the sentence of the call that failed.
void Need(int code, const char* call) {
  if (code == 0) return;
  std::fprintf(stderr, "%s: code %d\n%s\n", call, code, aclGetRecentErrMsg());
  std::exit(1);
}
#define NEED(call) Need(call, #call)

// A tensor with its device memory.
template <typename T>
class DeviceTensor {
 public:
  DeviceTensor(const std::vector<int64_t>& shape, aclDataType type, const std::vector<T>& values)
      : bytes_(values.size() * sizeof(T)) {
    NEED(aclrtMalloc(&memory_, bytes_, ACL_MEM_MALLOC_HUGE_FIRST));
    NEED(aclrtMemcpy(memory_, bytes_, values.data(), bytes_, ACL_MEMCPY_HOST_TO_DEVICE));
    std::vector<int64_t> strides(shape.size(), 1);
    for (size_t axis = shape.size(); axis-- > 1;) strides[axis - 1] = strides[axis] * shape[axis];
    tensor_ = aclCreateTensor(shape.data(), shape.size(), type, strides.data(), 0, ACL_FORMAT_ND,
                              shape.data(), shape.size(), memory_);
  }
  DeviceTensor(const DeviceTensor&) = delete;
  DeviceTensor& operator=(const DeviceTensor&) = delete;
  ~DeviceTensor() {
    aclDestroyTensor(tensor_);
    aclrtFree(memory_);
  }

  aclTensor* get() const { return tensor_; }
  std::vector<T> Read() const {
    std::vector<T> values(bytes_ / sizeof(T));
    NEED(aclrtMemcpy(values.data(), bytes_, memory_, bytes_, ACL_MEMCPY_DEVICE_TO_HOST));
    return values;
  }

 private:
  size_t bytes_;
  void* memory_ = nullptr;
  aclTensor* tensor_ = nullptr;
};

int8_t Quantised(double dx) {
  const double value = std::nearbyint(dx / kScale + kOffset);
  return static_cast<int8_t>(std::min(127.0, std::max(-128.0, value)));
}

// How many elements of a row are not what the formula gives.
int Differences(const float* dy, const float* x, double rstd, const std::vector<float>& gamma,
                const int8_t* got) {
  double mean = 0;
  for (int64_t col = 0; col < kCols; ++col) mean += dy[col] * gamma[col] * x[col] * rstd / kCols;
  int differ = 0;
  for (int64_t col = 0; col < kCols; ++col) {
    const double dx = (double{dy[col]} * gamma[col] - x[col] * rstd * mean) * rstd;
    differ += got[col] != Quantised(dx);
  }
  return differ;
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

  const std::vector<int64_t> whole = {kRows, kCols}, one = {1};
  const DeviceTensor<float> device_dy(whole, ACL_FLOAT, dy), device_x(whole, ACL_FLOAT, x);
  const DeviceTensor<float> device_rstd({kRows}, ACL_FLOAT, rstd);
  const DeviceTensor<float> device_gamma({kCols}, ACL_FLOAT, gamma);
  const DeviceTensor<float> scale(one, ACL_FLOAT, {kScale});
  const DeviceTensor<int32_t> offset(one, ACL_INT32, {kOffset});
  const DeviceTensor<int8_t> dx(whole, ACL_INT8, std::vector<int8_t>(kRows * kCols));
  const DeviceTensor<float> dgamma({kCols}, ACL_FLOAT, std::vector<float>(kCols));

  uint64_t workspace_bytes = 0;
  aclOpExecutor* executor = nullptr;
  NEED(aclnnRmsNormGradQuantGetWorkspaceSize(
      device_dy.get(), device_x.get(), device_rstd.get(), device_gamma.get(), scale.get(),
      offset.get(), "static", true, dx.get(), dgamma.get(), &workspace_bytes, &executor));
  void* workspace = nullptr;
  if (workspace_bytes > 0) {
    NEED(aclrtMalloc(&workspace, workspace_bytes, ACL_MEM_MALLOC_HUGE_FIRST));
  }
  NEED(aclnnRmsNormGradQuant(workspace, workspace_bytes, executor, stream));
  NEED(aclrtSynchronizeStream(stream));
  if (workspace != nullptr) NEED(aclrtFree(workspace));

  const std::vector<int8_t> got = dx.Read();
  std::printf("dx[0]    ");
  for (int64_t col = 0; col < kCols; ++col) std::printf(" %4d", got[col]);
  std::printf("\ndgamma   ");
  for (const float value : dgamma.Read()) std::printf(" %9.6f", value);
  int differ = 0;
  for (int64_t row = 0; row < kRows; ++row) {
    const size_t at = row * kCols;
    differ += Differences(&dy[at], &x[at], rstd[row], gamma, &got[at]);
  }
  std::printf(differ == 0 ? "\nall exact\n" : "\n%d differ\n", differ);
  if (differ != 0) std::exit(1);
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
