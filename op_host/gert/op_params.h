// How descriptions of operators name what they take. Which dtypes a chip allows is asked of the
// check of the operator, so that it stands in one place.
#ifndef OP_HOST_GERT_OP_PARAMS_H_
#define OP_HOST_GERT_OP_PARAMS_H_

#include <cstdint>
#include <vector>

#include "register/op_def_registry.h"
#include "tiling/check.h"

namespace normgrad {

// A family of chips, as CANN names it, and the kernel's file there.
struct ComputeUnit {
  const char* name;
  uint32_t arch;
  const char* kernel_file;  // null: as the operator is called
};

using DtypesAt = const DtypePair* (*)(uint32_t arch, int index);

// A package of one dtype only, of dy, if the build asks for that (a number of aclDataType).
#ifdef NORMGRAD_PACKAGE_DTYPE
constexpr int32_t kPackageDtype = NORMGRAD_PACKAGE_DTYPE;
#else
constexpr int32_t kPackageDtype = -1;
#endif

// A combination of dtypes: CANN compiles a kernel for each, and finds it by them.
struct DtypeRow {
  DType dy;
  DType gamma;
  DType stats;  // of rstd, and of mean
  DType scale;  // of a quantised dx, and dx itself; only where there is one
  DType dx;
};

// What the statistics are beside a pair of dtypes.
enum class Stats { kFp32, kAsDyOrFp32 };

inline std::vector<DtypeRow> PackagedDtypes(DtypesAt dtypes_at, uint32_t arch, Stats stats) {
  std::vector<DtypeRow> rows;
  const DtypePair* pair = nullptr;
  for (int i = 0; (pair = dtypes_at(arch, i)) != nullptr; ++i) {
    if (kPackageDtype >= 0 && static_cast<int32_t>(pair->dy) != kPackageDtype) {
      continue;
    }
    if (stats == Stats::kAsDyOrFp32 && pair->dy != DType::kFloat32) {
      rows.push_back(DtypeRow{pair->dy, pair->gamma, pair->dy, DType::kUndefined, pair->dy});
    }
    rows.push_back(DtypeRow{pair->dy, pair->gamma, DType::kFloat32, DType::kUndefined, pair->dy});
  }
  return rows;
}

// Each of these with every scale, as dy or fp32, and with every dtype of a quantised dx.
inline std::vector<DtypeRow> Quantised(const std::vector<DtypeRow>& plain) {
  std::vector<DtypeRow> rows;
  for (DtypeRow row : plain) {
    for (const DType scale : {row.dy, DType::kFloat32}) {
      if (scale == DType::kFloat32 && row.scale == scale) {
        continue;  // dy is fp32
      }
      row.scale = scale;
      for (const DType dx : {DType::kInt8, DType::kHifloat8}) {
        row.dx = dx;
        rows.push_back(row);
      }
    }
  }
  return rows;
}

// What a tensor's dtype is in each of the combinations of an operator.
enum class Like { kDy, kGamma, kStats, kScale, kDx, kInt32, kFp32 };

inline DType DtypeOf(Like like, const DtypeRow& row) {
  switch (like) {
    case Like::kDy:
      return row.dy;
    case Like::kGamma:
      return row.gamma;
    case Like::kStats:
      return row.stats;
    case Like::kScale:
      return row.scale;
    case Like::kDx:
      return row.dx;
    case Like::kInt32:
      return DType::kInt32;
    default:
      return DType::kFloat32;
  }
}

// One parameter: its dtypes in the order of `rows`, in plain layout. `Def` is an operator or one of
// its configurations: CANN gives both the same functions but no common base.
inline ops::OpParamDef& Describe(ops::OpParamDef& param, Like like,
                                 const std::vector<DtypeRow>& rows,
                                 ops::Option option = ops::REQUIRED) {
  std::vector<ge::DataType> types;
  for (const DtypeRow& row : rows) {
    types.push_back(static_cast<ge::DataType>(DtypeOf(like, row)));  // the same numbers
  }
  const std::vector<ge::Format> formats(types.size(), ge::FORMAT_ND);
  return param.ParamType(option).DataType(types).Format(formats).UnknownShapeFormat(formats);
}

// An operator's configuration for each family of chips; `add_tensors(Def*, arch)` describes its
// tensors there, and says whether any dtype of theirs is in the package.
template <typename AddTensors, size_t kCount>
void AddConfigs(const ComputeUnit (&units)[kCount], AddTensors add_tensors,
                ops::OpAICoreDef* ai_core) {
  for (const ComputeUnit& unit : units) {
    ops::OpAICoreConfig config;
    if (!add_tensors(&config, unit.arch)) {
      continue;
    }
    config.DynamicCompileStaticFlag(true).DynamicRankSupportFlag(true).DynamicShapeSupportFlag(
        true);
    if (unit.kernel_file != nullptr) {
      config.ExtendCfgInfo("opFile.value", unit.kernel_file);
    }
    ai_core->AddConfig(unit.name, config);
  }
}

}  // namespace normgrad

#endif  // OP_HOST_GERT_OP_PARAMS_H_
