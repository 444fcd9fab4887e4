#include "tiling/layer_norm_backward_check.h"

#include <string>

#include "tiling/check.h"
#include "tiling/layer_norm_grad_v3_plan.h"
#include "tiling/norm_grad.h"

namespace normgrad {
namespace {

constexpr const char* kBiasName[] = {"bias"};
constexpr CheckedOp kBiasOp = {"LayerNormBackward", kBiasName, kInvalidArgument};

// The dtype of weight, of bias without weight, of input without both: that of the sums.
Answer CheckSumsDtype(const Soc& soc, const TensorDesc& bias, const Problem& problem) {
  const bool has_weight = problem.gamma_dtype != DType::kUndefined;
  const std::string dy = NameOf(problem.dtype);
  if (bias.present == 0) {
    if (has_weight || problem.sums_dtype == problem.dtype) {
      return Answer{};
    }
    return Refuse(kInvalidArgument,
                  std::string("dtype of dgamma and dbeta is ") + NameOf(problem.sums_dtype) +
                      " without weight and bias: LayerNormBackward then gives them in " + dy +
                      " as dy; convert them, or pass a bias");
  }
  if (bias.dtype != problem.dtype && bias.dtype != DType::kFloat32) {
    return WrongDtype(kBiasOp, soc, 0, &bias, dy + " as dy or fp32", " while dy is " + dy);
  }
  const bool wants_sums = (problem.outputs & (kWantsDgamma | kWantsDbeta)) != 0;
  if (has_weight ? bias.dtype != problem.gamma_dtype
                 : wants_sums && bias.dtype != problem.sums_dtype) {
    const DType other = has_weight ? problem.gamma_dtype : problem.sums_dtype;
    return WrongDtype(
        kBiasOp, soc, 0, &bias,
        std::string(NameOf(other)) + (has_weight ? " as gamma" : " as dgamma, dbeta"),
        std::string(" while ") + (has_weight ? "gamma is " : "these are ") + NameOf(other));
  }
  return Answer{};
}

}  // namespace

Answer CheckLayerNormBackward(const Soc& soc, const TensorDesc* tensors, const TensorDesc& bias,
                              const Attributes& attributes, Problem* problem) {
  Problem found = {};
  Answer answer = CheckLayerNormGradV3(soc, tensors, attributes, &found);
  if (answer.ok()) {
    answer = CheckSumsDtype(soc, bias, found);
  }
  if (answer.ok() && bias.present != 0) {
    TensorDesc normalized = {};
    normalized.rank = attributes.normalized_rank;
    for (int axis = 0; axis < normalized.rank; ++axis) {
      normalized.shape[axis] = attributes.normalized_shape[axis];
    }
    if (bias.rank > kMaxRank || !SameAxes(bias, normalized, 0, normalized.rank)) {
      answer = Refuse(kInvalidArgument, "bias has shape " + ShapeText(bias) +
                                            ": LayerNormBackward takes a bias in the shape of the "
                                            "normalised axes, " +
                                            ShapeText(normalized) + "; reshape bias");
    }
  }
  if (answer.ok()) {
    *problem = found;
  }
  return answer;
}

}  // namespace normgrad
