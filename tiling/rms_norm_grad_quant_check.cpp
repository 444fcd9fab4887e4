// Is this call of RmsNormGradQuant allowed. The order of the checks is part of the contract: chip,
// null, dtype and attributes, rank and shape; the first that fails answers.
#include <cstring>

#include "tiling/norm_grad.h"
#include "tiling/norm_grad_plan.h"
#include "tiling/rms_norm_grad_plan.h"
#include "tiling/rms_norm_grad_quant_plan.h"

namespace normgrad {
namespace {

enum Tensor { kDy, kX, kRstd, kGamma, kScale, kOffset, kDx, kDgamma };
constexpr const char* kNames[kRmsNormGradQuantTensorCount] = {
    "dy", "x", "rstd", "gamma", "scales_x", "offset_x", "dx", "dgamma"};
constexpr CheckedOp kOp = {"RmsNormGradQuant", kNames, kTilingRefused};
constexpr uint32_t kArch = 3510;
constexpr const char* kStatic = "static";

Answer CheckPresence(const TensorDesc* tensors, const Attributes& attributes) {
  for (int tensor = 0; tensor < kRmsNormGradQuantTensorCount; ++tensor) {
    if (tensors[tensor].present == 0 && tensor != kOffset) {
      return Refuse(kNullArgument, std::string(kNames[tensor]) +
                                       " is null: RmsNormGradQuant needs dy, x, rstd, gamma, "
                                       "scales_x, dx and dgamma; pass a tensor");
    }
  }
  if (attributes.has_quant_mode == 0) {
    return Refuse(kNullArgument, "quant_mode is null: RmsNormGradQuant needs one; pass \"static\"");
  }
  return Answer{};
}

bool IsTensorDtype(DType dy) {
  return dy == DType::kFloat16 || dy == DType::kFloat32 || dy == DType::kBfloat16;
}

Answer CheckDtypes(const Soc& soc, const TensorDesc* tensors) {
  const DType dy = tensors[kDy].dtype;
  if (!IsTensorDtype(dy)) {
    return WrongDtype(kOp, soc, kDy, tensors, "fp16, fp32 or bf16", "");
  }
  const std::string beside = std::string(" while dy is ") + NameOf(dy);
  const std::string as_dy = std::string(NameOf(dy)) + " as dy";
  if (tensors[kX].dtype != dy) {
    return WrongDtype(kOp, soc, kX, tensors, as_dy, beside);
  }
  for (const int tensor : {kRstd, kDgamma}) {
    if (tensors[tensor].dtype != DType::kFloat32) {
      return WrongDtype(kOp, soc, tensor, tensors, "fp32 only", "");
    }
  }
  for (const int tensor : {kGamma, kScale}) {
    if (tensors[tensor].dtype != dy && tensors[tensor].dtype != DType::kFloat32) {
      return WrongDtype(kOp, soc, tensor, tensors,
                        dy == DType::kFloat32 ? as_dy : as_dy + " or fp32", beside);
    }
  }
  if (tensors[kOffset].present != 0 && tensors[kOffset].dtype != DType::kInt32) {
    return WrongDtype(kOp, soc, kOffset, tensors, "int32 only", "");
  }
  if (tensors[kDx].dtype != DType::kInt8 && tensors[kDx].dtype != DType::kHifloat8) {
    return WrongDtype(kOp, soc, kDx, tensors, "int8 or hif8", "");
  }
  return Answer{};
}

Answer CheckAttributes(const TensorDesc* tensors, const Attributes& attributes) {
  if (std::strncmp(attributes.quant_mode, kStatic, sizeof(attributes.quant_mode)) != 0) {
    const std::string given(attributes.quant_mode,
                            strnlen(attributes.quant_mode, sizeof(attributes.quant_mode)));
    return Refuse(kInvalidArgument, "quant_mode is \"" + given +
                                        "\": RmsNormGradQuant takes \"static\" only; pass that");
  }
  const DType asked = static_cast<DType>(attributes.dst_type);
  if (asked != DType::kUndefined && asked != tensors[kDx].dtype) {
    return Refuse(kInvalidArgument, "dst_type is " + std::to_string(attributes.dst_type) +
                                        " while dx is " + NameOf(tensors[kDx].dtype) +
                                        ": RmsNormGradQuant takes the number of dx's dtype, 2 for "
                                        "int8 and 34 for hif8; pass that one");
  }
  return Answer{};
}

Answer CheckOneValue(int tensor, const TensorDesc* tensors) {
  const TensorDesc& desc = tensors[tensor];
  if (desc.present == 0 || (desc.rank == 1 && desc.shape[0] == 1)) {
    return Answer{};
  }
  const std::string name = kNames[tensor];
  const std::string has =
      desc.rank > kMaxRank ? std::to_string(desc.rank) + " axes" : "shape " + ShapeText(desc);
  return Refuse(kTilingRefused, name + " has " + has + ": RmsNormGradQuant takes " + name +
                                    " of one value, of shape [1]; reshape " + name);
}

Answer CheckShapes(const TensorDesc* tensors) {
  const TensorDesc& x = tensors[kX];
  // x first: every other shape is explained by it.
  for (const int tensor : {kX, kDy, kDx, kRstd, kGamma, kDgamma}) {
    const bool is_whole = tensor == kX || tensor == kDy || tensor == kDx;
    const Answer answer =
        CheckRank(kOp, tensor, tensors, is_whole ? 2 : 1, is_whole ? kMaxRank : kMaxRank - 1);
    if (!answer.ok()) {
      return answer;
    }
  }
  for (const int tensor : {kDy, kDx}) {
    if (!SameAxes(tensors[tensor], x, 0, x.rank)) {
      return WrongShape(kOp, tensor, tensors, std::string(kNames[tensor]) + " in the shape of x",
                        kX, std::string("reshape ") + kNames[tensor]);
    }
  }
  const int leading = x.rank - tensors[kGamma].rank;
  if (leading < 1 || !SameAxes(tensors[kGamma], x, leading, x.rank)) {
    return WrongShape(kOp, kGamma, tensors,
                      "a gamma whose shape is the last axes of x, but not all of them", kX,
                      "reshape gamma to the axes that are normalised");
  }
  if (!SameAxes(tensors[kRstd], x, 0, leading)) {
    return WrongShape(kOp, kRstd, tensors, "an rstd whose shape is x's without the axes of gamma",
                      kX, "reshape rstd to one value per row");
  }
  if (!SameAxes(tensors[kDgamma], tensors[kGamma], 0, tensors[kGamma].rank)) {
    return WrongShape(kOp, kDgamma, tensors, "dgamma in the shape of gamma", kGamma,
                      "reshape dgamma");
  }
  const Answer answer = CheckOneValue(kScale, tensors);
  return answer.ok() ? CheckOneValue(kOffset, tensors) : answer;
}

}  // namespace

const DtypePair* RmsNormGradQuantDtypesAt(uint32_t arch, int index) {
  return arch == kArch ? RmsNormGradDtypesAt(arch, index) : nullptr;
}

Answer CheckRmsNormGradQuant(const Soc& soc, const TensorDesc* tensors,
                             const Attributes& attributes, Problem* problem) {
  if (soc.chip->arch != kArch) {
    return Refuse(kNotOnThisChip, std::string("RmsNormGradQuant is not available on ") + soc.name +
                                      ": it runs on ascend950; choose that");
  }
  Answer answer = CheckPresence(tensors, attributes);
  if (answer.ok()) {
    answer = CheckDtypes(soc, tensors);
  }
  if (answer.ok()) {
    answer = CheckAttributes(tensors, attributes);
  }
  if (answer.ok()) {
    answer = CheckShapes(tensors);
  }
  if (!answer.ok()) {
    return answer;
  }
  const TensorDesc& x = tensors[kX];
  Problem found = OfRmsNormGrad(Problem{});
  found.dtype = x.dtype;
  found.gamma_dtype = tensors[kGamma].dtype;
  found.is_quantised = 1;
  found.dx_dtype = tensors[kDx].dtype;
  found.scale_dtype = tensors[kScale].dtype;
  found.divides = attributes.div_mode != 0 ? 1 : 0;
  found.has_offset = tensors[kOffset].present != 0 ? 1 : 0;
  answer = CountElements(kOp, kX, tensors, x.rank - tensors[kGamma].rank, &found);
  if (answer.ok()) {
    *problem = found;
  }
  return answer;
}

Answer PlanRmsNormGradQuant(const Soc& soc, const Problem& problem, const PlanOptions& options,
                            Plan* plan) {
  Problem mine = OfRmsNormGrad(problem);
  mine.is_quantised = 1;
  return PlanNormGrad(soc, mine, options, plan);
}

}  // namespace normgrad
