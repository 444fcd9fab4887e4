// The C interface: names become objects, results are copied into the caller's structs.
#include "tiling/capi.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "tiling/knobs.h"
#include "tiling/layer_norm_grad_v3_plan.h"
#include "tiling/rms_norm_grad_plan.h"
#include "tiling/rms_norm_grad_quant_plan.h"

namespace {

using normgrad::Answer;
using normgrad::Attributes;
using normgrad::DtypePair;
using normgrad::Plan;
using normgrad::PlanOptions;
using normgrad::Problem;
using normgrad::Soc;
using normgrad::TensorDesc;

// What an operator of the family provides.
struct Op {
  const char* name;
  int32_t tensor_count;
  const DtypePair* (*dtypes_at)(uint32_t arch, int index);  // null past the end
  Answer (*check)(const Soc& soc, const TensorDesc* tensors, const Attributes& attributes,
                  Problem* problem);
  Answer (*plan)(const Soc& soc, const Problem& problem, const PlanOptions& options, Plan* plan);
};

constexpr Op kOps[] = {
    {"rms_norm_grad", normgrad::kRmsNormGradTensorCount, normgrad::RmsNormGradDtypesAt,
     normgrad::CheckRmsNormGrad, normgrad::PlanRmsNormGrad},
    {"rms_norm_grad_quant", normgrad::kRmsNormGradQuantTensorCount,
     normgrad::RmsNormGradQuantDtypesAt, normgrad::CheckRmsNormGradQuant,
     normgrad::PlanRmsNormGradQuant},
    {"layer_norm_grad_v3", normgrad::kLayerNormGradV3TensorCount, normgrad::LayerNormGradV3DtypesAt,
     normgrad::CheckLayerNormGradV3, normgrad::PlanLayerNormGradV3},
};

const Op* FindOp(const char* name) {
  for (const Op& op : kOps) {
    if (name != nullptr && std::strcmp(op.name, name) == 0) {
      return &op;
    }
  }
  return nullptr;
}

// Copies what fits and always terminates.
template <size_t kSize>
void CopyText(const std::string& text, char (&out)[kSize]) {
  const size_t length = std::min(text.size(), kSize - 1);
  std::memcpy(out, text.data(), length);
  std::memset(out + length, 0, kSize - length);
}

void CopySoc(const Soc& soc, NormgradSoc* out) {
  *out = NormgradSoc{};
  CopyText(soc.name, out->name);
  CopyText(soc.family, out->family);
  out->arch = soc.chip->arch;
  out->cores = soc.cores;
  out->clock_mhz = soc.clock_mhz;
  out->ub_bytes = soc.chip->ub_bytes;
  out->ub_plan_bytes = soc.chip->ub_plan_bytes;
  out->event_ids = soc.chip->event_ids;
  out->has_bf16 = soc.chip->has_bf16;
  out->saturates = soc.chip->saturates;
  out->l2_bytes = soc.l2_bytes;
  out->hbm_gb_per_s = soc.hbm_gb_per_s;
  out->achievable_gb_per_s = soc.achievable_gb_per_s;
  out->gm_pool_gb_per_s = soc.gm_pool_gb_per_s;
  out->l2_pool_gb_per_s = soc.l2_pool_gb_per_s;
}

void CopyBuffers(const normgrad::UbBudget& budget, uint32_t phase, NormgradPlan* out) {
  for (int i = 0; i < budget.size() && out->buffer_count < kMaxPlanBuffers; ++i) {
    NormgradBuffer& buffer = out->buffers[out->buffer_count++];
    CopyText(budget[i].name, buffer.name);
    buffer.bytes = budget[i].bytes;
    buffer.count = budget[i].count;
    buffer.phase = phase;
  }
}

void CopyPlan(const Plan& plan, NormgradPlan* out) {
  *out = NormgradPlan{};
  CopyText(plan.strategy, out->strategy);
  CopyText(plan.reason, out->reason);
  CopyText(plan.tuned, out->tuned);
  out->tiling_key = plan.tiling_key;
  out->cores = plan.cores;
  out->ub_limit_bytes = plan.ub_limit_bytes;
  out->workspace_bytes = plan.workspace_bytes;
  out->minimum_bytes = plan.minimum_bytes;
  out->declared_c = plan.declared_c;
  out->tiling_bytes = static_cast<uint32_t>(std::min<size_t>(plan.tiling.size(), kMaxTilingBytes));
  std::memcpy(out->tiling, plan.tiling.data(), out->tiling_bytes);
  CopyBuffers(plan.first_phase, 1, out);
  CopyBuffers(plan.second_phase, 2, out);
  for (const normgrad::PlanField& field : plan.fields) {
    if (out->field_count < kMaxPlanFields) {
      NormgradField& copy = out->fields[out->field_count++];
      CopyText(field.name, copy.name);
      CopyText(field.unit, copy.unit);
      copy.value = field.value;
    }
  }
}

NormgradRange Copy(const normgrad::KnobRange& range) {
  return {range.least, range.most, range.step};
}

int32_t Report(const Answer& answer, NormgradAnswer* out) {
  out->code = answer.code;
  CopyText(answer.sentence, out->sentence);
  return answer.code;
}

// Both names of a call, or the sentence that says which one is unknown.
Answer Resolve(const char* op_name, const char* soc_name, const Op** op, const Soc** soc) {
  *op = FindOp(op_name);
  if (*op == nullptr) {
    std::string known;
    for (const Op& each : kOps) {
      known += std::string(known.empty() ? "" : ", ") + each.name;
    }
    return normgrad::Refuse(normgrad::kInvalidArgument,
                            std::string("unknown operator ") + (op_name ? op_name : "(null)") +
                                ": this version has " + known + "; choose one of them");
  }
  *soc = normgrad::FindSoc(soc_name);
  if (*soc == nullptr) {
    return normgrad::Refuse(normgrad::kInvalidArgument,
                            std::string("unknown SoC ") + (soc_name ? soc_name : "(null)") +
                                ": products are named as ascend910b4 and families as ascend910b; "
                                "`normgrad list --socs` shows all of them");
  }
  return Answer{};
}

}  // namespace

