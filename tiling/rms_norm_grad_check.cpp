// Is this call of RmsNormGrad allowed. The order of the checks is part of the contract: chip, null,
// dtype, rank and shape, the 32-byte rule of 310P; the first that fails answers.
#include "tiling/rms_norm_grad_plan.h"

#include "tiling/norm_grad.h"
#include "tiling/norm_grad_plan.h"

namespace normgrad {
namespace {

enum Tensor { kDy, kX, kRstd, kGamma, kDx, kDgamma };
constexpr const char* kNames[kRmsNormGradTensorCount] = {"dy",    "x",  "rstd",
                                                         "gamma", "dx", "dgamma"};
constexpr CheckedOp kOp = {"RmsNormGrad", kNames, kTilingRefused};

// ---- dtypes ----

// 1001 has no row (the operator is not on 910), 2002 has those whose gamma is as dy and not bf16.
constexpr DtypePair kAllDtypes[] = {
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
  return AnyOf(allowed, count);
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
    return WrongDtype(kOp, soc, kDy, tensors, AllowedDtypes(arch, nullptr), "");
  }
  if (tensors[kX].dtype != dy) {
    return WrongDtype(kOp, soc, kX, tensors, std::string(NameOf(dy)) + " as dy", beside);
  }
  if (tensors[kRstd].dtype != DType::kFloat32) {
    return WrongDtype(kOp, soc, kRstd, tensors, "fp32 only", "");
  }
  if (!gamma_known) {
    return WrongDtype(kOp, soc, kGamma, tensors, AllowedDtypes(arch, &dy), beside);
  }
  if (tensors[kDx].dtype != dy) {
    return WrongDtype(kOp, soc, kDx, tensors, std::string(NameOf(dy)) + " as dy", beside);
  }
  if (tensors[kDgamma].dtype != DType::kFloat32) {
    return WrongDtype(kOp, soc, kDgamma, tensors, "fp32 only", "");
  }
  return Answer{};
}

// ---- ranks and shapes ----

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

Answer CheckShapes(const TensorDesc* tensors) {
  const TensorDesc& x = tensors[kX];
  // x first: every other shape is explained by it.
  for (const int tensor : {kX, kDy, kRstd, kGamma, kDx, kDgamma}) {
    const Answer answer = CheckRank(kOp, tensor, tensors, tensor == kRstd ? 0 : 1, kMaxRank);
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
  if (leading < 0 || !SameAxes(tensors[kGamma], x, leading, x.rank)) {
    return WrongShape(kOp, kGamma, tensors, "a gamma whose shape is the last axes of x", kX,
                      "reshape gamma to the axes that are normalised");
  }
  if (!IsRstdShape(tensors[kRstd], x, leading)) {
    const std::string rule = leading == 0 ? "an rstd of one value, of shape [] or all ones"
                                          : "an rstd whose shape is x's without the axes of gamma, "
                                            "with or without trailing ones";
    return WrongShape(kOp, kRstd, tensors, rule, kX, "reshape rstd to one value per row");
  }
  if (!SameAxes(tensors[kDgamma], tensors[kGamma], 0, tensors[kGamma].rank)) {
    return WrongShape(kOp, kDgamma, tensors, "dgamma in the shape of gamma", kGamma,
                      "reshape dgamma");
  }
  return Answer{};
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

const DtypePair* RmsNormGradDtypesAt(uint32_t arch, int index) {
  return index >= 0 && index < DtypeCount(arch) ? &kAllDtypes[index] : nullptr;
}

Problem OfRmsNormGrad(Problem problem) {
  problem.stats_dtype = DType::kFloat32;
  problem.sums_dtype = DType::kFloat32;
  problem.outputs = kWantsDx | kWantsDgamma;
  problem.has_mean = 0;
  return problem;
}

Answer PlanRmsNormGrad(const Soc& soc, const Problem& problem, const PlanOptions& options,
                       Plan* plan) {
  Problem mine = OfRmsNormGrad(problem);
  mine.is_quantised = 0;
  return PlanNormGrad(soc, mine, options, plan);
}

Answer CheckRmsNormGrad(const Soc& soc, const TensorDesc* tensors, const Attributes&,
                        Problem* problem) {
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
  Problem found = OfRmsNormGrad(Problem{});
  found.dtype = x.dtype;
  found.gamma_dtype = tensors[kGamma].dtype;
  answer = CountElements(kOp, kX, tensors, leading, &found);
  if (!answer.ok()) {
    return answer;
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
