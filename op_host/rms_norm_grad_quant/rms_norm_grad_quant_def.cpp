// RmsNormGradQuant as CANN knows it: tensors, attributes, dtypes, the kernel's file. CANN has an
// operator of this name: all is named and placed as it is there, so that a graph that was built for
// that one fits this one.
#include "op_host/gert/op_params.h"
#include "op_host/rms_norm_grad_quant/rms_norm_grad_quant_host.h"
#include "register/op_def_registry.h"
#include "tiling/rms_norm_grad_quant_plan.h"

namespace {

constexpr normgrad::ComputeUnit kUnits[] = {{"ascend950", 3510, "rms_norm_grad_quant_regbase"}};
constexpr uint32_t kWidestArch = 3510;

template <typename Def>
bool AddTensors(Def* def, uint32_t arch) {
  using normgrad::Describe;
  using normgrad::Like;
  const std::vector<normgrad::DtypeRow> rows = normgrad::Quantised(
      normgrad::PackagedDtypes(normgrad::RmsNormGradQuantDtypesAt, arch, normgrad::Stats::kFp32));
  Describe(def->Input("dy"), Like::kDy, rows).AutoContiguous();
  Describe(def->Input("x"), Like::kDy, rows).AutoContiguous();
  Describe(def->Input("rstd"), Like::kStats, rows).AutoContiguous();
  Describe(def->Input("gamma"), Like::kGamma, rows).AutoContiguous();
  Describe(def->Input("scales_x"), Like::kScale, rows).AutoContiguous();
  Describe(def->Input("offset_x"), Like::kInt32, rows, ops::OPTIONAL).AutoContiguous();
  Describe(def->Output("dx"), Like::kDx, rows);
  Describe(def->Output("dgamma"), Like::kFp32, rows);
  return !rows.empty();
}

}  // namespace

namespace ops {

class RmsNormGradQuant : public OpDef {
 public:
  explicit RmsNormGradQuant(const char* name) : OpDef(name) {
    AddTensors(this, kWidestArch);
    Attr("quant_mode").AttrType(REQUIRED).String("static");
    Attr("div_mode").AttrType(REQUIRED).Bool(true);
    Attr("dst_type").AttrType(OPTIONAL).Int(ge::DT_INT8);
    SetInferShape(normgrad::InferShapeOfRmsNormGradQuant);
    SetInferDataType(normgrad::InferDataTypeOfRmsNormGradQuant);
    AICore().SetTiling(normgrad::TilingOfRmsNormGradQuant);
    normgrad::AddConfigs(kUnits, AddTensors<OpAICoreConfig>, &AICore());
  }
};

OP_ADD(RmsNormGradQuant);

}  // namespace ops