extern "C" {

int32_t normgrad_struct_bytes(const char* name) {
  const struct {
    const char* name;
    size_t bytes;
  } structs[] = {
      {"NormgradSoc", sizeof(NormgradSoc)},     {"NormgradBuffer", sizeof(NormgradBuffer)},
      {"NormgradField", sizeof(NormgradField)}, {"NormgradAnswer", sizeof(NormgradAnswer)},
      {"NormgradPlan", sizeof(NormgradPlan)},   {"TensorDesc", sizeof(TensorDesc)},
      {"Attributes", sizeof(Attributes)},       {"Problem", sizeof(Problem)},
      {"PlanOptions", sizeof(PlanOptions)},     {"NormgradKnobs", sizeof(NormgradKnobs)},
  };
  for (const auto& each : structs) {
    if (std::strcmp(each.name, name) == 0) {
      return static_cast<int32_t>(each.bytes);
    }
  }
  return 0;
}

int32_t normgrad_soc_count() { return normgrad::SocCount(); }

int32_t normgrad_soc_at(int32_t index, NormgradSoc* out) {
  if (index < 0 || index >= normgrad::SocCount()) {
    return -1;
  }
  CopySoc(normgrad::SocAt(index), out);
  return 0;
}

int32_t normgrad_find_soc(const char* name, NormgradSoc* out) {
  const Soc* soc = normgrad::FindSoc(name);
  if (soc == nullptr) {
    return -1;
  }
  CopySoc(*soc, out);
  return 0;
}

int32_t normgrad_dtype_combination(const char* op, uint32_t arch, int32_t index, int32_t* dy,
                                   int32_t* gamma) {
  const Op* found = FindOp(op);
  if (found == nullptr) {
    return 0;
  }
  const DtypePair* pair = found->dtypes_at(arch, index);
  if (pair != nullptr) {
    *dy = static_cast<int32_t>(pair->dy);
    *gamma = static_cast<int32_t>(pair->gamma);
  }
  int32_t count = 0;
  while (found->dtypes_at(arch, count) != nullptr) {
    ++count;
  }
  return count;
}

int32_t normgrad_check(const char* op, const char* soc, const TensorDesc* tensors, int32_t count,
                       const Attributes* attributes, Problem* problem, NormgradAnswer* answer) {
  const Op* found_op = nullptr;
  const Soc* found_soc = nullptr;
  Answer result = Resolve(op, soc, &found_op, &found_soc);
  if (result.ok() && count != found_op->tensor_count) {
    result = normgrad::Refuse(normgrad::kNullArgument,
                              std::string(op) + " was given " + std::to_string(count) +
                                  " tensors: it takes " + std::to_string(found_op->tensor_count) +
                                  "; pass inputs and outputs in the order of its interface");
  }
  if (result.ok()) {
    result = found_op->check(*found_soc, tensors, *attributes, problem);
  }
  return Report(result, answer);
}

int32_t normgrad_plan(const char* op, const char* soc, const Problem* problem,
                      const PlanOptions* options, NormgradPlan* plan, NormgradAnswer* answer) {
  const Op* found_op = nullptr;
  const Soc* found_soc = nullptr;
  Answer result = Resolve(op, soc, &found_op, &found_soc);
  Plan made;
  if (result.ok()) {
    result = found_op->plan(*found_soc, *problem, *options, &made);
  }
  if (result.ok()) {
    CopyPlan(made, plan);
  }
  return Report(result, answer);
}

int32_t normgrad_knobs(const char* op, const char* soc, const normgrad::Problem* problem,
                       const normgrad::PlanOptions* options, int32_t index, NormgradKnobs* out) {
  const Op* found_op = nullptr;
  const Soc* found_soc = nullptr;
  if (!Resolve(op, soc, &found_op, &found_soc).ok()) {
    return 0;
  }
  const std::vector<normgrad::Knobs> found =
      normgrad::FindKnobs(found_op->plan, *found_soc, *problem, *options);
  const int32_t count = static_cast<int32_t>(found.size());
  if (index >= 0 && index < count) {
    const normgrad::Knobs& knobs = found[static_cast<size_t>(index)];
    CopyText(knobs.strategy, out->strategy);
    out->rows_per_tile = Copy(knobs.rows_per_tile);
    out->chunk_cols = Copy(knobs.chunk_cols);
    out->buffers = Copy(knobs.buffers);
    out->cores = Copy(knobs.cores);
  }
  return count;
}

}  // extern "C"
