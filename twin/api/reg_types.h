// The types of register programming: registers, masks, and the words that calls are told.
#ifndef NORMGRAD_TWIN_API_REG_TYPES_H_
#define NORMGRAD_TWIN_API_REG_TYPES_H_

#include <cstdint>
#include <type_traits>

#include "twin/machine/registers.h"
#include "twin/machine/site.h"
#include "twin/rules/reg_table.h"

#define __simd_vf__
#define __simd_callee__

namespace AscendC {

constexpr uint32_t GetVecLen() { return normgrad::twin::kRegBytes; }

enum class DivAlgo {
  INTRINSIC = 0,
  DIFF_COMPENSATION,
  PRECISION_1ULP_FTZ_TRUE,
  PRECISION_0ULP_FTZ_TRUE,
  PRECISION_0ULP_FTZ_FALSE,
  PRECISION_1ULP_FTZ_FALSE,
};
enum class SqrtAlgo {
  INTRINSIC = 0,
  FAST_INVERSE,
  PRECISION_1ULP_FTZ_TRUE,
  PRECISION_0ULP_FTZ_FALSE,
  PRECISION_1ULP_FTZ_FALSE,
};
enum class ExpAlgo { INTRINSIC = 0, PRECISION_1ULP_FTZ_TRUE, PRECISION_1ULP_FTZ_FALSE };
enum class LnAlgo { INTRINSIC = 0, PRECISION_1ULP_FTZ_TRUE, PRECISION_1ULP_FTZ_FALSE };

namespace Reg {

enum class RegLayout { UNKNOWN = -1, ZERO, ONE, TWO, THREE };
enum class SatMode { UNKNOWN = -1, NO_SAT, SAT };
enum class MaskMergeMode { UNKNOWN, MERGING, ZEROING };
enum class HighLowPart { LOWEST, HIGHEST };
enum class PostLiteral { POST_MODE_NORMAL, POST_MODE_UPDATE };
enum class MaskPattern {
  ALL,
  VL1,
  VL2,
  VL3,
  VL4,
  VL8,
  VL16,
  VL32,
  VL64,
  VL128,
  M3,
  M4,
  H,
  Q,
  ALLF = 15
};
enum class DataCopyMode { DATA_BLOCK_COPY };
enum class MaskDist { DIST_NORM, DIST_US = 1, DIST_DS = 2, DIST_PACK = 1 };
enum class MemType { VEC_STORE, VEC_LOAD, SCALAR_STORE, SCALAR_LOAD, VEC_ALL, SCALAR_ALL };
enum class PairReduce { SUM = 0 };

enum class LoadDist {
  DIST_NORM,
  DIST_BRC_B8,
  DIST_BRC_B16,
  DIST_BRC_B32,
  DIST_US_B8 = 6,
  DIST_US_B16,
  DIST_DS_B8,
  DIST_DS_B16,
  DIST_DINTLV_B8 = 11,
  DIST_DINTLV_B16,
  DIST_UNPACK_B8,
  DIST_UNPACK_B16,
  DIST_BLK,
  DIST_E2B_B16,
  DIST_E2B_B32,
  DIST_UNPACK_B32,
  DIST_DINTLV_B32,
  DIST_UNPACK4_B8,
};

enum class StoreDist {
  DIST_NORM_B8,
  DIST_NORM_B16,
  DIST_NORM_B32,
  DIST_FIRST_ELEMENT_B8,
  DIST_FIRST_ELEMENT_B16,
  DIST_FIRST_ELEMENT_B32,
  DIST_PACK_B16,
  DIST_PACK_B32,
  DIST_INTLV_B8,
  DIST_INTLV_B16,
  DIST_PACK_B64,
  DIST_INTLV_B32,
  DIST_PACK4_B32,
  DIST_NORM = 16,
};

struct RegTrait {
  int REG_NUM = 1;
};
inline constexpr RegTrait RegTraitNumOne = {1};
inline constexpr RegTrait RegTraitNumTwo = {2};

struct DefaultType {};

template <typename T, const RegTrait& regTrait = RegTraitNumOne>
struct RegTensor : normgrad::twin::RegData {
  static_assert(regTrait.REG_NUM == 1, "AscendC::Reg::RegTensor: the twin has one register each");
  using ActualT = T;
  static constexpr RegTrait trait = regTrait;
  static constexpr int REG_NUM = trait.REG_NUM;
};

struct MaskReg : normgrad::twin::MaskData {};

struct UnalignReg : normgrad::twin::UnalignedData {};
using UnalignRegForLoad = UnalignReg;
using UnalignRegForStore = UnalignReg;

struct AddrReg {
  uint32_t offset_bytes = 0;
  bool written = false;
};

struct CastTrait {
  RegLayout layoutMode = RegLayout::UNKNOWN;
  SatMode satMode = SatMode::UNKNOWN;
  MaskMergeMode mrgMode = MaskMergeMode::UNKNOWN;
  RoundMode roundMode = RoundMode::UNKNOWN;
};
inline constexpr CastTrait castTrait = {};

struct DivSpecificMode {
  MaskMergeMode mrgMode = MaskMergeMode::ZEROING;
  bool precisionMode = false;
  DivAlgo algo = DivAlgo::INTRINSIC;
};
struct SqrtSpecificMode {
  MaskMergeMode mrgMode = MaskMergeMode::ZEROING;
  bool precisionMode = false;
  SqrtAlgo algo = SqrtAlgo::INTRINSIC;
};
struct ExpSpecificMode {
  MaskMergeMode mrgMode = MaskMergeMode::ZEROING;
  ExpAlgo algo = ExpAlgo::INTRINSIC;
};
struct LnSpecificMode {
  MaskMergeMode mrgMode = MaskMergeMode::ZEROING;
  LnAlgo algo = LnAlgo::INTRINSIC;
};

}  // namespace Reg

namespace MicroAPI = Reg;

}  // namespace AscendC

namespace normgrad::twin {

// A call's element type: the one it names, which must be its register's, or that one.
template <typename T, typename Actual>
constexpr bool kRegTypeAgrees =
    std::is_same_v<T, AscendC::Reg::DefaultType> || std::is_same_v<T, Actual>;

}  // namespace normgrad::twin

#define NORMGRAD_REG_TYPE(name, T, Actual)                   \
  static_assert(::normgrad::twin::kRegTypeAgrees<T, Actual>, \
                "AscendC::Reg::" name " names another element type than its register's")
#define NORMGRAD_REG_TAKES(name, Actual)                                               \
  static_assert(::normgrad::twin::kRegTakes<::normgrad::twin::RegOp::k##name, Actual>, \
                "AscendC::Reg::" #name " does not take this element type")

#endif  // NORMGRAD_TWIN_API_REG_TYPES_H_
