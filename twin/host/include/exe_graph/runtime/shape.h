// Host API, on this computer: shapes of tensors, of at most 25 axes as upstream.
#ifndef NORMGRAD_TWIN_HOST_EXE_GRAPH_RUNTIME_SHAPE_H_
#define NORMGRAD_TWIN_HOST_EXE_GRAPH_RUNTIME_SHAPE_H_

#include <cstddef>
#include <cstdint>

namespace gert {

class Shape {
 public:
  static constexpr size_t kMaxDimNum = 25;

  size_t GetDimNum() const { return dim_num_; }
  void SetDimNum(size_t dim_num) { dim_num_ = dim_num; }
  int64_t GetDim(size_t index) const { return index < kMaxDimNum ? dims_[index] : INT64_MIN; }
  void SetDim(size_t index, int64_t length) {
    if (index < kMaxDimNum) {
      dims_[index] = length;
    }
  }

 private:
  size_t dim_num_ = 0;
  int64_t dims_[kMaxDimNum] = {};
};

// The shape that a caller sees, and the one in memory: the same for plain formats, and there are no
// others here.
class StorageShape {
 public:
  explicit StorageShape(const Shape& shape) : shape_(shape) {}
  const Shape& GetOriginShape() const { return shape_; }
  const Shape& GetStorageShape() const { return shape_; }

 private:
  Shape shape_;
};

}  // namespace gert

#endif  // NORMGRAD_TWIN_HOST_EXE_GRAPH_RUNTIME_SHAPE_H_
