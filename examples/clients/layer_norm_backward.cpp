// A client of aclnnLayerNormBackward in C++: three rows of eight columns in fp32, dbeta not asked
// for, and an input that is the transpose of what lies in memory. The results are compared with
//   dx = (g - mean(g) - xhat * mean(g * xhat)) * rstd,  g = dy * weight,  xhat = (x - mean) * rstd
//   dweight = sum over rows of dy * xhat
// It compiles against CANN as it is, and on any computer with
//   normgrad client run examples/clients/layer_norm_backward.cpp --soc ascend910b4
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_layer_norm_backward.h"

namespace {

constexpr int64_t kRows = 3;
constexpr int64_t kCols = 8;

// Ends the program with the sentence of the call that failed.
void Need(int code, const char* call) {
  if (code == 0) return;
  std::fprintf(stderr, "%s: code %d\n%s\n", call, code, aclGetRecentErrMsg());
  std::exit(1);
}
#define NEED(call) Need(call, #call)

// A view of device memory of its own.
class DeviceTensor {
 public:
  DeviceTensor(const std::vector<int64_t>& shape, const std::vector<int64_t>& strides,
               const std::vector<float>& values)
      : bytes_(values.size() * sizeof(float)) {
    NEED(aclrtMalloc(&memory_, bytes_, ACL_MEM_MALLOC_HUGE_FIRST));
    NEED(aclrtMemcpy(memory_, bytes_, values.data(), bytes_, ACL_MEMCPY_HOST_TO_DEVICE));
    const int64_t held = static_cast<int64_t>(values.size());
    tensor_ = aclCreateTensor(shape.data(), shape.size(), ACL_FLOAT, strides.data(), 0,
                              ACL_FORMAT_ND, &held, 1, memory_);
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

float X(int64_t row, int64_t col) { return 0.25f * static_cast<float>((3 * row + 5 * col) % 11); }
float Dy(int64_t row, int64_t col) {
  return 0.125f * static_cast<float>((7 * row + 2 * col) % 13) - 0.5f;
}
float Weight(int64_t col) { return 1.0f + 0.0625f * static_cast<float>(col); }

void Run(aclrtStream stream) {
  std::vector<float> dy, weight, transposed(kRows * kCols), mean(kRows), rstd(kRows);
  for (int64_t col = 0; col < kCols; ++col) weight.push_back(Weight(col));
  for (int64_t row = 0; row < kRows; ++row) {
    double sum = 0, squares = 0;
    for (int64_t col = 0; col < kCols; ++col) {
      dy.push_back(Dy(row, col));
      transposed[col * kRows + row] = X(row, col);
      sum += X(row, col);
      squares += X(row, col) * X(row, col);
    }
    mean[row] = static_cast<float>(sum / kCols);
    const double variance = squares / kCols - sum / kCols * sum / kCols;
    rstd[row] = static_cast<float>(1.0 / std::sqrt(variance + 1e-5));
  }

  const DeviceTensor grad_out({kRows, kCols}, {kCols, 1}, dy);
  const DeviceTensor input({kRows, kCols}, {1, kRows}, transposed);
  const DeviceTensor device_mean({kRows, 1}, {1, 1}, mean), device_rstd({kRows, 1}, {1, 1}, rstd);
  const DeviceTensor device_weight({kCols}, {1}, weight);
  const DeviceTensor dx({kRows, kCols}, {kCols, 1}, std::vector<float>(kRows * kCols));
  const DeviceTensor dweight({kCols}, {1}, std::vector<float>(kCols));
  const int64_t axes[] = {kCols};
  const bool wanted[] = {true, true, false};
  aclIntArray* normalized_shape = aclCreateIntArray(axes, 1);
  aclBoolArray* output_mask = aclCreateBoolArray(wanted, 3);

  uint64_t workspace_bytes = 0;
  aclOpExecutor* executor = nullptr;
  NEED(aclnnLayerNormBackwardGetWorkspaceSize(grad_out.get(), input.get(), normalized_shape,
                                              device_mean.get(), device_rstd.get(),
                                              device_weight.get(), nullptr, output_mask, dx.get(),
                                              dweight.get(), nullptr, &workspace_bytes, &executor));
  void* workspace = nullptr;
  if (workspace_bytes > 0) {
    NEED(aclrtMalloc(&workspace, workspace_bytes, ACL_MEM_MALLOC_HUGE_FIRST));
  }
  NEED(aclnnLayerNormBackward(workspace, workspace_bytes, executor, stream));
  NEED(aclrtSynchronizeStream(stream));
  if (workspace != nullptr) NEED(aclrtFree(workspace));
  NEED(aclDestroyIntArray(normalized_shape));
  NEED(aclDestroyBoolArray(output_mask));

  const std::vector<float> got_dx = dx.Read(), got_dweight = dweight.Read();
  std::vector<double> sums(kCols, 0.0);
  double worst = 0;
  for (int64_t row = 0; row < kRows; ++row) {
    const auto xhat = [&](int64_t col) { return (double{X(row, col)} - mean[row]) * rstd[row]; };
    double mean_g = 0, mean_g_xhat = 0;
    for (int64_t col = 0; col < kCols; ++col) {
      const double g = double{Dy(row, col)} * Weight(col);
      mean_g += g / kCols;
      mean_g_xhat += g * xhat(col) / kCols;
      sums[col] += Dy(row, col) * xhat(col);
    }
    for (int64_t col = 0; col < kCols; ++col) {
      const double g = double{Dy(row, col)} * Weight(col);
      const double want = (g - mean_g - xhat(col) * mean_g_xhat) * rstd[row];
      worst = std::max(worst, std::fabs(got_dx[row * kCols + col] - want));
    }
  }
  std::printf("dx[0]    ");
  for (int64_t col = 0; col < kCols; ++col) std::printf(" %9.6f", got_dx[col]);
  std::printf("\ndweight  ");
  for (int64_t col = 0; col < kCols; ++col) {
    std::printf(" %9.6f", got_dweight[col]);
    worst = std::max(worst, std::fabs(got_dweight[col] - sums[col]));
  }
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
