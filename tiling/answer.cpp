#include "tiling/answer.h"

namespace normgrad {

std::string WithCommas(uint64_t value) {
  std::string text = std::to_string(value);
  for (int at = static_cast<int>(text.size()) - 3; at > 0; at -= 3) {
    text.insert(static_cast<size_t>(at), ",");
  }
  return text;
}

std::string ShapeText(const TensorDesc& tensor) {
  std::string text = "[";
  for (int axis = 0; axis < tensor.rank && axis < kMaxRank; ++axis) {
    text += (axis == 0 ? "" : ", ") + std::to_string(tensor.shape[axis]);
  }
  return text + "]";
}

}  // namespace normgrad
