// RmsNormGrad as CANN knows it: tensors, dtypes per family of chips, the kernel's file.
#include "op_host/gert/op_params.h"
#include "op_host/rms_norm_grad/rms_norm_grad_host.h"
#include "register/op_def_registry.h"
#include "tiling/rms_norm_grad_plan.h"

namespace {

constexpr normgrad::ComputeUnit kUnits[] = {
    {"ascend310p", 2002, nullptr},
    {"ascend910b", 2201, nullptr},
    {"ascend910_93", 2201, nullptr},
    {"ascend950", 3510, "rms_norm_grad_regbase"},
};
constexpr uint32_t kWidestArch = 2201;

template <typename Def>
bool AddTensors(Def* def, uint32_t arch) {
  using normgrad::Describe;
  using normgrad::Like;
  const std::vector<normgrad::DtypeRow> rows =
      normgrad::PackagedDtypes(normgrad::RmsNormGradDtypesAt, arch, normgrad::Stats::kFp32);
  Describe(def->Input("dy"), Like::kDy, rows).AutoContiguous();
  Describe(def->Input("x"), Like::kDy, rows).AutoContiguous();
  Describe(def->Input("rstd"), Like::kStats, rows).AutoContiguous();
  Describe(def->Input("gamma"), Like::kGamma, rows).AutoContiguous();
  Describe(def->Output("dx"), Like::kDy, rows);
  Describe(def->Output("dgamma"), Like::kFp32, rows);
  return !rows.empty();
}

}  // namespace

namespace ops {

class RmsNormGrad : public OpDef {
 public:
  explicit RmsNormGrad(const char* name) : OpDef(name) {
    AddTensors(this, kWidestArch);
    SetInferShape(normgrad::InferShapeOfRmsNormGrad);
    SetInferDataType(normgrad::InferDataTypeOfRmsNormGrad);
    AICore().SetTiling(normgrad::TilingOfRmsNormGrad);
    normgrad::AddConfigs(kUnits, AddTensors<OpAICoreConfig>, &AICore());
  }
};

OP_ADD(RmsNormGrad);

}  // namespace ops
