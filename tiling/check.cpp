#include "tiling/check.h"

namespace normgrad {

std::string AnyOf(const DType* dtypes, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += i == 0 ? "" : (i + 1 == count ? " or " : ", ");
    text += NameOf(dtypes[i]);
  }
  return text;
}

Answer WrongDtype(const CheckedOp& op, const Soc& soc, int tensor, const TensorDesc* tensors,
                  const std::string& allowed, const std::string& beside) {
  const std::string name = op.names[tensor];
  return Refuse(kInvalidArgument, "dtype of " + name + " is " + NameOf(tensors[tensor].dtype) +
                                      beside + ": " + op.name + " on " + soc.name + " takes " +
                                      name + " in " + allowed + "; convert " + name);
}

Answer CheckRank(const CheckedOp& op, int tensor, const TensorDesc* tensors, int lowest,
                 int highest) {
  const TensorDesc& desc = tensors[tensor];
  const std::string name = op.names[tensor];
  if (desc.rank < lowest || desc.rank > highest) {
    return Refuse(op.shape_code, name + " has " + std::to_string(desc.rank) + " axes: " + op.name +
                                     " takes " + name + " with " + std::to_string(lowest) + " to " +
                                     std::to_string(highest) + " axes; reshape " + name);
  }
  for (int axis = 0; axis < desc.rank; ++axis) {
    if (desc.shape[axis] < 0) {
      return Refuse(op.shape_code, name + " has shape " + ShapeText(desc) +
                                       ": an axis holds 0 elements or more; pass the real length "
                                       "of axis " +
                                       std::to_string(axis));
    }
  }
  return Answer{};
}

bool SameAxes(const TensorDesc& part, const TensorDesc& whole, int begin, int end) {
  if (part.rank != end - begin) {
    return false;
  }
  for (int axis = begin; axis < end; ++axis) {
    if (part.shape[axis - begin] != whole.shape[axis]) {
      return false;
    }
  }
  return true;
}

Answer WrongShape(const CheckedOp& op, int tensor, const TensorDesc* tensors,
                  const std::string& rule, int like, const std::string& next_step) {
  return Refuse(op.shape_code, std::string(op.names[tensor]) + " has shape " +
                                   ShapeText(tensors[tensor]) + " while " + op.names[like] +
                                   " has " + ShapeText(tensors[like]) + ": " + op.name + " takes " +
                                   rule + "; " + next_step);
}

bool Product(const TensorDesc& desc, int begin, int end, uint64_t* product) {
  *product = 1;
  bool fits = true;
  for (int axis = begin; axis < end; ++axis) {
    const uint64_t length = static_cast<uint64_t>(desc.shape[axis]);
    if (length == 0) {
      *product = 0;
      return true;
    }
    fits = fits && *product <= UINT64_MAX / length;
    *product = fits ? *product * length : *product;
  }
  return fits;
}

Answer CountElements(const CheckedOp& op, int tensor, const TensorDesc* tensors, int leading,
                     Problem* problem) {
  const TensorDesc& desc = tensors[tensor];
  if (Product(desc, 0, leading, &problem->rows) &&
      Product(desc, leading, desc.rank, &problem->cols) &&
      IsCountable(problem->rows, problem->cols, problem->dtype)) {
    return Answer{};
  }
  return Refuse(op.shape_code, std::string(op.names[tensor]) + " has shape " + ShapeText(desc) +
                                   ": " + op.name +
                                   " counts tensors of up to 2^60 bytes; split the call by rows");
}

bool IsCountable(uint64_t rows, uint64_t cols, DType dtype) {
  constexpr uint64_t kMaxTensorBytes = uint64_t{1} << 60;
  return cols == 0 || rows <= kMaxTensorBytes / SizeOf(dtype) / cols;
}

}  // namespace normgrad
