// The chip table: every figure with its source.
//   cores, clock, UB, L2: the platform files of CANN (platform_config/<SoC>.ini), keys
//     vector_core_cnt or ai_core_cnt, cube_freq, ub_size, l2_size. One exception: the clock of
//     910B4 is 1500 MHz there and 1650 MHz in measured profiles; the measured figure stands.
//   peak of GM: Ascend/msmodeling, tensor_cast/device.py (910B4 800 GB/s, other A2 and A3 dies
//   1600);
//     950PR 1600 and 950DT 4000 as announced in September 2025. None is published for 310P and
//     910A.
//   achievable: medians of profiled streaming kernels of mixed reads and writes: 680 GB/s on 910B4,
//     1280 GB/s on 910B1. Nobody has measured the others.
//   GM pool: the achievable rate; where that is unknown, inferred: 0.8 of the peak, as on 910B1,
//   and
//     on 310P and 910A, which have no published peak, the platform file's ddr_rate (17 and 32 bytes
//     per cycle and core) of all cores.
//   L2 pool: copies of tensors that L2 holds, measured, as lower bounds: 2.9 TB/s on 910B4, 4.9
//   TB/s
//     on a 910B2 (Ascend/msinsight, 4e16fca1f, kernel_details.csv of two systems). Inferred: 910B3,
//     9372 and 9362 from 910B4 by clock, other 48-core dies as 910B2; elsewhere the platform file's
//     rate between L2 and all cores (310P 114, 910A 86, 950 100 bytes per cycle and core).
#include <cctype>

#include "tiling/chip.h"

namespace normgrad {
namespace {

constexpr uint64_t kMiB = 1024 * 1024;

constexpr uint32_t kUbBytes256K = 262144;
constexpr uint32_t kUbBytes248K = 253952;
constexpr uint32_t kUbBytes192K = 196608;
// 8 KB of a 2201 stay free: a kernel built by CANN's framework may lose them to the runtime.
constexpr uint32_t kUbPlanBytes2201 = kUbBytes192K - 8192;

// arch, UB, UB for plans, event ids, bf16, DataCopyPad, hard SyncAll, registers, sums over lanes of
// fp32, hif8, vector in order, saturates.
// Event ids: QUE_MAX_EVENT of the API's headers (8, on 1001 4). 1001 and 2002 know only saturating
// 16-bit arithmetic; 2201 and 3510 run in Inf/NaN mode by default. Sums over lanes: the data types
// on the pages of ReduceDataBlock, ReduceRepeat, Brcb, MulAddDst and FusedMulAdd.
constexpr Chip kChip1001{1001,  kUbBytes256K, kUbBytes248K, 4,     false, false,
                         false, false,        false,        false, false, true};
constexpr Chip kChip2002{2002,  kUbBytes256K, kUbBytes248K, 8,     false, false,
                         false, false,        true,         false, false, true};
constexpr Chip kChip2201{
    2201, kUbBytes192K, kUbPlanBytes2201, 8, true, true, true, false, true, false, false, false};
constexpr Chip kChip3510{3510, kUbBytes248K, kUbBytes248K, 8,    true, true,
                         true, true,         true,         true, true, false};

constexpr Soc kSocs[] = {
    // name, family, chip, cores, MHz, L2, GM peak GB/s, achievable GB/s, GM pool, L2 pool
    {"ascend910b1", "ascend910b", &kChip2201, 48, 1850, 192 * kMiB, 1600, 1280, 1280, 4900},
    {"ascend910b2", "ascend910b", &kChip2201, 48, 1800, 192 * kMiB, 1600, 0, 1280, 4900},
    {"ascend910b3", "ascend910b", &kChip2201, 40, 1800, 192 * kMiB, 1600, 0, 1280, 3160},
    {"ascend910b4", "ascend910b", &kChip2201, 40, 1650, 96 * kMiB, 800, 680, 680, 2900},
    {"ascend910_9391", "ascend910_93", &kChip2201, 48, 1850, 192 * kMiB, 1600, 0, 1280, 4900},
    {"ascend910_9392", "ascend910_93", &kChip2201, 48, 1850, 192 * kMiB, 1600, 0, 1280, 4900},
    {"ascend910_9381", "ascend910_93", &kChip2201, 48, 1800, 192 * kMiB, 1600, 0, 1280, 4900},
    {"ascend910_9382", "ascend910_93", &kChip2201, 48, 1800, 192 * kMiB, 1600, 0, 1280, 4900},
    {"ascend910_9372", "ascend910_93", &kChip2201, 40, 1800, 192 * kMiB, 1600, 0, 1280, 3160},
    {"ascend910_9362", "ascend910_93", &kChip2201, 40, 1500, 168 * kMiB, 1600, 0, 1280, 2640},
    {"ascend310p1", "ascend310p", &kChip2002, 10, 1060, 16 * kMiB, 0, 0, 180, 1210},
    {"ascend310p3", "ascend310p", &kChip2002, 8, 1060, 16 * kMiB, 0, 0, 144, 967},
    {"ascend910a", "ascend910", &kChip1001, 32, 1000, 32 * kMiB, 0, 0, 1024, 2752},
    {"ascend950pr_9579", "ascend950", &kChip3510, 56, 1650, 128 * kMiB, 1600, 0, 1280, 9240},
    {"ascend950pr_9589", "ascend950", &kChip3510, 64, 1650, 128 * kMiB, 1600, 0, 1280, 10560},
    {"ascend950pr_9599", "ascend950", &kChip3510, 72, 1800, 128 * kMiB, 1600, 0, 1280, 12960},
    {"ascend950dt_9591", "ascend950", &kChip3510, 72, 1800, 128 * kMiB, 4000, 0, 3200, 12960},
    {"ascend950dt_95a2", "ascend950", &kChip3510, 72, 1800, 128 * kMiB, 4000, 0, 3200, 12960},
};
constexpr int kSocCount = sizeof(kSocs) / sizeof(kSocs[0]);

// A family name stands for one of its products.
struct FamilyDefault {
  const char* family;
  const char* product;
};
constexpr FamilyDefault kFamilyDefaults[] = {
    {"ascend910b", "ascend910b1"},     {"ascend910_93", "ascend910_9391"},
    {"ascend310p", "ascend310p3"},     {"ascend910", "ascend910a"},
    {"ascend950", "ascend950pr_9599"},
};

// CANN spells products with capitals (Ascend910B4): both spellings mean the same.
bool SameName(const char* known, const char* asked) {
  for (; *known != '\0' && *asked != '\0'; ++known, ++asked) {
    if (*known != std::tolower(static_cast<unsigned char>(*asked))) {
      return false;
    }
  }
  return *known == *asked;
}

}  // namespace

const Soc* FindSoc(const char* name) {
  if (name == nullptr) {
    return nullptr;
  }
  for (const FamilyDefault& entry : kFamilyDefaults) {
    if (SameName(entry.family, name)) {
      name = entry.product;
      break;
    }
  }
  for (const Soc& soc : kSocs) {
    if (SameName(soc.name, name)) {
      return &soc;
    }
  }
  return nullptr;
}

int SocCount() { return kSocCount; }

const Soc& SocAt(int i) { return kSocs[i]; }

}  // namespace normgrad
