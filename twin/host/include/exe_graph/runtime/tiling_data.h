// Host API, on this computer: the bytes that go to the kernel.
#ifndef NORMGRAD_TWIN_HOST_EXE_GRAPH_RUNTIME_TILING_DATA_H_
#define NORMGRAD_TWIN_HOST_EXE_GRAPH_RUNTIME_TILING_DATA_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gert {

class TilingData {
 public:
  explicit TilingData(size_t capacity) : bytes_(capacity) {}
  size_t GetCapacity() const { return bytes_.size(); }
  size_t GetDataSize() const { return size_; }
  void SetDataSize(size_t size) { size_ = size; }
  void* GetData() { return bytes_.data(); }

 private:
  std::vector<uint8_t> bytes_;
  size_t size_ = 0;
};

}  // namespace gert

#endif  // NORMGRAD_TWIN_HOST_EXE_GRAPH_RUNTIME_TILING_DATA_H_
