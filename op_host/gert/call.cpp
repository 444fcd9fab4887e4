#include "op_host/gert/call.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "tiling/knobs.h"
#include "tiling/platform/platform_ascendc.h"

namespace normgrad {
namespace {

using platform_ascendc::PlatformAscendC;
using platform_ascendc::SocVersion;

// All cores start together: they wait for each other in SyncAll (the programming guide's batch
// mode).
constexpr uint32_t kStartTogether = 1;
// ACL_OPT_DETERMINISTIC: from this level on, the same bits for any number of cores.
constexpr int32_t kStrong = 2;

// Its enumerator was ASCEND910_95 before it was ASCEND950: the number serves both.
constexpr SocVersion kAscend950 = static_cast<SocVersion>(4);

const char* FamilyOf(SocVersion version) {
  if (version == kAscend950) {
    return "ascend950";
  }
  switch (version) {
    case SocVersion::ASCEND910B:  // A3 is an ASCEND910B too
      return "ascend910b";
    case SocVersion::ASCEND310P:
      return "ascend310p";
    case SocVersion::ASCEND910:
      return "ascend910";
    default:
      return "";
  }
}

// CANN 8.1 has no levels, only on and off.
template <typename Context>
auto LevelOf(const Context& context, int) -> decltype(context.GetDeterministicLevel()) {
  return context.GetDeterministicLevel();
}
template <typename Context>
int32_t LevelOf(const Context& context, long) {  // NOLINT: an overload that loses against int
  return context.GetDeterministic();
}

void Describe(const gert::StorageShape* shape, const gert::CompileTimeTensorDesc* desc,
              TensorDesc* tensor) {
  if (shape == nullptr || desc == nullptr) {
    return;
  }
  const gert::Shape& axes = shape->GetStorageShape();
  tensor->present = 1;
  tensor->dtype = static_cast<DType>(desc->GetDataType());  // the same numbers
  tensor->rank = static_cast<int32_t>(axes.GetDimNum());
  for (int axis = 0; axis < std::min(tensor->rank, kMaxRank); ++axis) {
    tensor->shape[axis] = axes.GetDim(static_cast<size_t>(axis));
  }
}

// Inputs, then outputs; what the context has not is not present. An input is asked for as if it
// were optional: by its place in the description, which is the same for one that is required.
std::vector<TensorDesc> DescribeTensors(const gert::TilingContext& context, const TiledOp& op) {
  std::vector<TensorDesc> tensors(op.inputs + op.outputs, TensorDesc());
  for (size_t i = 0; i < op.inputs; ++i) {
    Describe(context.GetOptionalInputShape(i), context.GetOptionalInputDesc(i), &tensors[i]);
  }
  for (size_t i = 0; i < op.outputs; ++i) {
    Describe(context.GetOutputShape(i), context.GetOutputDesc(i), &tensors[op.inputs + i]);
  }
  return tensors;
}

// The device of a call as the planner wants it.
struct Device {
  Soc soc;  // of the family, with the cores that this device has
  PlanOptions options;
};

Answer FindDevice(const gert::TilingContext& context, Device* device) {
  fe::PlatFormInfos* infos = context.GetPlatformInfo();
  if (infos == nullptr) {
    return Refuse(kTilingRefused,
                  "the context has no platform: CANN passes one when it calls "
                  "this; build for one of its compute units");
  }
  const PlatformAscendC platform(infos);
  const Soc* known = FindSoc(FamilyOf(platform.GetSocVersion()));
  if (known == nullptr) {
    return Refuse(kNotOnThisChip,
                  "this chip (SocVersion " +
                      std::to_string(static_cast<int>(platform.GetSocVersion())) +
                      ") is unknown here: use ascend310p, ascend910, ascend910b, ascend910_93 or "
                      "ascend950");
  }
  uint64_t ub_bytes = 0;
  platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ub_bytes);
  device->soc = *known;
  device->soc.name = known->family;
  device->soc.cores = platform.GetCoreNumAiv();
  device->options = PlanOptions();
  if (ub_bytes < known->chip->ub_plan_bytes) {
    device->options.ub_bytes = static_cast<uint32_t>(ub_bytes);
  }
  const int32_t level = LevelOf(context, 0);
  const bool is_level = level != std::numeric_limits<int32_t>::max();  // what the context has not
  device->options.det_strong = is_level && level >= kStrong ? 1 : 0;
  return ReadKnobs(std::getenv(kKnobsVariable), &device->options);
}

ge::graphStatus StorePlan(const Plan& plan, gert::TilingContext* context) {
  gert::TilingData* tiling = context->GetRawTilingData();
  size_t* workspace = context->GetWorkspaceSizes(1);
  if (tiling == nullptr || workspace == nullptr || tiling->GetCapacity() < plan.tiling.size()) {
    return ge::GRAPH_FAILED;
  }
  std::memcpy(tiling->GetData(), plan.tiling.data(), plan.tiling.size());
  tiling->SetDataSize(plan.tiling.size());
  const PlatformAscendC platform(context->GetPlatformInfo());
  workspace[0] = platform.GetLibApiWorkSpaceSize() + plan.workspace_bytes;
  if (plan.workspace_bytes != 0) {
    context->SetScheduleMode(kStartTogether);
  }
  context->SetBlockDim(plan.cores);
  return context->SetTilingKey(plan.tiling_key);
}

Answer PlanOf(const TiledOp& op, const Attributes& attributes, const gert::TilingContext& context,
              Plan* plan) {
  Device device = {};
  Answer answer = FindDevice(context, &device);
  Problem problem = {};
  if (answer.ok()) {
    answer = op.check(device.soc, DescribeTensors(context, op).data(), attributes, &problem);
  }
  return answer.ok() ? op.plan(device.soc, problem, device.options, plan) : answer;
}

}  // namespace

ge::graphStatus Tile(const TiledOp& op, const Attributes& attributes,
                     gert::TilingContext* context) {
  Plan plan;
  const Answer answer = PlanOf(op, attributes, *context, &plan);
  if (!answer.ok()) {
    std::fprintf(stderr, "%s: %s (%d)\n", op.type, answer.sentence.c_str(), answer.code);
    return ge::GRAPH_FAILED;
  }
  return StorePlan(plan, context);
}

}  // namespace normgrad
