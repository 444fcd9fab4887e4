// Is this call of RmsNormGrad allowed. The order of the checks is part of the contract: chip, null,
// dtype, rank and shape, the 32-byte rule of 310P; the first that fails answers.
#include "tiling/rms_norm_grad_plan.h"

namespace normgrad {
namespace {

enum Tensor { kDy, kX, kRstd, kGamma, kDx, kDgamma };
constexpr const char* kNames[kRmsNormGradTensorCount] = {"dy",    "x",  "rstd",
                                                         "gamma", "dx", "dgamma"};

// ---- dtypes ----

// 1001 has no row (the operator is not on 910), 2002 has those whose gamma is as dy and not bf16.
constexpr RmsNormGradDtypes kAllDtypes[] = {
    {DType::kFloat16, DType::kFloat16},   {DType::kFloat32, DType::kFloat32},
    {DType::kBfloat16, DType::kBfloat16}, {DType::kFloat16, DType::kFloat32},
    {DType::kBfloat16, DType::kFloat32},
};
constexpr int kDtypesOf2002 = 2;
constexpr int kDtypesOf2201And3510 = 5;

int DtypeCount(uint32_t arch) {
  switch (arch) {
    case 2002:
      return kDtypesOf2002;
    case 2201:
    case 3510:
      return kDtypesOf2201And3510;
    default:
      return 0;
  }
}

// "fp16, fp32 or bf16": the dtypes of dy, or with `dy` given, of gamma beside that dy.
std::string AllowedDtypes(uint32_t arch, const DType* dy) {
  DType allowed[kDtypesOf2201And3510];
  int count = 0;
  for (int i = 0; i < DtypeCount(arch); ++i) {
    const DType candidate = dy == nullptr ? kAllDtypes[i].dy : kAllDtypes[i].gamma;
    bool wanted = dy == nullptr || kAllDtypes[i].dy == *dy;
    for (int k = 0; k < count; ++k) {
      wanted = wanted && allowed[k] != candidate;
    }
    if (wanted) {
      allowed[count++] = candidate;
    }
  }
  std::string text;
  for (int k = 0; k < count; ++k) {
    text += k == 0 ? "" : (k + 1 == count ? " or " : ", ");
    text += NameOf(allowed[k]);
  }
  return text;
}

Answer WrongDtype(const Soc& soc, int tensor, const TensorDesc* tensors, const std::string& allowed,
                  const std::string& beside) {
  const std::string name = kNames[tensor];
  return Refuse(kInvalidArgument, "dtype of " + name + " is " + NameOf(tensors[tensor].dtype) +
                                      beside + ": RmsNormGrad on " + soc.name + " takes " + name +
                                      " in " + allowed + "; convert " + name);
}

Answer CheckDtypes(const Soc& soc, const TensorDesc* tensors) {
  const uint32_t arch = soc.chip->arch;
  const DType dy = tensors[kDy].dtype;
  const DType gamma = tensors[kGamma].dtype;
  bool dy_known = false;
  bool gamma_known = false;
  for (int i = 0; i < DtypeCount(arch); ++i) {
    dy_known = dy_known || kAllDtypes[i].dy == dy;
    gamma_known = gamma_known || (kAllDtypes[i].dy == dy && kAllDtypes[i].gamma == gamma);
  }
  const std::string beside = std::string(" while dy is ") + NameOf(dy);
  if (!dy_known) {
    return WrongDtype(soc, kDy, tensors, AllowedDtypes(arch, nullptr), "");
  }
  if (tensors[kX].dtype != dy) {
    return WrongDtype(soc, kX, tensors, std::string(NameOf(dy)) + " as dy", beside);
  }
  if (tensors[kRstd].dtype != DType::kFloat32) {
    return WrongDtype(soc, kRstd, tensors, "fp32 only", "");
  }
  if (!gamma_known) {
    return WrongDtype(soc, kGamma, tensors, AllowedDtypes(arch, &dy), beside);
  }
  if (tensors[kDx].dtype != dy) {
    return WrongDtype(soc, kDx, tensors, std::string(NameOf(dy)) + " as dy", beside);
  }
  if (tensors[kDgamma].dtype != DType::kFloat32) {
    return WrongDtype(soc, kDgamma, tensors, "fp32 only", "");
  }
  return Answer{};
}

// ---- ranks and shapes ----

Answer CheckRank(int tensor, const TensorDesc& desc, int lowest, int highest) {
  const std::string name = kNames[tensor];
  if (desc.rank < lowest || desc.rank > highest) {
    return Refuse(kTilingRefused, name + " has " + std::to_string(desc.rank) +
                                      " axes: RmsNormGrad takes " + name + " with " +
                                      std::to_string(lowest) + " to " + std::to_string(highest) +
                                      " axes; reshape " + name);
  }
  for (int axis = 0; axis < desc.rank; ++axis) {
    if (desc.shape[axis] < 0) {
      return Refuse(kTilingRefused, name + " has shape " + ShapeText(desc) +
                                        ": an axis holds 0 elements or more; pass the real length "
                                        "of axis " +
                                        std::to_string(axis));
    }
  }
  return Answer{};
}

// Axes [begin, end) of `whole` against all axes of `part`.
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

// rstd may stop early where the rest of x's leading axes are 1, and may go on with ones.
bool IsRstdShape(const TensorDesc& rstd, const TensorDesc& x, int leading) {
  for (int axis = 0; axis < leading || axis < rstd.rank; ++axis) {
    const int64_t want = axis < leading ? x.shape[axis] : 1;
    const int64_t have = axis < rstd.rank ? rstd.shape[axis] : 1;
    if (want != have) {
      return false;
    }
  }
  return true;
}

Answer WrongShape(int tensor, const TensorDesc* tensors, const std::string& rule, int like,
                  const std::string& next_step) {
  return Refuse(kTilingRefused, std::string(kNames[tensor]) + " has shape " +
                                    ShapeText(tensors[tensor]) + " while " + kNames[like] +
                                    " has " + ShapeText(tensors[like]) + ": RmsNormGrad takes " +
                                    rule + "; " + next_step);
}

Answer CheckShapes(const TensorDesc* tensors) {
  const TensorDesc& x = tensors[kX];
  // x first: every other shape is explained by it.
  for (const int tensor : {kX, kDy, kRstd, kGamma, kDx, kDgamma}) {
    const Answer answer = CheckRank(tensor, tensors[tensor], tensor == kRstd ? 0 : 1, kMaxRank);
    if (!answer.ok()) {
      return answer;
    }
  }
  for (const int tensor : {kDy, kDx}) {
    if (!SameAxes(tensors[tensor], x, 0, x.rank)) {
      return WrongShape(tensor, tensors, std::string(kNames[tensor]) + " in the shape of x", kX,
                        std::string("reshape ") + kNames[tensor]);
    }
  }
  const int leading = x.rank - tensors[kGamma].rank;
  if (leading < 0 || !SameAxes(tensors[kGamma], x, leading, x.rank)) {
    return WrongShape(kGamma, tensors, "a gamma whose shape is the last axes of x", kX,
                      "reshape gamma to the axes that are normalised");
  }
  if (!IsRstdShape(tensors[kRstd], x, leading)) {
    const std::string rule = leading == 0 ? "an rstd of one value, of shape [] or all ones"
                                          : "an rstd whose shape is x's without the axes of gamma, "
                                            "with or without trailing ones";
    return WrongShape(kRstd, tensors, rule, kX, "reshape rstd to one value per row");
  }
  if (!SameAxes(tensors[kDgamma], tensors[kGamma], 0, tensors[kGamma].rank)) {
    return WrongShape(kDgamma, tensors, "dgamma in the shape of gamma", kGamma, "reshape dgamma");
  }
  return Answer{};
}

// Product of axes [begin, end). False: it does not fit 64 bits.
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

// Without a copy of less than a 32 B block (310P) the documents ask for a last axis of one block.
Answer CheckLastAxis(const Soc& soc, const TensorDesc* tensors) {
  for (const int tensor : {kX, kGamma}) {
    const TensorDesc& desc = tensors[tensor];
    const uint64_t length = static_cast<uint64_t>(desc.shape[desc.rank - 1]);
    const uint64_t least = kBlockBytes / SizeOf(desc.dtype);
    if (length < least) {
      return Refuse(kTilingRefused,
                    std::string("last axis of ") + kNames[tensor] + " holds " +
                        std::to_string(length) + " elements of " + NameOf(desc.dtype) + " (" +
                        std::to_string(length * SizeOf(desc.dtype)) + " bytes): RmsNormGrad on " +
                        soc.name + " takes a last axis of 32 bytes or more; use " +
                        std::to_string(least) + " elements or more there");
    }
  }
  return Answer{};
}

}  // namespace

const RmsNormGradDtypes* RmsNormGradDtypesAt(uint32_t arch, int index) {
  return index >= 0 && index < DtypeCount(arch) ? &kAllDtypes[index] : nullptr;
}

bool IsCountable(uint64_t rows, uint64_t cols, DType dtype) {
  constexpr uint64_t kMaxTensorBytes = uint64_t{1} << 60;
  return cols == 0 || rows <= kMaxTensorBytes / SizeOf(dtype) / cols;
}

Answer CheckRmsNormGrad(const Soc& soc, const TensorDesc* tensors, Problem* problem) {
  if (DtypeCount(soc.chip->arch) == 0) {
    return Refuse(kNotOnThisChip,
                  std::string("RmsNormGrad is not available on ") + soc.name +
                      ": it runs on ascend910b, ascend910_93, ascend310p and ascend950; "
                      "choose one of these");
  }
  for (int tensor = 0; tensor < kRmsNormGradTensorCount; ++tensor) {
    if (tensors[tensor].present == 0) {
      return Refuse(kNullArgument, std::string(kNames[tensor]) +
                                       " is null: RmsNormGrad needs dy, x, rstd, gamma, dx and "
                                       "dgamma; pass a tensor");
    }
  }
  Answer answer = CheckDtypes(soc, tensors);
  if (answer.ok()) {
    answer = CheckShapes(tensors);
  }
  if (!answer.ok()) {
    return answer;
  }
  const TensorDesc& x = tensors[kX];
  const int leading = x.rank - tensors[kGamma].rank;
  Problem found{0, 0, x.dtype, tensors[kGamma].dtype, 0, 0};
  if (!Product(x, 0, leading, &found.rows) || !Product(x, leading, x.rank, &found.cols) ||
      !IsCountable(found.rows, found.cols, found.dtype)) {
    return Refuse(kTilingRefused, "x has shape " + ShapeText(x) +
                                      ": RmsNormGrad counts tensors of up to 2^60 bytes; split "
                                      "the call by rows");
  }
  if (!soc.chip->has_pad_copy && found.rows != 0 && found.cols != 0) {
    answer = CheckLastAxis(soc, tensors);
  }
  if (answer.ok()) {
    *problem = found;
  }
  return answer;
}

}  // namespace normgrad
