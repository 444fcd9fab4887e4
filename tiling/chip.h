// Facts of the chips: what an architecture can do (Chip) and what a product has of it (Soc).
#ifndef NORMGRAD_TILING_CHIP_H_
#define NORMGRAD_TILING_CHIP_H_

#include <cstdint>

namespace normgrad {

constexpr uint32_t kBlockBytes = 32;    // unit of UB addresses and of UB strides
constexpr uint32_t kRepeatBytes = 256;  // what one vector repeat handles

// One row per architecture.
struct Chip {
  uint32_t arch;           // 1001, 2002, 2201, 3510
  uint32_t ub_bytes;       // UB that exists
  uint32_t ub_plan_bytes;  // UB that our plans may use (design: 8 KB reserve on 2201)
  uint32_t event_ids;      // flag ids per pair of pipes
  bool has_bf16;
  bool has_pad_copy;       // DataCopyPad
  bool has_hard_sync_all;  // SyncAll() without a workspace
  bool has_registers;      // register programming
  bool has_lane_sums;      // BlockReduceSum, WholeReduceSum, Brcb and fused products of fp32
  bool has_hif8;
  bool vector_in_order;  // a vector instruction waits for earlier ones that it depends on
  bool saturates;        // 16-bit formats: Inf becomes the largest finite value, NaN becomes 0
};

// One row per product.
struct Soc {
  const char* name;    // "ascend910b4"
  const char* family;  // "ascend910b"
  const Chip* chip;
  uint32_t cores;  // vector cores (2201, 3510) or AI cores (2002, 1001)
  uint32_t clock_mhz;
  uint64_t l2_bytes;
  double hbm_gb_per_s;  // peak; 0 where no figure is published
  double
      achievable_gb_per_s;  // what streaming kernels reach, measured; 0 where nobody has measured
  // What all cores together get when their data come from memory, and when they are in L2: for the
  // model of time.
  double gm_pool_gb_per_s;
  double l2_pool_gb_per_s;
};

const Soc* FindSoc(const char* name);  // a product or a family name; null if unknown
int SocCount();
const Soc& SocAt(int i);

}  // namespace normgrad

#endif  // NORMGRAD_TILING_CHIP_H_
