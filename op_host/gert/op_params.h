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

inline std::vector<DtypePair> PackagedDtypes(DtypesAt dtypes_at, uint32_t arch) {
  std::vector<DtypePair> pairs;
  const DtypePair* pair = nullptr;
  for (int i = 0; (pair = dtypes_at(arch, i)) != nullptr; ++i) {
    if (kPackageDtype < 0 || static_cast<int32_t>(pair->dy) == kPackageDtype) {
      pairs.push_back(*pair);
    }
  }
  return pairs;
}

// What a tensor's dtype is in each of the combinations of an operator.
enum class Like { kDy, kGamma, kFp32 };

// One parameter: its dtypes in the order of `pairs`, in plain layout, always there. `Def` is an
// operator or one of its configurations: CANN gives both the same functions but no common base.
inline ops::OpParamDef& Describe(ops::OpParamDef& param, Like like,
                                 const std::vector<DtypePair>& pairs) {
  std::vector<ge::DataType> types;
  for (const DtypePair& pair : pairs) {
    const DType dtype = like == Like::kDy      ? pair.dy
                        : like == Like::kGamma ? pair.gamma
                                               : DType::kFloat32;
    types.push_back(static_cast<ge::DataType>(dtype));  // the same numbers
  }
  const std::vector<ge::Format> formats(types.size(), ge::FORMAT_ND);
  return param.ParamType(ops::REQUIRED).DataType(types).Format(formats).UnknownShapeFormat(formats);
}

}  // namespace normgrad

#endif  // OP_HOST_GERT_OP_PARAMS_H_
