// LayerNormGradV3 as CANN knows it: tensors, attributes, dtypes per family of chips, the kernel's
// file. CANN has an operator of this name: inputs, outputs and the mask are named and placed as its
// are, so that a graph that was built for that one fits this one.
#include "op_host/gert/op_params.h"
#include "op_host/layer_norm_grad_v3/layer_norm_grad_v3_host.h"
#include "register/op_def_registry.h"
#include "tiling/layer_norm_grad_v3_plan.h"

namespace {

constexpr normgrad::ComputeUnit kUnits[] = {
    {"ascend310p", 2002, nullptr},
    {"ascend910", 1001, nullptr},
    {"ascend910b", 2201, nullptr},
    {"ascend910_93", 2201, nullptr},
    {"ascend950", 3510, "layer_norm_grad_v3_regbase"},
};
constexpr uint32_t kWidestArch = 2201;

// CANN leaves an optional input out when it looks for a kernel by dtypes, and an output in. The two
// sums have the dtype that the kernel is compiled for, with gamma and without: they find it.
template <typename Def>
bool AddTensors(Def* def, uint32_t arch) {
  using normgrad::Describe;
  using normgrad::Like;
  const std::vector<normgrad::DtypeRow> rows = normgrad::PackagedDtypes(
      normgrad::LayerNormGradV3DtypesAt, arch, normgrad::Stats::kAsDyOrFp32);
  Describe(def->Input("dy"), Like::kDy, rows).AutoContiguous();
  Describe(def->Input("x"), Like::kDy, rows).AutoContiguous();
  Describe(def->Input("rstd"), Like::kStats, rows).AutoContiguous();
  Describe(def->Input("mean"), Like::kStats, rows).AutoContiguous();
  Describe(def->Input("gamma"), Like::kGamma, rows, ops::OPTIONAL).AutoContiguous();
  Describe(def->Output("pd_x"), Like::kDy, rows);
  Describe(def->Output("pd_gamma"), Like::kGamma, rows);
  Describe(def->Output("pd_beta"), Like::kGamma, rows);
  return !rows.empty();
}

}  // namespace

namespace ops {

class LayerNormGradV3 : public OpDef {
 public:
  explicit LayerNormGradV3(const char* name) : OpDef(name) {
    AddTensors(this, kWidestArch);
    Attr("output_mask").AttrType(OPTIONAL).ListBool({true, true, true});
    Attr("normalized_shape").AttrType(OPTIONAL).ListInt({});  // none: as gamma
    SetInferShape(normgrad::InferShapeOfLayerNormGradV3);
    SetInferDataType(normgrad::InferDataTypeOfLayerNormGradV3);
    AICore().SetTiling(normgrad::TilingOfLayerNormGradV3);
    normgrad::AddConfigs(kUnits, AddTensors<OpAICoreConfig>, &AICore());
  }
};

OP_ADD(LayerNormGradV3);

}  // namespace ops
