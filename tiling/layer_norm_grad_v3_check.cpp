// Is this call of LayerNormGradV3 allowed. The order of the checks is part of the contract: null,
// then dtypes and the mask, then ranks and shapes; the first that fails answers.
#include "tiling/layer_norm_grad_v3_plan.h"
#include "tiling/norm_grad.h"
#include "tiling/norm_grad_plan.h"

namespace normgrad {
namespace {

enum Tensor { kDy, kX, kRstd, kMean, kGamma, kDx, kDgamma, kDbeta };
constexpr const char* kNames[kLayerNormGradV3TensorCount] = {"dy",    "x",  "rstd",   "mean",
                                                             "gamma", "dx", "dgamma", "dbeta"};
constexpr CheckedOp kOp = {"LayerNormGradV3", kNames, kInvalidArgument};
constexpr int kMaskLength = 3;
constexpr int kFirstOutput = kDx;

// 2002 and 1001 have no bf16: the first rows are theirs.
constexpr DtypePair kAllDtypes[] = {
    {DType::kFloat16, DType::kFloat16},  {DType::kFloat32, DType::kFloat32},
    {DType::kFloat16, DType::kFloat32},  {DType::kBfloat16, DType::kBfloat16},
    {DType::kBfloat16, DType::kFloat32},
};
constexpr int kDtypesWithoutBf16 = 3;
constexpr int kDtypesWithBf16 = 5;

int DtypeCount(uint32_t arch) {
  switch (arch) {
    case 1001:
    case 2002:
      return kDtypesWithoutBf16;
    case 2201:
    case 3510:
      return kDtypesWithBf16;
    default:
      return 0;
  }
}

// ---- nulls and the mask ----

bool IsWanted(const Attributes& attributes, int output) {
  const int index = output - kFirstOutput;
  return index < attributes.mask_length && attributes.output_mask[index] != 0;
}

Answer IsNull(const std::string& what, const std::string& why) {
  return Refuse(kNullArgument, what + " is null: LayerNormGradV3 " + why);
}

Answer CheckPresent(const TensorDesc* tensors, const Attributes& attributes) {
  for (const int tensor : {kDy, kX, kRstd, kMean}) {
    if (tensors[tensor].present == 0) {
      return IsNull(kNames[tensor], "needs dy, x, rstd and mean; pass a tensor");
    }
  }
  if (attributes.has_normalized_shape == 0) {
    return IsNull("normalizedShape", "needs to know which axes are normalised; pass their lengths");
  }
  if (attributes.has_output_mask == 0) {
    return IsNull("outputMask", "needs to know which outputs are asked for; pass three booleans");
  }
  for (const int output : {kDx, kDgamma, kDbeta}) {
    if (IsWanted(attributes, output) && tensors[output].present == 0) {
      return IsNull(kNames[output],
                    std::string("was asked for it by outputMask; pass a tensor, or false in its "
                                "place"));
    }
  }
  return Answer{};
}

// ---- dtypes ----

Answer CheckStats(const Soc& soc, const TensorDesc* tensors) {
  const DType dy = tensors[kDy].dtype;
  const DType rstd = tensors[kRstd].dtype;
  const std::string beside = std::string(" while dy is ") + NameOf(dy);
  if (rstd != dy && rstd != DType::kFloat32) {
    return WrongDtype(kOp, soc, kRstd, tensors, std::string(NameOf(dy)) + " as dy or fp32", beside);
  }
  if (tensors[kMean].dtype != rstd) {
    return WrongDtype(kOp, soc, kMean, tensors, std::string(NameOf(rstd)) + " as rstd",
                      std::string(" while rstd is ") + NameOf(rstd));
  }
  return Answer{};
}

// gamma, and the sums over rows: in gamma's dtype, without gamma in that of dy or in fp32.
Answer CheckSums(const Soc& soc, const TensorDesc* tensors, const Attributes& attributes,
                 DType* sums_dtype) {
  const DType dy = tensors[kDy].dtype;
  const std::string beside = std::string(" while dy is ") + NameOf(dy);
  const bool has_gamma = tensors[kGamma].present != 0;
  const DType gamma = tensors[kGamma].dtype;
  if (has_gamma && gamma != dy && gamma != DType::kFloat32) {
    return WrongDtype(kOp, soc, kGamma, tensors, std::string(NameOf(dy)) + " as dy or fp32",
                      beside);
  }
  *sums_dtype = has_gamma ? gamma : dy;
  bool is_known = has_gamma;
  for (const int output : {kDgamma, kDbeta}) {
    if (!IsWanted(attributes, output)) {
      continue;
    }
    const DType dtype = tensors[output].dtype;
    if (!is_known && (dtype == dy || dtype == DType::kFloat32)) {
      *sums_dtype = dtype;  // that of a bias, which is no tensor of the kernel
      is_known = true;
    }
    if (dtype != *sums_dtype) {
      const std::string allowed = has_gamma  ? std::string(NameOf(gamma)) + " as gamma"
                                  : is_known ? std::string(NameOf(*sums_dtype)) + " as dgamma"
                                             : std::string(NameOf(dy)) + " as dy or fp32";
      return WrongDtype(kOp, soc, output, tensors, allowed, has_gamma ? "" : beside);
    }
  }
  return Answer{};
}

Answer CheckDtypes(const Soc& soc, const TensorDesc* tensors, const Attributes& attributes,
                   DType* sums_dtype) {
  const DType dy = tensors[kDy].dtype;
  DType allowed[kDtypesWithBf16];
  int count = 0;
  bool is_known = false;
  for (int i = 0; i < DtypeCount(soc.chip->arch); ++i) {
    if (kAllDtypes[i].dy == kAllDtypes[i].gamma) {
      allowed[count++] = kAllDtypes[i].dy;
      is_known = is_known || kAllDtypes[i].dy == dy;
    }
  }
  if (!is_known) {
    return WrongDtype(kOp, soc, kDy, tensors, AnyOf(allowed, count), "");
  }
  for (const int tensor : {kX, kDx}) {
    const bool is_there = tensor == kX || IsWanted(attributes, kDx);
    if (is_there && tensors[tensor].dtype != dy) {
      return WrongDtype(kOp, soc, tensor, tensors, std::string(NameOf(dy)) + " as dy",
                        std::string(" while dy is ") + NameOf(dy));
    }
  }
  const Answer answer = CheckStats(soc, tensors);
  return answer.ok() ? CheckSums(soc, tensors, attributes, sums_dtype) : answer;
}

// ---- ranks and shapes ----

// normalizedShape as a tensor's shape, so that it is compared and shown like one.
Answer CheckNormalizedShape(const TensorDesc* tensors, const Attributes& attributes,
                            TensorDesc* normalized) {
  const TensorDesc& x = tensors[kX];
  const int rank = attributes.normalized_rank;
  if (rank < 1 || rank > x.rank) {
    return Refuse(kInvalidArgument,
                  "normalizedShape has " + std::to_string(rank) + " axes while x has " +
                      std::to_string(x.rank) +
                      ": LayerNormGradV3 takes 1 axis up to all of x; pass the last axes of x");
  }
  *normalized = TensorDesc{};
  normalized->rank = rank;
  for (int axis = 0; axis < rank; ++axis) {
    normalized->shape[axis] = attributes.normalized_shape[axis];
  }
  if (!SameAxes(*normalized, x, x.rank - rank, x.rank)) {
    return Refuse(kInvalidArgument, "normalizedShape is " + ShapeText(*normalized) +
                                        " while x has shape " + ShapeText(x) +
                                        ": LayerNormGradV3 takes the last axes of x; pass these");
  }
  return Answer{};
}

Answer CheckShapes(const TensorDesc* tensors, const Attributes& attributes) {
  const TensorDesc& x = tensors[kX];
  for (const int tensor : {kX, kDy, kRstd, kMean, kGamma, kDx, kDgamma, kDbeta}) {
    const bool is_there =
        tensor < kFirstOutput ? tensors[tensor].present != 0 : IsWanted(attributes, tensor);
    const Answer answer = is_there ? CheckRank(kOp, tensor, tensors, 1, kMaxRank) : Answer{};
    if (!answer.ok()) {
      return answer;
    }
  }
  TensorDesc normalized;
  const Answer answer = CheckNormalizedShape(tensors, attributes, &normalized);
  if (!answer.ok()) {
    return answer;
  }
  for (const int tensor : {kDy, kDx}) {
    const bool is_there = tensor == kDy || IsWanted(attributes, kDx);
    if (is_there && !SameAxes(tensors[tensor], x, 0, x.rank)) {
      return WrongShape(kOp, tensor, tensors, std::string(kNames[tensor]) + " in the shape of x",
                        kX, std::string("reshape ") + kNames[tensor]);
    }
  }
  uint64_t rows = 0;
  const bool is_counted = Product(x, 0, x.rank - normalized.rank, &rows);
  for (const int tensor : {kRstd, kMean}) {
    uint64_t values = 0;
    if (is_counted &&
        (!Product(tensors[tensor], 0, tensors[tensor].rank, &values) || values != rows)) {
      return WrongShape(kOp, tensor, tensors,
                        std::string("one value of ") + kNames[tensor] + " per row", kX,
                        std::string("pass ") + WithCommas(rows) + " values");
    }
  }
  for (const int tensor : {kGamma, kDgamma, kDbeta}) {
    const bool is_there =
        tensor == kGamma ? tensors[kGamma].present != 0 : IsWanted(attributes, tensor);
    if (is_there && !SameAxes(tensors[tensor], normalized, 0, normalized.rank)) {
      return WrongShape(kOp, tensor, tensors,
                        std::string(kNames[tensor]) + " in the shape of the normalised axes, " +
                            ShapeText(normalized),
                        kX, std::string("reshape ") + kNames[tensor]);
    }
  }
  return Answer{};
}

}  // namespace

const DtypePair* LayerNormGradV3DtypesAt(uint32_t arch, int index) {
  return index >= 0 && index < DtypeCount(arch) ? &kAllDtypes[index] : nullptr;
}

Answer CheckLayerNormGradV3(const Soc& soc, const TensorDesc* tensors, const Attributes& attributes,
                            Problem* problem) {
  if (DtypeCount(soc.chip->arch) == 0) {
    return Refuse(kNotOnThisChip,
                  std::string("LayerNormGradV3 is not available on ") + soc.name +
                      ": it runs on ascend910b, ascend910_93, ascend910, ascend310p and "
                      "ascend950; choose one of these");
  }
  Answer answer = CheckPresent(tensors, attributes);
  if (!answer.ok()) {
    return answer;
  }
  if (attributes.mask_length != kMaskLength) {
    return Refuse(kInvalidArgument,
                  "outputMask has " + std::to_string(attributes.mask_length) +
                      " elements: LayerNormGradV3 takes 3, one each for dx, dgamma and dbeta; pass "
                      "three booleans");
  }
  DType sums_dtype = DType::kUndefined;
  answer = CheckDtypes(soc, tensors, attributes, &sums_dtype);
  if (answer.ok()) {
    answer = CheckShapes(tensors, attributes);
  }
  if (!answer.ok()) {
    return answer;
  }
  Problem found{};
  found.dtype = tensors[kX].dtype;
  found.gamma_dtype = tensors[kGamma].present != 0 ? tensors[kGamma].dtype : DType::kUndefined;
  found.stats_dtype = tensors[kRstd].dtype;
  found.sums_dtype = sums_dtype;
  found.has_mean = 1;
  constexpr uint32_t kBits[] = {kWantsDx, kWantsDgamma, kWantsDbeta};
  for (int i = 0; i < kMaskLength; ++i) {
    found.outputs |= attributes.output_mask[i] != 0 ? kBits[i] : 0;
  }
  answer = CountElements(kOp, kX, tensors, tensors[kX].rank - attributes.normalized_rank, &found);
  if (answer.ok()) {
    *problem = found;
  }
  return answer;
}

Answer PlanLayerNormGradV3(const Soc& soc, const Problem& problem, const PlanOptions& options,
                           Plan* plan) {
  Problem mine = problem;
  mine.has_mean = 1;
  return PlanNormGrad(soc, mine, options, plan);
}

}  // namespace normgrad
