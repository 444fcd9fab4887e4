// Sources, by the letters that the rows carry:
//   [P] pto-isa (hicann/pto-isa, dd3cb0fb): its cost model for dav-2201, regressions on a 910B3
//       (R2 0.99 to 1.0): head and tail of an instruction, slope per 256 B repeat, 16 cycles more
//       in count mode where the count does not fill repeats. fp32.
//   [D] the documented throughput of asc-devkit's pages, relative to the rows of [P].
//   [A] assumed: by likeness to the rows beside it.
//   [F] a fit to the published profile of one 2201 kernel, RmsNormGrad of CANN 8.3.RC1 at 4096x1024
//       and 32768x128 (Ascend/msinsight, 4e16fca1f): scalar, MTE2 and MTE3 times of its rows.
//   [I] CANN 8.1.RC1, platform_config/<SoC>.ini: bytes per cycle and core, ceilings.
//   [V] pto-isa's VfSim for register instructions of 950: VADD 7, VMUL 8, VDIV 17, VCADD 22, loads
//       and stores 9 cycles; a memory call is a load, the operation and a store.
// No row comes from the measurements that `normgrad bench --calibrate` judges it by: those are
// other kernels (Mul, Cast, Add, Muls, ...) of another device.
#include "twin/observers/cost_table.h"

namespace normgrad::twin {
namespace {

struct Row {
  Api api;
  uint16_t latency_cycles;
  uint16_t slope_cycles;
};

template <int kRows>
constexpr VectorCosts Table(const Row (&rows)[kRows]) {
  VectorCosts costs{};
  for (const Row& row : rows) {
    costs.of[static_cast<int>(row.api)] = {row.latency_cycles, row.slope_cycles};
  }
  return costs;
}

constexpr Row kRows2201[] = {
    // [P]
    {Api::kAdd, 24, 2},
    {Api::kSub, 24, 2},
    {Api::kMax, 24, 2},
    {Api::kMin, 24, 2},
    {Api::kMul, 25, 2},
    {Api::kAdds, 31, 1},
    {Api::kMuls, 26, 1},
    {Api::kDiv, 30, 4},
    {Api::kExp, 31, 2},
    {Api::kLn, 33, 2},
    {Api::kSqrt, 39, 2},
    {Api::kRsqrt, 24, 1},
    {Api::kCast, 27, 1},
    {Api::kDuplicate, 24, 1},
    {Api::kCopy, 24, 1},
    {Api::kWholeReduceSum, 46, 7},
    {Api::kBlockReduceSum, 38, 1},
    // [A] slope as Mul, fixed by this project's budgets; latency as Mul
    {Api::kMulAddDst, 25, 2},
    {Api::kFusedMulAdd, 25, 2},
    {Api::kAxpy, 25, 2},
    // [D] slope, [A] latency of the nearest row
    {Api::kMaxs, 31, 1},
    {Api::kMins, 31, 1},
    {Api::kAbs, 24, 1},
    {Api::kRelu, 24, 1},
    {Api::kNot, 24, 1},
    {Api::kAnd, 24, 1},
    {Api::kOr, 24, 1},
    {Api::kReciprocal, 24, 1},
    {Api::kBrcb, 18, 1},  // [P] latency; its slope there is a placeholder
    {Api::kWholeReduceMax, 46, 7},
    {Api::kWholeReduceMin, 46, 7},
    {Api::kRepeatReduceSum, 46, 7},
    {Api::kReduceSum, 46, 7},
    {Api::kReduceMax, 46, 7},
    {Api::kReduceMin, 46, 7},
    {Api::kBlockReduceMax, 38, 1},
    {Api::kBlockReduceMin, 38, 1},
    {Api::kPairReduceSum, 38, 1},
    {Api::kCompare, 24, 1},
    {Api::kCompareScalar, 24, 1},
    {Api::kSelect, 24, 1},
    {Api::kSetCmpMask, 24, 1},
    {Api::kGetCmpMask, 24, 1},
    {Api::kTransDataTo5HD, 24, 1},
    {Api::kDataCopyUbToUb, 24, 1},
    {Api::kBroadcast, 24, 1},  // counts the repeats of its documented steps
    {Api::kFill, 24, 1},       // those of a Duplicate
};
constexpr VectorCosts kVector2201 = Table(kRows2201);

// [V], slopes by ports: two loads or one load and one store of 256 B a cycle. What has no row there
// has the latency of an addition [A].
constexpr VectorCosts Vector3510() {
  constexpr uint16_t kLoadAndStore = 18;
  VectorCosts costs = kVector2201;
  for (VectorCost& cost : costs.of) {
    if (cost.slope_cycles > 0) cost.latency_cycles = kLoadAndStore + 7;
  }
  const Row rows[] = {
      {Api::kMul, kLoadAndStore + 8, 2},
      {Api::kMuls, kLoadAndStore + 8, 1},
      {Api::kDiv, kLoadAndStore + 17, 4},
      {Api::kWholeReduceSum, kLoadAndStore + 22, 7},
      {Api::kReduceSum, kLoadAndStore + 22, 7},
      {Api::kRepeatReduceSum, kLoadAndStore + 22, 7},
      // Counts the cycles in which its register instructions are issued (reg_table.h): what waits
      // for a result, and LocalMemBar, is left out.
      {Api::kVectorFunction, kLoadAndStore + 7, 1},
  };
  for (const Row& row : rows) {
    costs.of[static_cast<int>(row.api)] = {row.latency_cycles, row.slope_cycles};
  }
  return costs;
}

// Read the columns as those of ScalarCosts.
constexpr ScalarCosts kScalar{
    14,   // [F]
    1,    // [A] one instruction; the fit has no term for it
    25,   // [F]
    55,   // [F]
    30,   // [F]
    330,  // [A] a read of UB, and the latency of a load
    45,   // [F]
};

constexpr double kOddCount = 16;     // [P]; 3510 counts with masks of its registers
constexpr uint32_t kPiece = 128;     // [D] transfers are cut into 128, 256 and 512 B
constexpr uint32_t kLine = 512;      // [D] L2 line of 2201, the page on cache coherence
constexpr uint32_t kLine3510 = 128;  // [D] the smaller one that the page names

// arch, calibrated, vector, MTE2, MTE3, ...
constexpr Costs kCosts[] = {
    // [F]; the ini has 32 from GM and 64 to it
    {2201, true, kVector2201, {110, 33, 300}, {150, 34, 200}, kScalar, kOddCount, kPiece, kLine},
    // Rates [I]; all else [A] as on 2201.
    {2002, false, kVector2201, {110, 17, 300}, {150, 17, 200}, kScalar, kOddCount, kPiece, kLine},
    {1001, false, kVector2201, {110, 32, 300}, {150, 64, 200}, kScalar, kOddCount, kPiece, kLine},
    // Rates [I], of the draft for the 950 family in CANN 8.1.
    {3510, false, Vector3510(), {110, 31, 300}, {150, 40, 200}, kScalar, 0, kPiece, kLine3510},
};

}  // namespace

const Costs& CostsOf(uint32_t arch) {
  for (const Costs& costs : kCosts) {
    if (costs.arch == arch) return costs;
  }
  return kCosts[0];
}

uint32_t SlopeCycles(Api api) { return kVector2201.of[static_cast<int>(api)].slope_cycles; }

}  // namespace normgrad::twin
